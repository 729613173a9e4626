"""One seed and one pair: fix the pattern, solve, and let the network itself confirm the answer."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria.covering_methods import Change, CoveringMethod
from dnncov_core.errors import NumericsError
from dnncov_core.features import FeaturePair
from dnncov_core.generators.base import Found, Search, Seed, SeedsOf
from dnncov_core.generators.effect_rows import EffectRows
from dnncov_core.generators.pattern import pattern_of, pieces_by_layer
from dnncov_core.generators.programme import LinearCondition, Programme, Solution
from dnncov_core.networks.network import Network
from dnncov_core.records import Attempt, Outcome, Target
from dnncov_core.replay import replay
from dnncov_core.types import FloatArray

MARGIN_STEPS = (1.0, 10.0, 100.0)


@dataclass(frozen=True)
class _Answer:
    """The best of one margin: a confirmed x2 and its distance, or whether there was any, and what the solver said."""

    x2: FloatArray | None
    objective: float | None
    feasible: bool
    doubtful: str


class LinearProgramSearch(Search):
    """Linear programming on one network and one criterion; ``programme`` is the way the optimum is found."""

    def __init__(self, network: Network, criterion: CoveringMethod, *, margin: float, programme: Programme) -> None:
        self._network = network.to(device="cpu")
        self._in_float64 = self._network.to(dtype=torch.float64)
        self._criterion = criterion
        self._margin = margin
        self._programme = programme
        self._pieces = pieces_by_layer(self._network)

    def run(self, targets: Sequence[Target], seeds: SeedsOf) -> Iterator[Found]:
        for target in targets:
            yield self._one_target(target, seeds([target])[0])

    def _one_target(self, target: Target, seeds: Iterable[Seed]) -> Found:
        attempts: list[Attempt] = []
        for seed in seeds:
            try:
                attempt, x2 = self.attempt(FeaturePair.of(target), seed)
            except NumericsError as error:
                attempt, x2 = Attempt(seed.row, Outcome.ERROR, 0.0, message=str(error)), None
            attempts.append(attempt)
            if attempt.outcome is Outcome.FOUND:
                return Found(target, tuple(attempts), seed, x2)
        return Found(target, tuple(attempts))

    def attempt(self, pair: FeaturePair, seed: Seed) -> tuple[Attempt, FloatArray | None]:
        """Solves with growing margins until the network confirms a solution, or there is none to confirm."""
        start = time.perf_counter()
        outcome, message, margin = Outcome.INFEASIBLE_HERE, "", self._margin
        calls: list[tuple[Solution, float]] = []
        for step in MARGIN_STEPS:
            margin = self._margin * step
            answer = self._best(pair, seed, margin, calls)
            if answer.x2 is not None:
                outcome, message = Outcome.FOUND, ""
                break
            if answer.feasible:
                outcome, message = Outcome.UNKNOWN, f"the network loses the solution at margin {margin:g}"
            elif answer.doubtful:
                outcome, message = Outcome.UNKNOWN, f"the solver says {answer.doubtful}"
            if not answer.feasible:
                break
        return (
            Attempt(
                seed=seed.row,
                outcome=outcome,
                seconds=time.perf_counter() - start,
                margin=margin,
                objective=answer.objective,
                calls=len(calls),
                variables=max((solution.variables for solution, _ in calls), default=None),
                constraints=max((solution.constraints for solution, _ in calls), default=None),
                iterations=sum(solution.iterations for solution, _ in calls),
                solver_seconds=sum(seconds for _, seconds in calls),
                message=message,
            ),
            answer.x2,
        )

    def conditions(self, pair: FeaturePair, seed: Seed, margin: float) -> Iterator[LinearCondition]:
        """The programmes of one seed: one for each combination of alternatives of the value functions."""
        k, decision = pair.condition.layer, pair.decision.layer
        ancestors = self._network.graph.ancestors
        fixed = sorted(ancestors[decision] | ancestors[k] | {k})
        x1 = torch.from_numpy(seed.x)[None]
        with torch.no_grad():
            values = capture(self._network, x1, {*fixed, decision})
            flip = (k, pair.condition.neurons) if self._criterion.condition is Change.SIGN else None
            pattern = pattern_of(self._pieces, values, fixed, flip)
        condition = LinearCondition(
            pair, self._criterion, seed.x.astype(np.float64), values, pattern, self._network.bounds, margin
        )
        firsts = self._criterion.g1.at(k, [pair.condition.neurons]).alternatives(values[k], pair.condition.neurons)
        g2 = self._criterion.g2.at(decision, [pair.decision.neurons])
        seconds = list(g2.alternatives(values[decision], pair.decision.neurons))
        effect = EffectRows(self._in_float64, condition, seconds)
        for first, second in itertools.product(firsts, seconds):
            for rows in effect.choices(second):
                yield replace(condition, condition_alternative=first, decision_alternative=second, rows=rows)

    def _best(self, pair: FeaturePair, seed: Seed, margin: float, calls: list[tuple[Solution, float]]) -> _Answer:
        """The nearest confirmed solution over all alternatives; each programme is added to calls, with its seconds."""
        best = _Answer(None, None, False, "")
        for condition in self.conditions(pair, seed, margin):
            start = time.perf_counter()
            solution = self._programme.solve(condition)
            calls.append((solution, time.perf_counter() - start))
            if solution.x2 is None or solution.objective is None:
                said = "" if solution.status == "Infeasible" else solution.status
                best = replace(best, doubtful=best.doubtful or said)
                continue
            best = replace(best, feasible=True)
            x2 = self._as_input(solution.x2, seed.x)
            nearer = best.objective is None or solution.objective < best.objective
            if nearer and replay(self._network, self._criterion, pair, seed.x, x2):
                best = replace(best, x2=x2, objective=solution.objective)
        return best

    def _as_input(self, x2: FloatArray, x1: FloatArray) -> FloatArray:
        """The solution in the network's shape and precision, within the box."""
        return x2.clip(*self._network.bounds).astype(x1.dtype).clip(*self._network.bounds).reshape(x1.shape)
