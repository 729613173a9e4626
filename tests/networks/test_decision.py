"""Which outputs count, and how they decide labels: as the module's own answers do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.plan import plan_targets
from dnncov_core.errors import NetworkError
from dnncov_core.generators import GRIDS
from dnncov_core.generators.base import Seed
from dnncov_core.generators.baseline_searches import BASELINE_SEARCHES, Starts
from dnncov_core.generators.seed_order.label_distance import label_distances
from dnncov_core.networks.cards import from_json, to_json
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from tests.networks_for_tests import Fn, seeded

BOUNDS = (-3.0, 3.0)
X = 6 * torch.rand(40, 4, generator=torch.Generator().manual_seed(3)) - 3


def ending(end: Callable[[Tensor], object], outputs: int = 3) -> nn.Module:
    """Two linear layers around a ReLU, and what comes after them."""
    return seeded(lambda: Fn(lambda m, x: end(m[1](m[0](x).relu())), nn.Linear(4, 6), nn.Linear(6, outputs)))


def labels(network: Network) -> Tensor:
    """What the network's own decision says of all inputs."""
    assert isinstance(network.decision, LabelDecision)
    return network.decision.labels(network(X))


HEADS = {
    "softmax": lambda z: z.softmax(1),
    "softmax over the last": lambda z: z.softmax(-1),
    "log-softmax": lambda z: z.log_softmax(1),
    "sigmoid": torch.sigmoid,
}


@pytest.mark.parametrize("name", HEADS)
def test_probabilities_at_the_end_are_left_out_and_labels_stay(name: str) -> None:
    module = ending(HEADS[name])
    network = Network(module, (4,), BOUNDS)
    assert [layer.kind for layer in network.layers] == ["input", "relu", "logits"]
    assert network.obstacle == ""
    assert torch.equal(network(X), Network(ending(lambda z: z), (4,), BOUNDS)(X))
    assert torch.allclose(network.answer(X), module(X))
    assert torch.equal(labels(network), module(X).argmax(1))


def test_a_softmax_over_the_batch_is_no_end_of_a_network() -> None:
    with pytest.raises(NetworkError, match="other inputs of a batch"):
        Network(ending(lambda z: z.softmax(0)), (4,), BOUNDS)


@pytest.mark.parametrize("shape", ["(batch, 1)", "(batch,)"])
def test_one_output_decides_by_a_threshold(shape: str) -> None:
    module = ending((lambda z: z) if shape == "(batch, 1)" else (lambda z: z[:, 0]), 1)
    z = module(X).reshape(-1)
    for threshold in (None, float(z.detach().median()) + 1e-4):
        network = Network(module, (4,), BOUNDS, threshold=threshold, classes=["clear", "blocked"])
        assert network.layers[-1].neurons == 1
        assert network.classes == ("clear", "blocked")
        assert torch.equal(labels(network), (z > (threshold or 0.0)).long())
    verdict = Oracle().judge(network, X[0].numpy(), X[0].numpy())
    side = 2 * verdict.label1 - 1
    assert verdict.confidence1 == pytest.approx(float(torch.sigmoid(side * (z[0] - threshold))), abs=1e-6)


def test_a_threshold_after_a_sigmoid_is_a_probability() -> None:
    module = ending(lambda z: torch.sigmoid(z).squeeze(1), 1)
    threshold = float(module(X).detach().median()) + 1e-4
    network = Network(module, (4,), BOUNDS, threshold=threshold)
    assert [layer.kind for layer in network.layers] == ["input", "relu", "logits"]
    assert torch.equal(labels(network), (module(X) > threshold).long())
    assert 0 < int(labels(network).sum()) < len(X)


def test_the_smallest_output_decides_as_the_largest_of_the_negative_does() -> None:
    smallest = Network(ending(lambda z: z), (4,), BOUNDS, decision="min")
    largest = Network(ending(lambda z: -z), (4,), BOUNDS)
    assert torch.equal(labels(smallest), labels(largest))
    assert np.array_equal(label_distances(smallest, X), label_distances(largest, X))
    for search in BASELINE_SEARCHES.values():
        found = [search(network, starts(network), "inf", GRIDS["none"]) for network in (smallest, largest)]
        assert torch.equal(*found)
        assert 0 < int(found[0].sum()) < len(X)
    verdicts = [Oracle().judge(network, X[0].numpy(), X[1].numpy()) for network in (smallest, largest)]
    assert [each.outputs1 for each in verdicts] == [tuple(sign * y for y in verdicts[1].outputs1) for sign in (-1, 1)]
    assert verdicts[0] == dataclasses.replace(verdicts[1], outputs1=verdicts[0].outputs1, outputs2=verdicts[0].outputs2)
    assert smallest.fingerprint != Network(ending(lambda z: z), (4,), BOUNDS).fingerprint


def starts(network: Network) -> Starts:
    """All inputs as seeds of a baseline search."""
    rngs = [torch.Generator().manual_seed(i) for i in range(len(X))]
    return Starts(X, network(X).detach(), torch.full((len(X),), 0.8), torch.full((len(X),), 9), rngs)


@pytest.mark.parametrize("generator", ["lp", "targeted"])
def test_searches_for_another_label_by_the_smallest_output(generator: str) -> None:
    found = []
    for network in (
        Network(ending(lambda z: z), (4,), BOUNDS, decision="min"),
        Network(ending(lambda z: -z), (4,), BOUNDS),
    ):
        spec = CampaignSpec("net", "data", criterion="ss", generator=generator, objective="adversarial", effect="none")
        method, targets = spec.covering_method(), plan_targets(network, spec).targets[:12]
        some = list(
            spec.search(network, method).run(targets, lambda asked: [map(Seed, range(40), X.numpy()) for _ in asked])
        )
        for each in some:
            if each.x2 is not None and each.seed is not None:
                assert Oracle().judge(network, each.seed.x, each.x2).adversarial
        found.append([each.x2 is not None for each in some])
    assert found[0] == found[1]
    assert sum(found[0]) >= 3


def test_one_of_several_outputs() -> None:
    wanted = ending(lambda z: z)(X)
    both = ending(lambda z: {"hidden": z[:, :1], "logits": z})
    assert torch.equal(Network(both, (4,), BOUNDS, output="logits")(X), wanted)
    assert torch.equal(Network(ending(lambda z: (z[:, :1], z)), (4,), BOUNDS, output=1)(X), wanted)
    assert torch.equal(Network(ending(lambda z: [z]), (4,), BOUNDS)(X), wanted)
    with pytest.raises(
        NetworkError,
        match="which of 'hidden', 'logits' are the logits; got a dict of 2; give the network output = 'hidden'",
    ):
        Network(both, (4,), BOUNDS)
    with pytest.raises(NetworkError, match="which of 0, 1 are the logits; got a tuple of 2"):
        Network(ending(lambda z: (z, z)), (4,), BOUNDS)
    with pytest.raises(NetworkError, match="got 'logit'"):
        Network(both, (4,), BOUNDS, output="logit")


@pytest.mark.parametrize(
    ("outputs", "told", "got"),
    [
        (3, {"decision": "median"}, "got 'median' for 3"),
        (3, {"decision": "threshold"}, "got 'threshold' for 3"),
        (1, {"decision": "min"}, "got 'min' for 1"),
        (3, {"threshold": 0.5}, r"got 0\.5 for 3"),
        (1, {"threshold": "high"}, "got 'high' for 1"),
        (1, {"threshold": float("nan")}, "got nan for 1"),
        (1, {"classes": ["a", "b", "c"]}, "2 class names"),
    ],
)
def test_decisions_that_there_are_not(outputs: int, told: dict[str, object], got: str) -> None:
    with pytest.raises(NetworkError, match=got):
        Network(ending(lambda z: z, outputs), (4,), BOUNDS, **told)  # type: ignore[arg-type]


def test_a_card_of_one_output_has_two_classes() -> None:
    card = Network(ending(lambda z: z, 1), (4,), BOUNDS).card("one")
    assert from_json(to_json(card)) == card
    assert card.classes == ("0", "1")
