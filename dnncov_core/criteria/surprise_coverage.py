"""LSC, DSC and MDSC: which degrees of surprise a suite has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.criteria.layer_criteria import Known, LayerCriterion, LayerMeter, neurons_of
from dnncov_core.criteria.neuron_criteria import NONE
from dnncov_core.criteria.surprise import (
    DistanceSurprise,
    LikelihoodSurprise,
    MahalanobisSurprise,
    Surprise,
    labels_of,
)
from dnncov_core.errors import SpecificationError

if TYPE_CHECKING:
    from dnncov_core.layer_values import Activations
    from dnncov_core.networks.network import Network

MOST_BUCKETS = 1_000_000


class SurpriseMeter(LayerMeter):
    """The buckets into which the surprise of inputs falls.

    Attributes:
        layer: whose values surprise.
        rows: the first input in each bucket, -1 for none, ``(m,)``.
        outside: inputs in no bucket, as their surprise is 0 or less, or above the upper bound.
        left_out: neurons of the layer that do not count.
    """

    def __init__(self, surprise: Surprise, network: Network, layer: int, *, m: int, upper: float) -> None:
        self.layer, self.layers = layer, (layer, network.depth)
        self.rows, self.outside, self.left_out = np.full(m, NONE, np.int64), 0, surprise.left_out
        self._surprise, self._network, self._upper = surprise, network, upper

    def add(self, first: int, values: Activations) -> None:
        v = neurons_of(values[self.layer].v, self._network.layers[self.layer - 1]).cpu().numpy()
        found = self._surprise.of(v, labels_of(self._network, values[self._network.depth].u))
        inside = np.flatnonzero((found > 0) & (found <= self._upper))
        self.outside += len(found) - len(inside)
        m = len(self.rows)
        bucket = np.ceil(found[inside] / self._upper * m).astype(np.int64).clip(1, m) - 1
        new, place = np.unique(bucket, return_index=True)
        open_ = self.rows[new] == NONE
        self.rows[new[open_]] = first + inside[place[open_]]

    @property
    def covered(self) -> int:
        """Buckets with an input."""
        return int((self.rows != NONE).sum())


@dataclass(frozen=True)
class SurpriseCoverage(LayerCriterion):
    """Of m equal buckets of surprise from 0, not included, to an upper bound, those into which some input falls.

    As the papers define it; the authors' program begins the first bucket at the suite's least surprise.

    Attributes:
        m: the number of buckets.
        upper: the upper bound, in units of the surprise.
        layer: whose values surprise, by its number; the last hidden layer if left out.
    """

    kind: ClassVar[type[Surprise]]
    by_reference: ClassVar[bool] = True
    usual_m: ClassVar[int] = 1000
    m: int = usual_m
    upper: float = 1.0
    layer: int | None = None

    def __post_init__(self) -> None:
        name = self.key.upper()
        if not 1 <= self.m <= MOST_BUCKETS:
            expected = f"m of {name}: a whole number from 1 to {MOST_BUCKETS:,}"
            raise SpecificationError(expected, repr(self.m), "change m")
        if not 0 < self.upper < math.inf:
            raise SpecificationError(f"the upper bound of {name}: a number above 0", repr(self.upper), "change it")

    @property
    def parameters(self) -> str:
        layer = "the last hidden layer" if self.layer is None else f"layer {self.layer}"
        return f"m = {self.m}, U = {self.upper:g}, {layer}"

    def layer_of(self, network: Network) -> int:
        """The number of the layer whose values surprise.

        Raises:
            SpecificationError: it is no hidden layer of the network.
        """
        last = network.depth - 1
        if not 2 <= (layer := self.layer or last) <= last:
            raise SpecificationError(f"a hidden layer for {self.key}, 2 to {last}", str(layer), "change the layer")
        return layer

    def meter(self, network: Network, known: Known) -> SurpriseMeter:
        layer = self.layer_of(network)
        return SurpriseMeter(known(self.kind.key, layer), network, layer, m=self.m, upper=self.upper)


_WORDS = (
    "Some input's surprise lies in the bucket, one of m equal ones from 0 to an upper bound U. The surprise, {}, is {},"
    " by the v of the last hidden layer, unless another layer is named."
)
_FORMULA = r"\exists x: (j - 1) U / m < s[x] \leq j U / m \wedge s[x] = {}"


def _words(kind: type[Surprise]) -> str:
    return _WORDS.format(kind.key.upper(), kind.words)


def _formula(kind: type[Surprise]) -> str:
    return _FORMULA.format(kind.formula)


@dataclass(frozen=True)
class LikelihoodCoverage(SurpriseCoverage):
    """LSC (Kim, Feldt and Yoo, ICSE 2019), with their program's upper bound of 2,000 for 1,000 buckets."""

    key: ClassVar[str] = "lsc"
    title: ClassVar[str] = "LSC (likelihood)"
    kind: ClassVar[type[Surprise]] = LikelihoodSurprise
    words: ClassVar[str] = _words(LikelihoodSurprise)
    formula: ClassVar[str] = _formula(LikelihoodSurprise)
    upper: float = 2000.0


@dataclass(frozen=True)
class DistanceCoverage(SurpriseCoverage):
    """DSC, likewise, with an upper bound of 2: half way between two classes, DSA is about 1."""

    key: ClassVar[str] = "dsc"
    title: ClassVar[str] = "DSC (distance)"
    kind: ClassVar[type[Surprise]] = DistanceSurprise
    words: ClassVar[str] = _words(DistanceSurprise)
    formula: ClassVar[str] = _formula(DistanceSurprise)
    upper: float = 2.0


@dataclass(frozen=True)
class MahalanobisCoverage(SurpriseCoverage):
    """MDSC: MDSA (Kim, Ju, Feldt and Yoo, ESEC/FSE 2020) as coverage; no source gives an upper bound for it."""

    key: ClassVar[str] = "mdsc"
    title: ClassVar[str] = "MDSC (Mahalanobis)"
    kind: ClassVar[type[Surprise]] = MahalanobisSurprise
    words: ClassVar[str] = _words(MahalanobisSurprise)
    formula: ClassVar[str] = _formula(MahalanobisSurprise)
    upper: float = 100.0
