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
from dnncov_core.generators.label_rows import LabelRows
from dnncov_core.generators.pattern import pattern_of, pieces_by_layer
from dnncov_core.generators.programme import LinearCondition, Programme, Solution
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Attempt, Outcome, Target
from dnncov_core.types import FloatArray

MARGIN_STEPS = (1.0, 10.0, 100.0)
PREFERRED = 12
"""Seeds from which another label is looked for where the test condition alone is met already."""
WITHOUT_LABEL = "the test condition holds, but not with another label within the bound"


@dataclass(frozen=True)
class _Answer:
    """The best of one margin: a confirmed x2 and its distance, or whether there was any, and what the solver said.

    ``labelled`` says whether x2 has another label within the bound; it is asked only where the objective wants one.
    """

    x2: FloatArray | None = None
    objective: float | None = None
    labelled: bool = False
    feasible: bool = False
    doubtful: str = ""

    def after(self, solution: Solution, *, feasible: bool = False) -> _Answer:
        """What is known after one more solution, if it counts as one to be confirmed, or one more answer of none."""
        if solution.x2 is not None:
            return replace(self, feasible=self.feasible or feasible)
        said = "" if solution.status == "Infeasible" else solution.status
        return replace(self, doubtful=self.doubtful or said)

    def worse_than(self, objective: float, *, labelled: bool) -> bool:
        """Whether a solution would be better: first by its label, then by its distance."""
        if self.objective is None or labelled != self.labelled:
            return self.objective is None or labelled
        return objective < self.objective


class _Calls(list[tuple[Solution, float]]):
    """The programmes solved for one attempt: their solutions, with seconds."""

    def solve(self, programme: Programme, condition: LinearCondition) -> Solution:
        """Solves one more."""
        start = time.perf_counter()
        solution = programme.solve(condition)
        self.append((solution, time.perf_counter() - start))
        return solution


class LinearProgramSearch(Search):
    """Linear programming on one network and one criterion.

    Args:
        network: the network.
        criterion: the covering method.
        margin: least |u| where a sign is asked for.
        programme: the way the optimum is found.
        objective: one of `OBJECTIVES`.
        oracle: by which another label is one within the bound.
    """

    def __init__(
        self,
        network: Network,
        criterion: CoveringMethod,
        *,
        margin: float,
        programme: Programme,
        objective: str = "distance",
        oracle: Oracle = Oracle(),  # noqa: B008 - frozen
    ) -> None:
        self._network = network.to(device="cpu")
        self._in_float64 = self._network.to(dtype=torch.float64)
        self._criterion = criterion
        self._margin = margin
        self._programme = programme
        self._objective, self._oracle = objective, oracle
        self._pieces = pieces_by_layer(self._network)

    def run(self, targets: Sequence[Target], seeds: SeedsOf) -> Iterator[Found]:
        for target in targets:
            yield self._one_target(target, seeds([target])[0])

    def _one_target(self, target: Target, seeds: Iterable[Seed]) -> Found:
        tried: list[_Tried] = []
        for seed in seeds:
            try:
                attempt, answer = self._attempt(FeaturePair.of(target), seed)
            except NumericsError as error:
                attempt, answer = Attempt(seed.row, Outcome.ERROR, 0.0, message=str(error)), _Answer()
            tried.append(_Tried(attempt, seed, answer))
            if self._is_enough(tried):
                break
        return _found(target, tried)

    def _is_enough(self, tried: Sequence[_Tried]) -> bool:
        """Whether no more seeds are tried: after a success, of which one without another label may be a lesser one."""
        last = tried[-1].answer
        if self._objective == "prefer" and not last.labelled:
            return len(tried) >= PREFERRED and any(each.answer.x2 is not None for each in tried)
        return last.x2 is not None

    def attempt(self, pair: FeaturePair, seed: Seed) -> tuple[Attempt, FloatArray | None]:
        """Solves with growing margins until the network confirms a solution, or there is none to confirm."""
        attempt, answer = self._attempt(pair, seed)
        return attempt, answer.x2

    def _attempt(self, pair: FeaturePair, seed: Seed) -> tuple[Attempt, _Answer]:
        start = time.perf_counter()
        outcome, message, margin = Outcome.INFEASIBLE_HERE, "", self._margin
        calls = _Calls()
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
            answer,
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

    def _best(self, pair: FeaturePair, seed: Seed, margin: float, calls: _Calls) -> _Answer:
        """The best confirmed solution over all alternatives; each programme is added to calls."""
        best = _Answer()
        for condition in self.conditions(pair, seed, margin):
            within = replace(condition, bound=self._oracle.bound, oracle=self._oracle)
            if self._objective == "adversarial":
                alone = calls.solve(self._programme.relaxed, within)
                best = best.after(alone)
            else:
                alone = calls.solve(self._programme, condition)
                best = self._judged(best.after(alone, feasible=True), condition, alone, seed)
            if self._objective != "distance" and alone.x2 is not None:
                best = self._with_other_labels(best, within, alone.x2, seed, calls)
        return best

    def _with_other_labels(
        self, best: _Answer, condition: LinearCondition, start: FloatArray, seed: Seed, calls: _Calls
    ) -> _Answer:
        """The best so far, or a nearer solution of another label."""
        rows, relaxed = LabelRows(self._in_float64, condition), self._programme.relaxed
        for label in rows.labels():
            nearer = replace(condition, bound=best.objective) if best.labelled else condition
            asked, solution, settled = rows.nearest(label, start, nearer, lambda each: calls.solve(relaxed, each))
            if solution.x2 is not None and relaxed is not self._programme:
                solution = calls.solve(self._programme, asked)
            best = self._judged(best.after(solution, feasible=settled), asked, solution, seed)
        return best

    def _judged(self, best: _Answer, asked: LinearCondition, solution: Solution, seed: Seed) -> _Answer:
        """The best so far, or this solution if it is better and the network confirms it."""
        if solution.x2 is None or solution.objective is None:
            return best
        x2, labelled = self._as_input(solution.x2, seed.x), asked.oracle is not None
        if best.worse_than(solution.objective, labelled=labelled) and asked.holds(self._network, seed.x, x2):
            return replace(best, x2=x2, objective=solution.objective, labelled=labelled)
        return best

    def _as_input(self, x2: FloatArray, x1: FloatArray) -> FloatArray:
        """The solution in the network's shape and precision, within the box."""
        return x2.clip(*self._network.bounds).astype(x1.dtype).clip(*self._network.bounds).reshape(x1.shape)


@dataclass(frozen=True)
class _Tried:
    """One seed of a target, and what came of it."""

    attempt: Attempt
    seed: Seed
    answer: _Answer


def _found(target: Target, tried: Sequence[_Tried]) -> Found:
    """The best success as the last attempt, after all others."""
    successes = [each for each in tried if each.answer.x2 is not None]
    if not successes:
        return Found(target, tuple(each.attempt for each in tried))
    best = min(successes, key=lambda each: (not each.answer.labelled, each.answer.objective))
    others = [each.attempt for each in tried if each is not best]
    lesser = [
        replace(attempt, outcome=Outcome.UNKNOWN, message=WITHOUT_LABEL)
        if attempt.outcome is Outcome.FOUND
        else attempt
        for attempt in others
    ]
    return Found(target, (*lesser, best.attempt), best.seed, best.answer.x2)
