"""Effects that pairs of a suite's inputs show, beside asking every two inputs, and the network of every witness."""

from __future__ import annotations

import dataclasses
import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dnncov_core.criteria import EFFECTS, CoveringMethod
from dnncov_core.features import FeaturePair
from dnncov_core.partitions import Feature
from dnncov_core.replay import Replay
from dnncov_core.suites import edge_coverage, effect_trials, steps
from dnncov_core.suites.known_effects import KnownEffects
from tests import reference
from tests.suites.test_edge_coverage import (
    DEFINED,
    Asked,
    brute_force,
    layers_of,
    measured,
    method_of,
    network_of,
)

ASKED = [effect for effect in EFFECTS if effect != "none"]
FUNCTIONS = {
    "ss": reference.always,
    "vs": reference.always,
    "sv": reference.ratio(2.0),
    "vv": reference.ratio(5.0),
    "vs ratio": reference.always,
    "sv absolute": reference.absolute(0.02),
}
"""g2 of each method."""


@cache
def edges(name: str) -> list[tuple[int, int]]:
    """Layer pairs of a network of `BUILT`."""
    return sorted(network_of(name).edges)


def affine(name: str, layer: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights, (inputs, outputs), and biases into a layer of a network of `BUILT` that has linear layers alone."""
    linear = [tensor.detach().numpy() for tensor in network_of(name).program.state_dict.values()]
    return linear[2 * (layer - 2)].T, linear[2 * (layer - 2) + 1]


@cache
def showing(asked: Asked, key: str, edge: tuple[int, int]) -> dict[tuple[int, int], set[tuple[bool, bool]]]:
    """(condition feature, decision neuron) to what pairs of inputs that cover it show: needed, sufficient."""
    k, d, (weights, biases) = *(layers_of(asked)[layer] for layer in edge), affine(asked.name, edge[1])
    found: dict[tuple[int, int], set[tuple[bool, bool]]] = {}
    for (i, j), pairs in brute_force(asked, DEFINED[key], edge).items():
        for x1, x2 in pairs:
            condition = [i] if asked.mode == "neuron" else sorted(k.changed(x1, x2))
            back = reference.put(k.u[x2], k.u[x1], condition, weights, biases)
            alone = reference.put(k.u[x1], k.u[x2], condition, weights, biases)
            one = reference.needed(key[:2], d.u[x1], back, [j], FUNCTIONS[key])
            other = reference.sufficient(key[:2], d.u[x1], alone, [j], FUNCTIONS[key])
            found.setdefault((i, j), set()).add((one, other))
    return found


def meets(effect: str, shown: tuple[bool | None, bool | None]) -> bool:
    return {"needed": shown[0], "sufficient": shown[1], "both": all(shown)}[effect] is True


def told(asked: Asked, key: str, edge: tuple[int, int], effect: str) -> KnownEffects:
    method = dataclasses.replace(method_of(key, asked.name), effect=effect)
    found = measured(asked.suite, asked.pairs, method, edge)
    assert found.effects is not None
    assert found.covered == len([*found.effects.each()])
    return found.effects


def agrees(asked: Asked, key: str, edge: tuple[int, int], effect: str) -> int:
    expected = showing(asked, key, edge)
    found = told(asked, key, edge, effect)
    rows = {(i, j): (needed, sufficient) for i, j, _, _, needed, sufficient in found.each()}
    assert len(rows) == len(expected)
    for pair, shown in rows.items():
        assert shown in expected[pair]
        assert meets(effect, shown) == any(meets(effect, each) for each in expected[pair])
    assert found.shown == sum(meets(effect, shown) for shown in rows.values())
    assert found.bound == ""
    return found.shown


@pytest.mark.parametrize("effect", ASKED)
@pytest.mark.parametrize("key", FUNCTIONS)
def test_agrees_with_asking_every_two_inputs(key: str, effect: str) -> None:
    asked = [("mlp", edge) for edge in edges("mlp")] + [("deeper mlp", edge) for edge in edges("deeper mlp")]
    shown = [
        agrees(Asked(name, 30, seed), key, edge, effect) for (name, edge), seed in itertools.product(asked, (0, 1))
    ]
    assert sum(shown) > 0


@pytest.mark.parametrize("effect", ASKED)
@pytest.mark.parametrize("key", ["ss", "sv"])
def test_of_free_features_all_that_changed_is_put_back(key: str, effect: str) -> None:
    asked = [Asked("deeper mlp", 14, seed, "free", 0.7) for seed in range(5)]
    assert sum(agrees(each, key, edge, effect) for each in asked for edge in edges("deeper mlp")) > 0


@pytest.mark.parametrize(
    ("key", "effect"),
    [("ss", "needed"), ("vs", "sufficient"), ("sv", "both"), ("vs ratio", "needed"), ("sv nb", "needed")],
)
@pytest.mark.parametrize("name", ["convolutions", "branches"])
def test_every_kept_witness_shows_what_is_told_of_it(name: str, key: str, effect: str) -> None:
    """Through pooling, convolutions and branches; and no two inputs show it where the kept ones do not."""
    shown = set()
    for edge in edges(name):
        asked = Asked(name, 30)
        method, found = method_of(key, name), told(asked, key, edge, effect)
        expected = brute_force(asked, DEFINED[key], edge)
        assert found.bound == ""
        kept = {(i, j): ((x1, x2), (one, other)) for i, j, x1, x2, one, other in found.each()}
        assert kept.keys() == {pair for pair, inputs in expected.items() if inputs}
        for (i, j), (rows, flags) in kept.items():
            pair = FeaturePair(Feature(edge[0], (i,)), Feature(edge[1], (j,)))
            assert flags == replayed(asked, method, pair, rows)
            shown.add(meets(effect, flags))
            if not meets(effect, flags):
                assert not any(meets(effect, replayed(asked, method, pair, each)) for each in expected[i, j])
    assert True in shown


def replayed(asked: Asked, method: CoveringMethod, pair: FeaturePair, rows: tuple[int, int]) -> tuple[bool, bool]:
    x1, x2 = (asked.suite.data.images[row] for row in rows)
    found = Replay(network_of(asked.name), method, x1, x2).effect(pair)
    return found.needed, found.sufficient


def test_what_fits_into_memory_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [("ss", "needed"), ("vs", "needed"), ("sv", "both"), ("vv", "sufficient")]
    whole = [[*told(Asked("mlp"), key, edges("mlp")[0], effect).each()] for key, effect in asked]
    for module in (edge_coverage, steps):
        monkeypatch.setattr(module, "AT_ONCE", 40)
    monkeypatch.setattr(effect_trials, "PIECE", 50)
    assert [[*told(Asked("mlp"), key, edges("mlp")[0], effect).each()] for key, effect in asked] == whole


@pytest.mark.parametrize("most", [30, 500])
def test_what_is_not_tried_is_said_and_counts_as_not_shown(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, edge = Asked("mlp", 60), edges("mlp")[0]
    whole = told(asked, "sv", edge, "both")
    monkeypatch.setattr(effect_trials, "MOST_TRIED", most)
    some = told(asked, "sv", edge, "both")
    assert "tried" in some.bound
    assert some.shown < whole.shown
    assert len([*some.each()]) == len([*whole.each()])


@pytest.mark.parametrize(("key", "effect"), [("vs", "needed"), ("ss", "needed"), ("vv", "both")])
def test_condition_features_that_do_not_fit_are_left_out_and_said(
    key: str, effect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, edge = Asked("mlp", 60), edges("mlp")[0]
    whole = [*told(asked, key, edge, effect).each()]
    monkeypatch.setattr(steps, "MOST_KNOWN", 2 * len(layers_of(asked)[edge[1]].neurons))
    some = told(asked, key, edge, effect)
    rows = [*some.each()]
    assert some.bound.startswith("the first 2 of ")
    assert [row for row in rows if row[0] < 2] == [row for row in whole if row[0] < 2]
    assert {row[4:] for row in rows if row[0] >= 2} == {(None, None)}
    assert [row[:2] for row in rows] == [row[:2] for row in whole]


@settings(max_examples=15, deadline=None)
@given(
    key=st.sampled_from([*FUNCTIONS]),
    effect=st.sampled_from(ASKED),
    inputs=st.integers(1, 16),
    seed=st.integers(0, 10_000),
    place=st.integers(0, 2),
)
def test_any_suite(key: str, effect: str, inputs: int, seed: int, place: int) -> None:
    agrees(Asked("deeper mlp", inputs, seed), key, edges("deeper mlp")[place], effect)


def test_sufficient_there_is_needed_back() -> None:
    """Where a sign changes both ways are looked at, so that as many show the one as the other."""
    for key, edge in itertools.product(("ss", "vs"), edges("deeper mlp")):
        one, other = (told(Asked("deeper mlp", 60), key, edge, effect) for effect in ("needed", "sufficient"))
        assert one.shown == other.shown
