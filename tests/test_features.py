"""Features and feature pairs: counts, order, blocks and sampling."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.errors import SpecificationError
from dnncov_core.features import SAMPLINGS, Feature, FeaturePair, FeaturePairs, layers_named
from dnncov_core.records import LayerInfo
from dnncov_core.types import Edge
from tests import reference

PAPERS = [
    # hidden layers and the number of neuron pairs with 10 outputs
    ((78, 62, 73, 47), 78 * 62 + 62 * 73 + 73 * 47 + 47 * 10, 13_263),
    ((67, 22, 63), 67 * 22 + 22 * 63 + 63 * 10, 3_490),
    ((76, 55, 74, 98, 75), 76 * 55 + 55 * 74 + 74 * 98 + 98 * 75 + 75 * 10, 23_602),
]


def layers(sizes: Sequence[int]) -> list[LayerInfo]:
    """Layers 1..K, of which ``sizes`` are 2..K."""
    return [LayerInfo(k, f"layer {k}", "relu", size, (size,)) for k, size in enumerate([9, *sizes], start=1)]


def chain(sizes: Sequence[int]) -> list[Edge]:
    return [(k, k + 1) for k in range(2, len(sizes) + 1)]


def pairs(sizes: Sequence[int], edges: Sequence[Edge] | None = None, **options: object) -> FeaturePairs:
    return FeaturePairs(layers(sizes), chain(sizes) if edges is None else edges, **options)


def plain(pair: FeaturePair) -> tuple[int, int, int, int]:
    (i,), (j,) = pair.condition.neurons, pair.decision.neurons
    return pair.condition.layer, i, pair.decision.layer, j


@pytest.mark.parametrize(("hidden", "products", "expected"), PAPERS)
def test_counts_of_the_papers_networks(hidden: tuple[int, ...], products: int, expected: int) -> None:
    found = pairs([*hidden, 10])
    assert len(found) == sum(found.counts) == products == expected


@given(sizes=st.lists(st.integers(1, 5), min_size=2, max_size=4))
def test_indexing_enumerates_every_pair_once_in_order(sizes: list[int]) -> None:
    found = pairs(sizes)
    expected = list(reference.pairs(sizes))
    assert [plain(found[i]) for i in range(len(found))] == [plain(pair) for pair in found] == expected
    assert [plain(pair) for pair in found[1::2]] == expected[1::2]
    assert plain(found[-1]) == expected[-1]
    for outside in (len(found), -len(found) - 1):
        with pytest.raises(IndexError):
            found[outside]


def test_branches_give_pairs_for_each_edge_by_decision_layer() -> None:
    found = pairs([2, 3, 4, 5], [(4, 5), (2, 4), (2, 3), (3, 4)])
    assert found.edges == [(2, 3), (2, 4), (3, 4), (4, 5)]
    assert found.counts == [6, 8, 12, 20]
    assert plain(found[6]) == (2, 0, 4, 0)


def test_only_the_asked_decision_layers() -> None:
    found = pairs([2, 3, 4], decision_layers=[4])
    assert {pair.decision.layer for pair in found} == {4}
    assert len(found) == 12


@pytest.mark.parametrize("layer", [0, 2, 5, -1])
def test_layer_that_is_no_decision_layer_is_refused(layer: int) -> None:
    with pytest.raises(SpecificationError, match=f"3, 4; got layer {layer};"):
        pairs([2, 3, 4], decision_layers=[3, layer])


def test_only_the_asked_condition_layers() -> None:
    edges = [(2, 3), (2, 4), (3, 4), (4, 5)]
    assert pairs([2, 3, 4, 5], edges, condition_layers=[2, 4]).edges == [(2, 3), (2, 4), (4, 5)]
    assert pairs([2, 3, 4, 5], edges, condition_layers=[2, 4], decision_layers=[4]).edges == [(2, 4)]


BLOCKS = [LayerInfo(k, name, "relu", 3, (3,)) for k, name in enumerate(("input", "a.b", "a.b #2", "a.bc", "d"), 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, []),
        ("", []),
        ("3", [3]),
        ("4, 3", [4, 3]),
        ("a", [3, 4]),
        ("a.b", [3]),
        ("a.b #2", [3]),
        ("a.bc,5", [4, 5]),
    ],
)
def test_layers_are_chosen_by_numbers_and_by_modules(text: str | None, expected: list[int]) -> None:
    assert layers_named(text, [3, 4, 5], BLOCKS) == expected


@pytest.mark.parametrize("text", ["2", "9", "a.", "b", "3,nowhere", "3,,4"])
def test_what_names_no_layer_of_a_feature_pair_is_refused(text: str) -> None:
    with pytest.raises(
        SpecificationError, match=r"modules that such layers stand in; got '[^']*'; choose some of those"
    ):
        layers_named(text, [3, 4, 5], BLOCKS)


@given(sizes=st.lists(st.integers(1, 30), min_size=2, max_size=3), percent=st.integers(1, 100))
def test_blocks_partition_each_layer(sizes: list[int], percent: int) -> None:
    found = pairs(sizes, mode="fixed", omega=percent / 100)
    for k, size in enumerate(sizes, start=2):
        features = {pair.condition for pair in found} | {pair.decision for pair in found}
        blocks = sorted(feature.neurons for feature in features if feature.layer == k)
        assert [i for block in blocks for i in block] == list(range(size))
        assert max(map(len, blocks)) == max(1, size * percent // 100)


@given(n=st.integers(0, 40), seed=st.integers(0, 5))
def test_sample_is_reproducible_and_without_replacement(n: int, seed: int) -> None:
    found = pairs([4, 4, 4])
    drawn = found.sample(n, seed)
    assert drawn == found.sample(n, seed)
    assert len(set(drawn)) == len(drawn)
    assert len(drawn) == min(n, len(found))
    assert all(0 <= ordinal < len(found) for ordinal in drawn)


def test_sample_depends_on_its_seed_alone() -> None:
    found = pairs([40, 40])
    random.seed(7)
    first = found.sample(20, 0)
    random.seed(8)
    assert found.sample(20, 0) == first != found.sample(20, 1)
    code = f"from tests.test_features import pairs; assert pairs([40, 40]).sample(20, 0) == {first}"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONHASHSEED": "5", "PYTHONPATH": "."})


def test_all_pairs_where_none_are_counted_or_too_many() -> None:
    found = pairs([3, 4])
    assert found.sample(None, 0) == found.sample(13, 0) != list(range(12))
    assert sorted(found.sample(None, 0)) == list(range(12))


def test_the_first_part_of_a_sample_is_spread_over_the_layers() -> None:
    found = pairs([30, 30, 30, 30])
    first = [found[ordinal].decision.layer for ordinal in found.sample(None, 0)[:300]]
    assert all(60 <= first.count(layer) <= 140 for layer in (3, 4, 5))


def test_millions_of_pairs_cost_nothing() -> None:
    found = pairs([100_000, 100_000, 1000])
    assert len(found) == 10**10 + 10**8
    assert plain(found[10**10 - 1]) == (2, 99_999, 3, 99_999)
    assert len(found.sample(10, 0)) == 10


def test_connected_pairs_keep_their_places_among_all() -> None:
    found = pairs([3, 2, 2])
    into_3, into_4 = np.array([[2, 0], [1, -1]]), np.array([[-1, -1], [0, 1]])
    places = found.connected({(2, 3): into_3, (3, 4): into_4})
    named = {edge: [plain(found[ordinal]) for ordinal in part.tolist()] for edge, part in places.items()}
    assert named == {
        (2, 3): [(2, 0, 3, 0), (2, 1, 3, 1), (2, 2, 3, 0)],
        (3, 4): [(3, 0, 4, 1), (3, 1, 4, 1)],
    }


@given(n=st.integers(1, 9), seed=st.integers(0, 5))
def test_sample_among_some(n: int, seed: int) -> None:
    found, among = pairs([4, 4, 4]), [1, 5, 8, 9, 30]
    drawn = found.sample(n, seed, among)
    assert len(set(drawn)) == len(drawn) == min(n, 5)
    assert set(drawn) <= set(among)


@pytest.mark.parametrize("condition", [Feature(2, (0, 3)), Feature(2, (), 5)])
def test_pair_and_target_are_the_same_thing(condition: Feature) -> None:
    pair = FeaturePair(condition, Feature(4, (1,)))
    assert FeaturePair.of(pair.target(17)) == pair
    assert pair.target(17).ordinal == 17


class TestEvenSampling:
    """As many of each layer pair as it has, by turns."""

    @staticmethod
    def by_layer(found: FeaturePairs, drawn: Sequence[int]) -> list[int]:
        layers = [found[ordinal].decision.layer for ordinal in drawn]
        return [layers.count(decision) for _, decision in found.edges]

    @given(sizes=st.lists(st.integers(1, 7), min_size=2, max_size=5), n=st.integers(0, 120), seed=st.integers(0, 3))
    def test_counts_are_as_equal_as_capacities_allow_in_every_first_part(
        self, sizes: list[int], n: int, seed: int
    ) -> None:
        found = pairs(sizes)
        drawn = found.sample(n, seed, sampling="even")
        assert drawn == found.sample(n, seed, sampling="even")
        assert len(set(drawn)) == len(drawn) == min(n, len(found))
        for part in {0, min(1, len(drawn)), len(drawn) // 3, len(drawn) // 2, len(drawn)}:
            assert self.by_layer(found, drawn[:part]) == reference.shares(part, found.counts)

    @given(among=st.sets(st.integers(0, 47)), n=st.integers(1, 60), seed=st.integers(0, 3))
    def test_among_some(self, among: set[int], n: int, seed: int) -> None:
        found = pairs([4, 4, 4, 4])
        drawn = found.sample(n, seed, sorted(among), sampling="even")
        assert len(set(drawn)) == len(drawn) == min(n, len(among))
        assert set(drawn) <= among
        assert self.by_layer(found, drawn) == reference.shares(n, self.by_layer(found, sorted(among)))

    def test_every_pair_of_a_layer_is_as_likely(self) -> None:
        found = pairs([3, 2, 9])
        first = [found.sample(1, seed, sampling="even")[0] for seed in range(600)]
        assert all(60 <= first.count(ordinal) <= 140 for ordinal in range(6))
        assert len(set(first)) == 6

    def test_it_depends_on_its_seed(self) -> None:
        found = pairs([40, 40, 40])
        assert found.sample(20, 0, sampling="even") != found.sample(20, 1, sampling="even")

    def test_all_pairs_where_none_are_counted(self) -> None:
        found = pairs([3, 4, 5])
        assert sorted(found.sample(None, 0, sampling="even")) == list(range(12 + 20))

    def test_a_small_layer_among_millions_is_not_missed(self) -> None:
        found = pairs([100_000, 100_000, 2, 3])
        assert self.by_layer(found, found.sample(30, 0, sampling="even")) == [12, 12, 6]
        assert self.by_layer(found, found.sample(30, 0)) == [30, 0, 0]


@pytest.mark.parametrize("name", SAMPLINGS)
def test_every_sampling_has_words(name: str) -> None:
    assert SAMPLINGS[name].title
    assert SAMPLINGS[name].words


class TestLists:
    def test_a_list_has_each_pair_with_its_ordinal(self) -> None:
        found, rng = pairs([3, 4, 2]), np.random.default_rng(0)
        chosen = {edge: rng.random(size) < 0.5 for edge, size in (((2, 3), (3, 4)), ((3, 4), (4, 2)))}
        rows = np.concatenate([found.listed(edge, those) for edge, those in chosen.items()])
        expected = [
            [ordinal, pair.condition.layer, *pair.condition.neurons, pair.decision.layer, *pair.decision.neurons]
            for ordinal, pair in enumerate(found)
            if chosen[pair.condition.layer, pair.decision.layer][pair.condition.neurons[0], pair.decision.neurons[0]]
        ]
        assert rows.tolist() == expected
        by_layer = found.among(rng.permutation(rows))
        assert [n for ordinals in by_layer.values() for n in ordinals.tolist()] == [row[0] for row in expected]
        assert list(by_layer) == list(chosen)

    @pytest.mark.parametrize(
        ("row", "got"),
        [
            (
                [5, 2, 1, 3, 0],
                "ordinal 5, condition_layer 2, condition_feature 1, decision_layer 3, decision_feature 0",
            ),
            ([4, 2, 0, 3, 4], "ordinal 4"),
            ([12, 2, 3, 3, 0], "ordinal 12"),
            ([4, 3, 0, 2, 0], "condition_layer 3"),
        ],
        ids=["another's ordinal", "no such decision", "no such condition", "no layer pair"],
    )
    def test_what_is_no_pair_of_the_network_is_refused(self, row: list[int], got: str) -> None:
        with pytest.raises(SpecificationError, match=rf"each by its ordinal; got .*{got}"):
            pairs([3, 4, 2]).among(np.array([[4, 2, 1, 3, 0], row]))

    def test_a_pair_that_is_listed_twice_is_refused(self) -> None:
        with pytest.raises(SpecificationError, match="each test condition once; got 1 more than once"):
            pairs([3, 4, 2]).among(np.array([[4, 2, 1, 3, 0], [4, 2, 1, 3, 0]]))
