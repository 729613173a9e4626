"""A hundred small modules with one ordinary operator each run as they are, or are refused for a reason that holds."""

from __future__ import annotations

import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.plan import plan_targets
from dnncov_core.data import Data
from dnncov_core.errors import NetworkError
from dnncov_core.features import FeaturePair
from dnncov_core.generators.base import Seed
from dnncov_core.networks.network import Network
from dnncov_core.replay import replay
from dnncov_core.suites.criterion_names import parse
from dnncov_core.suites.measurement import measure
from tests.networks.ordinary_modules import REFUSED, RUN


@pytest.mark.parametrize("name", RUN)
def test_runs_and_is_measured_and_searched_along_gradients(name: str) -> None:
    ordinary = RUN[name]
    module = ordinary.make()
    network = Network(module, ordinary.shape)
    is_measured_and_searched(name, network)
    assert tuple(layer.kind for layer in network.layers[1:-1]) == ordinary.kinds
    x = torch.rand(5, *ordinary.shape, generator=torch.Generator().manual_seed(1)).requires_grad_()
    logits = network(x)
    assert torch.allclose(logits, module(x), rtol=1e-4, atol=1e-5)
    if name != "rounding":
        (gradient,) = torch.autograd.grad(logits.sum(), x)
        assert bool(gradient.any()) or name == "sign"
    in_float64 = capture(network.to(dtype=torch.float64), x.detach())
    assert torch.allclose(in_float64[network.depth].u, module.double()(x.double()), rtol=1e-9, atol=1e-9)


def is_measured_and_searched(name: str, network: Network) -> None:
    """Measures six inputs, and searches for two conditions; what is found holds in the network."""
    x = torch.rand(6, *network.input_shape, generator=torch.Generator().manual_seed(2)).numpy()
    measured = measure(network, Data(name, x, None, (), "drawn"), parse("ss,vs,sv,vv,n"))
    assert len(measured.results) == 5
    spec = CampaignSpec(name, "drawn", generator="targeted", feature_mode="free", omega=0.5, passes=60)
    method, targets = spec.covering_method(), plan_targets(network, spec).targets[:2]
    if name == "rounding":
        with pytest.raises(NetworkError, match=r"gradients from each layer to the input, .*; got none from layer 3"):
            spec.search(network, method)
        return
    for found in spec.search(network, method).run(targets, lambda asked: [map(Seed, range(6), x) for _ in asked]):
        if found.x2 is not None:
            assert found.seed is not None
            assert replay(network, method, FeaturePair.of(found.target), found.seed.x, found.x2)


@pytest.mark.parametrize("name", REFUSED)
def test_is_refused_by_name(name: str) -> None:
    ordinary = REFUSED[name]
    with pytest.raises(NetworkError, match=ordinary.refused) as error:
        Network(ordinary.make(), ordinary.shape)
    assert "\n" not in str(error.value)


def test_more_than_a_hundred_are_tried() -> None:
    assert len(RUN) >= 100
