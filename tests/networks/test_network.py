"""The canonical network: equal to the module to the bit, whatever the batch, and the module is left alone."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from dnncov_core.activations import capture
from dnncov_core.errors import DnncovError, NumericsError
from dnncov_core.networks.network import Network
from dnncov_core.types import Bounds
from tests.networks_for_tests import Fn, random_mlp, seeded


@dataclass(frozen=True)
class Case:
    build: Callable[[], nn.Module]
    shape: tuple[int, ...]
    neurons: list[int]


def conv(shape: tuple[int, ...], n_flat: int) -> Callable[[], nn.Module]:
    """Convolution, batch norm, in-place ReLU, overlapping padded max pooling, average pooling, dropout, linear."""
    return lambda: nn.Sequential(
        nn.Conv2d(shape[0], 4, 3, stride=2, bias=False),
        nn.BatchNorm2d(4),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, stride=2, padding=1),
        nn.AvgPool2d(2),
        nn.Dropout2d(),
        nn.Flatten(),
        nn.Linear(n_flat, 8),
        nn.Dropout(),
        nn.ReLU(inplace=True),
        nn.Linear(8, 3),
    )


def residual(m: nn.ModuleList, x: Tensor) -> Tensor:
    x = m[4]((x - 0.5) / 0.25)
    y = m[0](x).relu_()
    y = F.relu(y + m[1](y))
    y = torch.cat([y, F.leaky_relu(m[2](y))], dim=1)
    return m[3](torch.flatten(F.adaptive_avg_pool2d(y, (1, 1)), 1))


CASES = {
    "mlp": Case(lambda: random_mlp((12, 7, 5, 3), dtype=torch.float32), (3, 4), [12, 7, 5, 3]),
    "float64": Case(lambda: random_mlp((12, 7, 5, 3)), (3, 4), [12, 7, 5, 3]),
    "1x17x29": Case(conv((1, 17, 29), 4 * 2 * 3), (1, 17, 29), [493, 4 * 8 * 14, 8, 3]),
    "3x40x24": Case(conv((3, 40, 24), 4 * 5 * 3), (3, 40, 24), [2880, 4 * 19 * 11, 8, 3]),
    "residual": Case(
        lambda: Fn(residual, *(nn.Conv2d(c, 4, 3, padding=1) for c in (2, 4, 4)), nn.Linear(8, 3), nn.BatchNorm2d(2)),
        (2, 5, 7),
        [70, 140, 140, 140, 3],
    ),
    "squeeze": Case(
        lambda: Fn(
            lambda m, x: m[1](F.adaptive_avg_pool2d(m[0](x).relu(), 1).squeeze()), nn.Conv2d(1, 4, 3), nn.Linear(4, 3)
        ),
        (1, 6, 6),
        [36, 64, 3],
    ),
    "input in place": Case(
        lambda: Fn(lambda m, x: m[1](m[0](x.sub_(0.5)).relu()), nn.Linear(4, 5), nn.Linear(5, 3)), (4,), [4, 5, 3]
    ),
    "own cast": Case(
        lambda: Fn(lambda m, x: m[1](m[0](x.float()).relu()), nn.Linear(4, 5), nn.Linear(5, 3)), (4,), [4, 5, 3]
    ),
    "tied weights": Case(lambda: Fn(lambda m, x: m[0](m[0](x).relu()), nn.Linear(4, 4)), (4,), [4, 4, 4]),
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[nn.Module, Network, Case]:
    chosen = CASES[request.param]
    module = seeded(chosen.build)
    return module, Network(module, chosen.shape), chosen


def batch(network: Network, n: int) -> Tensor:
    generator = torch.Generator().manual_seed(n)
    return torch.rand(n, *network.input_shape, dtype=network.dtype, generator=generator)


def test_logits_equal_the_modules_own_to_the_bit(case: tuple[nn.Module, Network, Case]) -> None:
    module, network, chosen = case
    assert [layer.neurons for layer in network.layers] == chosen.neurons
    assert network.dtype == next(module.parameters()).dtype
    x = batch(network, 7)
    with torch.no_grad():
        assert torch.equal(network(x), module(x.clone()))
    assert torch.equal(capture(network, x)[network.depth].v, network(x))


def test_each_input_has_its_values_whatever_the_batch(case: tuple[nn.Module, Network, Case]) -> None:
    _, network, _ = case
    x = batch(network, 64)
    whole = capture(network, x)
    for n in (1, 7):
        for k, layer in capture(network, x[:n]).items():
            assert torch.allclose(layer.u, whole[k].u[:n], rtol=1e-4, atol=1e-5), (n, k)


def test_shapes_of_layers_and_values_agree(case: tuple[nn.Module, Network, Case]) -> None:
    _, network, _ = case
    for k, layer in capture(network, batch(network, 2)).items():
        info = network.layers[k - 1]
        assert layer.u.shape == layer.v.shape == (2, info.neurons)
        assert layer.shape == info.shape


def test_other_precision_changes_values_only_by_rounding(case: tuple[nn.Module, Network, Case]) -> None:
    _, network, _ = case
    double = network.to(dtype=torch.float64)
    x = batch(network, 3)
    assert double(x).dtype == torch.float64
    assert torch.allclose(double(x), network(x).double(), atol=1e-4)
    assert double.fingerprint == network.fingerprint
    assert network(x).dtype == network.dtype


def test_training_module_is_evaluated_in_eval_mode_and_left_as_it_was() -> None:
    module = seeded(CASES["1x17x29"].build)
    expected = Network(module, (1, 17, 29))
    module.train()
    module[1].eval()
    state = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    modes = [part.training for part in module.modules()]
    network = Network(module, (1, 17, 29))
    capture(network, batch(network, 5))
    assert network.fingerprint == expected.fingerprint
    assert torch.equal(network(batch(network, 5)), expected(batch(network, 5)))
    assert [part.training for part in module.modules()] == modes
    assert not any(part._forward_hooks or part._forward_pre_hooks or part._backward_hooks for part in module.modules())
    assert all(parameter.requires_grad and parameter.grad is None for parameter in module.parameters())
    for name, tensor in module.state_dict().items():
        assert torch.equal(tensor, state[name])


@pytest.mark.parametrize("break_by", ["operator", "shape", "infinity"])
def test_module_is_whole_after_an_error(break_by: str) -> None:
    function = torch.softmax if break_by == "operator" else lambda x, dim: x.relu()
    module = Fn(lambda m, x: m[1](function(m[0](x), 1)), nn.Linear(4, 4), nn.Linear(4, 3)).train()
    state = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    with pytest.raises(DnncovError):
        capture(Network(module, (5 if break_by == "shape" else 4,)), torch.full((1, 4), float("inf")))
    assert module.training
    assert not any(part._forward_hooks for part in module.modules())
    assert all(torch.equal(tensor, state[name]) for name, tensor in module.state_dict().items())


def test_later_changes_of_the_module_do_not_reach_the_network() -> None:
    module = random_mlp((4, 5, 3))
    network = Network(module, (4,))
    x = batch(network, 2)
    before = network(x)
    with torch.no_grad():
        module[1].weight.zero_()
    assert torch.equal(network(x), before)


def count_tensors() -> int:
    """Tensors with data: PyTorch itself keeps a shape without data of each export."""
    gc.collect()
    kinds = [type(thing) for thing in gc.get_objects()]
    return sum(issubclass(kind, Tensor) and kind.__name__ != "FakeTensor" for kind in kinds)


def test_nothing_is_kept_after_many_constructions() -> None:
    module = random_mlp((4, 5, 3))
    before, networks = count_tensors(), []
    for _ in range(8):
        network = Network(module, (4,))
        networks.append(weakref.ref(network))
        del network
    assert count_tensors() <= before
    assert not any(reference() for reference in networks)


def test_nothing_is_kept_after_many_captures_and_errors() -> None:
    network = Network(random_mlp((4, 5, 3)), (4,))
    before = count_tensors()
    for _ in range(50):
        capture(network, batch(network, 3))
        with pytest.raises(NumericsError):
            capture(network, torch.full((1, 4), float("nan")))
    assert count_tensors() <= before


# Fingerprints


def fingerprint(weight: float | None = None, bounds: Bounds = (0.0, 1.0), inplace: bool = False) -> str:
    linear = nn.Linear(4, 5), nn.Linear(5, 3)
    for layer in linear:
        nn.init.constant_(layer.weight, 0.5)
        nn.init.ones_(layer.bias)
    if weight is not None:
        linear[0].weight.data[0, 0] = weight
    return Network(nn.Sequential(linear[0], nn.ReLU(inplace), linear[1]), (4,), bounds).fingerprint


def test_fingerprint_is_the_same_for_the_same_network_in_any_process() -> None:
    code = "from tests.networks.test_network import fingerprint; print(fingerprint())"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=".")
    assert fingerprint() == fingerprint(inplace=True) == other.stdout.strip()
    assert len(fingerprint()) == 64


@pytest.mark.parametrize(
    "change", [{"weight": 0.50001}, {"bounds": (0.0, 2.0)}, {"bounds": ([0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 2.0])}]
)
def test_fingerprint_changes_with(change: dict) -> None:
    assert fingerprint(**change) != fingerprint()


def test_bounds_of_each_feature_that_are_one_pair_leave_the_fingerprint_as_it_was() -> None:
    assert fingerprint(bounds=([0.0] * 4, [1.0] * 4)) == fingerprint(bounds=(0.0, 1.0)) == fingerprint()
    two, three = (fingerprint(bounds=([0.0] * 4, [1.0, 1.0, 1.0, high])) for high in (2.0, 3.0))
    assert two != three


@pytest.mark.parametrize("shape", [(4,), (1, 2, 2)])
def test_a_network_in_shares_gives_what_it_gives_for_the_inputs(shape: tuple[int, ...]) -> None:
    low, high = np.array([0.0, -3.0, 5.0, 2.0]).reshape(shape), np.array([6.0, 3.0, 9.0, 2.0]).reshape(shape)
    network = Network(random_mlp((4, 5, 3)), shape, (low, high), features=list("abcd") if len(shape) == 1 else None)
    x = np.random.default_rng(0).uniform(low, high, (6, *shape))
    shares = network.in_shares()
    for one, other in ((network, shares), (network.to(dtype=torch.float32), shares.to(dtype=torch.float32))):
        z = torch.from_numpy(network.box.shares(x))
        torch.testing.assert_close(one(torch.from_numpy(x)), other(z), rtol=0, atol=1e-5)
    assert (shares.bounds, shares.box.ranges, network.bounds) == ((0.0, 1.0), None, (-3.0, 9.0))
    assert shares.in_shares() is shares
    assert network.card("n").box == network.box


def test_fingerprint_changes_with_the_graph_and_the_precision() -> None:
    module = random_mlp((4, 5, 3))
    leaky = nn.Sequential(*(nn.LeakyReLU() if isinstance(part, nn.ReLU) else part for part in module))
    slope = nn.Sequential(*(nn.LeakyReLU(0.5) if isinstance(part, nn.ReLU) else part for part in module))
    single = random_mlp((4, 5, 3)).float()
    assert len({Network(m, (4,)).fingerprint for m in (module, leaky, slope, single)}) == 4
