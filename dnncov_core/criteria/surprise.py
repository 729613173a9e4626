"""How surprising an input is to a network, against reference data, which are usually its training data.

A kind of surprise is made once, of the values that one layer has for the reference data, and then tells the surprise of
any number of inputs. An input is compared with reference inputs by class, the class being what the network says.

LSA and DSA are by Kim, Feldt and Yoo, "Guiding Deep Learning System Testing Using Surprise Adequacy" (ICSE 2019), MDSA
by Kim, Ju, Feldt and Yoo, "Reducing DNN Labelling Cost Using Surprise Adequacy" (ESEC/FSE 2020). What the papers leave
open is decided as in the program of the first (sadl).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dnncov_core.errors import DataError
from dnncov_core.types import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.networks.network import Network

LEAST_VARIANCE = 1e-5
"""LSA leaves out neurons whose v varies by less than this over the reference data of some class, as the authors do."""
LEAST_SHARE = 1e-10
"""A variance below this share of another one is taken for rounding."""
INPUTS_AT_ONCE, DISTANCES_AT_ONCE = 1024, 2**23
"""Inputs, and their distances from reference data, that are held at the same time."""
FIX = "take more reference data, or another layer"


class Surprise(ABC):
    """A kind of surprise, which knows its reference data.

    Args:
        values: of one layer for the reference data, ``(m, neurons)``.
        labels: the classes that the network gives them, ``(m,)``; all alike where there are no classes.

    Attributes:
        left_out: neurons of the layer that do not count.

    Raises:
        DataError: the reference data are too few, or too much alike.
    """

    key: ClassVar[str]
    words: ClassVar[str]
    formula: ClassVar[str]
    left_out: int = 0

    def __init__(self, values: FloatArray, labels: IntArray) -> None:
        self.values, self.labels = values, labels
        self.classes = {int(label): np.flatnonzero(labels == label) for label in np.unique(labels)}
        self._prepare()

    def of(self, values: FloatArray, labels: IntArray) -> FloatArray:
        """The surprise of each input, ``(n,)``; infinite where no reference input is of its class.

        Args:
            values: of the same layer, ``(n, neurons)``.
            labels: the classes that the network gives the inputs, ``(n,)``.
        """
        found = np.full(len(labels), np.inf)
        for label in self.classes:
            for part in _parts(np.flatnonzero(labels == label), INPUTS_AT_ONCE):
                found[part] = self._of_class(label, values[part].astype(np.float64))
        return found

    @abstractmethod
    def _prepare(self) -> None:
        """Computes what is the same for all inputs."""

    @abstractmethod
    def _of_class(self, label: int, values: FloatArray) -> FloatArray:
        """The surprise of some inputs that the network gives one class, ``(n,)``."""

    def _of_label(self, label: int) -> FloatArray:
        """The values of the reference data of a class, in double precision."""
        return self.values[self.classes[label]].astype(np.float64)


@dataclass(frozen=True)
class _Density:
    """Kernels around ``points``, in coordinates (values times ``whiten``) in which each is a standard normal."""

    whiten: FloatArray
    points: FloatArray
    log_scale: float


class LikelihoodSurprise(Surprise):
    """LSA: minus the logarithm of the density that reference data of the input's class have at the input.

    The density is the mean of Gaussian kernels, whose covariance is that of these data times the square of Scott's
    factor n^(-1 / (4 + neurons)), as in SciPy's ``gaussian_kde``, which the authors call. Neurons that vary by less
    than `LEAST_VARIANCE` in some class are left out of all classes. So are those that are a linear function of others
    in some class if its covariance has no inverse, where the authors' program ends.
    """

    key: ClassVar[str] = "lsa"
    words: ClassVar[str] = "minus the logarithm of the density of reference data of its class at the input"
    formula: ClassVar[str] = r"-\log (\sum_i K(\alpha[x] - \alpha[x_i]) / n)"

    def _prepare(self) -> None:
        least = np.min([self._of_label(label).var(axis=0) for label in self.classes], axis=0)
        kept = np.flatnonzero(least >= LEAST_VARIANCE)
        factors = {label: _factor(self._of_label(label)[:, kept]) for label in self.classes}
        if any(factor is None for factor in factors.values()):
            free = [_independent(self._of_label(label)[:, kept]) for label in self.classes]
            kept = kept[np.all(free, axis=0)]
            factors = {label: _factor(self._of_label(label)[:, kept]) for label in self.classes}
        if not kept.size:
            expected = f"a layer whose neurons vary in each of the {len(self.classes)} classes over the reference data"
            got = f"{self.values.shape[1]:,} neurons of which none does, {len(self.values):,} reference inputs"
            raise DataError(expected, got, FIX)
        self.left_out, self._kept = self.values.shape[1] - len(kept), kept
        self._densities = {label: self._density(label, factor) for label, factor in factors.items()}

    def _density(self, label: int, factor: FloatArray | None) -> _Density:
        assert factor is not None
        points = self._of_label(label)[:, self._kept]
        n, d = points.shape
        whiten = np.linalg.inv(factor).T
        log_scale = np.log(n) + np.log(factor.diagonal()).sum() + d * np.log(2 * np.pi) / 2
        return _Density(whiten, points @ whiten, float(log_scale))

    def _of_class(self, label: int, values: FloatArray) -> FloatArray:
        density, log_sum = self._densities[label], np.full(len(values), -np.inf)
        white = values[:, self._kept] @ density.whiten
        for part in _parts(np.arange(len(density.points)), DISTANCES_AT_ONCE // INPUTS_AT_ONCE):
            exponents = -(_distances(white, density.points[part]) ** 2) / 2
            log_sum = np.logaddexp(log_sum, np.logaddexp.reduce(exponents, axis=1))
        found: FloatArray = density.log_scale - log_sum
        return found


def _factor(points: FloatArray) -> FloatArray | None:
    """The Cholesky factor of the kernels' covariance, ``(d, d)``; None where there is none."""
    n, d = points.shape
    try:
        return np.linalg.cholesky(n ** (-2 / (d + 4)) * np.cov(points, rowvar=False).reshape(d, d))
    except np.linalg.LinAlgError:
        return None


def _independent(points: FloatArray) -> BoolArray:
    """Which columns are no linear function of those before them, ``(d,)`` of bool."""
    scaled = (points - points.mean(axis=0)) / points.std(axis=0)
    left = np.zeros(points.shape[1])
    diagonal = np.diagonal(np.linalg.qr(scaled)[1])
    left[: len(diagonal)] = diagonal**2 / len(points)
    found: BoolArray = left > LEAST_SHARE
    return found


class DistanceSurprise(Surprise):
    """DSA: how far the nearest reference input x_a of the same class is, in units of how far x_a is from other classes.

    Distances are Euclidean. It is infinite where x_a has the values of a reference input of another class.
    """

    key: ClassVar[str] = "dsa"
    words: ClassVar[str] = (
        "the distance of the nearest reference input of its class, by that one's distance from the other classes"
    )
    formula: ClassVar[str] = r"|\alpha[x] - \alpha[x_a]| / |\alpha[x_a] - \alpha[x_b]|"

    def _prepare(self) -> None:
        if len(self.classes) < 2:
            raise DataError("reference data of two classes or more for DSA", f"{len(self.classes)}", FIX)
        self._to_others = np.full(len(self.labels), np.nan)  # known of those that were nearest to some input

    def _of_class(self, label: int, values: FloatArray) -> FloatArray:
        near, distance = self._nearest(values, self.classes[label])
        new = np.unique(near[np.isnan(self._to_others[near])])
        others = np.flatnonzero(self.labels != label)
        for part in _parts(new, INPUTS_AT_ONCE):
            self._to_others[part] = self._nearest(self.values[part].astype(np.float64), others)[1]
        apart = self._to_others[near]
        found: FloatArray = np.divide(distance, apart, out=np.full(len(near), np.inf), where=apart > 0)
        return found

    def _nearest(self, values: FloatArray, rows: IntArray) -> tuple[IntArray, FloatArray]:
        """Which of some reference inputs is nearest to each of these values, and how far it is, ``(n,)`` each."""
        near, least = np.zeros(len(values), np.int64), np.full(len(values), np.inf)
        for part in _parts(rows, DISTANCES_AT_ONCE // INPUTS_AT_ONCE):
            apart = _distances(values, self.values[part].astype(np.float64))
            place = apart.argmin(axis=1)
            found = apart[np.arange(len(values)), place]
            near, least = np.where(found < least, part[place], near), np.minimum(found, least)
        exact: FloatArray = np.linalg.norm(values - self.values[near], axis=1)  # products of matrices round more
        return near, exact


class MahalanobisSurprise(Surprise):
    """MDSA: the Mahalanobis distance from the mean of the reference data of the input's class.

    The covariance is divided by the number of inputs. Directions in which the class varies by less than `LEAST_SHARE`
    of its greatest variance do not count.
    """

    key: ClassVar[str] = "mdsa"
    words: ClassVar[str] = "the Mahalanobis distance from the mean of the reference data of its class"
    formula: ClassVar[str] = r"((\alpha[x] - \mu)^T C^{-1} (\alpha[x] - \mu))^{1/2}"

    def _prepare(self) -> None:
        self._means = {label: self._of_label(label).mean(axis=0) for label in self.classes}
        self._roots = {label: self._root(label) for label in self.classes}

    def _root(self, label: int) -> FloatArray:
        """A matrix whose product with its transpose is the inverse of the covariance, ``(neurons, directions)``."""
        apart = self._of_label(label) - self._means[label]
        variances, directions = np.linalg.eigh(apart.T @ apart / len(apart))
        if variances[-1] <= 0:
            expected = "reference data of which those of each class differ from each other, for MDSA"
            raise DataError(expected, f"{len(apart):,} of class {label}, all alike", FIX)
        counts = variances > LEAST_SHARE * variances[-1]
        found: FloatArray = directions[:, counts] / np.sqrt(variances[counts])
        return found

    def _of_class(self, label: int, values: FloatArray) -> FloatArray:
        found: FloatArray = np.linalg.norm((values - self._means[label]) @ self._roots[label], axis=1)
        return found


SURPRISES: dict[str, type[Surprise]] = {
    kind.key: kind for kind in (LikelihoodSurprise, DistanceSurprise, MahalanobisSurprise)
}


def labels_of(network: Network, outputs: Tensor) -> IntArray:
    """The classes that the network gives inputs by their outputs, ``(batch,)``; all 0 where it has no classes."""
    from dnncov_core.networks.decision import LabelDecision

    if not isinstance(network.decision, LabelDecision):
        return np.zeros(len(outputs), np.int64)
    found: IntArray = network.decision.labels(outputs).cpu().numpy()
    return found


def _parts(rows: IntArray, size: int) -> Iterator[IntArray]:
    return (rows[start : start + size] for start in range(0, len(rows), size))


def _distances(values: FloatArray, others: FloatArray) -> FloatArray:
    """Euclidean distances, ``(n, m)``."""
    import torch

    found: FloatArray = torch.cdist(torch.from_numpy(values), torch.from_numpy(others)).numpy()
    return found
