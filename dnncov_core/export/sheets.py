"""Tables of `dnncov_core.statistics` as columns of plain values, each with its name, its kind and what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dnncov_core.campaign.file.conditions import Status
from dnncov_core.campaign.file.encoding import join
from dnncov_core.figures.adversarial import SEARCH_LOOKS
from dnncov_core.figures.axes import condition_layers
from dnncov_core.programmes import ProgrammeRow
from dnncov_core.ratios import Ratio
from dnncov_core.records import Outcome
from dnncov_core.statistics.adversarial import AdversarialTable, ControlTable
from dnncov_core.statistics.coverage import CoverageTable
from dnncov_core.statistics.distances import DistanceCurve, LayerDistanceTable
from dnncov_core.statistics.gaps import Gap, GapMatrix
from dnncov_core.statistics.grouping import Place
from dnncov_core.statistics.omegas import OmegaTable
from dnncov_core.statistics.samples import CONFIDENCE

BLANKS = "0-based, separated by blanks"
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


Getter = Callable[[Any], Value]


def sheet(rows: Iterable[Any], *columns: tuple[str, type, str, Getter]) -> Sheet:
    """A sheet of one row for each of ``rows``; each column has a name, a kind, a meaning, and how it is read."""
    read = [getter for *_, getter in columns]
    return Sheet(
        tuple(Column(name, kind, meaning) for name, kind, meaning, _ in columns),
        tuple(tuple(getter(row) for getter in read) for row in rows),
    )


def of_place(place: Callable[[Any], Place | None]) -> list[tuple[str, type, str, Getter]]:
    """The columns that say which layers a row is of."""

    def of(read: Callable[[Place], Value]) -> Getter:
        return lambda row: None if (found := place(row)) is None else read(found)

    return [
        ("condition_layers", str, "condition layers; empty in the row that sums all", of(condition_layers)),
        ("decision_layer", int, "decision layer; empty in the row that sums all", of(lambda p: p.decision_layer)),
        ("condition_modules", str, "what the network calls them", of(lambda p: ", ".join(p.condition_names))),
        ("decision_module", str, "what the network calls it", of(lambda p: p.decision_name)),
    ]


def _own(row: Any) -> Place | None:
    place: Place | None = row.place
    return place


def coverage_sheet(table: CoverageTable) -> Sheet:
    """One row for each layer pair or decision layer, and one for all."""
    return sheet(
        (*table.rows, table.total),
        *of_place(_own),
        ("feature_pairs", int, "feature pairs that exist there", lambda r: r.available),
        ("test_conditions", int, "of these, those that the campaign asks about", lambda r: r.covered.total),
        ("covered", int, "test conditions with a replayable witness", lambda r: r.covered.n),
        ("coverage", float, "covered / test conditions, a fraction", lambda r: r.covered.value),
        ("feasible", int, "test conditions not proved infeasible", lambda r: r.feasible.total),
        ("coverage_of_feasible", float, "covered / feasible, a fraction", lambda r: r.feasible.value),
        (
            "hold_at_8_bits",
            int,
            "witnesses that hold when x2 is rounded to 8 bits; empty where 8 bits do not apply",
            lambda r: r.holds_8bit.n if r.holds_8bit.total or not r.covered.n else None,
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


def adversarial_sheet(table: AdversarialTable) -> Sheet:
    """One row for each layer pair or decision layer, and one for all."""
    return sheet(
        (*table.rows, table.total),
        *of_place(_own),
        ("adversarial", int, "adversarial test pairs", lambda r: r.of_pairs.n),
        ("test_pairs", int, "test pairs", lambda r: r.of_pairs.total),
        ("share_of_test_pairs", float, "adversarial / test pairs, a fraction", lambda r: r.of_pairs.value),
        ("all_adversarial", int, "adversarial test pairs of all rows", lambda r: r.of_adversarial.total),
        (
            "share_of_all_adversarial",
            float,
            "adversarial / those of all rows, a fraction",
            lambda r: r.of_adversarial.value,
        ),
    )


def curve_sheet(curves: Sequence[DistanceCurve]) -> Sheet:
    """One row for each step of each curve."""
    return sheet(
        [(curve, at) for curve in curves for at in range(len(curve.distances))],
        ("curve", str, "network, criterion and campaign", lambda r: r[0].name),
        ("norm", str, "p of the L^p distance", lambda r: r[0].norm),
        ("distance", float, _unit(all(curve.pixels for curve in curves)), lambda r: r[0].distances[r[1]]),
        ("within", int, "adversarial pairs of at most this distance", lambda r: r[0].counts[r[1]]),
        ("adversarial", int, "adversarial pairs of the campaign", lambda r: r[0].total),
        ("share", float, "within / adversarial, a fraction", lambda r: r[0].counts[r[1]] / r[0].total),
        ("test_pairs", int, "test pairs of the campaign", lambda r: r[0].pairs),
    )


def control_sheet(table: ControlTable) -> Sheet:
    """One row for each layer pair or decision layer, and one for all."""

    def of(name: str, read: Callable[[Ratio], Value]) -> Getter:
        return lambda row: read(getattr(row, name))

    def end(name: str, at: int) -> Getter:
        return of(name, lambda ratio: ratio.interval(CONFIDENCE)[at] if ratio.total else None)

    return sheet(
        (*table.rows, table.total),
        *of_place(_own),
        ("seeds", int, "test pairs with a baseline search: a seed each", of("searched", lambda ratio: ratio.total)),
        *[
            column
            for name, title, *_ in SEARCH_LOOKS
            for column in (
                (f"{name}_changed", int, f"labels changed: {title}", of(name, lambda ratio: ratio.n)),
                (f"{name}_share", float, "of the seeds, a fraction", of(name, lambda ratio: ratio.value)),
                (f"{name}_low", float, f"lower end of its {CONFIDENCE:.0%} interval (Clopper-Pearson)", end(name, 0)),
                (f"{name}_high", float, "upper end", end(name, 1)),
            )
        ],
    )


def _unit(pixels: bool) -> str:
    return "a share of the pixel range" if pixels else "in input units"


def distance_sheet(table: LayerDistanceTable) -> Sheet:
    """One row for each layer pair or decision layer, and one for all."""
    return sheet((*table.rows, table.total), *of_place(_own), *_spreads(table.norm, pixels=table.pixels))


def omega_sheet(table: OmegaTable) -> Sheet:
    """One row for each campaign."""
    return sheet(
        table.rows,
        ("campaign", str, "its id", lambda r: r.campaign),
        ("name", str, "what it is called", lambda r: r.name),
        ("omega", float, "largest share of a layer's neurons in one feature", lambda r: r.omega),
        *_spreads(table.norm, pixels=table.pixels),
    )


def _spreads(norm: str, *, pixels: bool) -> list[tuple[str, type, str, Getter]]:
    def of(name: str, field: str) -> Getter:
        return lambda row: getattr(getattr(row, name), field)

    unit = f"L^{norm} distance, {_unit(pixels)}"
    return [
        ("test_pairs", int, "test pairs", of("pairs", "n")),
        ("mean", float, f"mean {unit}", of("pairs", "mean")),
        ("deviation", float, "standard deviation, as of a population", of("pairs", "std")),
        ("adversarial", int, "adversarial test pairs", of("adversarial", "n")),
        ("mean_adversarial", float, "mean over the adversarial ones", of("adversarial", "mean")),
        ("deviation_adversarial", float, "their standard deviation", of("adversarial", "std")),
    ]


def gap_sheet(matrix: GapMatrix | None) -> Sheet:
    """One row for each cell that the campaign asks about."""
    asked = [] if matrix is None else [(i, j) for i, j in zip(*matrix.asked.nonzero(), strict=True)]

    def span(axis: int, last: bool) -> Getter:
        def read(cell: tuple[int, int]) -> int:
            assert matrix is not None
            first = int(cell[axis]) * matrix.block[axis]
            return min(first + matrix.block[axis], matrix.shape[axis]) - 1 if last else first

        return read

    def count(at: int) -> Getter:
        return lambda cell: None if matrix is None else int(matrix.counts[at, cell[0], cell[1]])

    edge = None if matrix is None else matrix.edge
    return sheet(
        asked,
        ("condition_layer", int, "condition layer", lambda _: edge and edge[0]),
        ("decision_layer", int, "decision layer", lambda _: edge and edge[1]),
        ("condition_first", int, "first condition neuron or feature of the cell, from 0", span(0, False)),
        ("condition_last", int, "its last one", span(0, True)),
        ("decision_first", int, "first decision neuron or feature of the cell, from 0", span(1, False)),
        ("decision_last", int, "its last one", span(1, True)),
        *[
            (_plain(status), int, f"test conditions of status {_plain(status)}", count(at))
            for at, status in enumerate(Status)
        ],
    )


def _plain(status: Status) -> str:
    return "covered" if status is Status.COVERED else status.value


def conditions_sheet(gaps: Sequence[Gap]) -> Sheet:
    """One row for each test condition without a witness, with what is known of it."""

    def proof(name: str) -> Getter:
        return lambda gap: None if gap.certificate is None else getattr(gap.certificate, name)

    def said(name: str) -> Getter:
        return lambda gap: None if (why := gap.condition.justification) is None else getattr(why, name)

    return sheet(
        gaps,
        ("ordinal", int, "place among all feature pairs of the plan", lambda g: g.condition.target.ordinal),
        ("condition_layer", int, "condition layer", lambda g: g.condition.target.condition_layer),
        ("decision_layer", int, "decision layer", lambda g: g.condition.target.decision_layer),
        ("condition_neurons", str, BLANKS, lambda g: join(g.condition.target.condition_neurons)),
        ("condition_most", int, "of a free feature, its largest size", lambda g: g.condition.target.condition_most),
        ("decision_neurons", str, BLANKS, lambda g: join(g.condition.target.decision_neurons)),
        ("status", str, "what it counts as", lambda g: _plain(g.condition.status)),
        ("seeds_tried", int, "different seeds tried", lambda g: g.condition.seeds_tried),
        ("message", str, "message of the last attempt that broke off", lambda g: g.condition.message),
        ("constant_layer", int, "certificate: layer of the neuron whose sign is constant", proof("layer")),
        ("constant_neuron", int, "certificate: this neuron, 0-based", proof("neuron")),
        ("constant_sign", int, "certificate: its sign, 1 or -1", proof("sign")),
        ("u_low", float, "certificate: u is at least this for every input", proof("low")),
        ("u_high", float, "certificate: u is at most this for every input", proof("high")),
        ("proved_by", str, "certificate: the method", proof("method")),
        ("justification", str, "why it needs no test pair, in somebody's words", said("reason")),
        ("justified_by", str, "who says so", said("author")),
        ("justified_on", str, "when", said("date")),
    )


def of_programmes(costs: Callable[[Any], ProgrammeRow]) -> list[tuple[str, type, str, Getter]]:
    """Columns of what linear programmes cost between two layers."""

    def of(name: str) -> Getter:
        return lambda row: getattr(costs(row), name)

    return [
        ("condition_layer", int, "condition layer", of("condition_layer")),
        ("decision_layer", int, "decision layer", of("decision_layer")),
        ("calls", int, "linear programmes solved", of("calls")),
        ("variables", int, "of the largest programme", of("variables")),
        ("constraints_mean", float, "mean over the attempts", of("constraints_mean")),
        ("constraints_max", int, "of the largest programme", of("constraints_max")),
        ("seconds_mean", float, "of one call", of("seconds_mean")),
        ("iterations_mean", float, "simplex iterations of one call", of("iterations_mean")),
        ("paper_variables", int, "of the paper's formulation for two neurons", of("reference_variables")),
        ("paper_constraints", int, "of the paper's formulation for two neurons", of("reference_constraints")),
    ]


def programme_sheet(rows: Sequence[ProgrammeRow]) -> Sheet:
    """One row for each layer pair in which linear programmes were solved."""
    return sheet(rows, *of_programmes(lambda row: row))
