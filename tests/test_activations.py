"""Captured values: shapes, early stop, and NaN or infinite values that are errors and never coverage."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from dnncov_core import activations, layer_values
from dnncov_core.activations import capture, one_thread, side_by_side, take_own_signs
from dnncov_core.errors import NumericsError
from dnncov_core.layer_values import Activations
from dnncov_core.networks.network import Network
from tests import reference
from tests.networks_for_tests import Fn, linear, piecewise, random_mlp


def test_u_and_v_are_those_of_plain_loops() -> None:
    rng = np.random.default_rng(0)
    weights = [rng.normal(size=shape) for shape in ((3, 5), (5, 4), (4, 2))]
    biases = [rng.normal(size=n) for n in (5, 4, 2)]
    parts = [linear(weight, bias) for weight, bias in zip(weights, biases, strict=True)]
    network = Network(nn.Sequential(parts[0], nn.ReLU(), parts[1], nn.ReLU(), parts[2]), (3,))
    x = rng.normal(size=(6, 3))
    values = capture(network, torch.from_numpy(x))
    for b, row in enumerate(x):
        for k, u in enumerate(reference.forward(row, weights, biases), start=2):
            assert values[k].u[b].tolist() == pytest.approx(u, abs=1e-12)
            expected = u if k == network.depth else [reference.relu(value) for value in u]
            assert values[k].v[b].tolist() == pytest.approx(expected, abs=1e-12)


def test_values_are_flat_and_keep_the_layers_shape() -> None:
    network = piecewise("max pooling")
    values = capture(network, torch.rand(3, 1, 4, 5))
    assert {k: (tuple(layer.u.shape), layer.shape) for k, layer in values.items()} == {
        2: ((3, 40), (2, 4, 5)),
        3: ((3, 2), (2, 1, 1)),
        4: ((3, 4), (4,)),
        5: ((3, 3), (3,)),
    }
    assert torch.equal(values[2].v, values[2].u.relu())


@pytest.mark.parametrize("layers", [{2}, {3}, {2, 4}, {5}])
def test_only_asked_layers_come(layers: set[int]) -> None:
    network, x = piecewise("max pooling"), torch.rand(2, 1, 4, 5)
    everything, some = capture(network, x), capture(network, x, layers)
    assert some.keys() == layers
    assert all(torch.equal(some[k].u, everything[k].u) for k in layers)


class Operators(TorchDispatchMode):
    """Counts the linear layers that are evaluated inside it."""

    n_linear = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.n_linear += "addmm" in str(func)
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(("layers", "n_linear"), [({2}, 1), ({2, 3}, 2), ({3}, 2), ({4}, 3), (None, 3)])
def test_evaluation_stops_at_the_last_asked_layer(layers: set[int] | None, n_linear: int) -> None:
    network = Network(random_mlp((2, 3, 3, 2)), (2,))
    with torch.no_grad(), Operators() as counted:
        capture(network, torch.rand(1, 2), layers)
    assert counted.n_linear == n_linear


def test_no_layer_is_evaluated_after_the_last_asked_one() -> None:
    network, seen = Network(random_mlp((2, 3, 3, 2)), (2,)), []

    def note(layer: int, u: Tensor, apply: Callable[[Tensor], Tensor]) -> Tensor:
        seen.append(layer)
        return apply(u)

    v = network.run(torch.rand(4, 2), on_activation=note, last_layer=2)
    assert seen == [2]
    assert torch.equal(v, v.relu())
    assert v.shape == (4, 3)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(("place", "layer", "name"), [(1, 2, "2"), (3, 3, "4"), (5, 4, "output")])
def test_nan_and_infinity_are_errors_that_name_the_layer(value: float, place: int, layer: int, name: str) -> None:
    module = random_mlp((2, 3, 3, 2))
    with torch.no_grad():
        module[place].bias[0] = value
    network = Network(module, (2,))
    with pytest.raises(NumericsError, match=rf"got 5 NaN or infinite in layer {layer} \({name}\)"):
        capture(network, torch.rand(5, 2))


def test_nan_that_the_activation_hides_is_still_an_error() -> None:
    """An infinite u whose v is finite: sigmoid of it is 1."""
    module = Fn(lambda m, x: m[0](torch.sigmoid(x / 0.0)), nn.Linear(2, 2))
    with pytest.raises(NumericsError, match="layer 2"):
        capture(Network(module, (2,)), torch.ones(1, 2))


def test_gradients_reach_the_input() -> None:
    network, x = Network(random_mlp((2, 3, 2)), (2,)), torch.rand(1, 2, dtype=torch.float64, requires_grad=True)
    capture(network, x)[2].u.sum().backward()
    assert x.grad is not None
    assert x.grad.abs().sum() > 0


def test_one_thread_is_for_a_while() -> None:
    before = torch.get_num_threads()
    with one_thread():
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
    with pytest.raises(ValueError, match="broken"), one_thread():
        raise ValueError("broken")
    assert torch.get_num_threads() == before


def with_own_signs(network: Network, x: torch.Tensor, layers: list[int]) -> Activations:
    values = capture(network, x, layers)
    take_own_signs(network, x, values, np.arange(len(x)))
    return values


def test_signs_near_zero_are_those_of_each_input_alone() -> None:
    """Neuron i has u = 0 but for rounding at input i, and a batch rounds otherwise than an input alone."""
    first, x = nn.Linear(300, 64), torch.rand(64, 300)
    with torch.no_grad():
        first.bias.copy_(-(x.double() @ first.weight.double().T).diagonal())
    network = Network(nn.Sequential(first, nn.ReLU(), nn.Linear(64, 2)), (300,))
    with one_thread():
        alone = [capture(network, row[None], [2])[2] for row in x]
    values = with_own_signs(network, x, [2])[2]
    assert torch.equal(values.u >= 0, torch.cat([each.u for each in alone]) >= 0)
    assert torch.equal(values.v > 0, torch.cat([each.v for each in alone]) > 0)


def near_zero_everywhere(monkeypatch: pytest.MonkeyPatch) -> tuple[Network, torch.Tensor]:
    """A network with many values that a batch rounds otherwise, and inputs that all count as near zero."""
    monkeypatch.setattr(layer_values, "NEAR_ZERO", 1.0)
    torch.manual_seed(0)
    return Network(nn.Sequential(nn.Linear(300, 64), nn.ReLU(), nn.Linear(64, 2)), (300,)), torch.rand(9, 300)


def test_inputs_side_by_side_have_the_values_of_each_alone_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    network, x = near_zero_everywhere(monkeypatch)
    with one_thread():
        alone = torch.cat([capture(network, row[None], [2])[2].u for row in x])
    monkeypatch.setattr(activations, "LARGE", 1)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        assert torch.equal(with_own_signs(network, x, [2, 3])[2].u, alone)
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_own_signs_are_taken_for_the_rows_asked_and_told_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    network, x = near_zero_everywhere(monkeypatch)
    told: list[int] = []
    values = capture(network, x, [2])
    before = values[2].u.clone()
    take_own_signs(network, x, values, np.array([1, 4]), told.append)
    assert (sum(told), len(told)) == (2, 3)  # none without a value near zero, and each of the two
    others = [row for row in range(9) if row not in (1, 4)]
    assert torch.equal(values[2].u[others], before[others])


def test_an_overflowing_sum_of_finite_values_is_no_error() -> None:
    network = Network(
        nn.Sequential(linear(np.full((1, 4), 3e38), np.zeros(4)), nn.ReLU(), nn.Linear(4, 2)).float(), (1,)
    )
    assert torch.isfinite(capture(network, torch.ones(2, 1), [2])[2].u).all()


def test_a_large_network_on_the_cpu_is_asked_several_questions_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads, taken = torch.get_num_threads(), list[int]()
    monkeypatch.setattr(activations, "LARGE", 1)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    met = threading.Barrier(3)

    def ask(question: int) -> tuple[int, int, bool]:
        met.wait(timeout=60)
        return (
            question,
            len(taken),
            torch.__config__.parallel_info().startswith("ATen/Parallel:\n\tat::get_num_threads() : 1\n"),
        )

    questions = (taken.append(number) or number for number in range(6))
    assert [*side_by_side(piecewise("mlp"), ask, questions)] == [(n, 3 if n < 3 else 6, True) for n in range(6)]
    monkeypatch.undo()
    assert torch.get_num_threads() == threads


def test_a_small_network_is_asked_one_question_after_the_other() -> None:
    taken = list[int]()
    questions = (taken.append(number) or number for number in range(3))
    assert [*side_by_side(piecewise("mlp"), lambda question: len(taken), questions)] == [1, 2, 3]
