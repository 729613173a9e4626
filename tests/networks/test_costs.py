"""What a part of a pass costs, against multiplications counted by hand."""

from __future__ import annotations

import pytest
from torch import nn

from dnncov_core.networks.costs import share_before
from dnncov_core.networks.network import Network


def test_the_share_before_a_layer_is_that_of_its_multiplications() -> None:
    module = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16, 5), nn.ReLU()
    ).append(nn.Linear(5, 2))
    network = Network(module, (1, 4, 4))
    whole = 16 * 4 * 9 + 16 * 5 + 5 * 2
    assert [share_before(network, layer) for layer in (3, 4)] == pytest.approx([16 * 5 / whole, 5 * 2 / whole])


def test_a_layer_that_nothing_multiplied_reaches_costs_nothing() -> None:
    network = Network(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Sigmoid(), nn.Linear(4, 2)), (3,))
    assert share_before(network, 3) == 0
