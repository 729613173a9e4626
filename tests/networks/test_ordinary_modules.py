"""A hundred small modules with one ordinary operator each run as they are, or are refused for a reason that holds."""

from __future__ import annotations

import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.errors import NetworkError
from dnncov_core.networks.network import Network
from tests.networks.ordinary_modules import REFUSED, RUN


@pytest.mark.parametrize("name", RUN)
def test_runs_with_the_modules_own_values_and_with_gradients(name: str) -> None:
    ordinary = RUN[name]
    module = ordinary.make()
    network = Network(module, ordinary.shape)
    assert tuple(layer.kind for layer in network.layers[1:-1]) == ordinary.kinds
    x = torch.rand(5, *ordinary.shape, generator=torch.Generator().manual_seed(1)).requires_grad_()
    logits = network(x)
    assert torch.allclose(logits, module(x), rtol=1e-4, atol=1e-5)
    if name != "rounding":
        (gradient,) = torch.autograd.grad(logits.sum(), x)
        assert bool(gradient.any()) or name == "sign"
    in_float64 = capture(network.to(dtype=torch.float64), x.detach())
    assert torch.allclose(in_float64[network.depth].u, module.double()(x.double()), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused_by_name(name: str) -> None:
    ordinary = REFUSED[name]
    with pytest.raises(NetworkError, match=ordinary.refused) as error:
        Network(ordinary.make(), ordinary.shape)
    assert "\n" not in str(error.value)


def test_more_than_a_hundred_are_tried() -> None:
    assert len(RUN) >= 100
