from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from dnncov_core.errors import NetworkError, NumericsError, SpecificationError
from dnncov_core.networks.network import Network
from dnncov_core.networks.zoo import load_embedded
from dnncov_core.proofs import PROOF_METHODS, box_signs, certificates
from dnncov_core.proofs.certificates import prove
from dnncov_core.proofs.relaxations import Interval
from dnncov_core.proofs.signs_seen import SignsSeen
from tests import runs
from tests.networks_for_tests import random_mlp
from tests.proofs import networks
from tests.proofs.networks import constant_neurons

DEEPER = (6, 8, 8, 6, 3)
WIDER = (17, 8, 8, 6, 3)
"""More inputs than boxes are halved for."""


OWN = ([-1.0, 2.0, 0.3], [2.0, 3.0, 0.3])
"""Bounds of three features, the last of them fixed."""


def shifted_mlp(seed: int, sizes: tuple[int, ...] = (3, 4, 3, 2), bounds: Any = (0.0, 1.0)) -> Network:
    """A network whose offsets make some neurons constant, and others nearly so."""
    module = random_mlp(sizes, seed)
    rng = np.random.default_rng(seed)
    for part in module:
        if isinstance(part, nn.Linear):
            part.bias.data += torch.from_numpy(rng.normal(0, 0.8, part.bias.shape))
    return Network(module, (sizes[0],), bounds)


@pytest.mark.parametrize(("seed", "bounds"), [*((seed, (0.0, 1.0)) for seed in range(6)), (0, OWN), (1, OWN)])
def test_exactly_the_neurons_of_constant_sign_are_proved(seed: int, bounds: Any) -> None:
    network = shifted_mlp(seed, bounds=bounds)
    expected = {}
    for layer in (2, 3, 4):
        for neuron in range(network.layers[layer - 1].neurons):
            low, high = networks.extremes(network, layer, neuron)
            assert min(abs(low), abs(high)) > 1e-3, "too near to 0 for a solver to decide"
            if low >= 0 or high < 0:
                expected[layer, neuron] = 1 if low >= 0 else -1
    found = constant_neurons(network)
    assert {(c.layer, c.neuron): c.sign for c in found} == expected
    for certificate in found:
        low, high = networks.extremes(network, certificate.layer, certificate.neuron)
        assert certificate.low <= low + 1e-7
        assert high - 1e-7 <= certificate.high
        assert (certificate.low >= 0) if certificate.sign > 0 else (certificate.high < 0)


def test_each_method_proves_what_those_before_it_cannot() -> None:
    counts = dict.fromkeys(PROOF_METHODS, 0)
    for seed, sizes in ((1, DEEPER), (5, DEEPER), (1, WIDER), (5, WIDER)):
        for certificate in constant_neurons(shifted_mlp(seed, sizes)):
            counts[certificate.method] += 1
            assert certificate.seconds > 0
    assert min(counts.values()) > 0


@pytest.mark.parametrize("name", networks.NAMES)
@pytest.mark.parametrize("sign", [1, -1])
def test_neurons_with_a_large_offset_are_proved_whatever_the_network_is_made_of(name: str, sign: int) -> None:
    network = networks.network(name, 1)
    for node, tensor in network.graph.state.items():
        if "bias" in node.name and tensor.shape[0] > 1 and "num" not in node.name:
            tensor[0] = sign * 1000.0
            break
    proved = {c.neuron: c.sign for c in constant_neurons(network, methods=("intervals",)) if c.layer == 2}
    assert proved[0] in ((1, -1) if name == "residual convolutions" else (sign,))  # batch normalisation may turn it


def test_signs_of_zero_are_positive() -> None:
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
    module[0].weight.data[:], module[0].bias.data[:] = 0.0, torch.tensor([0.0, 1e-3])
    proof = certificates._Proof(Network(module, (2,)), None, ())
    exact = Interval(torch.tensor([0.0, -1.0]).double(), torch.tensor([2.0, 0.0]).double())
    assert [(c.neuron, c.sign) for c in proof._certificates("linear", 2, exact)] == [(0, 1)]


def test_what_rounding_may_change_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """u of neuron 0 is 0, but other ways to add its terms might leave less."""
    monkeypatch.setattr(box_signs, "MOST_HALVINGS", 5)
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
    module[0].weight.data[:], module[0].bias.data[:] = 0.0, torch.tensor([0.0, 1e-3])
    assert [(c.neuron, c.sign) for c in constant_neurons(Network(module, (2,))) if c.layer == 2] == [(1, 1)]


def test_known_neurons_are_not_proved_again() -> None:
    network = shifted_mlp(0)
    known = {(c.layer, c.neuron) for c in constant_neurons(network)}
    assert known
    assert not [c for step in prove(network, known=known) for c in step.certificates]


@pytest.mark.parametrize(("method", "sizes"), [("boxes", DEEPER), ("mip", WIDER)])
def test_boxes_and_programmes_are_for_asked_neurons_alone(method: str, sizes: tuple[int, ...]) -> None:
    network = shifted_mlp(5, sizes)
    one = [c for c in constant_neurons(network) if c.method == method][-1]
    found = [c for step in prove(network, asked={(one.layer, one.neuron)}) for c in step.certificates]
    assert [(c.layer, c.neuron, c.sign) for c in found if c.method == method] == [(one.layer, one.neuron, one.sign)]
    assert max(c.layer for c in found) <= one.layer
    assert not [c for step in prove(network, asked=()) for c in step.certificates]


def test_steps_say_how_far_a_proof_is() -> None:
    steps = list(prove(shifted_mlp(5, WIDER)))
    asked = ["intervals", "linear", "mip"]
    assert [method for method in PROOF_METHODS if any(step.method == method for step in steps)] == asked
    for method in asked:
        done = [step.done for step in steps if step.method == method]
        assert done == sorted(done)
        assert done[-1] == next(step.total for step in reversed(steps) if step.method == method)


def test_a_time_limit_ends_a_proof_and_keeps_what_is_proved() -> None:
    network = load_embedded("mnist-n5")
    start = time.monotonic()
    steps = list(prove(network, time_limit=1e-3))
    assert {step.method for step in steps} == {"intervals"}
    assert time.monotonic() - start < runs.allowed(10)


def test_a_time_limit_ends_a_search_for_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def look(self: SignsSeen, x: torch.Tensor) -> None:
        asked.append(len(x))

    network = shifted_mlp(5, DEEPER)
    seen = SignsSeen(network)
    monkeypatch.setattr(SignsSeen, "look", look)
    seen.seek(3, torch.arange(3), lambda: 2.0 - len(asked))
    assert len(asked) == 2


def test_wrong_choices_are_refused() -> None:
    network = shifted_mlp(0)
    with pytest.raises(SpecificationError, match="methods among intervals, linear, boxes, mip, pairs; got 'magic'"):
        constant_neurons(network, methods=("magic",))
    with pytest.raises(SpecificationError, match="got none"):
        constant_neurons(network, methods=())
    for seconds in (0.0, -1.0, float("nan")):
        with pytest.raises(SpecificationError, match="a time limit above 0 seconds"):
            constant_neurons(network, time_limit=seconds)


def test_an_activation_without_known_bounds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Network(nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2)), (2,))
    monkeypatch.setattr("dnncov_core.proofs.relaxations.TURNS", {})
    with pytest.raises(NetworkError, match="got tanh"):
        constant_neurons(network)


def test_bounds_that_inputs_contradict_are_an_alarm(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: object, layer: int, neurons: object, bounds: object) -> Interval:
        ones = torch.ones(2).double()
        return Interval(ones, ones)

    network = Network(nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)), (2,), (-9.0, 9.0))
    proof = certificates._Proof(network, None, ())
    proof._made_seen()
    monkeypatch.setattr(certificates._Proof, "_tightened", wrong)
    with pytest.raises(NumericsError, match=r"both signs of neuron \d of layer 2.*a proof is wrong"):
        list(proof.by_lines())
