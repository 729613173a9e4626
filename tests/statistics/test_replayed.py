"""What is counted of a replay, by layer pair and in all, against counts in plain loops."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.campaign.review.replayed import ReplayedCondition
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.replayed import COUNTS, FATES, fate, replayed_table
from tests.builders import campaign
from tests.statistics.replays import replay


@pytest.mark.parametrize(
    ("own", "covered", "labels", "expected"),
    [
        (True, True, (1, 2), "own"),
        (False, True, (1, 2), "shared"),
        (False, False, (1, 2), "lost"),
        (None, False, (1, 2), "apart"),
        (None, True, (), "gained"),
    ],
)
def test_every_condition_has_one_fate(own: bool | None, covered: bool, labels: tuple[int, ...], expected: str) -> None:
    assert fate(ReplayedCondition(1, (2, 3), own, covered, labels, labels)) == expected
    assert expected in FATES


@pytest.mark.parametrize("missing", [None, 3])
def test_counts_are_those_of_the_conditions(tmp_path: Path, missing: int | None) -> None:
    with campaign(tmp_path / "a.dnncov", found=14, exhausted=4, pending=3, adversarial=5) as store:
        found = replay(store, missing=missing)
        n_pairs = store.pairs.count()
    table = replayed_table(found)
    assert [(row.place.condition_layers[0], row.place.decision_layer) for row in table.rows if row.place] == [
        edge for edge, _, _ in found.asked
    ]
    for row in (*table.rows, table.total):
        edge = None if row.place is None else (row.place.condition_layers[0], row.place.decision_layer)
        some = [each for each in found.conditions if edge in (None, each.edge)]
        with_pair = [each for each in some if each.labels]
        assert row.asked == sum(n for at, n, _ in found.asked if edge in (None, at))
        assert row.asked_there == sum(n for at, n, there in found.asked if edge in (None, at) and there)
        assert row.own == Ratio(sum(each.own is True for each in with_pair), len(with_pair))
        assert row.covered_there == Ratio(sum(each.covered for each in some), row.asked_there)
        assert row.counts == {
            "pairs": len(with_pair),
            "own": sum(each.own is True for each in some),
            "shared": sum(each.own is False and each.covered for each in some),
            "gained": sum(not each.labels for each in some),
            "lost": sum(each.own is False and not each.covered for each in some),
            "apart": sum(each.own is None for each in with_pair),
            "pending": sum(each.pending for each in some),
            "x1": sum(each.labels[0] != each.labels_there[0] for each in with_pair),
            "x2": sum(each.labels[1] != each.labels_there[1] for each in with_pair),
            "adversarial": sum(each.adversarial for each in with_pair),
            "became": sum(not each.adversarial and each.adversarial_there for each in with_pair),
            "ceased": sum(each.adversarial and not each.adversarial_there for each in with_pair),
        }
        assert list(row.counts) == list(COUNTS)
    assert table.total.counts["pairs"] == n_pairs
    assert all(table.total.counts[name] for name in COUNTS if name != "apart")
    assert bool(table.total.counts["apart"]) == (missing is not None)
