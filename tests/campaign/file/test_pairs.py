"""Filters of test pairs, and the place of one among them, against plain loops."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from dnncov_core.campaign.file.pairs import EVERY, PairFilter, PlaceAmong
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import TestPair
from tests import builders, runs
from tests.statistics.branches import branched

ORDERS = ("nearest", "farthest", "plan")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CampaignStore]:
    with branched(tmp_path / "c.dnncov") as opened:
        change(opened)
        yield opened


def change(store: CampaignStore) -> None:
    with store.database.transaction() as connection:
        connection.execute("UPDATE test_pair SET distance = 0.05 WHERE target % 3 = 0")  # some are as far as others
        connection.execute("UPDATE test_pair SET seed = seed % 3")


def passes(pair: TestPair, only: PairFilter) -> bool:
    """The filter in words."""
    target = pair.target
    if only.edge is not None and only.edge != target.edge:
        return False
    if only.decision_layer is not None and only.decision_layer != target.decision_layer:
        return False
    if (only.adversarial and not pair.adversarial) or (only.holds_8bit and not pair.holds_8bit):
        return False
    if only.seed is not None and only.seed != pair.seed:
        return False
    return only.neuron is None or only.neuron in (*pair.condition_neurons, *target.decision_neurons)


FILTERS = [
    PairFilter(edge, layer, adversarial, holds, seed, neuron)
    for edge, layer, adversarial, holds, seed, neuron in itertools.product(
        (None, (2, 4)), (None, 4), (False, True), (False, True), (None, 0), (None, 0, 1)
    )
]


@pytest.mark.parametrize("order", ORDERS)
def test_what_filters_leave_and_where_each_stands(store: CampaignStore, order: str) -> None:
    everything = store.pairs.page(order=order)
    key = {"nearest": lambda p: p.distance, "farthest": lambda p: -p.distance, "plan": lambda p: 0}[order]
    work = {target.ordinal: place for place, target in enumerate(store.targets.all())}
    assert everything == sorted(everything, key=lambda p: (key(p), work[p.target.ordinal]))
    for only in FILTERS:
        left = [p.target.ordinal for p in everything if passes(p, only)]
        assert [p.target.ordinal for p in store.pairs.page(only, order=order)] == left
        assert store.pairs.count(only) == len(left)
        for place, pair in enumerate(everything):
            ordinal = pair.target.ordinal
            before = [p.target.ordinal for p in everything[:place] if passes(p, only)]
            after = [p.target.ordinal for p in everything[place + 1 :] if passes(p, only)]
            expected = PlaceAmong(
                len(before), len(left), passes(pair, only), before[-1] if before else None, after[0] if after else None
            )
            assert store.pairs.place(ordinal, only, order=order) == expected


def test_pages_are_parts_of_the_whole(store: CampaignStore) -> None:
    everything = [p.target for p in store.pairs.page(order="nearest")]
    pages = [p.target for start in range(0, 18, 4) for p in store.pairs.page(order="nearest", limit=4, offset=start)]
    assert pages == everything


def test_conditions_without_a_pair_have_no_place(store: CampaignStore) -> None:
    covered = {pair.target.ordinal for pair in store.pairs.page()}
    open_one = next(target.ordinal for target in store.targets.all() if target.ordinal not in covered)
    assert store.pairs.place(open_one) is None
    assert store.pairs.place(10**6) is None


@pytest.mark.parametrize("among", [(range(1, 3), range(0)), (range(0), range(0, 4, 2)), (range(1, 4, 2), range(1))])
def test_neurons_of_a_channel_are_those_of_its_range(tmp_path: Path, among: tuple[range, range]) -> None:
    with CampaignStore(runs.free_campaign(tmp_path / "free.dnncov")) as store:
        pairs = store.pairs.page()
        expected = [
            p.target
            for p in pairs
            if set(p.condition_neurons) & set(among[0]) or set(p.target.decision_neurons) & set(among[1])
        ]
        assert [p.target for p in store.pairs.page(PairFilter(among=among))] == expected
        assert len(expected) > 0


def test_neurons_are_told_apart_whole_and_those_that_changed_count(tmp_path: Path) -> None:
    with CampaignStore(runs.free_campaign(tmp_path / "free.dnncov")) as store:
        pairs = store.pairs.page()
        for neuron in range(4):
            only = PairFilter(neuron=neuron)
            expected = [p.target for p in pairs if neuron in (*p.condition_neurons, *p.target.decision_neurons)]
            assert [p.target for p in store.pairs.page(only)] == expected
        with store.database.transaction() as connection:
            connection.execute("UPDATE target SET decision_neurons = '12'")
            connection.execute("UPDATE test_pair SET flipped = '11'")
        assert [store.pairs.count(PairFilter(neuron=neuron)) for neuron in (1, 2, 11, 12)] == [
            0,
            0,
            *2 * [len(pairs)],
        ]


def test_the_pair_at_a_step_of_the_curve(store: CampaignStore) -> None:
    adversarial = store.pairs.page(PairFilter(adversarial=True), order="nearest")
    distances = sorted({pair.distance for pair in adversarial})
    for distance in distances:
        first = next(pair for pair in adversarial if pair.distance == distance)
        assert store.pairs.nearest_beyond(distance) == first.target.ordinal
        assert store.pairs.nearest_beyond(distance - 1e-4) == first.target.ordinal
    farthest = [pair for pair in adversarial if pair.distance == distances[-1]]
    assert store.pairs.nearest_beyond(99.0) == farthest[0].target.ordinal
    with store.database.transaction() as connection:
        connection.execute("UPDATE test_pair SET adversarial = 0")
    assert store.pairs.nearest_beyond(0.0) is None
    assert EVERY.where == ("TRUE", ())


class TestPages:
    @pytest.fixture
    def store(self, tmp_path: Path) -> CampaignStore:
        return builders.campaign(tmp_path / "c.dnncov", found=6, exhausted=0, adversarial=2)

    def test_layers(self, store: CampaignStore) -> None:
        pairs = store.pairs.page(PairFilter(edge=(2, 3)))
        assert {(p.target.condition_layer, p.target.decision_layer) for p in pairs} == {(2, 3)}
        assert store.pairs.count(PairFilter(edge=(2, 3))) == len(pairs) == 2

    def test_adversarial(self, store: CampaignStore) -> None:
        only = PairFilter(adversarial=True)
        assert len(store.pairs.page(only)) == store.pairs.count(only) == 2

    def test_orders(self, store: CampaignStore) -> None:
        nearest = [p.distance for p in store.pairs.page(order="nearest")]
        assert nearest == sorted(nearest)
        assert [p.distance for p in store.pairs.page(order="farthest")] == nearest[::-1]

    def test_pages(self, store: CampaignStore) -> None:
        everything = [p.target for p in store.pairs.page()]
        pages = [p.target for start in (0, 4) for p in store.pairs.page(limit=4, offset=start)]
        assert pages == everything
