"""The inputs that each arm trains with beside the training data, as many in one arm as in the other.

All are made from the same seeds, and as far from them as the test pairs are, up to the bounds of inputs; they have the
labels of their seeds. Those of projected gradient ascent are made once, against the network as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import CampaignError
from dnncov_core.generators.ball import SIZES, Ball, in_shape
from dnncov_core.generators.baseline_searches import drawn_steps, steepest
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.records import FINGERPRINT_SHOWN, TestPair
from dnncov_core.retraining.attack import MODELS
from dnncov_core.retraining.outcome import GENERATED
from dnncov_core.types import Norm

CHUNK = 1000


@dataclass(frozen=True, eq=False)
class Pairs:
    """Different test pairs of campaigns, in the units in which the network's inputs have their distances.

    Attributes:
        x1: seeds, ``(n, *input_shape)``.
        x2: the generated inputs, alike.
        labels: the seeds' labels, ``(n,)``, which are the network's own and the right ones.
        norm: of distances.
    """

    x1: Tensor
    x2: Tensor
    labels: Tensor
    norm: Norm

    def __len__(self) -> int:
        return len(self.x1)

    @property
    def distance(self) -> Tensor:
        """Of x2 from x1, ``(n,)``."""
        return self.away(self.x2)

    def away(self, x: Tensor) -> Tensor:
        """How far inputs are from the seeds, ``(n,)``."""
        return SIZES[self.norm]((x - self.x1).flatten(1).abs())


def read_pairs(network: Network, paths: Sequence[Path]) -> Pairs:
    """The test pairs of some campaigns; one that covers several test conditions counts once.

    Raises:
        CampaignError: a file that is none, one of another network or without test pairs, or norms that do not fit.
    """
    found, norms = list[TestPair](), dict[Norm, str]()
    for path in paths:
        with CampaignStore(path) as store:
            _check(store, network)
            norms.setdefault(store.spec().norm, path.name)
            for offset in range(0, store.pairs.count(), CHUNK):
                page = store.pairs.page(limit=CHUNK, offset=offset)
                found += [pair for pair in page if pair.found_for is None]
    if len(norms) > 1 or not norms.keys() <= MODELS.keys():
        expected = f"campaigns of one norm, {' or '.join(MODELS)}, in which the attack is made"
        got = " and ".join(f"{norm} in {name}" for norm, name in norms.items())
        raise CampaignError(expected, got, "leave the others out")
    different = {(pair.x1.tobytes(), pair.x2.tobytes()): pair for pair in found}.values()
    x1, x2 = (_tensor(network, [getattr(pair, name) for pair in different]) for name in ("x1", "x2"))
    return Pairs(x1, x2, torch.tensor([pair.label1 for pair in different]), next(iter(norms)))


def _check(store: CampaignStore, network: Network) -> None:
    card = store.card()
    if card is None or not store.pairs.count():
        raise CampaignError("a campaign with test pairs", f"none in {store.path.name}", "let it find some first")
    if card.fingerprint != network.fingerprint:
        got = f"{store.path.name}, of a network with the fingerprint {card.fingerprint[:FINGERPRINT_SHOWN]}"
        raise CampaignError("a campaign of the network that is trained", got, "give the network that it was made on")


def _tensor(network: Network, inputs: Sequence[np.ndarray]) -> Tensor:
    return torch.from_numpy(network.box.shares(np.stack(inputs))).to(network.dtype)


Inputs = Callable[[Network, Pairs, int, torch.Generator], Tensor]
"""Makes inputs like x2 of pairs, on the network that takes shares, in a number of steps, with random numbers."""


def _generated(network: Network, pairs: Pairs, steps: int, rng: torch.Generator) -> Tensor:
    return pairs.x2


def _random(network: Network, pairs: Pairs, steps: int, rng: torch.Generator) -> Tensor:
    step = drawn_steps(pairs.x1.shape, pairs.x1.dtype, pairs.norm, rng)
    size = SIZES[pairs.norm](step.flatten(1).abs()).clamp(min=1e-30)
    return (pairs.x1 + step * in_shape(pairs.distance / size, step)).clamp(*network.bounds)


def _ascended(network: Network, pairs: Pairs, steps: int, rng: torch.Generator) -> Tensor:
    decision, x2 = network.decision, pairs.x1.clone()
    assert isinstance(decision, LabelDecision)
    for part in batches(network, len(pairs)):
        x1, labels, radius = pairs.x1[part], pairs.labels[part], pairs.distance[part]
        ball = Ball(pairs.norm, radius)
        for _ in range(steps):
            here = x2[part].clone().requires_grad_()
            loss = cross_entropy(decision.scores(network(here)), labels, reduction="sum")
            (gradient,) = torch.autograd.grad(loss, here)
            moved = x2[part] + in_shape(2.5 * radius / steps, here) * steepest(gradient, pairs.norm)
            x2[part] = ball.nearest(x1, moved).clamp(*network.bounds)
    return x2


INPUTS: Mapping[str, Inputs] = {GENERATED: _generated, "random": _random, "pgd": _ascended}
"""What makes the further inputs of each arm of `ARMS` that has some."""
DRAWN = ("random",)
"""Arms of which each repeat has others."""
