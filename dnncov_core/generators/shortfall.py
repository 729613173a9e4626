"""How far a batch of inputs is from its test conditions, with gradients.

A batch has slots: slot b has a feature pair and a seed x1. All pairs of a batch are of the same two layers, with
features of the same sizes. What a condition lacks is in units of u; at most 0 means that the part holds.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.effects import NO_EFFECT, asks_needed, asks_sufficient
from dnncov_core.features import FeaturePair
from dnncov_core.generators.ball import NO_BALL, Ball
from dnncov_core.generators.batch_effect import BatchEffect, in_memory
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
        u: pre-activations of layer k, ``(batch, s_k)``, in the order of `in_memory`.
        unwanted: the neurons of layer k that changed their sign and should not have, ``(batch, s_k)``.
        wrong: the number of unwanted neurons.
        flips: the number of neurons of layer k that changed their sign.
        loss: what FGSM makes larger, summed over the batch; None if labels were not asked for.
        label: by how much the logit of x1's class still leads; None if labels were not asked for.
        far: whether x2 is farther from x1 than the bound; None if labels were not asked for.
        needed: what the decision lacks, with the condition put back, to be as at x1; None if that was not asked for.
        sufficient: what it lacks with the condition's change alone; None if that was not asked for.
    """

    decision: Tensor
    condition: Tensor
    enough: Tensor
    u: Tensor
    unwanted: Tensor
    wrong: Tensor
    flips: Tensor
    loss: Tensor | None
    label: Tensor | None
    far: Tensor | None
    needed: Tensor | None = None
    sufficient: Tensor | None = None

    @property
    def effects(self) -> list[Tensor]:
        """What is lacking of the effects that were asked for."""
        return [lacking for lacking in (self.needed, self.sufficient) if lacking is not None]

    @property
    def excess(self) -> Tensor:
        """Sum of \\|u\\| over the unwanted, ``(batch,)``."""
        signs = self.unwanted * (2 * (self.u >= 0).to(torch.int8) - 1)
        return (self.u * signs).sum(dim=1)

    @property
    def covers(self) -> Tensor:
        """Whether the test condition holds, with the effect that was asked for."""
        holds = (self.decision <= 0) & (self.condition <= 0) & (self.wrong == 0) & self.enough
        for lacking in self.effects:
            holds = holds & (lacking <= 0)
        return holds

    @property
    def holds(self) -> Tensor:
        """Whether the test condition holds, with another label within the bound where labels were asked for."""
        return self.covers if self.label is None or self.far is None else self.covers & (self.label < 0) & ~self.far

    @property
    def too_near(self) -> Tensor:
        """Whether something is lacking and nothing has gone wrong yet, so that a larger step may help."""
        lacks = ~self.holds & (self.wrong == 0)
        if self.needed is not None:  # what other neurons carry grows with the step
            lacks = lacks & (self.needed <= 0)
        return lacks if self.far is None else lacks & ~self.far


class _Values(NamedTuple):
    """u of layer k and of the decision neurons; the logits, if labels are asked for; v before them, if an effect is."""

    u: Tensor
    decision: Tensor
    last: Tensor
    v: dict[int, Tensor]


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
        self._effect: BatchEffect | None = None
        values = self._run(self.x1)
        self._signs = pack(values.u >= 0)
        self._condition1 = values.u.detach().gather(1, self._named)
        self._decision1 = values.decision.detach()
        self.outputs1 = values.last.detach() if labels else values.decision.detach()
        self.first: Shortfall | None = self._shortfall(self.x1, values)
        if method.effect != NO_EFFECT:
            self._effect = BatchEffect(network, pairs[0], named=self._named, decided=self._decided, v1=values.v)

    def forget(self) -> None:
        """Frees the gradients at x1."""
        self.first, self.x1 = None, self.x1.detach()

    def some(self, rows: Tensor) -> BatchConditions:
        """The conditions of some slots, given by their numbers."""
        other = copy.copy(self)
        for name in ("x1", "_named", "_decided", "_signs", "_condition1", "_decision1", "outputs1"):
            setattr(other, name, getattr(self, name)[rows])
        other._g1, other._g2 = self._g1.some(rows), self._g2.some(rows)
        other._effect = None if self._effect is None else self._effect.some(rows)
        return other

    def shortfall(self, x2: Tensor) -> Shortfall:
        """What each slot lacks at x2, ``(batch, *input_shape)``."""
        return self._shortfall(x2, self._run(x2))

    def _shortfall(self, x2: Tensor, values: _Values) -> Shortfall:
        u, decision = values.u, self._network.decision
        changed = (u >= 0) ^ unpack(self._signs, u.shape[1])
        flips = count(changed)
        lacking, unwanted = self._condition(u, changed, flips)
        return Shortfall(
            decision=self._decision(values.decision),
            condition=lacking,
            enough=(flips > 0) | (self._most is None),
            u=u,
            unwanted=unwanted,
            wrong=count(unwanted),
            flips=flips,
            loss=decision.loss(values.last, self.outputs1) if self._labels else None,
            label=decision.leads(values.last, self.outputs1).amin(dim=1) if self._labels else None,
            far=self._ball.excludes(self.x1, x2) if self._labels else None,
            **self._effects(x2, values, changed),
        )

    def _effects(self, x2: Tensor, values: _Values, changed: Tensor) -> dict[str, Tensor]:
        """What is lacking of each effect that is asked for; at x1 nothing but what the decision itself lacks."""
        lacking: dict[str, Tensor] = {}
        made, asked = self._effect, self._method.effect
        if made is not None and asks_needed(asked):
            lacking["needed"] = self._undoing(made.decision(x2, values.v, made.v1, changed))
        if made is not None and asks_sufficient(asked):
            lacking["sufficient"] = self._decision(made.decision(self.x1, made.v1, values.v, changed))
        return lacking

    def _run(self, x: Tensor) -> _Values:
        u: dict[int, Tensor] = {}
        v: dict[int, Tensor] = {}
        sources = self._network.graph.sources[self._layer] if self._method.effect != NO_EFFECT else ()

        def activation(layer: int, values: Tensor, apply: Apply) -> Tensor:
            if layer in (self._k, self._layer):
                u[layer] = values
            applied = apply(values)
            if layer in sources:
                v[layer] = applied
            return applied

        depth = self._network.depth
        last = self._network.run(x, on_activation=activation, last_layer=depth if self._labels else self._layer)
        decision = in_memory(u.get(self._layer, last)).gather(1, self._decided)
        return _Values(in_memory(u[self._k]), decision, last, v)

    def _places(self, layer: int, neurons: Sequence[tuple[int, ...]]) -> Tensor:
        """Where some neurons of a layer are in the order of `in_memory`, ``(batch, n)``."""
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
        if self._method.decision is Change.SIGN:
            return (_side(self._decision1) * u).amax(dim=1) + self._margin
        changed = self._g2.shortfall(self._decision1, self._apart(self._decision1, u)) + self._margin
        return self._keeping(u).maximum(changed)

    def _undoing(self, u: Tensor) -> Tensor:
        """What the decision with these u of its neurons lacks to be as at x1: its signs, or that g2 does not hold."""
        if self._method.decision is Change.SIGN:
            return self._keeping(u)
        return self._margin - self._g2.shortfall(self._decision1, u)

    def _keeping(self, u: Tensor) -> Tensor:
        """What the decision lacks to have the signs that it has at x1."""
        return (self._decision1.abs().clamp(max=self._margin) - _side(self._decision1) * u).amax(dim=1)

    def _apart(self, u1: Tensor, u: Tensor) -> Tensor:
        """u, where it is u1 a little farther from 0: a distance from u1 has no gradient at u1 itself."""
        return u + (u == u1) * _side(u1) * APART * (1 + u1.abs())


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
