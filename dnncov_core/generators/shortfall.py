"""How far a batch of inputs is from its test conditions, with gradients.

A batch has slots: slot b has a feature pair and a seed x1. All pairs of a batch are of the same two layers, with
features of the same sizes. What a condition lacks is in units of u; at most 0 means that the part holds.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.features import FeaturePair
from dnncov_core.generators.ball import NO_BALL, Ball
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network

APART = 1e-6
BITS = 8


def check_functions(method: CoveringMethod) -> None:
    """Refuses value functions without gradients.

    Raises:
        SpecificationError: a value function that depends on more than the feature's own u.
    """
    u = torch.ones(1, 1)
    for change, function in ((method.condition, method.g1), (method.decision, method.g2)):
        if change is Change.VALUE:
            function.shortfall(u, u)


@dataclass(frozen=True)
class Shortfall:
    """What each slot still lacks at x2; each number ``(batch,)`` where nothing else is said.

    Attributes:
        decision: what the decision feature lacks.
        condition: what the condition feature lacks; minus infinity where nothing is asked of it but to keep the signs,
            and for free features.
        enough: whether a free feature has a neuron; true for others.
        u: pre-activations of layer k, ``(batch, s_k)``, in the order of `_in_memory`.
        unwanted: the neurons of layer k that changed their sign and should not have, ``(batch, s_k)``.
        wrong: the number of unwanted neurons.
        flips: the number of neurons of layer k that changed their sign.
        logits: ``(batch, classes)``; None if labels were not asked for.
        label: by how much the logit of x1's class still leads; None if labels were not asked for.
        far: whether x2 is farther from x1 than the bound; None if labels were not asked for.
    """

    decision: Tensor
    condition: Tensor
    enough: Tensor
    u: Tensor
    unwanted: Tensor
    wrong: Tensor
    flips: Tensor
    logits: Tensor | None
    label: Tensor | None
    far: Tensor | None

    @property
    def excess(self) -> Tensor:
        """Sum of \\|u\\| over the unwanted, ``(batch,)``."""
        signs = self.unwanted * (2 * (self.u >= 0).to(torch.int8) - 1)
        return (self.u * signs).sum(dim=1)

    @property
    def covers(self) -> Tensor:
        """Whether the test condition holds."""
        return (self.decision <= 0) & (self.condition <= 0) & (self.wrong == 0) & self.enough

    @property
    def holds(self) -> Tensor:
        """Whether the test condition holds, with another label within the bound where labels were asked for."""
        return self.covers if self.label is None or self.far is None else self.covers & (self.label < 0) & ~self.far

    @property
    def too_near(self) -> Tensor:
        """Whether something is lacking and nothing has gone wrong yet, so that a larger step may help."""
        lacks = ~self.holds & (self.wrong == 0)
        return lacks if self.far is None else lacks & ~self.far


class BatchConditions:
    """The test conditions of a batch of slots.

    Args:
        network: the network, on the device and in the precision of the search.
        method: the covering method.
        pairs: the feature pair of each slot.
        x1: the seeds, ``(batch, *input_shape)``.
        margin: least \\|u\\| of neurons that have to change their sign, in units of u.
        labels: whether x2 has to have another label.
        ball: norm and bound within which it has to have it.

    ``first`` is the shortfall at x1, with gradients by ``x1``; `forget` frees their memory.
    """

    def __init__(
        self,
        network: Network,
        method: CoveringMethod,
        pairs: Sequence[FeaturePair],
        x1: Tensor,
        *,
        margin: float,
        labels: bool = False,
        ball: Ball = NO_BALL,
    ) -> None:
        self._network, self._method, self._margin, self._labels = network, method, margin, labels
        self._k, self._layer = pairs[0].condition.layer, pairs[0].decision.layer
        self._most = pairs[0].condition.most
        self._ball = ball
        self.x1 = x1.clone().requires_grad_()
        self._named = self._places(self._k, [pair.condition.neurons for pair in pairs])
        self._decided = self._places(self._layer, [pair.decision.neurons for pair in pairs])
        self._g1 = method.g1.at(self._k, [pair.condition.neurons for pair in pairs])
        self._g2 = method.g2.at(self._layer, [pair.decision.neurons for pair in pairs])
        u, decision, logits = self._run(self.x1)
        self._signs = pack(u >= 0)
        self._condition1 = u.detach().gather(1, self._named)
        self._decision1 = decision.detach()
        self.label1 = logits.detach().argmax(dim=1) if labels else self._signs.new_zeros(len(x1), dtype=torch.long)
        self.first: Shortfall | None = self._shortfall(self.x1, u, decision, logits)

    def forget(self) -> None:
        """Frees the gradients at x1."""
        self.first, self.x1 = None, self.x1.detach()

    def some(self, rows: Tensor) -> BatchConditions:
        """The conditions of some slots, given by their numbers."""
        other = copy.copy(self)
        for name in ("x1", "_named", "_decided", "_signs", "_condition1", "_decision1", "label1"):
            setattr(other, name, getattr(self, name)[rows])
        other._g1, other._g2 = self._g1.some(rows), self._g2.some(rows)
        return other

    def shortfall(self, x2: Tensor) -> Shortfall:
        """What each slot lacks at x2, ``(batch, *input_shape)``; costs one forward pass."""
        return self._shortfall(x2, *self._run(x2))

    def _shortfall(self, x2: Tensor, u: Tensor, decision: Tensor, logits: Tensor) -> Shortfall:
        changed = (u >= 0) ^ unpack(self._signs, u.shape[1])
        flips = count(changed)
        lacking, unwanted = self._condition(u, changed, flips)
        return Shortfall(
            decision=self._decision(decision),
            condition=lacking,
            enough=(flips > 0) | (self._most is None),
            u=u,
            unwanted=unwanted,
            wrong=count(unwanted),
            flips=flips,
            logits=logits if self._labels else None,
            label=self._lead(logits) if self._labels else None,
            far=self._ball.excludes(self.x1, x2) if self._labels else None,
        )

    def _run(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """u of layer k, ``(batch, s_k)``, u of the decision neurons, ``(batch, n)``, and the logits if asked for."""
        u: dict[int, Tensor] = {}

        def activation(layer: int, values: Tensor, apply: Apply) -> Tensor:
            if layer in (self._k, self._layer):
                u[layer] = values
            return apply(values)

        depth = self._network.depth
        last = self._network.run(x, on_activation=activation, last_layer=depth if self._labels else self._layer)
        decision = _in_memory(u.get(self._layer, last)).gather(1, self._decided)
        return _in_memory(u[self._k]), decision, last

    def _places(self, layer: int, neurons: Sequence[tuple[int, ...]]) -> Tensor:
        """Where some neurons of a layer are in the order of `_in_memory`, ``(batch, n)``."""
        index = torch.tensor(neurons, dtype=torch.long, device=self._network.device).reshape(len(neurons), -1)
        shape = self._network.layers[layer - 1].shape
        if len(shape) != 3:
            return index
        channel, row, column = torch.unravel_index(index, shape)
        return (row * shape[2] + column) * shape[0] + channel

    def _condition(self, u: Tensor, changed: Tensor, flips: Tensor) -> tuple[Tensor, Tensor]:
        """What the condition feature lacks, ``(batch,)``, and the neurons that are wrong, ``(batch, s_k)``."""
        if self._most is not None:
            free = u.new_full((len(u),), -torch.inf)
            return free, changed & (flips > self._most)[:, None]
        named = u.gather(1, self._named)
        if self._method.condition is Change.VALUE:
            return self._g1.shortfall(self._condition1, self._apart(self._condition1, named)) + self._margin, changed
        lacking = (_side(self._condition1) * named).amax(dim=1) + self._margin
        return lacking, changed.scatter(1, self._named, False)

    def _decision(self, u: Tensor) -> Tensor:
        side = _side(self._decision1)
        if self._method.decision is Change.SIGN:
            return (side * u).amax(dim=1) + self._margin
        kept = (self._decision1.abs().clamp(max=self._margin) - side * u).amax(dim=1)
        return kept.maximum(self._g2.shortfall(self._decision1, self._apart(self._decision1, u)) + self._margin)

    def _apart(self, u1: Tensor, u: Tensor) -> Tensor:
        """u, where it is u1 a little farther from 0: a distance from u1 has no gradient at u1 itself."""
        return u + (u == u1) * _side(u1) * APART * (1 + u1.abs())

    def _lead(self, logits: Tensor) -> Tensor:
        own = logits.gather(1, self.label1[:, None]).squeeze(1)
        return own - logits.scatter(1, self.label1[:, None], -torch.inf).amax(dim=1)


def _in_memory(values: Tensor) -> Tensor:
    """A layer as ``(batch, s_k)``, its neurons as they lie in memory where channels are last, so that none is moved."""
    return (values.permute(0, 2, 3, 1) if values.ndim == 4 else values).flatten(1)


def _side(u1: Tensor) -> Tensor:
    """+1 where the sign of u1 is +1, else -1."""
    return 2.0 * (u1 >= 0) - 1.0


def pack(signs: Tensor) -> Tensor:
    """``(batch, n)`` of bool as ``(batch, ceil(n / 8))`` of uint8."""
    padded = functional.pad(signs, (0, -signs.shape[1] % BITS)).view(len(signs), -1, BITS)
    return (padded.to(torch.uint8) << _places(signs)).sum(dim=2, dtype=torch.uint8)


def unpack(packed: Tensor, n: int) -> Tensor:
    """The inverse of `pack`, ``(batch, n)`` of bool."""
    return ((packed[:, :, None] & (1 << _places(packed))) != 0).flatten(1)[:, :n]


def count(signs: Tensor) -> Tensor:
    """How many are true, ``(batch,)``, of ``(batch, n)`` of bool; a plain sum would first make 8 bytes of each."""
    return signs.view(torch.uint8).sum(dim=1, dtype=torch.int32)


def _places(like: Tensor) -> Tensor:
    return torch.arange(BITS, dtype=torch.uint8, device=like.device)
