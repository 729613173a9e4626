"""Outward rounding matters: networks whose exact sign is constant while their computed one is not."""

from __future__ import annotations

from fractions import Fraction

import pytest
import torch
from torch import nn

from dnncov_core.activations import capture
from dnncov_core.networks.network import Network
from dnncov_core.proofs import intervals, linear_bounds
from dnncov_core.proofs.rounding import down, gamma, up
from tests.proofs.networks import constant_neurons

CASES = {torch.float32: 2.0**27, torch.float64: 2.0**56}
"""Numbers this large are 16 apart."""


def absorbing(large: float, dtype: torch.dtype) -> Network:
    """u of layer 3 is (large + x) - (large + x / 2) - 7 = x / 2 - 7, from -7 to -1, for x from 0 to 12."""
    first, second, last = nn.Linear(1, 2, dtype=dtype), nn.Linear(2, 1, dtype=dtype), nn.Linear(1, 2, dtype=dtype)
    first.weight.data, first.bias.data = torch.tensor([[1.0], [0.5]]).to(dtype), torch.full((2,), large).to(dtype)
    second.weight.data, second.bias.data = torch.tensor([[1.0, -1.0]]).to(dtype), torch.tensor([-7.0]).to(dtype)
    return Network(nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), last), (1,), (0.0, 12.0))


def exact(large: float, x: float) -> Fraction:
    return (Fraction(large) + Fraction(x)) - (Fraction(large) + Fraction(x) / 2) - 7


@pytest.mark.parametrize("dtype", CASES, ids=str)
def test_a_sign_that_only_rounding_changes_is_no_constant(dtype: torch.dtype) -> None:
    network, x = absorbing(CASES[dtype], dtype), torch.tensor([[0.0], [12.0]], dtype=dtype)
    u = capture(network, x, [3])[3].u[:, 0]
    assert (u >= 0).tolist() == [False, True]
    assert all(exact(CASES[dtype], value) < 0 for value in (0.0, 6.0, 12.0))
    assert not [c for c in constant_neurons(network) if c.layer == 3]


def test_without_rounding_errors_the_same_neuron_would_be_proved_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    network = absorbing(CASES[torch.float32], torch.float32)
    for module in (intervals, linear_bounds):
        monkeypatch.setattr(module, "gamma", lambda n, eps: 0.0)
    assert [(c.sign, c.method) for c in constant_neurons(network) if c.layer == 3] == [(-1, "linear")]


def test_gamma_is_no_less_than_the_errors_of_long_sums() -> None:
    terms = torch.rand(10_000, generator=torch.Generator().manual_seed(0))
    total, true = torch.zeros(()), sum(Fraction(float(term)) for term in terms)
    for term in terms:
        total = total + term
    assert abs(Fraction(float(total)) - true) <= gamma(10_000, torch.finfo(torch.float32).eps) * true
    assert gamma(2**60, 2.0**-52) == float("inf")


def test_neighbours() -> None:
    one = torch.tensor([1.0, 0.0], dtype=torch.float64)
    assert bool((down(one) < one).all())
    assert bool((up(one) > one).all())
    assert float(up(one)[0]) == 1 + 2.0**-52
