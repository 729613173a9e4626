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
from functools import cached_property

import numpy as np
import torch

from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.effects import asks_needed, asks_sufficient
from dnncov_core.criteria.value_function_base import MOST_ALTERNATIVES, Alternative, HalfSpace
from dnncov_core.errors import SpecificationError
from dnncov_core.generators.pattern import Matrix, affine_in_sources, poolings_of
from dnncov_core.generators.programme import LinearCondition, Row
from dnncov_core.networks.network import Network


class EffectRows:
    """The rows for the effect that the covering method of a condition asks for.

    Args:
        network: the network in float64, on the CPU.
        condition: a test condition from one seed.
        alternatives: all alternatives of g2, by which the decision feature can change its value.
    """

    def __init__(self, network: Network, condition: LinearCondition, alternatives: Sequence[Alternative]) -> None:
        self._network, self._condition, self._alternatives = network, condition, alternatives
        self._flips = condition.method.decision is Change.SIGN

    def choices(self, chosen: Alternative) -> Iterator[tuple[Row, ...]]:
        """Groups of rows, of which one has to hold where g2 is to hold by the chosen alternative.

        A change that is sufficient has to make g2 hold by the same alternative.
        """
        effect = self._condition.method.effect
        sufficient = self._sufficient(chosen) if asks_sufficient(effect) else ()
        for needed in self._needed if asks_needed(effect) else [()]:
            yield (*needed, *sufficient)

    @cached_property
    def _needed(self) -> list[tuple[Row, ...]]:
        """With the condition put back, decision signs are those of x1, or no alternative of g2 holds."""
        put_back = self._decision(alone=False)
        if self._flips:
            return [put_back.rows(self._signs(1.0))]
        return [put_back.rows(map(_negated, halves)) for halves in ways_to_fail(self._alternatives)]

    def _sufficient(self, chosen: Alternative) -> tuple[Row, ...]:
        """With the condition's change alone, decision signs change, or the chosen alternative holds and they do not."""
        return self._alone.rows([*self._signs(-1.0 if self._flips else 1.0), *chosen])

    @cached_property
    def _alone(self) -> _DecisionLayer:
        return self._decision(alone=True)

    def _signs(self, side: float) -> list[HalfSpace]:
        """Decision signs are those of x1, or for side -1 the others."""
        decision = self._condition.pair.decision
        u = self._condition.values[decision.layer].u[0]
        return [HalfSpace({j: side if u[j] >= 0 else -side}, 0.0) for j in decision.neurons]

    def _decision(self, *, alone: bool) -> _DecisionLayer:
        """The decision layer with the condition's change alone, or with all changes but it."""
        condition, pair = self._condition, self._condition.pair
        asked = {j for alternative in self._alternatives for half in alternative for j in half.coefficients}
        neurons = sorted(asked.union(pair.decision.neurons))
        pattern = condition.pattern if alone else dataclasses.replace(condition.pattern, flipped={})
        x1, layer = torch.from_numpy(condition.x1)[None], pair.decision.layer
        poolings = poolings_of(self._network, x1, pattern, layer)
        constants, weights = affine_in_sources(self._network, layer, neurons, poolings)
        coefficients: dict[int, Matrix] = {}
        for source, weight in weights.items():
            changed = np.full(weight.shape[1], not alone)
            if source == pair.condition.layer:
                changed[list(pair.condition.neurons)] = alone
            v1 = condition.values[source].v[0].double().numpy()
            constants = constants + weight @ np.where(changed, pattern.intercepts(source), v1)
            coefficients[source] = weight * np.where(changed, pattern.slopes(source), 0.0)
        return _DecisionLayer(neurons, constants, coefficients, condition.margin)


@dataclass(frozen=True)
class _DecisionLayer:
    """u of some of its neurons, ``(m,)``: constants, and coefficients of u[x2] by layer, ``(m, s_k)``."""

    neurons: Sequence[int]
    constants: Matrix
    coefficients: Mapping[int, Matrix]
    margin: float

    def rows(self, half_spaces: Iterable[HalfSpace]) -> tuple[Row, ...]:
        """The half-spaces of its u, with the margin, as rows of u[x2]."""
        return tuple(map(self._row, half_spaces))

    def _row(self, half_space: HalfSpace) -> Row:
        factors = np.array([half_space.coefficients.get(j, 0.0) for j in self.neurons])
        found: dict[tuple[int, int], float] = {}
        for layer, matrix in self.coefficients.items():
            total = factors @ matrix
            found |= {(layer, int(i)): float(total[i]) for i in np.flatnonzero(total)}
        return Row(found, half_space.at_least + self.margin - float(factors @ self.constants))


def _negated(half_space: HalfSpace) -> HalfSpace:
    return HalfSpace({j: -c for j, c in half_space.coefficients.items()}, -half_space.at_least)


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
