"""The test oracle: an adversarial pair has two labels and is near enough."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import nn

from dnncov_core.distances import distance
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from tests.networks_for_tests import Fn, random_mlp

LEFT, RIGHT, FAR = (np.array([[value, 0.0]], np.float32) for value in (0.4, 0.6, 0.9))


@pytest.fixture(scope="module")
def network() -> Network:
    """Logits (relu(x0), 0.5): label 0 where x0 > 0.5, 1 where less, and 0, the first, where both are equal."""
    return Network(Fn(lambda m, x: m[0](x.flatten(1).relu()), _first_against_half()), (1, 2))


def _first_against_half() -> nn.Linear:
    layer = nn.Linear(2, 2)
    layer.weight.data = torch.tensor([[1.0, 0.0], [0.0, 0.0]])
    layer.bias.data = torch.tensor([0.0, 0.5])
    return layer


@pytest.mark.parametrize(
    ("x2", "norm", "bound", "adversarial"),
    [
        (RIGHT, "inf", None, True),
        (FAR, "inf", None, True),
        (LEFT, "inf", None, False),
        (RIGHT, "inf", 0.21, True),
        (RIGHT, "inf", 0.19, False),
        (FAR, "1", 0.4, False),
        (FAR, "1", 0.51, True),
        (FAR, "2", 0.49, False),
    ],
)
def test_verdicts(network: Network, x2: np.ndarray, norm: str, bound: float | None, adversarial: bool) -> None:
    verdict = Oracle(norm, bound).judge(network, LEFT, x2)
    assert verdict.adversarial == adversarial
    assert (verdict.label1, verdict.label2) == (1, int(x2[0, 0] < 0.5))
    assert verdict.distance == pytest.approx(float(x2[0, 0]) - 0.4, abs=1e-7)


def test_pair_exactly_at_the_bound_is_near_enough(network: Network) -> None:
    x1, x2 = (np.array([[value, 0.0]], np.float32) for value in (0.25, 0.75))
    assert Oracle("inf", 0.5).judge(network, x1, x2).adversarial


def test_confidence_is_the_softmax_of_the_label(network: Network) -> None:
    verdict = Oracle().judge(network, LEFT, LEFT)
    first, second = math.exp(LEFT[0, 0]), math.exp(0.5)
    assert (verdict.label1, verdict.confidence1) == (1, pytest.approx(second / (first + second)))


def test_confidence_survives_large_logits() -> None:
    module = random_mlp((2, 3, 3), dtype=torch.float32)
    with torch.no_grad():
        module[3].bias.copy_(torch.tensor([0.0, 3000.0, 1000.0]))
    verdict = Oracle().judge(Network(module, (2,)), *np.zeros((2, 2), np.float32))
    assert (verdict.label1, verdict.confidence1) == (1, 1.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_step_of_whole_grey_levels_is_within_as_many(network: Network, dtype: type[np.floating]) -> None:
    for level in range(120, 128):
        x1, x2 = (np.array([[value / 255, 0.0]], dtype) for value in (level, level + 8))
        assert Oracle("inf", 8 / 255).judge(network, x1, x2).adversarial
        assert not Oracle("inf", 7.99 / 255).judge(network, x1, x2).adversarial
        assert Oracle("inf", 8 / 255).within(distance(x1, x2, "inf"), x2)
