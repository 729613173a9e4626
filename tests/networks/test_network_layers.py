"""Which layers a module has: every way of writing an activation is found, and what is not supported is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from dnncov_core.activations import capture
from dnncov_core.errors import NetworkError
from dnncov_core.networks.network import Network
from tests.networks_for_tests import Fn, seeded

Function = Callable[[Tensor], Tensor]


def between(function: Function | nn.Module, seed: int = 0) -> nn.Module:
    """linear, the given function, linear."""
    module = function if isinstance(function, nn.Module) else None

    def build() -> nn.Module:
        parts = [nn.Linear(4, 6), nn.Linear(6, 3), *([module] if module else [])]
        inner: Function = function if module is None else (lambda x: made.m[2](x))
        made = Fn(lambda m, x: m[1](inner(m[0](x))), *parts)
        return made

    return seeded(build, seed)


ACTIVATIONS: dict[str, tuple[Function | nn.Module, str, Function]] = {
    # how it is written: the code, the kind that it is, what it does
    "nn.ReLU": (nn.ReLU(), "relu", F.relu),
    "nn.ReLU in place": (nn.ReLU(inplace=True), "relu", F.relu),
    "F.relu": (F.relu, "relu", F.relu),
    "F.relu in place": (lambda x: F.relu(x, inplace=True), "relu", F.relu),
    "torch.relu_": (torch.relu_, "relu", F.relu),
    "x.relu()": (lambda x: x.relu(), "relu", F.relu),
    "clamp(min=0)": (lambda x: x.clamp(min=0), "relu", F.relu),
    "clamp(0)": (lambda x: torch.clamp(x, 0.0), "relu", F.relu),
    "clamp_(min=0)": (lambda x: x.clone().clamp_(min=0), "relu", F.relu),
    "clamp_min": (lambda x: torch.clamp_min(x, 0), "relu", F.relu),
    "clamp(0, inf)": (lambda x: x.clamp(0, float("inf")), "relu", F.relu),
    "F.relu6": (F.relu6, "relu6", F.relu6),
    "nn.ReLU6": (nn.ReLU6(), "relu6", F.relu6),
    "nn.ReLU6 in place": (nn.ReLU6(inplace=True), "relu6", F.relu6),
    "hardtanh(0, 6)": (lambda x: F.hardtanh(x, 0.0, 6.0), "relu6", F.relu6),
    "nn.Hardtanh(0, 6)": (nn.Hardtanh(0.0, 6.0), "relu6", F.relu6),
    "clamp(0, 6)": (lambda x: x.clamp(0, 6), "relu6", F.relu6),
    "clamp(min=0, max=6)": (lambda x: x.clamp(max=6, min=0), "relu6", F.relu6),
    "F.leaky_relu": (F.leaky_relu, "leaky_relu", F.leaky_relu),
    "nn.LeakyReLU(0.2) in place": (nn.LeakyReLU(0.2, inplace=True), "leaky_relu", lambda x: F.leaky_relu(x, 0.2)),
    "torch.sigmoid": (torch.sigmoid, "sigmoid", torch.sigmoid),
    "nn.Sigmoid": (nn.Sigmoid(), "sigmoid", torch.sigmoid),
    "x.tanh_()": (lambda x: x.clone().tanh_(), "tanh", torch.tanh),
    "nn.Tanh": (nn.Tanh(), "tanh", torch.tanh),
    "nn.ELU": (nn.ELU(0.7, inplace=True), "elu", lambda x: F.elu(x, 0.7)),
    "F.gelu": (F.gelu, "gelu", F.gelu),
    "nn.GELU tanh": (nn.GELU("tanh"), "gelu", lambda x: F.gelu(x, approximate="tanh")),
    "nn.SiLU in place": (nn.SiLU(inplace=True), "silu", F.silu),
}


@pytest.mark.parametrize("written", ACTIVATIONS)
def test_activation_is_found_with_its_u_and_v(written: str) -> None:
    code, kind, function = ACTIVATIONS[written]
    module = between(code)
    network = Network(module, (4,), (-5.0, 5.0))
    assert [(layer.kind, layer.neurons) for layer in network.layers] == [("input", 4), (kind, 6), ("logits", 3)]
    x = torch.randn(7, 4) * 5
    u = module.m[0](x).detach()
    layer = capture(network, x)[2]
    assert (layer.u < 0).any()
    assert torch.equal(layer.u, u)
    assert torch.equal(layer.v, function(u))


def modules_with_relu(inplace: bool) -> dict[str, tuple[nn.Module, tuple[int, ...]]]:
    """Networks whose only difference is ``inplace``, by name, with their input shapes."""
    relu = nn.ReLU(inplace)

    def block(m: nn.ModuleList, x: Tensor) -> Tensor:
        y = relu(m[1](m[0](x)))
        y = relu(m[3](m[2](y)) + y)
        return m[4](y.mean((2, 3)))

    def used_after(m: nn.ModuleList, x: Tensor) -> Tensor:
        y = m[0](x)
        z = relu(y)
        return m[2](m[1](z) + y if inplace else m[1](z) + z)

    return {
        "plain": (seeded(lambda: nn.Sequential(nn.Linear(4, 5), relu, nn.Linear(5, 3))), (4,)),
        "residual": (seeded(lambda: Fn(block, *conv_bn(1), *conv_bn(4), nn.Linear(4, 3))), (1, 6, 6)),
        "used after": (seeded(lambda: Fn(used_after, nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 3))), (4,)),
        "three times": (
            seeded(
                lambda: nn.Sequential(
                    nn.Linear(4, 5), relu, nn.Linear(5, 2), relu, nn.Linear(2, 4), relu, nn.Linear(4, 3)
                )
            ),
            (4,),
        ),
    }


def conv_bn(channels: int) -> tuple[nn.Module, nn.Module]:
    return nn.Conv2d(channels, 4, 3, padding=1), nn.BatchNorm2d(4)


@pytest.mark.parametrize("name", modules_with_relu(False))
def test_in_place_equals_the_twin_without(name: str) -> None:
    (module, shape), (twin, _) = modules_with_relu(True)[name], modules_with_relu(False)[name]
    x = torch.randn(3, *shape)
    kept = x.clone()
    got, expected = (capture(Network(m, shape, (-5, 5)), x) for m in (module, twin))
    assert got.keys() == expected.keys()
    for k in list(got)[:-1]:
        assert (got[k].u < 0).any()
    for k, layer in got.items():
        assert torch.equal(layer.u, expected[k].u)
        assert torch.equal(layer.v, expected[k].v)
    assert torch.equal(x, kept)


def test_one_relu_object_used_three_times_gives_three_layers_in_execution_order() -> None:
    network = Network(modules_with_relu(True)["three times"][0], (4,))
    assert [layer.neurons for layer in network.layers] == [4, 5, 2, 4, 3]
    assert [layer.kind for layer in network.layers[1:-1]] == ["relu"] * 3
    assert len({layer.name for layer in network.layers}) == 5
    assert network.edges == ((2, 3), (3, 4), (4, 5))


def test_residual_edges() -> None:
    def forward(m: nn.ModuleList, x: Tensor) -> Tensor:
        a = F.relu(m[0](x))
        b = F.relu(m[1](a))
        c = torch.cat([F.relu(m[2](b) + a), torch.tanh(a)], 1)
        return m[3](c)

    module = seeded(lambda: Fn(forward, nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(8, 3)))
    network = Network(module, (4,))
    assert network.edges == ((2, 3), (2, 4), (3, 4), (2, 5), (4, 6), (5, 6))
    assert [network.graph.ancestors[k] for k in (2, 4, 5, 6)] == [set(), {2, 3}, {2}, {2, 3, 4, 5}]


def test_a_network_without_activation_layer_is_refused() -> None:
    with pytest.raises(NetworkError, match="hidden activation layer"):
        Network(between(lambda x: x), (4,))


def test_mean_over_all_inputs_is_refused() -> None:
    with pytest.raises(NetworkError, match="other inputs of a batch; got a difference of"):
        Network(between(lambda x: F.relu(x - x.mean())), (4,))


def test_names_are_paths_of_modules() -> None:
    block = nn.ModuleDict({"act": nn.ReLU(), "fc": nn.Linear(4, 4)})

    class Named(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.block, self.out = block, nn.Linear(4, 3)

        def forward(self, x: Tensor) -> Tensor:
            return self.out(F.relu(self.block["fc"](self.block["act"](self.block["fc"](x)))))

    assert [layer.name for layer in Network(Named(), (4,)).layers] == ["input", "block.act", "relu", "output"]
