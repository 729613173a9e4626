from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dnncov_core.statistics.coverage import counts_by_layer, coverage_table
from dnncov_core.statistics.grouping import By, Place, grouped, usual_grouping
from tests.builders import campaign
from tests.statistics.branches import branched


def test_rows_are_by_decision_layer_only_where_that_makes_a_difference(tmp_path: Path) -> None:
    assert usual_grouping(counts_by_layer(campaign(tmp_path / "a.dnncov"))) is By.LAYER_PAIR
    assert usual_grouping(counts_by_layer(branched(tmp_path / "b.dnncov"))) is By.DECISION_LAYER
    assert usual_grouping([]) is By.LAYER_PAIR


def test_places_have_the_names_of_the_network(tmp_path: Path) -> None:
    store = branched(tmp_path / "a.dnncov")
    assert coverage_table(store, By.DECISION_LAYER).rows[1].place == Place((2, 3), 4, ("layer2", "layer3"), "layer4")
    assert coverage_table(store).rows[1].place == Place((2,), 4, ("layer2",), "layer4")


@pytest.mark.parametrize("seed", range(3))
def test_decision_layers_ascend_whatever_the_order_of_layer_pairs(tmp_path: Path, seed: int) -> None:
    layers = counts_by_layer(branched(tmp_path / "a.dnncov"))
    shuffled = [layers[i] for i in np.random.default_rng(seed).permutation(len(layers))]
    ordered, again = (grouped(each, By.DECISION_LAYER, None) for each in (layers, shuffled))
    assert [place.decision_layer for place, _ in again] == sorted({counts.decision_layer for counts in layers})
    assert [(place, set(row)) for place, row in again] == [(place, set(row)) for place, row in ordered]
