"""Signs of neurons by halved boxes, beside a linear programme for each activation pattern."""

from __future__ import annotations

import math

import pytest
from torch import Tensor

from dnncov_core.activations import capture
from dnncov_core.proofs.box_bounds import BoxBounds
from dnncov_core.proofs.box_signs import BoxSigns
from tests.proofs import networks
from tests.proofs.test_certificates import DEEPER, OWN, shifted_mlp


@pytest.mark.parametrize(("seed", "bounds"), [*((seed, (0.0, 1.0)) for seed in range(6)), (0, OWN), (1, OWN)])
def test_a_sign_is_ruled_out_exactly_where_no_input_has_it(seed: int, bounds: object) -> None:
    network = shifted_mlp(seed, bounds=bounds)
    for layer in (2, 3, 4):
        shown: list[Tensor] = []
        signs = BoxSigns(BoxBounds(network), layer, shown.append)
        for neuron in range(network.layers[layer - 1].neurons):
            low, high = networks.extremes(network, layer, neuron)
            most, least = signs.extreme(neuron, 1, 60.0), signs.extreme(neuron, -1, 60.0)
            assert (most < math.inf) == (high < 0)
            assert most < 0 or most == math.inf
            assert (least > -math.inf) == (low >= 0)
            assert most >= high - 1e-9
            assert least <= low + 1e-9


def test_inputs_with_the_other_sign_are_shown() -> None:
    network, shown = shifted_mlp(0), list[Tensor]()
    signs = BoxSigns(BoxBounds(network), 2, shown.append)
    for neuron in range(4):
        shown.clear()
        found = signs.extreme(neuron, 1, 60.0)
        positive = sum(int((capture(network, x.reshape(-1, 3), [2])[2].u[:, neuron] >= 0).sum()) for x in shown)
        assert positive == sum(map(len, shown))
        assert (positive > 0) == (found == math.inf)


def test_without_time_only_the_whole_box_is_asked() -> None:
    network = shifted_mlp(2, DEEPER)
    signs = BoxSigns(BoxBounds(network), 4, lambda x: None)
    asked = [(neuron, sign) for neuron in range(6) for sign in (1, -1)]
    with_time, without = ([math.isfinite(signs.extreme(*each, seconds)) for each in asked] for seconds in (60.0, -1.0))
    assert sum(with_time) > sum(without)
    assert all(late for late, early in zip(with_time, without, strict=True) if early)


def test_neurons_that_more_time_does_not_help_are_named() -> None:
    network = shifted_mlp(0)
    signs = BoxSigns(BoxBounds(network), 2, lambda x: None)
    both = [n for n in range(4) if networks.extremes(network, 2, n)[0] < 0 <= networks.extremes(network, 2, n)[1]]
    for neuron in range(4):
        signs.extreme(neuron, 1, 60.0)
    assert both
    assert set(both) <= set(signs.given_up)
