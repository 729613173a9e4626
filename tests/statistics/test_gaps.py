"""Gaps as tables: counts that add up, certificates of what is proved, and the matrix of one layer pair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.file.conditions import OPEN, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.gaps import GapCounts, every_gap, gap_matrix, gap_table, gaps_and_refuted, layer_pair_matrix
from tests import runs
from tests.builders import campaign, card, mixed, say


@pytest.fixture
def store(tmp_path: Path) -> CampaignStore:
    return mixed(tmp_path / "a.dnncov")


def four(counts: GapCounts) -> tuple[int, int, int, int]:
    return counts.covered.n, counts.justified, counts.proved_infeasible, counts.open


def test_counts_add_up_to_all_conditions(store: CampaignStore) -> None:
    table = gap_table(store)
    assert four(table.total) == (3, 2, 2, 6)
    assert (table.total.covered, table.total.feasible) == (Ratio(3, 13), Ratio(3, 11))
    assert sum(row.total for row in table.rows.values()) == sum(four(table.total)) == 13
    assert [sum(parts) for parts in zip(*map(four, table.rows.values()), strict=True)] == list(four(table.total))
    assert table.matching() == 10
    assert table.matching((2, 3), OPEN) == table.rows[2, 3].open
    assert table.matching((8, 9)) == 0


def test_a_justification_never_hides_a_witness_or_a_proof(store: CampaignStore) -> None:
    before = gap_table(store).total
    say(store, [target.ordinal for target in store.targets.all()], "all of it", "B", "2026-02-03")
    after = gap_table(store).total
    assert four(after) == (before.covered.n, before.justified + before.open, before.proved_infeasible, 0)


def test_what_a_witness_refutes_is_listed_with_what_has_none(store: CampaignStore) -> None:
    found = [gap.condition for gap in gaps_and_refuted(store)]
    assert [each.target for each in found if each.refuted] == store.targets.all()[:1]
    without = [each for each in found if each.with_effect is False]
    assert [each.target for each in without] == store.targets.all()[2:3]
    rest = [each for each in found if not each.refuted and each not in without]
    assert rest == [gap.condition for gap in every_gap(store)]
    assert [each.target.ordinal for each in found] == sorted(each.target.ordinal for each in found)


def test_only_what_is_proved_has_a_certificate(store: CampaignStore) -> None:
    found = list(every_gap(store))
    assert len(found) == 10
    for gap in found:
        assert (gap.certificate is not None) == (gap.condition.status is Status.PROVED_INFEASIBLE)
        if gap.certificate is not None:
            target = gap.condition.target
            assert (gap.certificate.layer, gap.certificate.neuron) == (
                target.condition_layer,
                *target.condition_neurons,
            )
            assert (gap.certificate.low, gap.certificate.high, gap.certificate.method) == (-2.5, -0.5, "intervals")
    page = store.conditions.page(statuses=OPEN, limit=2, offset=1)
    assert page == [gap.condition for gap in every_gap(store, statuses=OPEN)][1:3]


def test_the_matrix_has_every_condition_in_its_place(store: CampaignStore) -> None:
    matrix = gap_matrix(store, (3, 4))
    assert (matrix.shape, matrix.block, matrix.aggregated, matrix.single) == ((4, 3), (1, 1), False, True)
    assert matrix.counts.shape == (len(Status), 4, 3)
    for target in store.targets.all():
        if target.edge == (3, 4):
            condition = store.conditions.one(target.ordinal)
            assert condition is not None
            cell = matrix.counts[:, target.condition_neurons[0], target.decision_neurons[0]]
            assert cell.tolist() == [int(status is condition.status) for status in Status]
    assert matrix.asked.sum() == gap_table(store).rows[3, 4].total


@pytest.mark.parametrize(("most", "block", "cells"), [(2, (3, 2), (2, 2)), (4, (2, 1), (3, 4)), (1, (5, 4), (1, 1))])
def test_blocks_sum_their_cells(
    store: CampaignStore, most: int, block: tuple[int, int], cells: tuple[int, int]
) -> None:
    fine, coarse = gap_matrix(store, (2, 3)), gap_matrix(store, (2, 3), most)
    assert (coarse.block, coarse.counts.shape[1:], coarse.aggregated) == (block, cells, True)
    for i, j in np.ndindex(cells):
        rows, columns = slice(i * block[0], (i + 1) * block[0]), slice(j * block[1], (j + 1) * block[1])
        assert (coarse.counts[:, i, j] == fine.counts[:, rows, columns].sum(axis=(1, 2))).all()


def test_a_large_layer_pair_is_put_together(tmp_path: Path) -> None:
    store = campaign(tmp_path / "a.dnncov", network=card(hidden=(350, 101, 3)), found=9)
    matrix = gap_matrix(store, (2, 3))
    assert (matrix.block, matrix.counts.shape[1:]) == ((4, 2), (88, 51))
    grid = layer_pair_matrix(store, (3, 4))
    assert (grid.first, grid.width, grid.pairs) == (350 * 101, 3, 303)


def test_free_features_are_one_row(tmp_path: Path) -> None:
    with CampaignStore(runs.free_campaign(tmp_path / "a.dnncov")) as store:
        matrix = gap_matrix(store, (2, 3))
        assert (matrix.shape, matrix.single) == ((1, 3), False)
        assert matrix.covered.sum() == matrix.counts[:2].sum() == gap_table(store).rows[2, 3].covered.n


def test_nothing_planned_is_nothing_counted(tmp_path: Path) -> None:
    table = gap_table(campaign(tmp_path / "a.dnncov", found=0, exhausted=0, adversarial=0, survivors=0))
    assert (table.rows, table.total.total, table.total.covered.percent) == ({}, 0, "n/a")
