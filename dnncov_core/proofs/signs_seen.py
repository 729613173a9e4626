"""Signs that inputs of the box really give: a neuron with both needs no proof."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from dnncov_core.activations import capture
from dnncov_core.networks.network import Network

FIRST_LOOK = 256
"""Inputs of each kind to begin with."""
STARTS, STEPS = 32, 100
"""Starting points, and steps from each, of the search by gradients for one neuron."""


class SignsSeen:
    """By layer, which neurons were seen with the sign +1, and with -1, each ``(s_k,)`` of bool."""

    def __init__(self, network: Network) -> None:
        self._network = network.to(device="cpu")
        self._low, self._high = (torch.tensor(end, dtype=network.dtype) for end in (network.box.low, network.box.high))
        sizes = {layer.index: layer.neurons for layer in network.layers[1:]}
        self.positive = {layer: torch.zeros(n, dtype=torch.bool) for layer, n in sizes.items()}
        self.negative = {layer: torch.zeros(n, dtype=torch.bool) for layer, n in sizes.items()}
        self._sought = {layer: torch.zeros(n, dtype=torch.bool) for layer, n in sizes.items()}
        drawn = torch.rand(2 * FIRST_LOOK, *network.input_shape, generator=torch.Generator().manual_seed(0))
        drawn[FIRST_LOOK:] = drawn[FIRST_LOOK:].round()
        self.look(self._low + (self._high - self._low) * drawn.to(network.dtype))

    def both(self, layer: int) -> Tensor:
        """Neurons seen with both signs."""
        return self.positive[layer] & self.negative[layer]

    def look(self, x: Tensor) -> None:
        """Notes the signs that a batch gives; it is moved into the box first."""
        inputs = x.to(self._network.dtype).reshape(-1, *self._network.input_shape).clamp(self._low, self._high)
        with torch.no_grad():
            for layer, found in capture(self._network, inputs).items():
                self.positive[layer] |= (found.u >= 0).any(0)
                self.negative[layer] |= (found.u < 0).any(0)

    def seek(self, layer: int, neurons: Tensor, seconds_left: Callable[[], float]) -> None:
        """Follows the gradients of some neurons' u towards the sign that was not seen yet, from places at random.

        Once for each neuron: another time it would hardly find more.
        """
        neurons = neurons[~self._sought[layer][neurons]]
        if not len(neurons):
            return
        self._sought[layer][neurons] = True
        asked = neurons.repeat_interleave(STARTS)
        width, rng = self._high - self._low, torch.Generator().manual_seed(layer)
        drawn = torch.rand(len(asked), *self._network.input_shape, generator=rng).to(self._network.dtype)
        x = self._low + width * drawn
        signs = torch.where(self.positive[layer][asked], -1.0, 1.0).to(self._network.dtype)
        for step in range(STEPS):
            x.requires_grad_()
            with torch.enable_grad():
                u = capture(self._network, x, [layer])[layer].u
                wanted = (u[torch.arange(len(asked)), asked] * signs).sum()
                (gradient,) = torch.autograd.grad(wanted, x)
            x = (x.detach() + width / (2 + step / 5) * gradient.sign()).clamp(self._low, self._high)
            self.look(x)
            if bool(self.both(layer)[neurons].all()) or seconds_left() <= 0:
                break
