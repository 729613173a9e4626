"""Rows that ask a programme for another label of x2: z_j - z_y >= margin for a label j, with y the seed's.

A test condition fixes the pattern of some layers; beyond them the logits are affine in the pattern of a point. The
first point is the nearest x2 of the test condition alone, each next one the solution with the row of the last. Nothing
keeps x2 in these patterns. Where the row at a solution is the one that it was solved with, the solution is the nearest
x2 of label j in its own pattern; whether it has that label the network decides.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import torch
from torch import Tensor

from dnncov_core.generators.lockstep import Asking
from dnncov_core.generators.programme import LinearCondition, Row, Solution, terms
from dnncov_core.generators.seed_order.label_distance import label_distances
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.network import Network
from dnncov_core.types import FloatArray

LIKELY = 10
"""Labels of the least lead at x1, which are put in order."""
MOST_LABELS = 3
"""Labels that are asked for, the nearest first."""
ROUNDS = 6
"""Programmes solved for one label, each in the pattern of the last solution."""


class LabelRows:
    """The rows of one test condition from one seed.

    Args:
        network: the network in float64, on the CPU.
        condition: the test condition.
    """

    def __init__(self, network: Network, condition: LinearCondition) -> None:
        self._network, self._condition = network, condition
        self._held = {*condition.pattern.on, condition.pair.decision.layer}
        with torch.no_grad():
            self._of = network(self._batch(condition.x1))

    def labels(self) -> list[int]:
        """Other labels in the order of their first-order distance from x1, lead / ||grad_x lead||_1."""
        x = self._batch(self._condition.x1)
        leads = self._network.decision.leads(self._of, self._of)[0]
        nearest = leads.topk(min(LIKELY, len(leads)), largest=False).indices.tolist()
        others = [other for other in nearest if bool(leads[other].isfinite())]
        distances = label_distances(self._network, x.expand(len(others), *x.shape[1:]), others)
        return [others[place] for place in distances.argsort(kind="stable").tolist()][:MOST_LABELS]

    def nearest(
        self,
        label: int,
        start: FloatArray,
        condition: LinearCondition,
        solve: Callable[[LinearCondition], Asking[Solution]],
    ) -> Asking[tuple[LinearCondition, Solution, bool]]:
        """What was asked last for a label, its solution, and whether the row is that of the solution's own pattern.

        Args:
            label: the label of x2.
            start: the point whose pattern is taken first, flat.
            condition: the test condition, within its bound.
            solve: has it solved with a row more.
        """
        row = self.row(label, start)
        for _ in range(ROUNDS):
            asked = dataclasses.replace(condition, rows=(*condition.rows, row))
            solution = yield from solve(asked)
            if solution.x2 is None:
                return asked, solution, False
            before, row = row, self.row(label, solution.x2)
            if row.coefficients == before.coefficients:
                return asked, solution, True
        return asked, solution, False

    def row(self, label: int, point: FloatArray) -> Row:
        """The row for one label in the pattern of a point, flat, beyond the layers that the test condition fixes."""
        u: dict[int, Tensor] = {}
        pattern = self._condition.pattern

        def held(layer: int, values: Tensor) -> Tensor:
            u[layer] = values.detach().requires_grad_()
            return u[layer]

        def activation(layer: int, values: Tensor, apply: Apply) -> Tensor:
            if layer not in self._held:
                return apply(values)
            values = held(layer, values)
            if layer not in pattern.on:
                return apply(values)
            slopes, intercepts = (torch.from_numpy(each(layer)) for each in (pattern.slopes, pattern.intercepts))
            return (values.flatten(1) * slopes + intercepts).reshape(values.shape)

        z = self._network.run(self._batch(point), on_activation=activation)
        if self._network.depth in self._held:
            z = held(self._network.depth, z)
        lead = -self._network.decision.leads(z, self._of)[0, label]
        gradients = torch.autograd.grad(lead, list(u.values()), materialize_grads=True)
        coefficients: dict[tuple[int, int], float] = {}
        at_point = float(lead.detach())
        for (layer, values), gradient in zip(u.items(), gradients, strict=True):
            flat = gradient.flatten().numpy()
            at_point -= float(flat @ values.detach().flatten().numpy())
            coefficients |= terms(layer, flat)
        return Row(coefficients, self._condition.margin - at_point)

    def _batch(self, x: FloatArray) -> Tensor:
        return torch.from_numpy(x.reshape(1, *self._network.input_shape))
