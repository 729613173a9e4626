"""Modules, shapes and counts that do not fit: one clear line each."""

from __future__ import annotations

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


MODULES: dict[str, tuple[nn.Module, str]] = {
    "control flow on values": (Fn(on_values, mlp()), "control flow that depends on values"),
    "control flow on the batch": (Fn(on_batch, mlp()), "control flow that depends on values or on the batch"),
    "control flow on a batch of one": (Fn(on_batch_of_one, mlp()), "its own logits for a batch of 1"),
    "randomness": (Fn(lambda m, x: m[0](x) + torch.rand(1), mlp()), "rand"),
    "fixed batch": (Fn(lambda m, x: m[0](x.view(2, 4)), mlp()), "batch size"),
    "another input shape": (nn.Sequential(nn.Linear(7, 5), nn.ReLU(), nn.Linear(5, 3)), r"shape \(batch, 4\)"),
    "two inputs": (Two(), r"torch.export takes"),
    "two outputs": (Fn(lambda m, x: (m[0](x), x), mlp()), "one tensor of logits"),
    "no tensor": (Fn(lambda m, x: 3, mlp()), "one tensor of logits"),
    "output of three dimensions": (Fn(lambda m, x: m[0](x)[:, :, None], mlp()), r"logits of shape \(batch, classes\)"),
    "output of one dimension": (Fn(lambda m, x: m[0](x)[:, 0], mlp()), r"logits of shape \(batch, classes\)"),
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


@pytest.mark.parametrize("bounds", [(1.0, 0.0), (0.5, 0.5), (float("nan"), 1.0), (0.0, float("inf"))])
def test_bounds_must_be_finite_and_in_order(bounds: tuple[float, float]) -> None:
    with pytest.raises(NetworkError, match="low < high"):
        Network(mlp(), (4,), bounds)


@pytest.mark.parametrize("n", [0, 2, 4, 10])
def test_one_class_name_a_logit(n: int) -> None:
    with pytest.raises(NetworkError, match=f"expected 3 class names, one for each logit; got {n}"):
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
