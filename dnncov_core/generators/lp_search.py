"""One seed and one pair: fix the pattern, solve, and let the network itself confirm the answer."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch

from dnncov_core.activations import capture, one_thread
from dnncov_core.criteria.covering_methods import Change, CoveringMethod
from dnncov_core.errors import NumericsError
from dnncov_core.features import FeaturePair
from dnncov_core.generators.base import Found, Search, Seed, SeedsOf
from dnncov_core.generators.effect_rows import effect_rows
from dnncov_core.generators.label_rows import LabelRows
from dnncov_core.generators.lockstep import Asked, Asking, in_step
from dnncov_core.generators.pattern import IntoLayers, pattern_of, pieces_by_layer
from dnncov_core.generators.programme import LinearCondition, Programme, Solution
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Attempt, Outcome, Target
from dnncov_core.types import FloatArray

MARGIN_STEPS = (1.0, 10.0, 100.0)
PREFERRED = 12
"""Seeds from which another label is looked for where the test condition alone is met already."""
WITHOUT_LABEL = "the test condition holds, but x2 is not adversarial"


@dataclass
class _Answer:
    """What the programmes of one seed come to at one margin, and all that were solved for the seed, with seconds.

    ``x2`` is the best that the network confirms, first by whether it has another label within the bound where the
    objective wants one, then by its distance. ``feasible`` says whether there was any to confirm, ``doubtful`` what the
    solver said where it found neither an x2 nor that there is none. The seconds ``elsewhere`` went to other seeds.
    """

    seed: Seed
    solved: list[tuple[Solution, float]]
    elsewhere: float = 0.0
    x2: FloatArray | None = None
    objective: float = math.inf
    labelled: bool = False
    feasible: bool = False
    doubtful: str = ""

    def solve(self, programme: Programme, condition: LinearCondition) -> Asking[Solution]:
        """Has one more programme solved."""
        asked = time.perf_counter()
        solution, seconds = yield Asked(programme, condition)
        self.solved.append((solution, seconds))
        self.elsewhere += time.perf_counter() - asked - seconds
        return solution

    def note(self, solution: Solution, *, feasible: bool) -> None:
        """What a solution says, if it counts as one to be confirmed, or that there is none."""
        if solution.x2 is not None:
            self.feasible |= feasible
        elif solution.status != "Infeasible":
            self.doubtful = self.doubtful or solution.status

    def attempt(self, start: float, **ended: Any) -> Attempt:
        """The record of the seed, begun at this time."""
        return Attempt(
            seed=self.seed.row,
            seconds=time.perf_counter() - start - self.elsewhere,
            objective=None if self.x2 is None else self.objective,
            calls=len(self.solved),
            variables=max((solution.variables for solution, _ in self.solved), default=None),
            constraints=max((solution.constraints for solution, _ in self.solved), default=None),
            iterations=sum(solution.iterations for solution, _ in self.solved),
            solver_seconds=sum(seconds for _, seconds in self.solved),
            **ended,
        )


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
        self._pieces, self._into = pieces_by_layer(self._network), IntoLayers(self._in_float64)

    def run(self, targets: Sequence[Target], seeds: SeedsOf) -> Iterator[Found]:
        yield from in_step([self._one_target(*each) for each in zip(targets, seeds(targets), strict=True)])

    def _one_target(self, target: Target, seeds: Iterable[Seed]) -> Asking[Found]:
        tried: list[_Tried] = []
        for seed in seeds:
            try:
                tried.append(_Tried(seed, *(yield from self.attempting(FeaturePair.of(target), seed))))
            except NumericsError as error:
                tried.append(_Tried(seed, Attempt(seed.row, Outcome.ERROR, 0.0, message=str(error)), None))
            if _are_enough(tried):
                break
        return _found(target, tried)

    def attempt(self, pair: FeaturePair, seed: Seed) -> tuple[Attempt, FloatArray | None]:
        """One attempt alone, and its x2 if the network confirms one."""
        (found,) = in_step([self.attempting(pair, seed)])
        return found

    def attempting(self, pair: FeaturePair, seed: Seed) -> Asking[tuple[Attempt, FloatArray | None]]:
        """Solves with growing margins until the network confirms a solution, or there is none to confirm.

        A success without the other label that is preferred says so in its message.
        """
        start = time.perf_counter()
        outcome, message, answer = Outcome.INFEASIBLE_HERE, "", _Answer(seed, [])
        for step in MARGIN_STEPS:
            margin = self._margin * step
            answer = yield from self._best(pair, _Answer(seed, answer.solved, answer.elsewhere), margin)
            if answer.x2 is not None:
                lesser = self._objective == "prefer" and not answer.labelled
                outcome, message = Outcome.FOUND, WITHOUT_LABEL if lesser else ""
                break
            if answer.feasible:
                outcome, message = Outcome.UNKNOWN, f"the network loses the solution at margin {margin:g}"
            elif answer.doubtful:
                outcome, message = Outcome.UNKNOWN, f"the solver says {answer.doubtful}"
            if not answer.feasible:
                break
        return answer.attempt(start, outcome=outcome, margin=margin, message=message), answer.x2

    def conditions(self, pair: FeaturePair, seed: Seed, margin: float) -> Iterator[LinearCondition]:
        """The programmes of one seed: one for each combination of alternatives of the value functions."""
        k, decision = pair.condition.layer, pair.decision.layer
        ancestors = self._network.graph.ancestors
        fixed = sorted(ancestors[decision] | ancestors[k] | {k})
        x1 = torch.from_numpy(seed.x)[None]
        with torch.no_grad(), one_thread():
            values = capture(self._network, x1, {*fixed, decision})
            flip = (k, pair.condition.neurons) if self._criterion.condition is Change.SIGN else None
            pattern = pattern_of(self._pieces, values, fixed, flip)
        condition = LinearCondition(
            pair, self._criterion, seed.x.astype(np.float64), values, pattern, self._network.bounds, margin
        )
        firsts = self._criterion.g1.at(k, [pair.condition.neurons]).alternatives(values[k], pair.condition.neurons)
        g2 = self._criterion.g2.at(decision, [pair.decision.neurons])
        seconds = effect_rows(self._into, condition, list(g2.alternatives(values[decision], pair.decision.neurons)))
        for first, (second, rows) in itertools.product(firsts, seconds):
            yield replace(condition, condition_alternative=first, decision_alternative=second, rows=rows)

    def _best(self, pair: FeaturePair, answer: _Answer, margin: float) -> Asking[_Answer]:
        """The answer with the best confirmed solution over all alternatives."""
        for condition in self.conditions(pair, answer.seed, margin):
            within = replace(condition, bound=self._oracle.bound, oracle=self._oracle)
            if self._objective == "adversarial":
                alone = yield from answer.solve(self._programme.relaxed, within)
                answer.note(alone, feasible=False)
            else:
                alone = yield from answer.solve(self._programme, condition)
                self._judge(answer, condition, alone)
            if self._objective != "distance" and alone.x2 is not None:
                yield from self._look_for_labels(answer, within, alone.x2)
        return answer

    def _look_for_labels(self, answer: _Answer, condition: LinearCondition, start: FloatArray) -> Asking[None]:
        """Solutions of other labels that are nearer than the best so far of another label."""
        rows, relaxed = LabelRows(self._in_float64, condition), self._programme.relaxed
        for label in rows.labels():
            nearer = replace(condition, bound=answer.objective) if answer.labelled else condition
            asked, solution, settled = yield from rows.nearest(label, start, nearer, partial(answer.solve, relaxed))
            if solution.x2 is not None and relaxed is not self._programme:
                solution = yield from answer.solve(self._programme, asked)
            self._judge(answer, asked, solution, feasible=settled)

    def _judge(self, answer: _Answer, asked: LinearCondition, solution: Solution, *, feasible: bool = True) -> None:
        """Takes a solution if it is better than the best so far and the network confirms it."""
        answer.note(solution, feasible=feasible)
        if solution.x2 is None or solution.objective is None:
            return
        x1, labelled = answer.seed.x, asked.oracle is not None
        x2 = solution.x2.clip(*self._network.bounds).astype(x1.dtype).clip(*self._network.bounds).reshape(x1.shape)
        better = (not labelled, solution.objective) < (not answer.labelled, answer.objective)
        if better and asked.holds(self._network, x1, x2):
            answer.x2, answer.objective, answer.labelled = x2, solution.objective, labelled


class _Tried(NamedTuple):
    """One seed of a target, and what came of it."""

    seed: Seed
    attempt: Attempt
    x2: FloatArray | None


def _are_enough(tried: Sequence[_Tried]) -> bool:
    """Whether no more seeds are tried: after a success, or enough seeds where all are without another label."""
    last = tried[-1]
    whole = last.x2 is not None and not last.attempt.message
    return whole or (len(tried) >= PREFERRED and any(each.x2 is not None for each in tried))


def _found(target: Target, tried: Sequence[_Tried]) -> Found:
    """The best success as the last attempt, after all others."""
    successes = [each for each in tried if each.x2 is not None]
    if not successes:
        return Found(target, tuple(each.attempt for each in tried))
    best = min(successes, key=lambda each: (each.attempt.message, each.attempt.objective))
    lesser = Outcome.UNKNOWN
    others = [replace(a, outcome=lesser) if x2 is not None else a for _, a, x2 in tried if a is not best.attempt]
    return Found(target, (*others, replace(best.attempt, message="")), best.seed, best.x2)
