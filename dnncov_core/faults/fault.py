"""A fault, and a network with it: what is changed is the network's own state or a step of its evaluation."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Unpack

from torch import Tensor, fx

from dnncov_core.box import Box
from dnncov_core.networks.graph import Apply, Hooks
from dnncov_core.networks.network import Network

Affine = tuple[Tensor, Tensor]
"""(shift, scale), which broadcast to an input: x becomes shift + scale * x."""
Change = Callable[[Tensor], Tensor]


def _as_it_is(values: Tensor) -> Tensor:
    return values


def _applied(layer: int, u: Tensor, apply: Apply) -> Tensor:
    return apply(u)


@dataclass(frozen=True)
class Fault:
    """What is changed in a network; what is left out stays as it is.

    Attributes:
        layer: where: 1 for the input, 2..K-1 for activation layers, K for the output.
        weights: values instead of those of weights, by their nodes.
        u: makes of u of the layer, ``(batch, *shape)``, what its activation function takes; of layer K, the scores.
        v: makes of v of the layer what the layers after it take.
        inputs: what is done to inputs, in their own units, before anything else.
    """

    layer: int
    weights: Mapping[fx.Node, Tensor] = field(default_factory=dict)
    u: Change = _as_it_is
    v: Change = _as_it_is
    inputs: Affine | None = None

    def hooked(self, hooks: Hooks) -> Hooks:
        """The hooks of an evaluation, which see u and v of the layer with the fault."""
        outer = hooks.get("on_activation", _applied)

        def on_activation(layer: int, u: Tensor, apply: Apply) -> Tensor:
            if layer != self.layer:
                return outer(layer, u, apply)
            return outer(layer, self.u(u), lambda inner: self.v(apply(inner)))

        return {**hooks, "on_activation": on_activation}


class FaultyNetwork(Network):
    """A network with a fault. The network that it is made of stays as it is, and shares all other weights with it.

    Args:
        network: without the fault.
        fault: what is changed.
        name: what tells the fault from others, for the fingerprint.
    """

    def __init__(self, network: Network, fault: Fault, name: str = "") -> None:
        self.__dict__.update(vars(network))
        self._fault = fault
        changed = {node: self._placed(tensor.to(self.device, self.dtype)) for node, tensor in fault.weights.items()}
        self._state = {**network._state, **changed}
        self._span = self._with_inputs(network._span)
        self.fingerprint = hashlib.sha256(f"{network.fingerprint} {name}".encode()).hexdigest()

    def run(
        self,
        x: Tensor,
        *,
        last_layer: int | None = None,
        given: Mapping[int, Tensor] | None = None,
        **hooks: Unpack[Hooks],
    ) -> Tensor:
        """Evaluates the graph with the fault; see `Network.run`. Values that are ``given`` stay as they are."""
        result = super().run(x, last_layer=last_layer, given=given, **self._fault.hooked(hooks))
        at_end = self._fault.layer == self.depth and last_layer in (None, self.depth)
        return self._fault.u(result) if at_end else result

    def in_shares(self, box: Box | None = None) -> Network:
        """See `Network.in_shares`; the inputs' fault comes after they are in their own units again."""
        other = super().in_shares(box)
        if other is not self:
            other._span = self._with_inputs(other._span)
        return other

    def _with_inputs(self, span: Affine | None) -> Affine | None:
        if self._fault.inputs is None:
            return span
        shift, scale = (each.to(self.device, self.dtype) for each in self._fault.inputs)
        return (shift, scale) if span is None else (shift + scale * span[0], scale * span[1])
