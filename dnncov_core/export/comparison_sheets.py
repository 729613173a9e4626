"""Tables of several campaigns as columns of plain values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dnncov_core.export.sheets import Getter, Sheet, Value, of_place, of_programmes, sheet
from dnncov_core.paper import papers_seconds
from dnncov_core.programmes import ProgrammeSeries
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.differences import Difference
from dnncov_core.statistics.layerwise import LayerwiseTable
from dnncov_core.statistics.main_table import MainTable
from dnncov_core.statistics.samples import Interval, interval_of
from dnncov_core.statistics.top_weights import WeightsRow

Columns = list[tuple[str, type, str, Getter]]
LOW, HIGH = "95 % interval (Clopper and Pearson), its low end", "its high end"
PAPERS = "what the paper reports of this network and criterion, with weights and seeds of its own"
NO_SAMPLE = "; empty where the test conditions are no simple random sample"


def _named() -> Columns:
    return [
        ("network", str, "the campaign's network", lambda r: r[0]),
        ("criterion", str, "its key", lambda r: r[1]),
        ("campaign", str, "the campaign's id", lambda r: r[2].campaign),
        ("name", str, "what tells it from the others", lambda r: r[2].name),
    ]


def _ends(name: str, read: Callable[[Any], Interval | None]) -> Columns:
    def end(at: int) -> Getter:
        return lambda row: None if (found := read(row)) is None else found[at]

    return [(f"{name}_low", float, LOW + NO_SAMPLE, end(0)), (f"{name}_high", float, HIGH, end(1))]


def _covered() -> Columns:
    return [
        ("feature_pairs", int, "feature pairs from which the test conditions come", lambda r: r[2].available),
        ("test_conditions", int, "those that the campaign asks about", lambda r: r[2].covered.total),
        ("covered", int, "test conditions with a replayable witness", lambda r: r[2].covered.n),
        ("coverage", float, "M: covered / test conditions, a fraction", lambda r: r[2].covered.value),
        *_ends("coverage", lambda r: r[2].covered_interval),
        ("paper_coverage_percent", float, PAPERS, lambda r: r[2].paper and r[2].paper.coverage),
    ]


def _adversarial() -> Columns:
    def control(name: str, read: Callable[[Ratio], Value]) -> Getter:
        def value(row: Any) -> Value:
            ratio: Ratio = getattr(row[2].control, name)
            return read(ratio) if ratio.total else None

        return value

    return [
        ("test_pairs", int, "test pairs", lambda r: r[2].adversarial.total),
        ("adversarial", int, "adversarial test pairs", lambda r: r[2].adversarial.n),
        ("adversarial_rate", float, "AE: adversarial / test pairs, a fraction", lambda r: r[2].adversarial.value),
        *_ends("adversarial_rate", lambda r: r[2].adversarial_interval),
        (
            "control_seeds",
            int,
            "seeds of the baseline searches; empty if none",
            control("random", lambda c: c.total),
        ),
        *[
            column
            for name, words in (("random", "random perturbations"), ("ascent", "projected gradient ascent"))
            for column in (
                (f"control_{name}", int, f"seeds whose label {words} change", control(name, lambda c: c.n)),
                (f"control_{name}_low", float, f"{LOW}, of the share", control(name, lambda c: c.interval()[0])),
                (f"control_{name}_high", float, HIGH, control(name, lambda c: c.interval()[1])),
            )
        ],
        ("paper_adversarial_percent", float, PAPERS, lambda r: r[2].paper and r[2].paper.adversarial),
    ]


def _cells(table: MainTable) -> list[tuple[str, str, Any]]:
    return [(row.network, key, row.cells[key]) for row in table.rows for key in table.criteria if key in row.cells]


def main_sheet(table: MainTable) -> Sheet:
    """One row for each campaign: coverage M and AE rate with intervals and baseline searches."""
    return sheet(_cells(table), *_named(), *_covered(), *_adversarial())


def main_coverage_sheet(table: MainTable) -> Sheet:
    """One row for each campaign: coverage M."""
    return sheet(_cells(table), *_named(), *_covered())


def main_adversarial_sheet(table: MainTable) -> Sheet:
    """One row for each campaign: AE rate and baseline searches."""
    return sheet(_cells(table), *_named(), *_adversarial())


def differences_sheet(table: Sequence[Difference]) -> Sheet:
    """One row for each value of each thing that differs."""
    return sheet(
        [(each, value, names) for each in table for value, names in each.values],
        ("what", str, "what differs", lambda r: r[0].what),
        ("value", str, "one of its values", lambda r: r[1]),
        ("n_campaigns", int, "campaigns with this value", lambda r: len(r[2])),
        ("campaigns", str, "their names, with semicolons between", lambda r: "; ".join(r[2])),
        ("why", str, "what it changes", lambda r: r[0].why),
    )


def layerwise_sheet(shown: tuple[LayerwiseTable, str]) -> Sheet:
    """One row for each campaign and layer pair or decision layer, with every share, drawn or not."""
    table, _ = shown

    def ratio(field: str) -> Callable[[Any], Ratio]:
        return lambda row: getattr(row[0], field)[row[1]]

    def ends(field: str) -> Callable[[Any], Interval | None]:
        return lambda row: interval_of(ratio(field)(row), sample=row[0].sample)

    covered, own, overall = ratio("covered"), ratio("of_pairs"), ratio("of_adversarial")
    return sheet(
        [(series, at) for series in table.series for at in range(len(series.places))],
        ("name", str, "of the campaign", lambda r: r[0].name),
        *of_place(lambda r: r[0].places[r[1]]),
        ("test_conditions", int, "test conditions", lambda r: covered(r).total),
        ("covered", int, "test conditions with a replayable witness", lambda r: covered(r).n),
        ("coverage", float, "covered / test conditions, a fraction", lambda r: covered(r).value),
        *_ends("coverage", ends("covered")),
        ("test_pairs", int, "test pairs", lambda r: own(r).total),
        ("adversarial", int, "adversarial test pairs", lambda r: own(r).n),
        ("adversarial_rate", float, "adversarial / test pairs, a fraction", lambda r: own(r).value),
        *_ends("adversarial_rate", ends("of_pairs")),
        ("all_adversarial", int, "adversarial test pairs of all the campaign's rows", lambda r: overall(r).total),
        ("share_of_all_adversarial", float, "adversarial / those of all rows", lambda r: overall(r).value),
    )


def weights_sheet(rows: Sequence[WeightsRow]) -> Sheet:
    """One row for each two campaigns: one on all pairs, one on those that top weights leave."""
    return sheet(
        rows,
        ("network", str, "of both campaigns", lambda r: r.network),
        ("criterion", str, "of both campaigns", lambda r: r.criterion),
        ("kappa", int, "strongest connections into each decision neuron", lambda r: r.top_weights),
        ("campaign_all_pairs", str, "id of the campaign on all pairs", lambda r: r.everything),
        ("campaign_top_weights", str, "id of the one on top weights", lambda r: r.strongest),
        ("feature_pairs_all_pairs", int, "feature pairs of the first", lambda r: r.available[0]),
        ("feature_pairs_top_weights", int, "feature pairs of the second", lambda r: r.available[1]),
        *_both("covered", "test_conditions", "coverage M"),
        *_both("adversarial", "test_pairs", "AE rate"),
    )


def _both(field: str, total: str, words: str) -> Columns:
    """Counts of both campaigns, and the difference of their shares with its interval."""

    def count(at: int, name: str) -> Getter:
        return lambda row: getattr(getattr(row, field)[at], name)

    def difference(row: WeightsRow) -> Value:
        one, other = (ratio.value for ratio in getattr(row, field))
        return None if one is None or other is None else one - other

    def end(at: int) -> Getter:
        return lambda row: None if (found := getattr(row, f"{field}_interval")) is None else found[at]

    interval = "its 95 % interval (Newcombe 1998); empty where something was not counted"
    return [
        (f"{field}_all_pairs", int, f"{field}, on all pairs", count(0, "n")),
        (f"{total}_all_pairs", int, "of these", count(0, "total")),
        (f"{field}_top_weights", int, f"{field}, on top weights", count(1, "n")),
        (f"{total}_top_weights", int, "of these", count(1, "total")),
        (f"{field}_difference", float, f"{words} on all pairs minus that on top weights, a fraction", difference),
        (f"{field}_difference_low", float, f"{interval}; low end", end(0)),
        (f"{field}_difference_high", float, f"{interval}; high end", end(1)),
    ]


def programmes_sheet(table: Sequence[ProgrammeSeries]) -> Sheet:
    """One row for each campaign and layer pair in which linear programmes were solved."""
    return sheet(
        [(series, row) for series in table for row in series.rows],
        ("campaign", str, "the campaign's id", lambda r: r[0].campaign),
        ("name", str, "what tells it from the others", lambda r: r[0].name),
        ("network", str, "its network", lambda r: r[0].network),
        *of_programmes(lambda r: r[1]),
        (
            "paper_seconds",
            float,
            "of one call, as the paper reports of its own machine",
            lambda r: papers_seconds(r[0].network, r[1].condition_layer),
        ),
    )
