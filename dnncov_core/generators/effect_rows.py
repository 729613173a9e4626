"""Rows that ask a programme for an effect: that the decision depends on the condition.

In a pattern, u of the decision layer is affine in v of the layers that feed it. So it stays where some of these v are
those of x1, as with the condition put back, or with its change alone. Signs are asked for by the whole margin, also
where x1 itself is nearer to 0, since the network has to confirm them in its own precision.

Max poolings between have the winners of x1 itself where the condition is put back, and those of the pattern for its
change alone. Where others win at x2, the network decides.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.effects import asks_needed, asks_sufficient
from dnncov_core.criteria.value_function_base import MOST_ALTERNATIVES, Alternative, HalfSpace
from dnncov_core.errors import SpecificationError
from dnncov_core.generators.pattern import IntoLayers, Matrix, poolings_of
from dnncov_core.generators.programme import LinearCondition, Row, terms


def effect_rows(
    into: IntoLayers, condition: LinearCondition, alternatives: Sequence[Alternative]
) -> Iterator[tuple[Alternative, tuple[Row, ...]]]:
    """Each alternative of g2 with rows by which the effect that the covering method asks for is shown; one must hold.

    A change that is sufficient has to make g2 hold by the same alternative.

    Args:
        into: the layers of the network in float64, on the CPU.
        condition: a test condition from one seed.
        alternatives: all alternatives of g2, by which the decision feature can change its value.
    """
    effect, flips = condition.method.effect, condition.method.decision is Change.SIGN
    needed: list[tuple[Row, ...]] = [()]
    if asks_needed(effect):  # decision signs are those of x1, or no alternative of g2 holds
        put_back = _DecisionLayer.of(into, condition, alternatives, alone=False)
        ways = [_signs(condition, 1.0)] if flips else map(_negated, ways_to_fail(alternatives))
        needed = list(map(put_back.rows, ways))
    alone = _DecisionLayer.of(into, condition, alternatives, alone=True) if asks_sufficient(effect) else None
    for chosen in alternatives:
        sufficient = alone.rows((*_signs(condition, -1.0 if flips else 1.0), *chosen)) if alone else ()
        yield from ((chosen, (*rows, *sufficient)) for rows in needed)


def _signs(condition: LinearCondition, side: float) -> Alternative:
    """Decision signs are those of x1, or for side -1 the others."""
    decision = condition.pair.decision
    u = condition.values[decision.layer].u[0]
    return tuple(HalfSpace({j: side if u[j] >= 0 else -side}, 0.0) for j in decision.neurons)


@dataclass(frozen=True)
class _DecisionLayer:
    """u of some of its neurons, ``(m,)``: constants, and coefficients of u[x2] by layer, ``(m, s_k)``."""

    neurons: Sequence[int]
    constants: Matrix
    coefficients: Mapping[int, Matrix]
    margin: float

    @classmethod
    def of(
        cls, into: IntoLayers, condition: LinearCondition, alternatives: Sequence[Alternative], *, alone: bool
    ) -> _DecisionLayer:
        """All that may be asked about, with the condition's change alone, or with all changes but it."""
        pair, layer = condition.pair, condition.pair.decision.layer
        asked = {j for alternative in alternatives for half in alternative for j in half.coefficients}
        neurons = sorted(asked.union(pair.decision.neurons))
        pattern = condition.pattern if alone else dataclasses.replace(condition.pattern, flipped={})
        poolings = poolings_of(into.network, torch.from_numpy(condition.x1)[None], pattern, layer)
        constants, weights = into(layer, neurons, poolings)
        coefficients: dict[int, Matrix] = {}
        for source, weight in weights.items():
            changed = np.full(weight.shape[1], not alone)
            if source == pair.condition.layer:
                changed[list(pair.condition.neurons)] = alone
            v1 = condition.values[source].v[0].double().numpy()
            constants = constants + weight @ np.where(changed, pattern.intercepts(source), v1)
            coefficients[source] = weight * np.where(changed, pattern.slopes(source), 0.0)
        return cls(neurons, constants, coefficients, condition.margin)

    def rows(self, half_spaces: Iterable[HalfSpace]) -> tuple[Row, ...]:
        """The half-spaces of its u, with the margin, as rows of u[x2]."""
        return tuple(map(self._row, half_spaces))

    def _row(self, half_space: HalfSpace) -> Row:
        factors = np.array([half_space.coefficients.get(j, 0.0) for j in self.neurons])
        found: dict[tuple[int, int], float] = {}
        for layer, matrix in self.coefficients.items():
            found |= terms(layer, factors @ matrix)
        return Row(found, half_space.at_least + self.margin - float(factors @ self.constants))


def _negated(group: Alternative) -> Alternative:
    return tuple(HalfSpace({j: -c for j, c in half.coefficients.items()}, -half.at_least) for half in group)


def ways_to_fail(alternatives: Sequence[Alternative]) -> list[Alternative]:
    """Smallest groups of half-spaces with one or more of each alternative: where a whole group fails, all of them do.

    Raises:
        SpecificationError: there are more than `MOST_ALTERNATIVES`.
    """
    known = {repr(half): half for alternative in alternatives for half in alternative}
    numbers = {name: number for number, name in enumerate(known)}
    groups: list[frozenset[int]] = [frozenset()]
    for alternative in alternatives:
        own = [numbers[repr(half)] for half in alternative]
        longer = [group.union({one}) for group in groups if group.isdisjoint(own) for one in own]
        every = dict.fromkeys([*(group for group in groups if not group.isdisjoint(own)), *longer])
        groups = [group for group in every if not any(other < group for other in every)]
        if len(groups) > MOST_ALTERNATIVES:
            expected = f"at most {MOST_ALTERNATIVES} ways in which no linear alternative of g2 holds"
            raise SpecificationError(expected, str(len(groups)), "use smaller features or another generator")
    halves = list(known.values())
    return [tuple(halves[one] for one in sorted(group)) for group in groups]
