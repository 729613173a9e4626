"""Searches that move a batch of targets and seeds at the same time, as one forward or backward pass for all."""

from __future__ import annotations

import itertools
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import call

import torch
from torch import Tensor

from dnncov_core.activations import capture, side_by_side
from dnncov_core.criteria import CoveringMethod
from dnncov_core.errors import NetworkError, NumericsError
from dnncov_core.features import FeaturePair
from dnncov_core.generators.base import Found, Parameters, Search, Seed, SeedsOf
from dnncov_core.generators.shortfall import check_functions
from dnncov_core.interventions import layers_for
from dnncov_core.networks.memory import fitting_batch, for_gradients, is_out_of_memory
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Attempt, Outcome, Target
from dnncov_core.replay import Replay
from dnncov_core.types import FloatArray

MOST_SEEDS = 8
"""Seeds of one target at the same time, where few targets are left and the first seeds failed."""

LEAST_LEFT = 4
"""With fewer passes left, no attempt begins: a forward pass of x1 and a backward pass for each part that it lacks."""

WHOLE_ATTEMPT = 40
"""Passes of an attempt that ends without success; several seeds at the same time are given as many each."""


def _refuse_without_gradients(network: Network) -> None:
    """Refuses a network with a cast to whole numbers, or the like, between the input and a layer."""
    x = torch.zeros(1, *network.input_shape, device=network.device, dtype=network.dtype, requires_grad=True)
    with torch.enable_grad():
        values = capture(network, x)
    for layer, found in values.items():
        if not found.u.requires_grad:
            got = f"none from layer {layer} ({network.layers[layer - 1].name})"
            fix = "leave casts to whole numbers out of forward, or choose linear programming"
            raise NetworkError("gradients from each layer to the input, for gradient searches", got, fix)


@dataclass(frozen=True)
class Slot:
    """One seed of one target, and the passes that are left for it."""

    pair: FeaturePair
    seed: Seed
    passes: int


@dataclass(frozen=True)
class SlotAnswer:
    """The result of a slot: x2 ``input_shape`` if one covers, whether it meets the objective too, and passes spent.

    ``error`` says why it was not tried.
    """

    x2: FloatArray | None
    complete: bool
    passes: int
    error: str = ""


_Tried = tuple[Attempt, FloatArray | None, bool]
"""The record of a slot, x2 if the network confirms it, and whether it is complete."""


@dataclass
class _Job:
    """A target at work: its seeds, its attempts, and the best x2 so far."""

    target: Target
    seeds: Iterator[Seed]
    attempts: list[Attempt] = field(default_factory=list)
    best: tuple[Attempt, Seed, FloatArray] | None = None
    done: bool = False
    spent: int = 0

    def settle(self, slot: Slot, answer: SlotAnswer, tried: _Tried) -> None:
        """Takes what came of a seed."""
        attempt, x2, complete = tried
        self.attempts.append(attempt)
        self.spent += answer.passes
        if x2 is None:
            return
        if self.best is None or (complete and not self.done):
            self.best = attempt, slot.seed, x2
        self.done = self.done or complete

    def found(self) -> Found:
        if self.best is None:
            return Found(self.target, tuple(self.attempts))
        attempt, seed, x2 = self.best
        others = tuple(other for other in self.attempts if other is not attempt)
        return Found(self.target, (*others, attempt), seed, x2)


class BatchedSearch(Search):
    """Deals targets and seeds to slots, tries all slots at the same time, and lets the network confirm each answer.

    Args:
        network: on the device of the search.
        criterion: the covering method.
        parameters: the campaign's.

    Raises:
        SpecificationError: a value function without gradients.
        NetworkError: a layer that no gradient reaches the input from.
    """

    def __init__(self, network: Network, criterion: CoveringMethod, parameters: Parameters) -> None:
        check_functions(criterion)
        _refuse_without_gradients(network)
        self.network = for_gradients(network)
        self.criterion, self.parameters = criterion, parameters
        self.batch = parameters.batch or fitting_batch(self.network)
        self._slots = self.batch
        self._oracle = Oracle(parameters.norm, parameters.bound)
        self._on_cpu = network.to(device="cpu")
        self._jobs: dict[int, _Job] = {}

    def passes_left(self, target: Target) -> int:
        return self.parameters.passes - self._jobs[target.ordinal].spent

    def run(self, targets: Sequence[Target], seeds: SeedsOf) -> Iterator[Found]:
        jobs = [_Job(target, iter(those)) for target, those in zip(targets, seeds(targets), strict=True)]
        self._jobs = {job.target.ordinal: job for job in jobs}
        while dealt := self._deal([job for job in jobs if not job.done]):
            start = time.perf_counter()
            slots = [slot for _, slot in dealt]
            answers = self._try(slots)
            seconds = (time.perf_counter() - start) / len(dealt)
            asked = [partial(self._attempt, *each, seconds) for each in zip(slots, answers, strict=True)]
            attempts = side_by_side(self._on_cpu, call, asked)
            for (job, slot), answer, tried in zip(dealt, answers, attempts, strict=True):
                job.settle(slot, answer, tried)
        for job in jobs:
            yield job.found()

    def _deal(self, jobs: Sequence[_Job]) -> list[tuple[_Job, Slot]]:
        """The next seed of each target, or several where there are more slots than targets."""
        room = min(MOST_SEEDS, self._slots // max(1, len(jobs)))
        dealt: list[tuple[_Job, Slot]] = []
        for job in jobs:
            whole = (self.parameters.passes - job.spent) // WHOLE_ATTEMPT
            seeds = list(itertools.islice(job.seeds, max(1, min(room, len(job.attempts), whole))))
            job.spent += sum(seed.passes for seed in seeds)
            left = (self.parameters.passes - job.spent) // max(1, len(seeds))
            job.done = not seeds or left < LEAST_LEFT
            if not job.done:
                dealt += [(job, Slot(FeaturePair.of(job.target), seed, left)) for seed in seeds]
        return dealt

    def _attempt(self, slot: Slot, answer: SlotAnswer, seconds: float) -> _Tried:
        """What became of a slot, as the network says, asked alone on the CPU."""
        outcome, message = Outcome.ERROR if answer.error else Outcome.EXHAUSTED, answer.error
        x2, x1, objective, labelled = answer.x2, slot.seed.x, self.parameters.objective, False
        asks_label = objective != "distance"
        if x2 is not None:
            try:
                layers = layers_for(self._on_cpu, slot.pair) | ({self._on_cpu.depth} if asks_label else set())
                replayed = Replay(self._on_cpu, self.criterion, x1, x2, layers)
                covers = replayed.covers(slot.pair)
                labelled = covers and (not asks_label or self._oracle.of_replay(replayed).adversarial)
                outcome = Outcome.FOUND if labelled or (covers and objective == "prefer") else Outcome.UNKNOWN
                message = "" if outcome is Outcome.FOUND else "the network does not confirm x2 when it is sent alone"
            except NumericsError as error:
                outcome, message = Outcome.ERROR, str(error)
        passes, margin = slot.seed.passes + answer.passes, self.parameters.margin
        attempt = Attempt(slot.seed.row, outcome, seconds, margin=margin, passes=passes, message=message)
        return attempt, x2 if outcome is Outcome.FOUND else None, answer.complete and labelled

    def _try(self, slots: Sequence[Slot]) -> Sequence[SlotAnswer]:
        """Answers of all slots; in halves where memory runs out, and from then on fewer at the same time."""
        if len(slots) > self._slots:
            return [*self._try(slots[: self._slots]), *self._try(slots[self._slots :])]
        try:
            return self._answers(slots)
        except RuntimeError as raised:
            if not is_out_of_memory(raised):
                raise
            if len(slots) == 1:
                error = "out of memory with a single input; free memory or choose device cpu, then resume"
                return [SlotAnswer(None, False, 0, error)]
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        self._slots = -(-len(slots) // 2)
        return self._try(slots)

    @abstractmethod
    def _answers(self, slots: Sequence[Slot]) -> Sequence[SlotAnswer]:
        """Tries all slots at the same time."""

    def inputs(self, slots: Sequence[Slot]) -> Tensor:
        """The seeds of the slots on the device of the search, ``(batch, *input_shape)``."""
        x = torch.stack([torch.from_numpy(slot.seed.x) for slot in slots])
        return x.to(self.network.device, self.network.dtype)

    def results(self, x2: Tensor, *, covers: Tensor, complete: Tensor, passes: Tensor) -> list[SlotAnswer]:
        """The answers of all slots: x2 ``(batch, *input_shape)`` where it covers, and ``(batch,)`` of the others."""
        each = zip(x2, covers.tolist(), complete.tolist(), passes.tolist(), strict=True)
        return [SlotAnswer(self.as_input(x) if covered else None, whole, spent) for x, covered, whole, spent in each]

    def as_input(self, x2: Tensor) -> FloatArray:
        """x2 as it is stored: on the CPU, in the bounds, on the grid, and in the network's own precision."""
        found: FloatArray = x2.detach().cpu().to(self._on_cpu.dtype).numpy()
        return self.parameters.grid.nearest(found).clip(*self.network.bounds).astype(found.dtype)
