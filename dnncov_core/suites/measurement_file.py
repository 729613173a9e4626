"""The file of a measurement: its numbers, and what they were measured on. `measurement_reader` reads it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dnncov_core.ratios import Ratio
from dnncov_core.record_files import write_whole, writing
from dnncov_core.suites.criterion_names import SAFETY, SPECIAL_CASES, LemmaFunction, key_of
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.types import Amount, Count, LayerNumber

SCHEMA = 1
MEASUREMENT_SUFFIX = ".json"
"""How the name of the file ends."""
MOST_LAYER_PAIRS = 50
"""Of a criterion; where there are more, people read them by decision layer. Files have all of them."""


@dataclass(frozen=True)
class WithEffect:
    """How many feature pairs of a layer pair have a witness that shows the effect that was asked for.

    Attributes:
        covered: so many.
        bound: what was left out, so that there may be more; empty where there are no more among the pairs of inputs
            that count for covering.
    """

    covered: Count
    bound: str


@dataclass(frozen=True)
class MeasuredLayer:
    """What a suite meets of one criterion in one layer pair, or in one layer.

    Attributes:
        condition_layer: None for a criterion of single neurons.
        layer: the decision layer, or the layer.
        total: test conditions.
        covered: those that are met.
        joined: pairs of sign patterns that do what is asked of the condition layer; None for single neurons.
        bound: what a search left out, so that ``covered`` is a lower bound; empty where it is exact.
        left_out: neurons of the layer of which the criterion cannot be asked; ``total`` is without them.
        with_effect: those that are covered, with effect; None where no effect was asked for, and for single neurons.
        outside: inputs whose surprise lies in no bucket.
        others: further condition layers, in a row that sums several layer pairs; files have none.
    """

    condition_layer: LayerNumber | None
    layer: LayerNumber
    total: Count
    covered: Count
    joined: Count | None
    bound: str
    left_out: Count = 0
    with_effect: WithEffect | None = None
    outside: Count = 0
    others: tuple[LayerNumber, ...] = ()

    @property
    def condition_layers(self) -> tuple[LayerNumber, ...]:
        """The condition layers, ascending; none for a criterion of single neurons."""
        return () if self.condition_layer is None else (self.condition_layer, *self.others)

    @property
    def ratio(self) -> Ratio:
        """Covered, of all test conditions."""
        return Ratio(self.covered, self.total)

    @property
    def shown(self) -> MeasuredLayer | None:
        """What is covered with effect, in a row of its own; None where that is not known.

        >>> row = MeasuredLayer(2, 3, 9, 3, 4, "", with_effect=WithEffect(1, "some tried"))
        >>> row.shown.percent, MeasuredLayer(2, 3, 9, 3, 4, "").shown
        ('≥ 11.1 %', None)
        """
        if self.with_effect is None:
            return None
        bound = "; ".join(filter(None, (self.bound if self.is_bound else "", self.tried)))
        return replace(self, covered=self.with_effect.covered, bound=bound, with_effect=None)

    @property
    def place(self) -> str:
        """The layer pair, or the layer, in few words."""
        if self.others:
            return f"to {self.layer}"
        return str(self.layer) if self.condition_layer is None else f"{self.condition_layer} to {self.layer}"

    @property
    def tried(self) -> str:
        """What was left out beside that, so that more may be covered with effect; empty where no more can be."""
        shown = self.with_effect
        return shown.bound if shown is not None and shown.covered < self.covered else ""

    @property
    def is_bound(self) -> bool:
        """Whether more may be covered than was found."""
        return bool(self.bound) and self.covered < self.total

    @property
    def percent(self) -> str:
        """The share, a lower bound marked as one.

        >>> MeasuredLayer(2, 3, 9, 3, 4, "").percent, MeasuredLayer(2, 3, 9, 3, 4, "some compared").percent
        ('33.3 %', '≥ 33.3 %')
        """
        return _marked(self.ratio, self.is_bound)


@dataclass(frozen=True)
class MeasuredCriterion:
    """One criterion; ``total`` is None where nobody knows it, or where ``covered`` is a number that counts nothing."""

    text: str
    total: Count | None
    covered: Amount
    rows: tuple[MeasuredLayer, ...]

    @property
    def key(self) -> str:
        """The criterion's name without its parameters."""
        return key_of(self.text)

    @property
    def name(self) -> str:
        """The criterion as it was asked for, for readers.

        >>> MeasuredCriterion("tn:2", 9, 3, ()).name, MeasuredCriterion("sv:ratio=3", 9, 3, ()).name
        ('TN, m = 2', 'SV, ratio = 3')
        >>> MeasuredCriterion("sv:nb", 9, 3, ()).name, MeasuredCriterion("vv:tn=2", 9, 3, ()).name
        ('SV, g: NB', 'VV, g1: TN, m = 2')
        """
        _, _, parameter = self.text.partition(":")
        if (function := self.lemma_function) is not None:
            return f"{self.key.upper()}, {SPECIAL_CASES[self.key][function.criterion]}: {function.words}"
        named = f"m = {parameter}" if parameter.isdecimal() else parameter.replace("=", " = ").replace("/", ", ")
        return ", ".join(part for part in (self.key.upper(), named) if part)

    @property
    def lemma_function(self) -> LemmaFunction | None:
        """The value function that a lemma asks for, by which it was measured; None for another one, or none."""
        found = LemmaFunction.read(self.text.partition(":")[2])
        return found if found is not None and found.criterion in SPECIAL_CASES.get(self.key, {}) else None

    @property
    def ratio(self) -> Ratio | None:
        """Covered, of all test conditions; None where nobody knows how many there are."""
        return None if self.total is None else Ratio(int(self.covered), self.total)

    @property
    def readable(self) -> MeasuredCriterion:
        """This criterion with a row for each decision layer, where there are more than `MOST_LAYER_PAIRS` rows."""
        if len(self.rows) <= MOST_LAYER_PAIRS or self.joined is None:
            return self
        ascending = sorted(self.rows, key=lambda row: (row.layer, row.condition_layers))
        into = itertools.groupby(ascending, lambda row: row.layer)
        return replace(self, rows=tuple(_summed([*rows]) for _, rows in into))

    @property
    def by_decision_layer(self) -> bool:
        """Whether rows sum the layer pairs into a decision layer."""
        return any(row.others for row in self.rows)

    @property
    def shown(self) -> MeasuredCriterion | None:
        """What is covered with effect; None where that is not known of all layer pairs, or there is none."""
        rows = tuple(row.shown for row in self.rows if row.shown is not None)
        if not rows or len(rows) < len(self.rows):
            return None
        return replace(self, covered=sum(row.covered for row in rows), rows=rows)

    @property
    def joined(self) -> int | None:
        """Pairs of sign patterns of all layer pairs together; None for a criterion of single neurons."""
        return sum(row.joined or 0 for row in self.rows) if any(row.joined is not None for row in self.rows) else None

    @property
    def bounds(self) -> list[str]:
        """What searches left out, in words, each once; empty where the count is exact."""
        return sorted({row.bound for row in self.rows if row.is_bound})

    @property
    def left_out(self) -> int:
        """Neurons of all layers of which the criterion cannot be asked."""
        return sum({row.layer: row.left_out for row in self.rows}.values())

    @property
    def percent(self) -> str:
        """The share, a lower bound marked as one; the number of sign patterns, or NLC, where there is no share."""
        if self.ratio is None:
            return f"{self.covered:,} patterns" if self.key == SAFETY else f"{self.covered:,.4g}"
        return _marked(self.ratio, bool(self.bounds))


def _summed(rows: Sequence[MeasuredLayer]) -> MeasuredLayer:
    """The layer pairs into one decision layer, in one row."""
    effects = [(row.with_effect, row.covered) for row in rows if row.with_effect is not None]
    left = (effect.bound for effect, covered in effects if effect.covered < covered)
    return replace(
        rows[0],
        others=tuple(row.condition_layer for row in rows[1:] if row.condition_layer is not None),
        total=sum(row.total for row in rows),
        covered=sum(row.covered for row in rows),
        joined=sum(row.joined or 0 for row in rows),
        bound=_together(row.bound for row in rows if row.is_bound),
        with_effect=WithEffect(sum(each.covered for each, _ in effects), _together(left)) if effects else None,
    )


def _together(bounds: Iterable[str]) -> str:
    return "; ".join(sorted({*bounds} - {""}))


def _marked(ratio: Ratio, is_bound: bool) -> str:
    return ratio.percent_at_least if is_bound else ratio.percent


@dataclass(frozen=True)
class StoredMeasurement:
    """A measurement, read from its file.

    Attributes:
        spec: what was asked; files by their names alone.
        fingerprints: of ``network``, ``suite`` and, where there was one, ``reference``.
        layers: names of the network's layers, by number.
        inputs: of the suite.
        misclassified: of these; None where they have no labels.
        criteria: as they were asked for.
        seconds: it took.
        date: when it was made, in UTC.
        versions: of the packages that decide a result.
        parameters: each criterion's value functions, or its m, in words; empty in files that do not say it.
        origins: where network, suite and reference data come from, as far as a file says it.
    """

    spec: MeasurementSpec
    fingerprints: Mapping[str, str]
    layers: Mapping[int, str]
    inputs: int
    misclassified: int | None
    criteria: tuple[MeasuredCriterion, ...]
    seconds: float
    date: str
    versions: Mapping[str, str]
    parameters: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)

    def criterion(self, key: str) -> MeasuredCriterion | None:
        """The first criterion of this name."""
        return next(iter(self.all_of(key)), None)

    def all_of(self, key: str) -> list[MeasuredCriterion]:
        """The criteria of this name, each with other parameters, as they were asked for."""
        return [each for each in self.criteria if each.key == key]


def write(path: Path, content: Mapping[str, Any], *, option: str = "--out") -> None:
    """Writes JSON; the file is whole at any time.

    Raises:
        DataError: it cannot be written.
    """
    with writing(option):
        write_whole(path, json.dumps(content, indent=2) + "\n")
