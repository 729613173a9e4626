"""The four covering methods: the paper's Examples, and the slow references on random small networks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.value_function_base import ValueFunction
from dnncov_core.criteria.value_functions import (
    AbsoluteChange,
    AnyChange,
    NormChange,
    RatioChange,
    SymmetricRatioChange,
)
from dnncov_core.errors import SpecificationError
from dnncov_core.features import Feature, FeaturePair
from dnncov_core.layer_values import Activations
from dnncov_core.networks.network import Network
from tests import reference
from tests.networks_for_tests import Drawn, drawn_networks, features, mlp_of, profile, toy_network

G1: tuple[ValueFunction, reference.Changed] = (AbsoluteChange(1.0), reference.absolute(1.0))
G2: tuple[ValueFunction, reference.Changed] = (RatioChange(2.0), reference.ratio(2.0))


def method(key: str, own: ValueFunction | None = None, first: ValueFunction | None = None) -> CoveringMethod:
    return CRITERIA[key] if own is None else CRITERIA[key].with_functions(own, first or AnyChange())


def pair(k: int, condition: Sequence[int], decision: Sequence[int]) -> FeaturePair:
    return FeaturePair(Feature(k, tuple(condition)), Feature(k + 1, tuple(decision)))


def at(network: Network, x: Sequence[float]) -> Activations:
    return capture(network, torch.tensor([x], dtype=torch.float64))


@pytest.fixture(scope="module")
def toy() -> Network:
    return toy_network()


EXAMPLES = [
    # the paper's Examples for SS, VS, SV and VV: method, pair (0-based), x1, x2, whether they cover
    ("ss", method("ss"), ([0], [0]), (0.1, 0), (0, -1), True),
    ("ss also n_{3,3}", method("ss"), ([0], [2]), (0.1, 0), (0, -1), True),
    ("ss not n_{3,2}", method("ss"), ([0], [1]), (0.1, 0), (0, -1), False),
    ("ss not n_{2,2}", method("ss"), ([1], [0]), (0.1, 0), (0, -1), False),
    ("ss mixed condition", method("ss"), ([0, 1], [0]), (0.1, 0), (0, -1), False),
    ("ss mixed decision", method("ss"), ([0], [0, 1]), (0.1, 0), (0, -1), False),
    ("ss decision of two", method("ss"), ([0], [0, 2]), (0.1, 0), (0, -1), True),
    ("vs", method("vs"), ([0, 1], [2]), (0, 1), (0.1, 0.1), True),
    ("vs ratio", method("vs", SymmetricRatioChange(2.0)), ([0, 1], [2]), (0, 1), (0.1, 0.1), True),
    ("vs too small a change", method("vs", SymmetricRatioChange(2.01)), ([0, 1], [2]), (0, 1), (0.1, 0.1), False),
    ("vs not n_{3,1}", method("vs"), ([0], [0]), (0, 1), (0.1, 0.1), False),
    ("sv", method("sv", SymmetricRatioChange(5.7)), ([0], [1]), (0, -1), (0.1, -0.1), True),
    ("sv at 5.72", method("sv", SymmetricRatioChange(5.72)), ([0], [1]), (0, -1), (0.1, -0.1), False),
    ("sv other way round", method("sv", RatioChange(5.7)), ([0], [1]), (0.1, -0.1), (0, -1), True),
    ("sv one-sided", method("sv", RatioChange(5.7)), ([0], [1]), (0, -1), (0.1, -0.1), False),
    ("sv sign of decision changed", method("sv", AnyChange()), ([0], [0]), (0.1, 0), (0, -1), False),
    *((f"vv {i}", method("vv", SymmetricRatioChange(2.96)), ([i], [2]), (0, 1), (0.1, 0.5), True) for i in range(3)),
    ("vv at 2.97", method("vv", SymmetricRatioChange(2.97)), ([0], [2]), (0, 1), (0.1, 0.5), False),
    ("vv with g1", method("vv", SymmetricRatioChange(2.9), AbsoluteChange(0.5)), ([1], [2]), (0, 1), (0.1, 0.5), True),
    (
        "vv g1 refuses",
        method("vv", SymmetricRatioChange(2.9), AbsoluteChange(0.5)),
        ([0], [2]),
        (0, 1),
        (0.1, 0.5),
        False,
    ),
    ("vv sign of decision changed", method("vv", AnyChange()), ([0], [1]), (0, 1), (0.1, 0.5), False),
]


@pytest.mark.parametrize(
    ("method", "features", "x1", "x2", "expected"), [e[1:] for e in EXAMPLES], ids=[e[0] for e in EXAMPLES]
)
def test_papers_examples(
    toy: Network, method: CoveringMethod, features: tuple, x1: tuple, x2: tuple, expected: bool
) -> None:
    assert bool(method.holds(pair(2, *features), at(toy, x1), at(toy, x2))) == expected


def slow(key: str, drawn: Drawn, chosen: FeaturePair, b: int) -> bool:
    (before, after), k = drawn.reference(), chosen.condition.layer - 2
    u1, u2 = before[b % len(before)], after[b % len(after)]
    return reference.holds(
        key, (u1[k], u2[k]), (u1[k + 1], u2[k + 1]), chosen.condition.neurons, chosen.decision.neurons, G1[1], G2[1]
    )


def fast(key: str) -> CoveringMethod:
    """The criterion with G1 where the condition feature changes its value, and G2 where the decision feature does."""
    changes = CRITERIA[key].condition, CRITERIA[key].decision
    g1, g2 = (g if change is Change.VALUE else None for change, (g, _) in zip(changes, (G1, G2), strict=True))
    return method(key, g2 or g1, g1 and g2 and g1)


@pytest.mark.parametrize("key", CRITERIA)
@given(data=st.data())
def test_method_equals_its_slow_reference(key: str, data: st.DataObject) -> None:
    batches = data.draw(st.sampled_from([(3, 3), (1, 4), (4, 1)]))
    drawn = data.draw(drawn_networks(batches))
    before, after = drawn.activations()
    k = data.draw(st.integers(2, len(drawn.sizes)))
    chosen = pair(k, data.draw(features(drawn.sizes[k - 2])), data.draw(features(drawn.sizes[k - 1])))
    got = fast(key).holds(chosen, before, after)
    assert got.tolist() == [slow(key, drawn, chosen, b) for b in range(max(batches))]


def free_pair(k: int, most: int, decision: Sequence[int]) -> FeaturePair:
    return FeaturePair(Feature(k, (), most), Feature(k + 1, tuple(decision)))


@pytest.mark.parametrize("key", ["ss", "sv"])
@given(data=st.data())
def test_free_features_equal_their_slow_reference(key: str, data: st.DataObject) -> None:
    batches = data.draw(st.sampled_from([(3, 3), (1, 4), (4, 1)]))
    drawn = data.draw(drawn_networks(batches))
    before, after = drawn.activations()
    k, most = data.draw(st.integers(2, len(drawn.sizes))), data.draw(st.integers(1, 5))
    decision = data.draw(features(drawn.sizes[k - 1]))
    got = fast(key).holds(free_pair(k, most, decision), before, after)
    first, second = drawn.reference()
    for b in range(max(batches)):
        u1, u2 = first[b % len(first)], second[b % len(second)]
        layers = (u1[k - 2], u2[k - 2]), (u1[k - 1], u2[k - 1])
        assert bool(got[b]) == reference.free_holds(key, *layers, most, decision, G2[1])


@pytest.mark.parametrize("key", ["ss", "sv"])
@given(drawn=drawn_networks((4, 4)), most=st.integers(1, 4))
@settings(max_examples=25)
def test_a_free_feature_is_covered_where_a_named_one_of_its_size_is(key: str, drawn: Drawn, most: int) -> None:
    before, after = drawn.activations()
    for k, decision in itertools.product(range(2, len(drawn.sizes) + 1), [(0,)]):
        layer = range(drawn.sizes[k - 2])
        named = [c for size in range(1, most + 1) for c in itertools.combinations(layer, size)]
        several = torch.stack([fast(key).holds(pair(k, c, decision), before, after) for c in named])
        assert torch.equal(fast(key).holds(free_pair(k, most, decision), before, after), several.any(dim=0))


@pytest.mark.parametrize("key", ["vs", "vv"])
def test_free_features_are_refused_where_no_sign_may_change(key: str, toy: Network) -> None:
    with pytest.raises(SpecificationError, match=r"SS or SV for free features.*got V[SV].*another feature mode"):
        method(key).check_free()
    with pytest.raises(SpecificationError, match="SS or SV for free features"):
        method(key).holds(free_pair(2, 1, [0]), at(toy, (0, 1)), at(toy, (0.1, 0.1)))
    assert method("ss").check_free() is method("sv").check_free() is None


FREE_EXAMPLES = [  # n_{2,1} alone changes its sign between the paper's inputs for SS
    ((0.1, 0), (0, -1), 1, True),
    ((0.1, 0), (0, -1), 3, True),
    ((0, 1), (0.1, 0.1), 3, False),  # VS: no neuron of layer 2 does
    ((0.1, 0), (-1, 1), 1, False),  # n_{2,1}, n_{2,2} and n_{2,3} do
    ((0.1, 0), (-1, 1), 2, False),
    ((0.1, 0), (-1, 1), 3, True),
]


@pytest.mark.parametrize(("x1", "x2", "most", "expected"), FREE_EXAMPLES)
def test_free_features_of_the_papers_network(toy: Network, x1: tuple, x2: tuple, most: int, expected: bool) -> None:
    before, after = at(toy, x1), at(toy, x2)
    assert bool(method("ss").condition_holds(free_pair(2, most, [0]), before, after)) == expected


@pytest.mark.parametrize("key", CRITERIA)
@given(drawn=drawn_networks())
@settings(max_examples=25)
def test_every_neuron_pair_by_exhaustive_enumeration(key: str, drawn: Drawn) -> None:
    everything = list(reference.pairs(drawn.sizes))
    pairs = [pair(k, [i], [j]) for k, i, _, j in everything]
    got = profile(fast(key), pairs, *drawn.activations())
    for b, place in itertools.product(range(len(drawn.x1)), range(len(pairs))):
        assert bool(got[b, place]) == slow(key, drawn, pairs[place], b)


@given(drawn=drawn_networks((4, 4)), order=st.permutations(range(4)), n=st.integers(0, 4))
def test_coverage_is_bounded_grows_with_the_suite_and_ignores_its_order(drawn: Drawn, order: list[int], n: int) -> None:
    pairs = [pair(k, [i], [j]) for k, i, _, j in reference.pairs(drawn.sizes)]
    whole = profile(method("ss"), pairs, *drawn.activations())
    rows = [whole[b : b + 1] for b in order]

    def covered(profiles: Sequence[torch.Tensor]) -> int:
        return int(torch.cat([whole[:0], *profiles]).any(dim=0).sum())

    assert 0 <= covered(rows) <= len(pairs)
    assert covered(rows) == covered([whole]) == covered([*rows[:n], torch.cat(rows[n:] + rows[:1])])
    assert covered(rows[:n]) <= covered(rows)


@given(drawn=drawn_networks((3, 3)))
@settings(max_examples=8)
def test_real_network_equals_plain_loops_from_input_to_verdict(drawn: Drawn) -> None:
    network = Network(mlp_of(drawn.weights), (len(drawn.x1[0]),), (-5.0, 5.0))
    before, after = (capture(network, torch.from_numpy(x)) for x in (drawn.x1, drawn.x2))
    for layer, expected in enumerate(zip(*drawn.reference()[0], strict=True), start=2):
        assert before[layer].u.tolist() == [list(u) for u in expected]
    for k, i, _, j in reference.pairs(drawn.sizes):
        for key, b in itertools.product(CRITERIA, range(3)):
            chosen = pair(k, [i], [j])
            assert bool(fast(key).holds(chosen, before, after)[b]) == slow(key, drawn, chosen, b)


def test_defaults_are_those_of_the_papers_experiments() -> None:
    assert (CRITERIA["sv"].g2, CRITERIA["vv"].g2) == (RatioChange(2.0), RatioChange(5.0))
    assert {key: CRITERIA[key].own_function for key in ("ss", "vs", "sv", "vv")} == {
        "ss": None,
        "vs": AnyChange(),
        "sv": RatioChange(2.0),
        "vv": RatioChange(5.0),
    }


def test_functions_go_to_the_feature_whose_value_changes() -> None:
    g, first = NormChange(2.0), AbsoluteChange(3.0)
    assert (method("vs", g).g1, method("vs", g).g2) == (g, AnyChange())
    assert (method("sv", g).g1, method("sv", g).g2) == (AnyChange(), g)
    assert (method("vv", g, first).g1, method("vv", g, first).g2) == (first, g)


@pytest.mark.parametrize("key", ["vs", "sv"])
def test_second_function_is_refused_where_there_is_one(key: str) -> None:
    with pytest.raises(SpecificationError, match="g1"):
        method(key, RatioChange(2.0), AbsoluteChange(1.0))


@pytest.mark.parametrize("own", [RatioChange(2.0), AbsoluteChange(1.0)])
def test_sign_sign_takes_no_value_function(own: ValueFunction) -> None:
    with pytest.raises(SpecificationError, match="value function"):
        method("ss", own)


@pytest.mark.parametrize(
    ("criterion", "side", "two"), [("vs", "condition", False), ("sv", "decision", False), ("vv", "decision", True)]
)
def test_the_side_of_a_methods_own_function(criterion: str, side: str, two: bool) -> None:
    assert (CRITERIA[criterion].own_side, CRITERIA[criterion].two_functions) == (side, two)
