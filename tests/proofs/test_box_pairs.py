"""Proofs that no two inputs cover SS of a neuron pair, beside all pairs of a fine grid of inputs."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA
from dnncov_core.networks.network import Network
from dnncov_core.proofs.box_bounds import AT_ONCE, BoxBounds
from dnncov_core.proofs.box_pairs import asks_pairs, no_pair
from dnncov_core.records import Target
from tests.networks_for_tests import random_mlp
from tests.proofs import networks

SIZES = (2, 4, 4, 3)
STEPS = 401


def network_of(seed: int, dtype: torch.dtype = torch.float64, slope: float = 0.0) -> Network:
    """A small network of two inputs, some of whose neuron pairs no two inputs cover."""
    module = random_mlp(SIZES, seed)
    rng = np.random.default_rng(seed)
    for place, part in enumerate(module):
        if isinstance(part, nn.Linear):
            part.bias.data += torch.from_numpy(rng.normal(0, 0.6, part.bias.shape)).to(part.bias.dtype)
        elif slope and isinstance(part, nn.ReLU):
            module[place] = nn.LeakyReLU(slope)
    return Network(module.to(dtype), (2,), (-1.0, 1.0))


def targets() -> list[Target]:
    """SS of all neuron pairs."""
    sizes = {layer: n for layer, n in enumerate(SIZES, start=1) if layer > 1}
    pairs = [(k, i, j) for k in (2, 3) for i, j in itertools.product(range(sizes[k]), range(sizes[k + 1]))]
    return [Target(place, k, k + 1, (i,), (j,)) for place, (k, i, j) in enumerate(pairs)]


def grid() -> Tensor:
    axis = torch.linspace(-1, 1, STEPS, dtype=torch.float64)
    return torch.cartesian_prod(axis, axis)


def covered_on_grid(signs: dict[int, np.ndarray], target: Target) -> bool:
    """Whether two inputs of the grid have the other signs of layer k in common, and i and j differ, as plain sets."""
    (i,), (j,) = target.condition_neurons, target.decision_neurons
    on, decision = signs[target.condition_layer], signs[target.decision_layer][:, j]
    others = np.delete(on, i, axis=1)
    seen = {(row.tobytes(), a, b) for row, a, b in zip(others, on[:, i].tolist(), decision.tolist(), strict=True)}
    return any((row, not a, not b) in seen for row, a, b in seen)


@pytest.mark.parametrize(
    ("seed", "dtype", "slope"),
    [(0, torch.float64, 0.0), (1, torch.float64, 0.0), (1, torch.float32, 0.0), (1, torch.float64, 0.2)],
)
def test_exactly_the_conditions_that_no_two_inputs_of_a_grid_cover_are_proved(
    seed: int, dtype: torch.dtype, slope: float
) -> None:
    network = network_of(seed, dtype, slope)
    bounds = BoxBounds(network)
    assert bounds.fits
    found = capture(network, grid().to(dtype))
    signs = {layer: (values.u >= 0).numpy() for layer, values in found.items()}
    expected = {target.ordinal: not covered_on_grid(signs, target) for target in targets()}
    assert len(set(expected.values())) == 2
    assert {target.ordinal: no_pair(bounds, target, time.monotonic() + 20) for target in targets()} == expected


def test_bounds_of_parts_of_the_box_hold_for_the_inputs_within() -> None:
    network = networks.network("leaky", 5, dtype=torch.float32)
    bounds = BoxBounds(network)
    boxes = bounds.whole(network.depth)
    condition, decision = (2, 0), (network.depth, 0)
    while len(boxes) <= 2 * AT_ONCE:
        boxes, _ = bounds.asked(boxes, condition, decision)
        boxes = boxes.halves()
    boxes, u = bounds.asked(boxes, condition, decision)
    for share in torch.rand(20, boxes.low.shape[1], generator=torch.Generator().manual_seed(0)).double():
        x = (boxes.low + share * (boxes.high - boxes.low)).to(network.dtype).reshape(-1, *network.input_shape)
        for layer, values in capture(network, x).items():
            if layer in boxes.signs:
                known = boxes.signs[layer]
                assert bool((((values.u >= 0) * 2 - 1) == known)[known != 0].all())
        logits = values.u[:, 0].double()
        assert bool((u.low <= logits).all())
        assert bool((logits <= u.high).all())


def test_the_middles_of_boxes_have_the_networks_own_values() -> None:
    network = network_of(0)
    bounds = BoxBounds(network)
    boxes = bounds.whole(4).halves().halves()
    found = capture(network, (boxes.low + boxes.high) / 2)
    for layer, u in bounds.middles(boxes, 4).items():
        torch.testing.assert_close(u, found[layer].u.detach())


def test_only_small_networks_of_two_linear_pieces_and_few_inputs_are_asked() -> None:
    assert not BoxBounds(networks.network("max pooling")).fits
    assert not BoxBounds(networks.network("every activation")).fits
    assert not BoxBounds(Network(random_mlp((17, 3, 2), 0), (17,))).fits


def test_only_single_neurons_that_change_their_signs_are_asked() -> None:
    single, several = Target(0, 2, 3, (1,), (0,)), Target(0, 2, 3, (0, 1), (0,))
    assert [key for key in ("ss", "vs", "sv", "vv") if asks_pairs(CRITERIA[key], single)] == ["ss"]
    assert not asks_pairs(CRITERIA["ss"], several)
    assert not asks_pairs(CRITERIA["ss"], Target(0, 2, 3, (), (0,), 1))


def test_without_time_nothing_is_proved() -> None:
    bounds = BoxBounds(network_of(0))
    proved = [target for target in targets() if no_pair(bounds, target)]
    assert not all(no_pair(bounds, target, time.monotonic() - 1) for target in proved)
