"""What a batch lacks agrees with the covering methods themselves, asked one slot at a time."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS
from dnncov_core.criteria.reference_functions import MeasuredBoundary
from dnncov_core.effect import effects
from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePair, FeaturePairs
from dnncov_core.generators.ball import Ball
from dnncov_core.generators.shortfall import BatchConditions, check_functions, pack, unpack
from dnncov_core.interventions import interventions
from dnncov_core.networks.network import Network
from tests.networks_for_tests import piecewise

TINY = 1e-300
MODES = [("neuron", 0.1), ("fixed", 0.4), ("free", 0.4)]
ASKED = [
    (mode, omega, criterion)
    for mode, omega in MODES
    for criterion in CRITERIA
    if mode != "free" or criterion in ("ss", "sv")  # free features are what changed its sign
]


def batch(
    network: Network, mode: str, omega: float, n: int = 60
) -> tuple[list[FeaturePair], torch.Tensor, torch.Tensor]:
    """Random pairs of the network's second edge, all of one kind, and inputs that are often near to one another."""
    pairs = FeaturePairs(network.layers, network.edges, mode=mode, omega=omega)
    edge = pairs.edges[1]
    rng = np.random.default_rng(3)
    of_edge = [pair for pair in pairs if (pair.condition.layer, pair.decision.layer) == edge]
    kinds = itertools.groupby(of_edge, key=lambda p: (len(p.condition.neurons), len(p.decision.neurons)))
    chosen = max((list(group) for _, group in kinds), key=len)
    x1 = torch.from_numpy(rng.uniform(0, 1, (n, *network.input_shape)))
    x2 = (
        x1 + torch.from_numpy(rng.normal(size=x1.shape) * rng.choice([0.02, 0.2, 0.6], (n, *[1] * (x1.ndim - 1))))
    ).clamp(0, 1)
    return [chosen[place] for place in rng.integers(0, len(chosen), n)], x1, x2


@pytest.mark.parametrize("network_name", ["mlp", "max pooling", "residual and cat"])
@pytest.mark.parametrize(("mode", "omega", "criterion"), ASKED)
def test_shows_the_effect_that_the_definition_shows(network_name: str, mode: str, omega: float, criterion: str) -> None:
    method = dataclasses.replace(CRITERIA[criterion], effect="both")
    network = piecewise(network_name)
    pairs, x1, x2 = batch(network, mode, omega)
    look = BatchConditions(network, method, pairs, x1, margin=TINY).shortfall(x2)
    before, after = capture(network, x1), capture(network, x2)
    assert look.needed is not None
    assert look.sufficient is not None
    for row, pair in enumerate(pairs):
        one, other = ({k: _row(v, row) for k, v in values.items()} for values in (before, after))
        made = interventions(network, pair, x1[row : row + 1], x2[row : row + 1], one, other)
        expected = effects(method, pair, one, other, made)
        assert bool(look.needed[row] <= 0) == bool(expected.needed[0])
        assert bool(look.sufficient[row] <= 0) == bool(expected.sufficient[0])
        shown = bool(expected.meet("both")[0])
        assert bool(look.covers[row]) == (shown and bool(method.holds(pair, one, other)))


@pytest.mark.parametrize("network_name", ["mlp", "max pooling", "residual and cat"])
@pytest.mark.parametrize(("mode", "omega", "criterion"), ASKED)
def test_covers_what_the_covering_method_covers(network_name: str, mode: str, omega: float, criterion: str) -> None:
    method = CRITERIA[criterion]
    network = piecewise(network_name)
    pairs, x1, x2 = batch(network, mode, omega)
    look = BatchConditions(network, method, pairs, x1, margin=TINY).shortfall(x2)
    before, after = capture(network, x1), capture(network, x2)
    for row, pair in enumerate(pairs):
        one, other = ({k: _row(v, row) for k, v in values.items()} for values in (before, after))
        assert bool(look.covers[row]) == bool(method.holds(pair, one, other))
        changed = (one[pair.condition.layer].u >= 0) != (other[pair.condition.layer].u >= 0)
        assert int(look.flips[row]) == int(changed.sum())


def _row(values, row):  # type: ignore[no-untyped-def]
    return type(values)(values.u[row : row + 1], values.v[row : row + 1], values.shape)


def test_excess_sums_the_neurons_that_should_not_have_changed() -> None:
    network = piecewise("mlp")
    pairs, x1, x2 = batch(network, "neuron", 0.1)
    k = pairs[0].condition.layer
    look = BatchConditions(network, CRITERIA["ss"], pairs, x1, margin=TINY).shortfall(x2)
    u1, u2 = (capture(network, x, [k])[k].u for x in (x1, x2))
    for row, pair in enumerate(pairs):
        wrong = [
            i for i in range(u1.shape[1]) if i not in pair.condition.neurons and (u1[row, i] >= 0) != (u2[row, i] >= 0)
        ]
        assert int(look.wrong[row]) == len(wrong)
        assert float(look.excess[row]) == pytest.approx(sum(abs(float(u2[row, i])) for i in wrong))


def test_a_margin_asks_for_more() -> None:
    network = piecewise("mlp")
    pairs, x1, x2 = batch(network, "free", 0.6)
    exact, wide = (
        BatchConditions(network, CRITERIA["ss"], pairs, x1, margin=margin).shortfall(x2) for margin in (TINY, 0.01)
    )
    assert torch.allclose(wide.decision, exact.decision + 0.01)
    assert not (wide.covers & ~exact.covers).any()
    assert (exact.decision <= 0).sum() > (wide.decision <= 0).sum() > 0


def test_labels_and_the_bound_count_only_where_they_are_asked_for() -> None:
    network = piecewise("mlp")
    pairs, x1, x2 = batch(network, "free", 1.0)
    ball = Ball("inf", 0.5)
    look = BatchConditions(network, CRITERIA["ss"], pairs, x1, margin=TINY, labels=True, ball=ball).shortfall(x2)
    with torch.no_grad():
        other = network(x1).argmax(dim=1) != network(x2).argmax(dim=1)
    assert look.label is not None
    assert look.far is not None
    assert torch.equal(look.label < 0, other)
    assert torch.equal(look.far, (x1 - x2).flatten(1).abs().amax(dim=1) > 0.5)
    assert torch.equal(look.holds, look.covers & other & ~look.far)
    plain = BatchConditions(network, CRITERIA["ss"], pairs, x1, margin=TINY).shortfall(x2)
    assert torch.equal(plain.holds, plain.covers)


def test_some_slots_are_those_of_the_whole_batch() -> None:
    network = piecewise("max pooling")
    pairs, x1, x2 = batch(network, "neuron", 0.1)
    rows = torch.tensor([5, 0, 17])
    whole = BatchConditions(network, CRITERIA["sv"], pairs, x1, margin=1e-3)
    whole.forget()
    part, every = whole.some(rows).shortfall(x2[rows]), whole.shortfall(x2)
    for name in ("decision", "condition", "excess", "wrong", "flips"):
        assert torch.allclose(getattr(part, name).double(), getattr(every, name)[rows].double())


def test_measured_boundaries_follow_their_neurons() -> None:
    network = piecewise("mlp")
    pairs, x1, x2 = batch(network, "free", 1.0)
    layer = pairs[0].decision.layer
    u = capture(network, x1, [layer])[layer].u
    highest = {(layer, i): float(u[:, i].max()) for i in range(u.shape[1])}
    method = CRITERIA["sv"].with_functions(MeasuredBoundary("x1", highest), VALUE_FUNCTIONS["any"]())
    look = BatchConditions(network, method, pairs, x1, margin=0.0).shortfall(x2)
    u2 = capture(network, x2, [layer])[layer].u
    for row, pair in enumerate(pairs):
        (j,) = pair.decision.neurons
        kept = (u[row, j] >= 0) == (u2[row, j] >= 0)
        assert bool(look.decision[row] < 0) == bool((u2[row, j] > highest[layer, j]) & kept)


def test_functions_without_gradients_are_refused() -> None:
    for name in ("top", "ssim"):
        with pytest.raises(SpecificationError, match=f"gradient search; got {name}"):
            check_functions(CRITERIA["sv"].with_functions(VALUE_FUNCTIONS[name](), VALUE_FUNCTIONS["any"]()))


@pytest.mark.parametrize("name", ["absolute", "norm"])
def test_distances_have_a_direction_at_x1_too(name: str) -> None:
    network = piecewise("mlp")
    pairs, x1, _ = batch(network, "neuron", 0.1)
    method = CRITERIA["vv"].with_functions(VALUE_FUNCTIONS[name](d=0.5), VALUE_FUNCTIONS[name](d=0.5))
    conditions = BatchConditions(network, method, pairs, x1, margin=0.0)
    assert conditions.first is not None
    assert torch.allclose(conditions.first.decision, torch.tensor(0.5, dtype=torch.float64), atol=1e-4)
    for lacking in (conditions.first.decision, conditions.first.condition):
        (gradient,) = torch.autograd.grad(lacking.sum(), conditions.x1, retain_graph=True)
        assert (gradient.abs().sum(dim=1) > 0).all()


@given(n=st.integers(1, 40), batch=st.integers(1, 4), seed=st.integers(0, 9))
def test_what_is_packed_comes_back(n: int, batch: int, seed: int) -> None:
    signs = torch.rand(batch, n, generator=torch.Generator().manual_seed(seed)) < 0.5
    packed = pack(signs)
    assert packed.dtype == torch.uint8
    assert packed.shape == (batch, -(-n // 8))
    assert torch.equal(unpack(packed, n), signs)
