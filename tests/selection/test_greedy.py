"""Greedy orders against plain loops over sets of test conditions, and against measurements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dnncov_core.activations import capture
from dnncov_core.data import Data
from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.selection import pair_conditions
from dnncov_core.selection.greedy import greedy
from dnncov_core.selection.orders import BY_CRITERIA, asked_criterion
from dnncov_core.selection.pool import Pool, look
from dnncov_core.suites.criterion_names import parse
from dnncov_core.suites.measurement import measure
from dnncov_core.suites.progress import Progress
from dnncov_core.suites.streams import Suite, ranges
from tests import reference as definitions
from tests.networks_for_tests import random_mlp
from tests.selection import reference
from tests.suites.definitions import Layer, Method, of_u, section, top

METHODS = {
    "ss": Method("ss"),
    "vs": Method("vs"),
    "sv": Method("sv", g2=of_u(definitions.ratio(2.0))),
    "vv": Method("vv", g2=of_u(definitions.ratio(5.0))),
    "sv:ratio=1.1": Method("sv", g2=of_u(definitions.ratio(1.1))),
    "sv:absolute=0.02": Method("sv", g2=of_u(definitions.absolute(0.02))),
    "vv:ratio=1.1": Method("vv", g2=of_u(definitions.ratio(1.1))),
    "sv:upper_boundary=-0.1": Method("sv", g2=of_u(definitions.upper_boundary(-0.1))),
    "vv:upper_boundary=0.05": Method("vv", g2=of_u(definitions.upper_boundary(0.05))),
}
NEEDED = ("ss+needed", "vs+needed", "sv+needed", "vv:ratio=1.1+needed", "sv:absolute=0.02+needed")
SINGLE = ("n", "tn", "tn:2", "nb", "kmnc:3", "s")
EVERY = (*METHODS, *SINGLE, *NEEDED)


@cache
def network() -> Network:
    return Network(random_mlp([3, 3, 4, 3, 2], 2), (3,))


def inputs(n: int, seed: int) -> Data:
    """Points of which some are near each other, and some are equal."""
    rng = np.random.default_rng(seed)
    images = rng.uniform(0, 1, (n, 3))
    images[n // 2 :] = images[: n - n // 2] + rng.choice([0, 0.03], (n - n // 2, 1))
    return Data("made", images.clip(0, 1), np.arange(n) % 2, (), "test")


REFERENCE = inputs(20, 99)


def looked(data: Data, texts: Sequence[str] = EVERY) -> Pool:
    known = ranges(Suite(network(), REFERENCE), range(2, 5), lambda n: None)
    asked = [asked_criterion(text, "made") for text in texts]
    pairs = FeaturePairs(network().layers, network().edges)
    return look(Suite(network(), data), asked, pairs, ranges=known, progress=Progress())


def layers(data: Data) -> list[Layer]:
    found = capture(network(), torch.from_numpy(data.images))
    known = capture(network(), torch.from_numpy(REFERENCE.images))
    return [Layer(found[k].u.tolist(), found[k].v.tolist(), known[k].v.tolist()) for k in range(2, 6)]


def alone(text: str, data: Data) -> list[set]:
    """What each input meets by itself."""
    if text in METHODS or text in NEEDED:
        return [set() for _ in range(len(data))]
    hidden = layers(data)[:-1]
    found: list[set] = []
    for x in range(len(data)):
        name, _, m = text.partition(":")
        here: set = set()
        for k, layer in enumerate(hidden):
            for j in layer.neurons:
                own = frozenset([j])
                if (name == "n" and layer.u[x][j] >= 0) or (name == "tn" and top(int(m or 1))(layer, x, x, own)):
                    here.add((k, j))
                if name == "nb" and layer.v[x][j] > layer.greatest[j] + 1e-6 * abs(layer.greatest[j]):
                    here.add((k, j))
                if name == "kmnc":
                    here |= {(k, j, s) for s in (1, 2, 3) if section(s, 3)(layer, x, x, own)}
        found.append({tuple(tuple(u >= 0 for u in layer.u[x]) for layer in hidden)} if name == "s" else here)
    return found


def together(text: str, data: Data) -> reference.Together:
    """What two inputs cover, whichever of them is x1."""
    own = text.removesuffix("+needed")
    if own not in METHODS:
        return lambda x, y: set()
    method, known = METHODS[own], layers(data)
    found: dict[tuple[int, int], set] = {}

    def covered(x: int, y: int) -> set:
        if (x, y) not in found:
            found[x, y] = {
                (k, i, j)
                for k in range(len(known) - 1)
                for i in known[k].neurons
                for j in known[k + 1].neurons
                for one, other in ((x, y), (y, x))
                if method.condition(known[k], one, other, frozenset([i]))
                and method.decision(known[k + 1], one, other, frozenset([j]))
                and (own == text or undone(method, known, k, i, j, one, other))
            }
        return found[x, y]

    return covered


def undone(method: Method, known: list[Layer], k: int, i: int, j: int, one: int, other: int) -> bool:
    """Whether nothing is left of the decision's change once v of the condition neuron is put back to that of x1."""
    tensors = [tensor.detach().tolist() for tensor in network().program.state_dict.values()]
    weights, biases = tensors[2 * k + 2][j], tensors[2 * k + 3]
    v = [(known[k].v[one] if n == i else known[k].v[other])[n] for n in known[k].neurons]
    u1, u2 = known[k + 1].u[one][j], sum(w * x for w, x in zip(weights, v, strict=True)) + biases[j]
    if method.key[1] == "s":
        return (u1 >= 0) == (u2 >= 0)
    return not method.g2(Layer([[u1], [u2]], [], []), 0, 1, frozenset([0]))


@pytest.mark.parametrize("at_once", [2**22, 7])
@settings(max_examples=4, deadline=None)
@given(n=st.integers(1, 11), seed=st.integers(0, 1000))
def test_orders_are_those_of_plain_loops(n: int, seed: int, at_once: int) -> None:
    data = inputs(n, seed)
    ties = np.random.default_rng(seed).permutation(n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_conditions, "AT_ONCE", at_once)
        for text, conditions in looked(data).conditions.items():
            own, both = alone(text, data), together(text, data)
            order = greedy(conditions, ties, n)
            assert [*zip(order.rows, order.adds, order.rounds, strict=True)] == reference.greedy(
                n, own, both, ties.tolist()
            ), text
            rows = np.random.default_rng(seed + 1).permutation(n)[: max(1, n - 2)]
            assert conditions.along(rows).tolist() == reference.covered(rows.tolist(), own, both), text


def test_the_first_round_covers_what_a_measurement_finds() -> None:
    data = inputs(60, 5)
    asked = parse(",".join((*METHODS, *SINGLE)), "made")
    measured = measure(network(), data, asked, reference=REFERENCE, effect="needed").results
    covered = {each.asked.text: (each.covered, each.total) for each in measured}
    shown = {each.asked.text: sum(edge.effects.shown for edge in each.edges) for each in measured}
    covered |= {text: (shown[own], covered[own][1]) for text in NEEDED for own in [text.removesuffix("+needed")]}
    for text, conditions in looked(data).conditions.items():
        order, (n, total) = greedy(conditions, np.arange(60), 60), covered[text]
        assert conditions.total == total
        assert order.adds[order.rounds == 1].sum() == n == conditions.along(order.rows)[-1], text
        assert conditions.along(order.rows)[order.first_round - 1] == n
        assert sorted(order.rows) == [*range(60)]


def test_a_budget_is_the_beginning_of_the_whole_order() -> None:
    conditions = looked(inputs(20, 8), ("sv",)).conditions["sv"]
    ties = np.arange(20)[::-1].copy()
    assert greedy(conditions, ties, 6).rows.tolist() == greedy(conditions, ties, 20).rows[:6].tolist()


def test_inputs_without_a_partner_come_last_as_ties_say() -> None:
    data = Data("made", np.array([[0.1, 0.2, 0.3]]), None, (), "test")
    order = greedy(looked(data, ("ss",)).conditions["ss"], np.array([0]), 1)
    assert (order.rows.tolist(), order.adds.tolist(), order.first_round) == ([0], [0], 0)


def test_criteria_that_say_nothing_of_one_input_are_refused() -> None:
    assert "mn" not in BY_CRITERIA
    for text in ("mn", "vs:ratio=2", "vv:nb", "sv:nb", "n+needed", "vs:ratio=2+needed"):
        with pytest.raises(SpecificationError, match="expected"):
            asked_criterion(text, "made")


def test_too_much_for_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_conditions, "MOST", 3)
    with pytest.raises(SpecificationError, match="choose fewer inputs"):
        looked(inputs(20, 8), ("vs",))


def test_all_orders_share_one_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    data, sizes = inputs(20, 8), {}
    for text in ("vs", "ss"):
        sizes[text] = sum(edge.size for edge in looked(data, (text,)).conditions[text]._edges)
    monkeypatch.setattr(pair_conditions, "MOST", sum(sizes.values()))
    looked(data, ("vs", "ss"))
    monkeypatch.setattr(pair_conditions, "MOST", sum(sizes.values()) - 1)
    with pytest.raises(SpecificationError, match=f"got {sum(sizes.values()):,}, of which"):
        looked(data, ("vs", "ss"))
