"""A copy of the network, trained further: Adam on the cross-entropy, batch after batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from dnncov_core.data import Data
from dnncov_core.errors import NumericsError
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.network import Network
from dnncov_core.networks.trainable import Trainable
from dnncov_core.retraining.spec import RetrainingSpec

Batch = tuple[Tensor, Tensor]
"""Inputs in the units of distances, ``(batch, *input_shape)``, and their labels, ``(batch,)``."""


@dataclass(frozen=True, eq=False)
class Labelled:
    """Data as the network, which takes shares of the ranges of its features, trains on them."""

    network: Network
    data: Data

    def __len__(self) -> int:
        return len(self.data)

    def batch(self, rows: Tensor) -> Batch:
        """The inputs of these rows, and their labels."""
        assert self.data.labels is not None
        x = self.network.box.shares(self.data.pixels(rows.numpy()))
        return torch.from_numpy(x).to(self.network.dtype), torch.from_numpy(self.data.labels[rows.numpy()]).long()


def batches_of(own: Labelled, further: Batch | None, spec: RetrainingSpec, random_seed: int) -> Iterator[Batch]:
    """The batch of each step, of one size whether there are further inputs or not.

    In all arms of one random seed the rows are the same: with further inputs, half of those of the training data that
    are drawn without them, and inputs made from the same seeds.
    """
    rng = torch.Generator().manual_seed(random_seed)
    n_further = spec.batch // 2
    for _ in range(spec.steps):
        rows = torch.randint(len(own), (spec.batch,), generator=rng)
        chosen = torch.randint(2**62, (n_further,), generator=rng)
        yield own.batch(rows) if further is None else _joined(own.batch(rows[n_further:]), further, chosen)


def _joined(own: Batch, further: Batch, chosen: Tensor) -> Batch:
    rows = chosen % len(further[0])
    return torch.cat([own[0], further[0][rows]]), torch.cat([own[1], further[1][rows]])


def trained(
    network: Network,
    own: Labelled,
    further: Batch | None,
    spec: RetrainingSpec,
    random_seed: int,
    tick: Callable[[int], None] = lambda inputs: None,
) -> Trainable:
    """A copy of the network after the steps that are asked for; ``tick`` is told of the inputs of each.

    Raises:
        NumericsError: the loss is no finite number any more.
    """
    copied = Trainable(network)
    works, decision = copied.network.in_shares(), network.decision
    assert isinstance(decision, LabelDecision)
    optimiser = torch.optim.Adam(copied.parameters, lr=spec.learning_rate)
    for x, labels in batches_of(own, further, spec, random_seed):
        loss = cross_entropy(decision.scores(works(x)), labels)
        if not torch.isfinite(loss):
            raise NumericsError("a loss that is finite at each step", str(loss.item()), "lower --learning-rate")
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        tick(len(x))
    copied.freeze()
    return copied
