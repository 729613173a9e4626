"""The map of decision neurons, against a count that goes through every test condition."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.file.conditions import Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import LayerInfo
from dnncov_core.statistics import decision_map as module
from dnncov_core.statistics.decision_map import decision_map, has_map, number_of, place_of, spread_out
from tests import runs
from tests.builders import campaign, card, convolutional

LAYERS = [
    LayerInfo(2, "", "relu", 24, (2, 3, 4)),
    LayerInfo(2, "", "relu", 24, (3, 4, 2), channels_last=True),
    LayerInfo(2, "", "gelu", 15, (5, 3), channels_last=True),
    LayerInfo(2, "", "relu", 15, (3, 5)),
    LayerInfo(2, "", "relu", 70, (70,)),
]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: str(layer.shape))
def test_every_neuron_has_a_place_of_its_own_and_the_place_its_number(layer: LayerInfo) -> None:
    numbers = np.arange(layer.neurons)
    places = place_of(layer, numbers)
    assert (number_of(layer, *places) == numbers).all()
    assert all(((at >= 0) & (at < size)).all() for at, size in zip(places, spread_out(layer), strict=True))
    if len(layer.shape) == 3:
        every = list(itertools.product(*map(range, layer.shape)))
        named = [(c, y, x) if not layer.channels_last else (x, c, y) for c, y, x in every]
        assert list(zip(*(at.tolist() for at in places), strict=True)) == named


@pytest.fixture
def store(tmp_path: Path) -> CampaignStore:
    return campaign(
        tmp_path / "a.dnncov", network=convolutional((2, 2, 2), (3, 4, 4)), found=60, exhausted=30, pending=9
    )


@pytest.mark.parametrize("most", [20_000, 12])
def test_cells_count_the_conditions_that_ask_for_their_neurons(
    store: CampaignStore, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(module, "MOST_CELLS", most)
    table = decision_map(store, (2, 3))
    assert table.block == (1 if most > 12 else 2)
    expected: Counter[tuple[int, int, int, Status]] = Counter()
    for record in store.conditions.page(edge=(2, 3), statuses=Status):
        channel, inside = divmod(record.target.decision_neurons[0], 16)
        row, column = (at - at % table.block for at in divmod(inside, 4))
        expected[channel, row, column, record.status] += 1
    found = {
        (*table.cells[:, cell].tolist(), status): int(table.counts[at, cell])
        for cell in range(table.cells.shape[1])
        for at, status in enumerate(Status)
        if table.counts[at, cell]
    }
    assert found == expected
    assert (table.pairs == 8 * table.block**2).all()
    for cell, first in enumerate(table.neurons.tolist()):
        side = range(table.block)
        assert table.neurons_at(cell).tolist() == [first + 4 * y + x for y in side for x in side]


def test_of_many_channels_those_with_most_open_conditions_are_kept(
    store: CampaignStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = decision_map(store, (2, 3))
    n_open = {channel: int(whole.open[whole.cells[0] == channel].sum()) for channel in whole.channels.tolist()}
    monkeypatch.setattr(module, "MOST_CHANNELS", 1)
    table = decision_map(store, (2, 3))
    assert (table.n_channels, table.channels.tolist()) == (len(n_open), [max(n_open, key=n_open.__getitem__)])
    assert set(table.cells[0].tolist()) == set(table.channels.tolist())


def test_only_single_decision_neurons_with_places_or_of_free_conditions_have_a_map(
    store: CampaignStore, tmp_path: Path
) -> None:
    assert has_map(store, (2, 3))
    assert not has_map(store, (3, 4))  # the output has no channels
    assert not has_map(campaign(tmp_path / "b.dnncov", network=card()), (2, 3))
    with CampaignStore(runs.free_campaign(tmp_path / "c.dnncov")) as free:
        table = decision_map(free, (2, 3))
        assert has_map(free, (2, 3))
        assert table.neurons.tolist() == [0, 1, 2]
        assert (table.pairs == 1).all()
