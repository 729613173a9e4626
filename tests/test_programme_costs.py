"""The table of LP calls: what was recorded, beside the sizes that the paper publishes."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.programme_costs import programme_table
from tests import runs
from tests.builders import campaign, card, costly
from tests.campaign.test_estimate import PUBLISHED


@pytest.mark.parametrize("hidden", PUBLISHED)
def test_the_papers_sizes_stand_beside_the_recorded_costs(tmp_path: Path, hidden: tuple[int, ...]) -> None:
    n = len(hidden)
    store = campaign(tmp_path / "a.dnncov", network=card(hidden=hidden), found=n, exhausted=0, solved=costly)
    rows = programme_table(store)
    published = PUBLISHED[hidden]
    assert len(rows) == n
    assert [(row.reference_variables, row.reference_constraints) for row in rows][: len(published)] == published
    for row, costs in zip(rows, store.attempts.programme_costs(), strict=True):
        assert asdict(costs).items() < asdict(row).items()


def test_layers_that_are_not_fully_connected_have_no_stated_size(tmp_path: Path) -> None:
    network = card()
    layers = list(network.layers)
    layers[1] = replace(layers[1], shape=(5, 1, 1))
    store = campaign(tmp_path / "a.dnncov", network=replace(network, layers=tuple(layers)), solved=costly)
    assert {row.reference_variables for row in programme_table(store)} == {None}


def test_the_papers_formulation_has_the_papers_sizes(tmp_path: Path) -> None:
    path = runs.finished(tmp_path / "a.dnncov", runs.toy_spec(generator="lp-reference", pairs=8))
    with CampaignStore(path) as store:
        rows = programme_table(store)
    assert len(rows) == 2
    for row in rows:
        assert row.variables == row.reference_variables
        assert row.constraints_mean == row.constraints_max == row.reference_constraints
        assert row.calls
        assert row.seconds_mean
        assert row.iterations_mean is not None


def test_row_generation_needs_fewer_rows(tmp_path: Path) -> None:
    path = runs.finished(tmp_path / "a.dnncov", runs.toy_spec(pairs=8))
    with CampaignStore(path) as store:
        rows = programme_table(store)
        recorded = sum(len(store.attempts.of(pair.target)) for pair in store.pairs.page())
    assert all(row.variables == 3 and row.constraints_max < row.reference_constraints for row in rows)
    assert sum(row.calls for row in rows) >= recorded


def test_no_rows_before_the_start_or_without_programmes(tmp_path: Path) -> None:
    with CampaignStore(runs.create(tmp_path / "a.dnncov", runs.toy_spec())) as store:
        assert programme_table(store) == ()
    assert programme_table(campaign(tmp_path / "b.dnncov")) == ()
