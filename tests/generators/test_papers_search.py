"""Algorithm 1 against itself, written out for one input at a time as the paper writes it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA
from dnncov_core.features import FeaturePair, FeaturePairs
from dnncov_core.generators import papers_search
from dnncov_core.generators.base import Seed
from dnncov_core.generators.papers_search import STEPS, PapersSearch
from dnncov_core.networks.network import Network
from tests.generators.test_batched_search import parameters
from tests.networks_for_tests import piecewise

Image = np.ndarray


def get_input_pair(
    network: Network,
    f: Callable[[Image, Image], bool],
    f_widen: Callable[[Image, Image], bool],
    data_set: list[tuple[int, Image, float]],
) -> tuple[int, Image] | None:
    """The paper's Algorithm 1: for each x1, FGSM's x2 and epsilon, then a bounded number of steps."""
    for number, x1, epsilon in data_set:
        label = int(network(torch.from_numpy(x1)[None]).argmax())
        x2 = np.clip(x1 + epsilon * gradient_sign(network, x1, label), *network.bounds)
        for _ in range(STEPS):
            if f(x1, x2):
                return number, x2
            epsilon = epsilon / 2
            step = epsilon * gradient_sign(network, x2, label)
            x2 = np.clip(x2 - step if not f_widen(x1, x2) else x2 + step, *network.bounds)
    return None


def gradient_sign(network: Network, x: Image, label: int) -> Image:
    inputs = torch.from_numpy(x)[None].requires_grad_()
    loss = -network(inputs).log_softmax(dim=1)[0, label]
    (gradient,) = torch.autograd.grad(loss, inputs)
    return gradient.sign()[0].numpy()


def epsilon(network: Network, pair: FeaturePair, row: int) -> float:
    digest = hashlib.sha256(f"epsilon 0 {pair} {row}".encode()).digest()
    low, high = network.bounds
    return float(np.random.default_rng(list(digest)).uniform(0, papers_search.LARGEST)) * (high - low)


def changed_in(network: Network, layer: int, x1: Image, x2: Image) -> set[int]:
    u1, u2 = (capture(network, torch.from_numpy(x)[None], [layer])[layer].u[0] for x in (x1, x2))
    return set(((u1 >= 0) != (u2 >= 0)).nonzero().flatten().tolist())


def conditions(network: Network, pair: FeaturePair) -> tuple[Callable[..., bool], Callable[..., bool]]:
    """SS and its widened version, from sets of neurons that change their sign."""
    k, layer = pair.condition.layer, pair.decision.layer

    def f_widen(x1: Image, x2: Image) -> bool:
        changed = changed_in(network, k, x1, x2)
        if pair.condition.most is not None:
            return len(changed) <= pair.condition.most
        return not changed - set(pair.condition.neurons)

    def f(x1: Image, x2: Image) -> bool:
        changed, decided = changed_in(network, k, x1, x2), changed_in(network, layer, x1, x2)
        named = bool(changed) if pair.condition.most is not None else changed >= set(pair.condition.neurons)
        return named and f_widen(x1, x2) and decided >= set(pair.decision.neurons)

    return f, f_widen


@pytest.mark.parametrize("name", ["mlp", "leaky", "residual and cat"])
@pytest.mark.parametrize(("mode", "omega"), [("free", 0.6), ("neuron", 0.1)])
def test_agrees_with_the_algorithm_as_the_paper_writes_it(
    monkeypatch: pytest.MonkeyPatch, name: str, mode: str, omega: float
) -> None:
    monkeypatch.setattr(papers_search, "LARGEST", 1.0)  # small networks need large steps
    network = piecewise(name, bounds=(-3.0, 3.0))
    pairs = FeaturePairs(network.layers, network.edges, mode=mode, omega=omega)
    chosen = [pair for pair in pairs if (pair.condition.layer, pair.decision.layer) == network.edges[0]][:12]
    inputs = np.random.default_rng(2).uniform(-3, 3, (20, *network.input_shape))
    search = PapersSearch(network, CRITERIA["ss"], parameters(passes=10_000, batch=1))
    n_found = 0
    for number, pair in enumerate(chosen):
        seeds = [Seed(row, x) for row, x in enumerate(inputs)]
        (found,) = search.run([pair.target(number)], lambda some, seeds=seeds: [seeds for _ in some])
        data_set = [(row, x, epsilon(network, pair, row)) for row, x in enumerate(inputs)]
        expected = get_input_pair(network, *conditions(network, pair), data_set)
        assert (found.x2 is None) == (expected is None)
        if expected is not None and found.x2 is not None and found.seed is not None:
            n_found += 1
            assert found.seed.row == expected[0]
            assert np.allclose(found.x2, expected[1], rtol=0, atol=1e-12)
    assert n_found >= 1


def test_never_spends_more_than_it_may() -> None:
    network = piecewise("mlp")
    pairs = FeaturePairs(network.layers, network.edges, mode="free", omega=0.6)
    search = PapersSearch(network, CRITERIA["ss"], parameters(passes=31, batch=4))
    inputs = np.random.default_rng(2).uniform(0, 1, (10, *network.input_shape))
    for found in search.run(
        [pairs[i].target(i) for i in range(4)], lambda some: [[Seed(r, x) for r, x in enumerate(inputs)] for _ in some]
    ):
        assert sum(attempt.passes or 0 for attempt in found.attempts) <= 31
