"""Bounds of u over many small boxes of inputs at once, by lines, for networks whose layers have two linear pieces.

The box of all inputs is split, and what has one sign in a box has it in all boxes within: only the neurons that are
open there are asked again. The lines are those of `relaxations`, followed back to the input as linear_bounds does. What
rounding may change is taken off as one number a neuron: the sizes of all terms over the whole box bound those of each
small one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import torch
from torch import Tensor

from dnncov_core.affine_parts import INPUT, AffineParts, Stage
from dnncov_core.networks.network import Network
from dnncov_core.proofs import Neuron
from dnncov_core.proofs.intervals import Intervals
from dnncov_core.proofs.mixed_integer import small_enough
from dnncov_core.proofs.relaxations import Interval, Lines, lines, outer_slopes
from dnncov_core.proofs.rounding import EPS64, TINY, down, gamma

AT_ONCE = 32
"""Boxes whose bounds are computed together, so that they stay in the processor's cache."""
MOST_INPUTS = 16
"""Numbers of an input whose box is worth splitting."""
ROUNDINGS = 16
"""Roundings of one term besides those of the sums that it is in; generous."""


@dataclass(frozen=True)
class Boxes:
    """Boxes of inputs, ``(n, d)`` each end, and what is known of them.

    Attributes:
        low: the least of each input.
        high: the most.
        signs: by layer, +1 or -1 for neurons with that sign all over the box, else 0, ``(n, s_k)``.
        reach: how much each input's range matters to the bounds, ``(n, d)``.
    """

    low: Tensor
    high: Tensor
    signs: Mapping[int, Tensor]
    reach: Tensor

    def __len__(self) -> int:
        return len(self.low)

    def __getitem__(self, chosen: Tensor | slice) -> Self:
        signs = {layer: found[chosen] for layer, found in self.signs.items()}
        return type(self)(self.low[chosen], self.high[chosen], signs, self.reach[chosen])

    @classmethod
    def joined(cls, parts: Sequence[Boxes]) -> Boxes:
        """All boxes of several."""
        signs = {layer: torch.cat([part.signs[layer] for part in parts]) for layer in parts[0].signs}
        low, high, reach = (torch.cat([getattr(part, name) for part in parts]) for name in ("low", "high", "reach"))
        return Boxes(low, high, signs, reach)

    def halves(self) -> Boxes:
        """Each box as two, halved where it matters most."""
        rows, at = torch.arange(len(self)), self.reach.argmax(1)
        middle = (self.low[rows, at] + self.high[rows, at]) / 2
        low, high = self.low.clone(), self.high.clone()
        high[rows, at], low[rows, at] = middle, middle
        lower, upper = (Boxes(*ends, self.signs, self.reach) for ends in ((self.low, high), (low, self.high)))
        return Boxes.joined([lower, upper])


class BoxBounds:
    """Bounds over parts of a network's box; only the affine parts and functions of two linear pieces are followed.

    Raises:
        NetworkError: an operator, an activation function or a precision that proofs do not know.
    """

    def __init__(self, network: Network) -> None:
        intervals = Intervals(network)
        self._parts, self._functions = AffineParts(network), network.graph.functions
        self._box, self._eps, self._bounds = intervals.box, intervals.eps, intervals.bounds()
        self._layers = [layer.index for layer in network.layers[1:]]
        self._errors = self._all_errors() if self.fits else {}

    @property
    def fits(self) -> bool:
        """Whether the network is of linear pieces that meet in 0, without max pooling, small, and of few inputs."""
        pieces = all(function.breaks == (0.0,) for function in self._functions.values())
        narrow = len(self._box.low) <= MOST_INPUTS and not self._parts.pools
        return pieces and narrow and small_enough(self._parts, self._layers[-1], self._bounds)

    def whole(self, layer: int) -> Boxes:
        """The whole box, for bounds up to a layer."""
        before = [stage for stage in self._layers if stage < layer]
        signs = {k: torch.zeros(1, self._parts.widths[k], dtype=torch.int8) for k in before}
        return Boxes(self._box.low[None], self._box.high[None], signs, (self._box.high - self._box.low)[None])

    def asked(self, boxes: Boxes, condition: Neuron, decision: Neuron) -> tuple[Boxes, Interval]:
        """The boxes with the signs that bounds give before the decision's layer, and bounds of the decision's u.

        What the lines of a neuron leave between them widens these bounds, too: it counts for the inputs that leave the
        neuron open, each by its share of the width of u there.
        """
        if len(boxes) > AT_ONCE:
            starts = range(0, len(boxes), AT_ONCE)
            some = [self.asked(boxes[at : at + AT_ONCE], condition, decision) for at in starts]
            lows, highs = (torch.cat([getattr(found, end) for _, found in some]) for end in ("low", "high"))
            return Boxes.joined([part for part, _ in some]), Interval(lows, highs)
        signs, found, reach = dict(boxes.signs), dict[int, Lines](), torch.zeros_like(boxes.low)
        still: dict[int, tuple[Tensor, Tensor, Tensor]] = {}
        for k in signs:
            where, neurons = (signs[k] == 0).nonzero().T
            u, widths, _ = self._bounded(boxes, k, where, neurons, found)
            shares = _shares(widths)
            still[k] = where, neurons, shares
            if k == condition[0]:
                weights = (neurons == condition[1]) + 1 / self._parts.widths[k]
                reach.index_add_(0, where, weights[:, None] * shares)
            known = self._known(k, signs[k])
            known.low[where, neurons] = torch.maximum(known.low[where, neurons], u.low)
            known.high[where, neurons] = torch.minimum(known.high[where, neurons], u.high)
            seen = (known.low >= 0).to(torch.int8) - (known.high < 0).to(torch.int8)
            signs[k] = torch.where(signs[k] == 0, seen, signs[k])
            found[k] = lines(self._functions[k], self._parts.activations[k], known, self._eps)
        rows = torch.arange(len(boxes))
        u, widths, room = self._bounded(boxes, decision[0], rows, torch.full_like(rows, decision[1]), found)
        for k, (low, high) in room.items():
            where, neurons, shares = still[k]
            widths.index_add_(0, where, -(low + high)[where, neurons][:, None] * shares)
        return Boxes(boxes.low, boxes.high, signs, reach + _shares(widths)), u

    def middles(self, boxes: Boxes, layer: int) -> dict[int, Tensor]:
        """u of all layers up to one, ``(n, s_k)``, in the middle of each box."""
        v: dict[Stage, Tensor] = {INPUT: (boxes.low + boxes.high) / 2}
        found: dict[int, Tensor] = {}
        for k in (k for k in self._layers if k <= layer):
            u = self._parts.constants[k].expand(len(boxes), -1)
            for source, matrix in self._parts.matrix(k).items():
                u = u + v[source] @ matrix.T
            found[k] = u
            if k in self._functions:
                v[k] = self._parts.activations[k](u)
        return found

    def _known(self, layer: int, signs: Tensor) -> Interval:
        """Bounds over the whole box, and no further than 0 where the sign is known."""
        whole = self._bounds[layer].before
        low, high = whole.low.expand(signs.shape), whole.high.expand(signs.shape)
        return Interval(torch.where(signs > 0, low.clamp(min=0), low), torch.where(signs < 0, high.clamp(max=0), high))

    def _bounded(
        self, boxes: Boxes, layer: int, where: Tensor, neurons: Tensor, found: Mapping[int, Lines]
    ) -> tuple[Interval, Tensor, dict[int, tuple[Tensor, Tensor]]]:
        """Bounds of u of some neurons, each in a box, and what widens them, in units of u.

        That is each input itself, for both ends together, ``(m, d)``, and by layer what the line of each neuron takes
        off the low end and off the high one, ``(m, s_k)`` each, at most 0.
        """
        n, at, asked = len(where), where.repeat(2), neurons.repeat(2)
        sign = torch.ones(2 * n, 1, dtype=torch.float64)
        sign[n:] = -1
        total = sign[:, 0] * self._parts.constants[layer][asked]
        arriving = {source: sign * matrix[asked] for source, matrix in self._parts.matrix(layer).items()}
        room: dict[int, tuple[Tensor, Tensor]] = {}
        for k in reversed(list(found)):
            if k in arriving:
                intercepts, constant = self._replaced(k, arriving, found[k], at)
                room[k] = intercepts[:n], intercepts[n:]
                total += intercepts.sum(1) + constant
        at_input = arriving.get(INPUT, torch.zeros(2 * n, boxes.low.shape[1]).double())
        corners = torch.where(at_input > 0, boxes.low[at], boxes.high[at])
        least = down(total + (at_input * corners).sum(1) - self._errors[layer][asked])
        widths = (at_input[:n].abs() + at_input[n:].abs()) * (boxes.high - boxes.low)[where]
        return Interval(least[:n], -least[n:]), widths, room

    def _replaced(self, k: int, arriving: dict[Stage, Tensor], line: Lines, at: Tensor) -> tuple[Tensor, Tensor]:
        """Replaces v of a layer by its lines and u by its affine part; constants of both, ``(m, s_k)`` and ``(m,)``.

        Those of lines are at most 0, as the pieces meet in 0.
        """
        coefficients = arriving.pop(k)
        positive = coefficients.clamp(min=0)
        negative = coefficients - positive
        intercepts = positive * line.lower[at] + negative * line.upper[at]
        before = positive * line.lower_slope[at] + negative * line.upper_slope[at]
        for source, matrix in self._parts.matrix(k).items():
            arriving[source] = arriving[source] + before @ matrix if source in arriving else before @ matrix
        return intercepts, before @ self._parts.constants[k]

    def _all_errors(self) -> dict[int, Tensor]:
        """What u of each neuron is to be lowered by: rounding errors of the network, and of its bounds here."""
        size: dict[Stage, Tensor] = {INPUT: self._box.size()}
        wrong: dict[Stage, Tensor] = {INPUT: torch.zeros_like(self._box.low)}
        errors, terms = dict[int, Tensor](), ROUNDINGS + len(self._box.low)
        for k in self._layers:
            here, constants = self._bounds[k], self._parts.constants[k]
            total, error = constants.abs(), here.error
            for source, matrix in self._parts.matrix(k).items():
                total = total + matrix.abs() @ size[source]
                error = error + matrix.abs() @ wrong[source]
            errors[k] = error + gamma(terms, 4 * EPS64) * (total + error)
            if slopes := k in self._functions and outer_slopes(
                self._functions[k], self._parts.activations[k], here.before.low
            ):
                steep = torch.maximum(slopes[0].abs(), slopes[1].abs()).clamp(min=1.0)
                size[k] = steep * (total + 3 * here.before.size())
                wrong[k] = steep * error
                terms += 2 * len(constants) + ROUNDINGS
        return errors


def _shares(widths: Tensor) -> Tensor:
    """What each input has of all that widens bounds, ``(m, d)``."""
    return widths / widths.sum(1, keepdim=True).clamp(min=TINY)
