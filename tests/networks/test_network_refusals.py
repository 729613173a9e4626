"""Modules, shapes and counts that do not fit: one clear line each."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from dnncov_core.errors import NetworkError
from dnncov_core.networks.network import Network
from tests.networks_for_tests import Fn, random_mlp


def mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))


class Two(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.m = nn.Linear(4, 3)

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return self.m(F.relu(x)) + self.m(F.relu(y))


class Counting(nn.Module):
    """Changes a buffer whenever it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.m = mlp()
        self.register_buffer("n", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.n += 1
        return self.m(x) * self.n


def on_values(m: nn.ModuleList, x: Tensor) -> Tensor:
    return m[0](x) if x.sum() > 0 else m[0](-x)


def on_batch(m: nn.ModuleList, x: Tensor) -> Tensor:
    return m[0](x) if len(x) < 10 else m[0](-x)


def on_batch_of_one(m: nn.ModuleList, x: Tensor) -> Tensor:
    return m[0](x) if x.shape[0] == 1 else m[0](-x)


def fails_on_three(m: nn.ModuleList, x: Tensor) -> Tensor:
    if not torch.compiler.is_exporting() and len(x) == 3:
        raise ValueError("no batch of three")
    return m[0](x)


def of_dtype(dtype: torch.dtype) -> nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own on complex modules
        return mlp().to(dtype)


def of_integers(module: nn.Module) -> nn.Module:
    for parameter in module.requires_grad_(False).parameters():
        parameter.data = parameter.data.to(torch.int32)
    return module


def quantised(module: nn.Module) -> nn.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.ao.quantization.quantize_dynamic(module, {nn.Linear}, dtype=torch.qint8)


MODULES: dict[str, tuple[nn.Module, str]] = {
    "control flow on values": (Fn(on_values, mlp()), "control flow that depends on values"),
    "control flow on the batch": (Fn(on_batch, mlp()), "control flow that depends on values or on the batch"),
    "control flow on a batch of one": (Fn(on_batch_of_one, mlp()), "its own logits for a batch of 1"),
    "randomness": (Fn(lambda m, x: m[0](x) + torch.rand(1), mlp()), "rand"),
    "fixed batch": (Fn(lambda m, x: m[0](x.view(2, 4)), mlp()), "batch size"),
    "another input shape": (nn.Sequential(nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 3)), r"shape \(batch, 4\)"),
    "two inputs": (Two(), r"torch.export takes"),
    "no output": (nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 0)), "got None for 0"),
    "an empty dictionary": (Fn(lambda m, x: {}, mlp()), "one tensor of logits; got a dict; return the logits"),
    "nothing": (Fn(lambda m, x: None, mlp()), "one tensor of logits; got a NoneType; return the logits"),
    "numbers of classes": (
        Fn(lambda m, x: m[0](x).argmax(1), mlp()),
        "one floating-point precision; got .* torch.int64 at the output",
    ),
    "an exception on one batch": (Fn(fails_on_three, mlp()), "for a batch of 3; got no batch of three; keep control"),
    "bfloat16": (
        of_dtype(torch.bfloat16),
        r"float16, float32 or float64; got bfloat16; convert .* with module\.float\(\)",
    ),
    "complex numbers": (of_dtype(torch.complex64), r"float16, float32 or float64; got complex64; convert .*float\(\)"),
    "8-bit floats": (of_dtype(torch.float8_e4m3fn), r"float16, float32 or float64; got float8_e4m3fn; convert"),
    "two precisions": (
        nn.Sequential(mlp(), nn.ReLU(), nn.Linear(3, 3).double()),
        r"module\.float\(\).*float32 and float64",
    ),
    "integer weights": (of_integers(mlp()), r"module\.float\(\): they are int32"),
    "quantised layers": (quantised(mlp()), "give the module from before it was quantised"),
    "two outputs": (
        Fn(lambda m, x: (m[0](x), x), mlp()),
        r"which of 0, 1 are the logits; got a tuple of 2; give .*output = 0",
    ),
    "no tensor": (Fn(lambda m, x: 3, mlp()), "one tensor of logits"),
    "output of three dimensions": (Fn(lambda m, x: m[0](x)[:, :, None], mlp()), r"logits of shape \(batch, classes\)"),
    "batch at the back": (Fn(lambda m, x: m[0](x).t(), mlp()), "batch"),
    "no activation": (nn.Sequential(nn.Flatten(), nn.Linear(4, 3)), "hidden activation layer"),
    "a buffer that changes": (Counting(), "changes n"),
    "an exception of its own": (Fn(lambda m, x: 1 / 0, mlp()), "division by zero"),
}


@pytest.mark.parametrize("name", MODULES)
def test_module_that_cannot_be_used_is_refused_in_one_line(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    module, said = MODULES[name]
    with pytest.raises(NetworkError, match=said) as error:
        Network(module, (4,))
    assert "\n" not in str(error.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"input_shape": 4}, r"input_shape.*; got 4; write \(4,\)"),
        ({"input_shape": (4.0,)}, r"input_shape.*; got \(4\.0,\)"),
        ({"bounds": None}, "bounds .*; got None"),
        ({"bounds": ([0.0] * 3, [1.0] * 3)}, r"arrays of numbers that broadcast to \(4,\)"),
        ({"bounds": ([0.0] * 4, [1.0] * 3 + [1e-50])}, r"two different numbers in float32; got \(0\.0, 1e-50\)"),
        ({"features": ["a"]}, "features, 4 texts for inputs of shape"),
        ({"bounds": (1.0, 0.0)}, r"low < high, or an array of each for the features; got \(1\.0, 0\.0\)"),
        ({"bounds": (0.0, 1e300)}, r"two different numbers in float32; got \(0\.0, 1e\+300\)"),
        ({"bounds": (1.0, 1.0 + 1e-12)}, "two different numbers in float32"),
        ({"classes": "abc"}, "classes, a list of names; got 'abc'"),
        ({"resize": True}, "resize of at least .*; got True"),
        ({"module": mlp}, "a torch.nn.Module; got a function"),
        ({"module": nn.Linear}, "a torch.nn.Module; got a type"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(NetworkError, match=said):
        Network(**{"module": mlp(), "input_shape": (4,), **arguments})


def test_bounds_of_one_number_each_are_one_pair() -> None:
    assert Network(mlp(), [4], (np.array([0]), torch.tensor(255))).bounds == (0.0, 255.0)


@pytest.mark.parametrize("n", [0, 2, 4, 10])
def test_one_class_name_a_logit(n: int) -> None:
    with pytest.raises(NetworkError, match=f"expected 3 class names, one for each label; got {n}"):
        Network(mlp(), (4,), classes=[str(i) for i in range(n)])


def test_class_names_default_to_their_numbers() -> None:
    assert Network(mlp(), (4,)).classes == ("0", "1", "2")


@pytest.mark.parametrize(("shape", "resize"), [((4,), 4), ((1, 2, 2), 1), ((1, 1, 4), 3)])
def test_a_resize_that_leaves_no_whole_input_is_refused(shape: tuple[int, ...], resize: int) -> None:
    module = nn.Sequential(nn.Flatten(), mlp())
    with pytest.raises(NetworkError, match=r"expected resize of at least the height and the width of input_shape"):
        Network(module, shape, resize=resize)


@pytest.mark.parametrize("shape", [(4,), (2, 5), (2, 4, 1), ()])
def test_batch_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    network = Network(random_mlp((4, 5, 3)), (4,))
    with pytest.raises(NetworkError, match=r"expected a batch of shape \(batch, 4\)"):
        network(torch.zeros(shape))
