"""Tables of `dnncov_core.statistics` as columns of plain values, each with its name, its kind and what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dnncov_core.campaign.file.conditions import COVERED, Status
from dnncov_core.campaign.file.encoding import join
from dnncov_core.campaign.review.replayed import ReplayedCondition
from dnncov_core.figures.adversarial import SEARCH_LOOKS
from dnncov_core.figures.axes import condition_layers
from dnncov_core.figures.effect import EffectView, Step
from dnncov_core.phrases.effect import EFFECT_MEANS
from dnncov_core.programme_costs import ProgrammeRow
from dnncov_core.records import KnownJustification, Outcome
from dnncov_core.statistics.adversarial import AdversarialTable, BaselinesByLayer
from dnncov_core.statistics.coverage import CoverageTable
from dnncov_core.statistics.decision_map import DecisionMap
from dnncov_core.statistics.distances import UNITS, DistanceCurve, LayerDistanceTable, Unit
from dnncov_core.statistics.gaps import Gap, GapMatrix, counted_as
from dnncov_core.statistics.grouping import LayerTable, Place
from dnncov_core.statistics.omegas import OmegaTable
from dnncov_core.statistics.replayed import COUNTS, FATES, ReplayedRow, fate

UNKNOWN = "empty while some effect is not known"
UNSEEN = "empty without a witness, and while it is not known"
NO_8_BITS, ROUNDED = "empty where 8 bits do not apply", "when x2 is rounded to 8 bits"
WITH_EFFECT_AT_8_BITS = f"witnesses that hold, with effect, {ROUNDED}; {UNKNOWN}, and {NO_8_BITS}"
BLANKS = "0-based, separated by blanks"
DAY_ALONE = "empty where an earlier version stored the day alone"
Value = int | float | str | bool | None


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        name: as in a CSV file's first line.
        kind: int, float, str or bool; None stands for what is not known or does not apply.
        meaning: in words, with its unit.
    """

    name: str
    kind: type
    meaning: str


@dataclass(frozen=True)
class Sheet:
    """Columns and rows."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]


Columns = list[tuple[str, type, str, str | Callable[[Any], Value]]]
"""Columns, each with its name, its kind, its meaning, and how it is read from a row; see `value_at`."""


def sheet(rows: Iterable[Any], *columns: tuple[str, type, str, str | Callable[[Any], Value]]) -> Sheet:
    """A sheet of one row for each of ``rows``."""
    readers = [partial(value_at, path=read) if isinstance(read, str) else read for *_, read in columns]
    return Sheet(
        tuple(Column(name, kind, meaning) for name, kind, meaning, _ in columns),
        tuple(tuple(reader(row) for reader in readers) for row in rows),
    )


def value_at(row: Any, path: str) -> Any:
    """What stands at a path of attributes, and of places in tuples; None where something on the way is None.

    >>> value_at((1 + 2j, None), "0.imag"), value_at((1 + 2j, None), "1.imag")
    (2.0, None)
    """
    for step in path.split("."):
        if row is None:
            return None
        row = row[int(step)] if step.isdigit() else getattr(row, step)
    return row


def of_place(path: str = "place") -> Columns:
    """The columns that say which layers a row is of; ``path`` leads to them."""

    def of(words: Callable[[Place], str]) -> Callable[[Any], Value]:
        return lambda row: None if (place := value_at(row, path)) is None else words(place)

    return [
        ("condition_layers", str, "condition layers; empty in the row that sums all", of(condition_layers)),
        ("decision_layer", int, "decision layer; empty in the row that sums all", f"{path}.decision_layer"),
        ("condition_modules", str, "what the network calls them", of(lambda place: ", ".join(place.condition_names))),
        ("decision_module", str, "what the network calls it", f"{path}.decision_name"),
    ]


def of_estimate(path: str = "estimate", name: str = "estimate", what: str = "covered") -> Columns:
    """The columns of what a sample says of all feature pairs; ``path`` leads to it, ``what`` is counted."""
    none = "empty where all were asked about, or none, or some have no outcome yet"
    return [
        (name, float, f"{what} of all feature pairs, a fraction; {none}", f"{path}.share"),
        (f"{name}_low", float, f"low end of its 95 % interval; {none}", f"{path}.interval.0"),
        (f"{name}_high", float, f"high end of its 95 % interval; {none}", f"{path}.interval.1"),
    ]


def coverage(table: CoverageTable) -> Sheet:
    """One row for each layer pair or decision layer, and one for all."""
    means = EFFECT_MEANS[table.effect]
    return sheet(
        (*table.rows, table.total),
        *of_place(),
        ("feature_pairs", int, "feature pairs that exist there", "available"),
        ("test_conditions", int, "of these, those that the campaign asks about", "covered.total"),
        ("covered", int, "test conditions with a replayable witness", "covered.n"),
        ("coverage", float, "covered / test conditions, a fraction", "covered.value"),
        *of_estimate(),
        ("feasible", int, "test conditions not proved infeasible", "feasible.total"),
        ("coverage_of_feasible", float, "covered / feasible, a fraction", "feasible.value"),
        ("hold_at_8_bits", int, f"witnesses that hold {ROUNDED}; {NO_8_BITS}", if_counted("holds_8bit")),
        ("with_effect", int, f"covered, with effect ({means}); {UNKNOWN}", if_counted("with_effect")),
        ("coverage_with_effect", float, "with effect / test conditions, a fraction", "with_effect.value"),
        ("with_effect_at_8_bits", int, WITH_EFFECT_AT_8_BITS, if_counted("with_effect_8bit")),
        *[
            (name, int, f"witnesses: {words}; {UNKNOWN}", _if_known(f"effects.{name}"))
            for name, words in EFFECT_MEANS.items()
        ],
        ("effects_unknown", int, "witnesses of an earlier version whose effects are not known", "effects.unknown"),
        (
            "mean_share_of_effect",
            float,
            "mean share of the decision's change that the condition carries, 0 to 1",
            "effects.mean_share",
        ),
        *[
            (outcome.value, int, f"test conditions: {words}", lambda r, outcome=outcome: r.count(outcome))
            for outcome, words in (
                (Outcome.EXHAUSTED, "every seed of the budget was tried"),
                (Outcome.PROVED_INFEASIBLE, "proved that no input satisfies them"),
                (Outcome.ERROR, "the search broke off"),
                (Outcome.PENDING, "not tried yet"),
            )
        ],
    )


def if_counted(path: str) -> Callable[[Any], Value]:
    """The counted ones of a ratio; None where nothing was counted."""
    return lambda row: value_at(row, f"{path}.n") if value_at(row, f"{path}.total") else None


def _if_known(path: str) -> Callable[[Any], Value]:
    """What stands at a path of a row whose effects are all known."""
    return lambda row: None if row.effects.unknown else value_at(row, path)


def adversarial(table: AdversarialTable) -> Sheet:
    """One row for each layer pair or decision layer, and one for all."""
    return sheet(
        (*table.rows, table.total),
        *of_place(),
        ("adversarial", int, "adversarial test pairs", "of_pairs.n"),
        ("adversarial_seeds", int, "different seeds of these pairs", "seeds"),
        ("test_pairs", int, "test pairs", "of_pairs.total"),
        ("share_of_test_pairs", float, "adversarial / test pairs, a fraction", "of_pairs.value"),
        ("all_adversarial", int, "adversarial test pairs of all rows", "of_adversarial.total"),
        ("share_of_all_adversarial", float, "adversarial / those of all rows, a fraction", "of_adversarial.value"),
    )


def curves(table: Sequence[DistanceCurve]) -> Sheet:
    """One row for each step of each curve."""
    return sheet(
        [(curve, *step) for curve in table for step in zip(curve.distances, curve.counts, strict=True)],
        ("curve", str, "network, criterion and campaign", "0.name"),
        ("norm", str, "p of the L^p distance", "0.norm"),
        ("distance", float, _unit(table[0].unit if table else "pixels"), "1"),
        ("within", int, "adversarial pairs of at most this distance", "2"),
        ("adversarial", int, "adversarial pairs of the campaign", "0.total"),
        ("share", float, "within / adversarial, a fraction", lambda r: r[2] / r[0].total),
        ("test_pairs", int, "test pairs of the campaign", "0.pairs"),
    )


def controls(table: BaselinesByLayer) -> Sheet:
    """One row for each layer pair or decision layer, and one for all."""

    def end(name: str, at: int) -> Callable[[Any], Value]:
        return lambda row: None if (interval := row.interval(name)) is None else interval[at]

    return sheet(
        (*table.rows, table.total),
        *of_place(),
        ("seeds", int, "test pairs with a baseline search: a seed each", "searched.total"),
        *[
            column
            for name, look in SEARCH_LOOKS.items()
            for column in (
                (f"{name}_changed", int, f"an adversarial x2 was found: {look.name}", f"{name}.n"),
                (f"{name}_share", float, "of the seeds, a fraction", f"{name}.value"),
                (f"{name}_low", float, "low end of its 95 % interval; empty if no sample", end(name, 0)),
                (f"{name}_high", float, "upper end", end(name, 1)),
            )
        ],
    )


def _unit(unit: Unit) -> str:
    return f"{'in' if unit == 'input' else 'a'} {UNITS[unit]}"


def distances(table: LayerDistanceTable) -> Sheet:
    """One row for each layer pair or decision layer, and one for all."""
    return sheet((*table.rows, table.total), *of_place(), *_spreads(table.norm, table.unit))


def omegas(table: OmegaTable) -> Sheet:
    """One row for each campaign."""
    return sheet(
        table.rows,
        ("campaign", str, "its id", "campaign"),
        ("name", str, "what it is called", "name"),
        ("omega", float, "largest share of a layer's neurons in one feature", "omega"),
        *_spreads(table.norm, table.unit),
    )


def _spreads(norm: str, unit: Unit) -> Columns:
    return [
        ("test_pairs", int, "test pairs", "pairs.n"),
        ("mean", float, f"mean L^{norm} distance, {_unit(unit)}", "pairs.mean"),
        ("deviation", float, "standard deviation, as of a population", "pairs.std"),
        ("adversarial", int, "adversarial test pairs", "adversarial.n"),
        ("mean_adversarial", float, "mean over the adversarial ones", "adversarial.mean"),
        ("deviation_adversarial", float, "their standard deviation", "adversarial.std"),
        *_quartiles("", "pairs"),
        *_quartiles("_adversarial", "adversarial"),
    ]


def _quartiles(ending: str, spread: str) -> Columns:
    """Columns of what is shown where some mean minus deviation is below 0; elsewhere they are empty."""
    over = f"over the {'adversarial ones' if ending else 'test pairs'}; empty where no deviation is above its mean"
    return [
        (f"{name}{ending}", float, f"{name.replace('_', ' ')} {over}", f"{spread}.quartiles.{place}")
        for place, name in enumerate(("lower_quartile", "median", "upper_quartile"))
    ]


def gaps(matrix: GapMatrix | None) -> Sheet:
    """One row for each cell that the campaign asks about."""
    asked = () if matrix is None else np.argwhere(matrix.asked).tolist()
    return sheet(
        [_gap_cell(matrix, i, j) for i, j in asked if matrix is not None],
        ("condition_layer", int, "condition layer", "0"),
        ("decision_layer", int, "decision layer", "1"),
        ("condition_first", int, "first condition neuron or feature of the cell, from 0", "2"),
        ("condition_last", int, "its last one", "3"),
        ("decision_first", int, "first decision neuron or feature of the cell, from 0", "4"),
        ("decision_last", int, "its last one", "5"),
        *_statuses(6),
    )


def _statuses(first: int) -> Columns:
    """Columns of how many test conditions of a cell have each status, from this place on, and of its feature pairs."""
    return [
        ("covered", int, "test conditions of status covered", str(first)),
        *[
            (status.value, int, f"test conditions of status {status.value}", str(at))
            for at, status in enumerate(Status, start=first)
            if status not in COVERED
        ],
        (
            "without_effect",
            int,
            "covered ones of which it is known that the witness does not show the effect",
            str(first + 1),
        ),
        ("feature_pairs", int, "feature pairs of the cell, asked about or not", str(first + len(Status))),
    ]


def _gap_cell(matrix: GapMatrix, i: int, j: int) -> tuple[int, ...]:
    """The layers, the first and the last feature of either side, how many are covered, and of each other status."""
    covered, others = int(matrix.covered[i, j]), matrix.counts[1:, i, j].tolist()
    return (*matrix.edge, *matrix.span(0, i), *matrix.span(1, j), covered, *others, int(matrix.pairs[i, j]))


def decisions(table: DecisionMap) -> Sheet:
    """One row for each cell of the map that the campaign asks about."""
    covered = counted_as(table.counts, COVERED)
    edge = np.repeat(np.array([table.edge]).T, len(covered), axis=1)
    columns = np.concatenate(
        [edge, table.cells, table.neurons[None], covered[None], table.counts[1:], table.pairs[None]]
    )
    of = "of the first neuron of the cell, from 0"
    return sheet(
        columns.T.tolist(),
        ("condition_layer", int, "condition layer", "0"),
        ("decision_layer", int, "decision layer", "1"),
        *[(name, int, f"{name} {of}", str(at)) for at, name in enumerate(("channel", "row", "column"), start=2)],
        ("neuron", int, f"number {of}; the cell is a square of {table.block} by {table.block} neurons", "5"),
        *_statuses(6),
    )


def conditions(gaps: Sequence[Gap]) -> Sheet:
    """One row for each test condition without a witness, or with one without effect or that refutes a justification."""

    def status(gap: Gap) -> str:
        return "covered" if gap.condition.status in COVERED else gap.condition.status.value

    target = "condition.target"
    return sheet(
        gaps,
        ("ordinal", int, "place among all feature pairs of the plan", f"{target}.ordinal"),
        ("condition_layer", int, "condition layer", f"{target}.condition_layer"),
        ("decision_layer", int, "decision layer", f"{target}.decision_layer"),
        ("condition_neurons", str, BLANKS, lambda g: join(g.condition.target.condition_neurons)),
        ("condition_most", int, "of a free feature, its largest size", f"{target}.condition_most"),
        ("decision_neurons", str, BLANKS, lambda g: join(g.condition.target.decision_neurons)),
        ("status", str, "what it counts as", status),
        ("seeds_tried", int, "different seeds tried", "condition.seeds_tried"),
        ("message", str, "message of the last attempt that broke off", "condition.message"),
        ("constant_layer", int, "certificate: layer of the neuron whose sign is constant", "certificate.layer"),
        ("constant_neuron", int, "certificate: this neuron, 0-based", "certificate.neuron"),
        ("constant_sign", int, "certificate: its sign, 1 or -1", "certificate.sign"),
        ("u_low", float, "certificate: u is at least this for every input", "certificate.low"),
        ("u_high", float, "certificate: u is at most this for every input", "certificate.high"),
        ("proved_by", str, "certificate: the method", "certificate.method"),
        ("justification", str, "why it needs no test pair, in somebody's words", "condition.justification.reason"),
        ("justified_by", str, "who says so", "condition.justification.author"),
        ("justified_on", str, "when", "condition.justification.date"),
        ("justified_at", str, f"the time in UTC; {DAY_ALONE}", "condition.justification.time"),
        ("refuted", bool, "whether a witness refutes the justification", "condition.refuted"),
        ("refuted_by", int, "the test pair that refutes it, by its ordinal", "condition.refuted_by"),
        ("with_effect", bool, f"whether the witness shows the effect; {UNSEEN}", "condition.with_effect"),
        ("needed", bool, f"whether the witness needs the condition's change; {UNSEEN}", "condition.needed"),
        ("sufficient", bool, f"whether this change alone makes the decision's; {UNSEEN}", "condition.sufficient"),
    )


def justification_history(history: Sequence[KnownJustification]) -> Sheet:
    """One row for each justification that was ever given."""
    return sheet(
        history,
        ("ordinal", int, "the test condition's place among all feature pairs of the plan", "ordinal"),
        ("reason", str, "why it needs no test pair, in somebody's words", "reason"),
        ("author", str, "who says so", "author"),
        ("given_on", str, "when, a day in UTC", "date"),
        ("given_at", str, f"the time in UTC; {DAY_ALONE}", "time"),
        ("became", str, "whether it stands, and else what became of it", "became"),
        ("refuted_by", int, "the test pair that refutes it, by its ordinal", "refuted_by"),
        ("ended_at", str, "when it was replaced or withdrawn, in UTC; empty where it was not", "ended"),
        ("ended_by", str, "who replaced or withdrew it; empty where nobody said it", "ended_by"),
    )


def of_programmes(path: str = "") -> Columns:
    """Columns of what linear programmes cost between two layers; ``path``, with a dot at its end, leads to it."""
    return [
        ("condition_layer", int, "condition layer", f"{path}condition_layer"),
        ("decision_layer", int, "decision layer", f"{path}decision_layer"),
        ("calls", int, "linear programmes solved", f"{path}calls"),
        ("variables", int, "of the largest programme", f"{path}variables"),
        ("constraints_mean", float, "mean over the attempts", f"{path}constraints_mean"),
        ("constraints_max", int, "of the largest programme", f"{path}constraints_max"),
        ("seconds_mean", float, "of one call", f"{path}seconds_mean"),
        ("iterations_mean", float, "simplex iterations of one call", f"{path}iterations_mean"),
        ("paper_variables", int, "of the paper's formulation for two neurons", f"{path}reference_variables"),
        ("paper_constraints", int, "of the paper's formulation for two neurons", f"{path}reference_constraints"),
    ]


def programmes(rows: Sequence[ProgrammeRow]) -> Sheet:
    """One row for each layer pair in which linear programmes were solved."""
    return sheet(rows, *of_programmes())


def effect(view: EffectView) -> Sheet:
    """One row for each bar from x1 to x2, and one for the condition's change alone."""

    def height(*, of_u: bool) -> Callable[[Step], Value]:
        return lambda step: step.height if (step.kind == "u") is of_u else None

    return sheet(
        view.steps,
        ("decision", str, "the decision neuron", lambda _: view.decision),
        ("what", str, "what the bar stands for", "kind"),
        (
            "name",
            str,
            "x1, x2, u with the condition put back or alone, the neuron of layer k, or the rest of them",
            lambda step: step.name.replace("◆ ", ""),
        ),
        ("condition_layer", int, "layer k", lambda _: view.pair.condition.layer),
        ("u", float, "u of the decision neuron; empty where a neuron carries a part of its change", height(of_u=True)),
        ("carried", float, "how much of u goes away where the neuron is put back", height(of_u=False)),
    )


def replayed(table: LayerTable[ReplayedRow]) -> Sheet:
    """One row for each layer pair of the campaign's network, and one for all."""
    there = "the layer of the other network that stands for it; empty where none does, and in the row that sums all"
    return sheet(
        (*table.rows, table.total),
        *of_place(),
        ("condition_layer_there", int, there, "there.0"),
        ("decision_layer_there", int, there, "there.1"),
        ("test_conditions", int, "test conditions that the campaign asks about", "asked"),
        ("test_conditions_there", int, "those of them whose layers are there", "asked_there"),
        ("covered_there", int, "those that some test pair of the campaign covers there", "covered_there.n"),
        *[(name, int, words, lambda row, name=name: row.counts[name]) for name, words in COUNTS.items()],
    )


def replayed_conditions(conditions: Sequence[ReplayedCondition]) -> Sheet:
    """One row for each test condition that is covered in the campaign or on the other network."""

    def label(name: str, at: int) -> Callable[[ReplayedCondition], Value]:
        return lambda condition: (*getattr(condition, name), None, None)[at]

    return sheet(
        conditions,
        ("ordinal", int, "of the test condition and its pair: place among all feature pairs of the plan", "ordinal"),
        ("condition_layer", int, "condition layer", "edge.0"),
        ("decision_layer", int, "decision layer", "edge.1"),
        ("fate", str, "; ".join(f"{name}: {words}" for name, words in FATES.items()), fate),
        ("pending", bool, "whether it has no test pair in the campaign because that has not tried it", "pending"),
        *[
            (f"{name}_{x}", int, f"{words} {x}; empty without a test pair", label(name, at))
            for name, words in (("labels", "in the campaign, label of"), ("labels_there", "there, label of"))
            for at, x in enumerate(("x1", "x2"))
        ],
        ("adversarial", bool, "whether its test pair is adversarial in the campaign", "adversarial"),
        ("adversarial_there", bool, "whether its test pair is adversarial there", "adversarial_there"),
    )
