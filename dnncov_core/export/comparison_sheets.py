"""Tables of several campaigns as columns of plain values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dnncov_core.export.sheets import (
    NO_8_BITS,
    ROUNDED,
    UNKNOWN,
    WITH_EFFECT_AT_8_BITS,
    Columns,
    Sheet,
    Value,
    if_counted,
    of_estimate,
    of_place,
    of_programmes,
    sheet,
)
from dnncov_core.paper import papers_seconds
from dnncov_core.programme_costs import ProgrammeSeries
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.differences import Difference
from dnncov_core.statistics.layerwise import LayerwiseTable
from dnncov_core.statistics.main_table import MainTable
from dnncov_core.statistics.samples import around_share
from dnncov_core.statistics.top_weights import WeightsRow

LOW, HIGH = "95 % interval (Clopper and Pearson), its low end", "its high end"
IN_PAPER = "what the paper reports of this network and criterion, with weights and seeds of its own"
NO_SAMPLE = "; empty where the test conditions are no simple random sample"


NAME_COLUMNS: Columns = [
    ("network", str, "the campaign's network", "0"),
    ("criterion", str, "its key", "1"),
    ("campaign", str, "the campaign's id", "2.campaign"),
    ("name", str, "what tells it from the others", "2.name"),
]


def _ends(name: str, path: str) -> Columns:
    """The columns of the ends of an interval; ``path`` leads to it."""
    return [(f"{name}_low", float, LOW + NO_SAMPLE, f"{path}.0"), (f"{name}_high", float, HIGH, f"{path}.1")]


COVERAGE_COLUMNS: Columns = [
    ("feature_pairs", int, "feature pairs from which the test conditions come", "2.available"),
    ("test_conditions", int, "those that the campaign asks about", "2.covered.total"),
    ("covered", int, "test conditions with a replayable witness", "2.covered.n"),
    ("coverage", float, "M: covered / test conditions, a fraction", "2.covered.value"),
    *_ends("coverage", "2.covered_interval"),
    *of_estimate("2.estimate"),
    ("hold_at_8_bits", int, f"witnesses that hold {ROUNDED}; {NO_8_BITS}", if_counted("2.holds_8bit")),
    ("effect", str, 'what "with effect" stands for in this campaign', "2.effect"),
    ("with_effect", int, f"test conditions covered, with effect; {UNKNOWN}", if_counted("2.with_effect")),
    ("coverage_with_effect", float, "with effect / test conditions, a fraction", "2.with_effect.value"),
    *_ends("coverage_with_effect", "2.with_effect_interval"),
    *of_estimate("2.with_effect_estimate", "estimate_with_effect", "covered with effect"),
    ("with_effect_at_8_bits", int, WITH_EFFECT_AT_8_BITS, if_counted("2.with_effect_8bit")),
    ("paper_coverage_percent", float, IN_PAPER, "2.paper.coverage"),
]


def _baseline_searches() -> Columns:
    """What each baseline search finds; empty where there is none."""

    def of(name: str, read: Callable[[Ratio], Value]) -> Callable[[Any], Value]:
        return lambda row: read(ratio) if (ratio := getattr(row[2].baselines, name)).total else None

    def end(name: str, at: int) -> Callable[[Any], Value]:
        return lambda row: None if (interval := row[2].baselines.interval(name)) is None else interval[at]

    columns: Columns = [
        ("control_seeds", int, "seeds of the baseline searches; empty if none", of("random", lambda c: c.total))
    ]
    for name, words in (("random", "random perturbations"), ("ascent", "projected gradient ascent")):
        columns += [
            (f"control_{name}", int, f"seeds for which {words} find an adversarial x2", of(name, lambda c: c.n)),
            (f"control_{name}_low", float, f"{LOW}, of the share; empty where the seeds are no sample", end(name, 0)),
            (f"control_{name}_high", float, HIGH, end(name, 1)),
        ]
    return columns


ADVERSARIAL_COLUMNS: Columns = [
    ("test_pairs", int, "test pairs", "2.adversarial.total"),
    ("adversarial", int, "adversarial test pairs", "2.adversarial.n"),
    ("adversarial_seeds", int, "different seeds of these pairs", "2.adversarial_seeds"),
    ("adversarial_rate", float, "AE: adversarial / test pairs, a fraction", "2.adversarial.value"),
    *_ends("adversarial_rate", "2.adversarial_interval"),
    *_baseline_searches(),
    ("paper_adversarial_percent", float, IN_PAPER, "2.paper.adversarial"),
]


def _cells(table: MainTable) -> list[tuple[str, str, Any]]:
    return [(row.network, key, row.cells[key]) for row in table.rows for key in table.criteria if key in row.cells]


def main(table: MainTable) -> Sheet:
    """One row for each campaign: coverage M and AE rate with intervals and baseline searches."""
    return sheet(_cells(table), *NAME_COLUMNS, *COVERAGE_COLUMNS, *ADVERSARIAL_COLUMNS)


def main_coverage(table: MainTable) -> Sheet:
    """One row for each campaign: coverage M."""
    return sheet(_cells(table), *NAME_COLUMNS, *COVERAGE_COLUMNS)


def main_adversarial(table: MainTable) -> Sheet:
    """One row for each campaign: AE rate and baseline searches."""
    return sheet(_cells(table), *NAME_COLUMNS, *ADVERSARIAL_COLUMNS)


def differences(table: Sequence[Difference]) -> Sheet:
    """One row for each value of each thing that differs."""
    return sheet(
        [(each, value, names) for each in table for value, names in each.values],
        ("what", str, "what differs", "0.what"),
        ("value", str, "one of its values", "1"),
        ("n_campaigns", int, "campaigns with this value", lambda r: len(r[2])),
        ("campaigns", str, "their names, with semicolons between", lambda r: "; ".join(r[2])),
        ("why", str, "what it changes", "0.why"),
    )


def layerwise(shown: tuple[LayerwiseTable, str]) -> Sheet:
    """One row for each campaign and layer pair or decision layer, with every share, drawn or not."""
    rows = [
        (one.name, *row)
        for one in shown[0].series
        for row in zip(
            *(one.places, one.covered, one.with_effect, one.of_pairs, one.of_adversarial),
            *(map(around_share, one.of_all(share)) for share in ("covered", "with_effect", "of_pairs")),
            one.estimates,
            strict=True,
        )
    ]
    return sheet(
        rows,
        ("name", str, "of the campaign", "0"),
        *of_place("1"),
        ("test_conditions", int, "test conditions", "2.total"),
        ("covered", int, "test conditions with a replayable witness", "2.n"),
        ("coverage", float, "covered / test conditions, a fraction", "2.value"),
        *_ends("coverage", "6"),
        *of_estimate("9"),
        ("with_effect", int, f"test conditions covered, with effect; {UNKNOWN}", if_counted("3")),
        ("coverage_with_effect", float, "with effect / test conditions, a fraction", "3.value"),
        *_ends("coverage_with_effect", "7"),
        ("test_pairs", int, "test pairs", "4.total"),
        ("adversarial", int, "adversarial test pairs", "4.n"),
        ("adversarial_rate", float, "adversarial / test pairs, a fraction", "4.value"),
        *_ends("adversarial_rate", "8"),
        ("all_adversarial", int, "adversarial test pairs of all the campaign's rows", "5.total"),
        ("share_of_all_adversarial", float, "adversarial / those of all rows", "5.value"),
    )


def weights(rows: Sequence[WeightsRow]) -> Sheet:
    """One row for each two campaigns: one on all pairs, one on those that top weights leave."""
    return sheet(
        rows,
        ("network", str, "of both campaigns", "network"),
        ("criterion", str, "of both campaigns", "criterion"),
        ("kappa", int, "strongest connections into each decision neuron", "top_weights"),
        ("campaign_all_pairs", str, "id of the campaign on all pairs", "everything"),
        ("campaign_top_weights", str, "id of the one on top weights", "strongest"),
        ("feature_pairs_all_pairs", int, "feature pairs of the first", "available.0"),
        ("feature_pairs_top_weights", int, "feature pairs of the second", "available.1"),
        *_both("covered", "test_conditions", "coverage M"),
        *_both("adversarial", "test_pairs", "AE rate"),
    )


def _both(field: str, total: str, words: str) -> Columns:
    """Counts of both campaigns, and the difference of their shares with its interval."""

    def difference(row: WeightsRow) -> Value:
        one, other = (ratio.value for ratio in getattr(row, field))
        return None if one is None or other is None else one - other

    interval = "its 95 % interval (Newcombe 1998); empty where something was not counted"
    return [
        (f"{field}_all_pairs", int, f"{field}, on all pairs", f"{field}.0.n"),
        (f"{total}_all_pairs", int, "of these", f"{field}.0.total"),
        (f"{field}_top_weights", int, f"{field}, on top weights", f"{field}.1.n"),
        (f"{total}_top_weights", int, "of these", f"{field}.1.total"),
        (f"{field}_difference", float, f"{words} on all pairs minus that on top weights, a fraction", difference),
        (f"{field}_difference_low", float, f"{interval}; low end", f"{field}_interval.0"),
        (f"{field}_difference_high", float, f"{interval}; high end", f"{field}_interval.1"),
    ]


def programmes(table: Sequence[ProgrammeSeries]) -> Sheet:
    """One row for each campaign and layer pair in which linear programmes were solved."""
    return sheet(
        [(one, row, papers_seconds(one.network, row.condition_layer)) for one in table for row in one.rows],
        ("campaign", str, "the campaign's id", "0.campaign"),
        ("name", str, "what tells it from the others", "0.name"),
        ("network", str, "its network", "0.network"),
        *of_programmes("1."),
        ("paper_seconds", float, "of one call, as the paper reports of its own machine", "2"),
    )
