"""Accuracy under an attack that is not this program's own: projected gradient descent as SecML-Torch has it.

SecML-Torch (secml-torch, MIT licence): https://secml-torch.readthedocs.io. What it returns is judged by the network.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

from dnncov_core.errors import DataError
from dnncov_core.generators.ball import Ball
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.network import Network
from dnncov_core.resources import how_to_install
from dnncov_core.retraining.training import Batch
from dnncov_core.types import Norm

PACKAGE, MODULE = "secml-torch", "secmlt"
MODELS: dict[Norm, str] = {"inf": "linf", "2": "l2"}
"""What the library calls the norms; for the norm 1, version 1.5 moves one input of a batch at a time."""


def need() -> None:
    """Refuses to begin where the library is missing.

    Raises:
        DataError: it is.
    """
    if find_spec(MODULE) is None:
        raise DataError(f"the package {PACKAGE}, which attacks", "none", how_to_install(PACKAGE))


def right_under_attack(
    network: Network, batch: Batch, norm: Norm, bound: float, steps: int, random_seed: int
) -> Tensor:
    """Which inputs have their label, and keep it under the attack, ``(batch,)`` of bool.

    From a random start within the bound, in steps of 2.5 bounds divided by their number. An input counts as right if
    the network has it right without the attack too.

    Args:
        network: takes shares of the ranges of its features.
        batch: inputs with their labels.
        norm: of the bound.
        bound: the greatest distance from the input, in the units in which the network has distances.
        steps: of the attack.
        random_seed: decides where it starts.
    """
    x, labels = batch
    attack, scores = _attack(network, norm, bound, steps), _Scores(network)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(random_seed)
        attacked = torch.cat([each for each, _ in attack(scores, DataLoader(TensorDataset(x, labels), len(x)))])
    inside = Ball(norm, bound).nearest(x, attacked.to(x.dtype)).clamp(*network.bounds)
    with torch.no_grad():
        kept: Tensor = (scores(x).argmax(dim=1) == labels) & (scores(inside).argmax(dim=1) == labels)
    return kept


def _attack(network: Network, norm: Norm, bound: float, steps: int) -> Any:
    from secmlt.adv.backends import Backends
    from secmlt.adv.evasion.pgd import PGD

    low, high = network.bounds
    how: dict[str, Any] = {"random_start": True, "backend": Backends.NATIVE, "lb": low, "ub": high}
    return PGD(MODELS[norm], bound, steps, 2.5 * bound / steps, **how)


class _Scores(nn.Module):
    """The network as a module, whose largest output is the label's."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        assert isinstance(network.decision, LabelDecision)
        self.network, self.decision = network, network.decision
        self.place = nn.Parameter(torch.zeros((), device=network.device), requires_grad=False)  # the library asks where

    def forward(self, x: Tensor) -> Tensor:
        return self.decision.scores(self.network(x))
