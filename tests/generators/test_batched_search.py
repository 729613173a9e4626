"""Dealing targets and seeds to slots: order, budget, memory, and the network's own word."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch

from dnncov_core.criteria import CRITERIA
from dnncov_core.features import FeaturePair, FeaturePairs
from dnncov_core.generators.base import Found, Seed
from dnncov_core.generators.batched_search import WHOLE_ATTEMPT, BatchedSearch, Slot, SlotAnswer
from dnncov_core.networks.network import Network
from dnncov_core.records import Outcome, Target
from tests.builders import parameters
from tests.networks_for_tests import toy_network

WITNESS = np.array([0.1, 0.0]), np.array([0.0, -1.0])
"""Covers the pair of neurons 0 of layers 2 and 3 by SS, as the paper says."""


class Scripted(BatchedSearch):
    """Answers as a function of the slot says, and remembers what it was asked."""

    def __init__(self, answer: Callable[[Slot], SlotAnswer], most: int = 99, **changes: object) -> None:
        super().__init__(toy_network(), CRITERIA["ss"], parameters(**{"passes": 100, "batch": 4, **changes}))
        self.answer, self.most, self.asked = answer, most, []

    def _answers(self, slots: Sequence[Slot]) -> list[SlotAnswer]:
        if len(slots) > self.most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        self.asked.append([slot.seed.row for slot in slots])
        return [self.answer(slot) for slot in slots]


def targets(n: int) -> list[Target]:
    network = toy_network()
    pairs = FeaturePairs(network.layers, network.edges)
    assert pairs[0] == FeaturePair(pairs[0].condition, pairs[0].decision)
    return [pairs[i].target(i) for i in range(n)]


def seeds(rows: range = range(20)) -> Callable[[Sequence[Target]], list[list[Seed]]]:
    return lambda some: [[Seed(row, WITNESS[0]) for row in rows] for _ in some]


def nothing(slot: Slot) -> SlotAnswer:
    return SlotAnswer(None, False, 10)


def run(search: Scripted, n: int, rows: range = range(20)) -> list[Found]:
    return list(search.run(targets(n), seeds(rows)))


def test_seeds_come_in_order_and_more_at_a_time_when_slots_are_free() -> None:
    search = Scripted(nothing, passes=1000)
    (found,) = run(search, 1, range(9))
    assert search.asked == [[0], [1], [2, 3], [4, 5, 6, 7], [8]]
    assert [attempt.seed for attempt in found.attempts] == list(range(9))
    assert {attempt.outcome for attempt in found.attempts} == {Outcome.EXHAUSTED}


def test_seeds_share_a_budget_only_if_each_gets_a_whole_attempt() -> None:
    search = Scripted(lambda slot: SlotAnswer(None, False, min(slot.passes, WHOLE_ATTEMPT)), passes=5 * WHOLE_ATTEMPT)
    run(search, 1, range(9))
    assert search.asked == [[0], [1], [2, 3], [4]]


def test_every_target_has_a_slot_first() -> None:
    search = Scripted(nothing, passes=30)
    run(search, 3, range(5))
    assert search.asked[:2] == [[0, 0, 0], [1, 1, 1]]


@pytest.mark.parametrize("budget", [9, 25, 100])
def test_no_slot_is_given_more_passes_than_its_target_has_left(budget: int) -> None:
    left: list[int] = []

    def spend(slot: Slot) -> SlotAnswer:
        left.append(slot.passes)
        return SlotAnswer(None, False, min(slot.passes, 10))

    (found,) = run(Scripted(spend, passes=budget), 1)
    assert sum(attempt.passes or 0 for attempt in found.attempts) <= budget
    assert all(1 <= passes <= budget for passes in left)


def test_passes_of_the_ranking_count() -> None:
    search = Scripted(nothing, passes=35)

    def ranked(some: Sequence[Target]) -> list[list[Seed]]:
        return [[Seed(row, WITNESS[0], passes=12 if row == 0 else 0) for row in range(9)] for _ in some]

    (found,) = search.run(targets(1), ranked)
    assert [attempt.passes for attempt in found.attempts] == [22, 10]


def test_out_of_memory_halves_the_batch_and_gives_the_same_answers() -> None:
    def answer(slot: Slot) -> SlotAnswer:
        return SlotAnswer(WITNESS[1] if slot.seed.row == 3 else None, slot.seed.row == 3, 1)

    plenty, scarce = Scripted(answer, batch=8), Scripted(answer, batch=8, most=2)
    first, second = run(plenty, 1), run(scarce, 1)
    assert max(map(len, scarce.asked)) <= 2
    assert [found.seed and found.seed.row for found in (*first, *second)] == [3, 3]


def test_out_of_memory_with_one_input_is_an_error_of_the_attempt_alone() -> None:
    found = run(Scripted(nothing, most=0), 2, range(2))
    assert [attempt.outcome for each in found for attempt in each.attempts] == [Outcome.ERROR] * 4
    assert "out of memory with a single input" in found[0].attempts[0].message


def test_what_the_network_does_not_confirm_is_not_found_and_the_next_seed_is_tried() -> None:
    def answer(slot: Slot) -> SlotAnswer:
        return SlotAnswer(WITNESS[0] if slot.seed.row == 0 else WITNESS[1], True, 1)

    (found,) = run(Scripted(answer), 1)
    assert [attempt.outcome for attempt in found.attempts] == [Outcome.UNKNOWN, Outcome.FOUND]
    assert found.seed is not None
    assert found.seed.row == 1


def test_an_answer_that_misses_the_objective_is_kept_until_a_better_one_comes() -> None:
    def answer(slot: Slot) -> SlotAnswer:
        return SlotAnswer(WITNESS[1], slot.seed.row == 2, 1)

    (found,) = run(Scripted(answer), 1)
    assert found.seed is not None
    assert found.seed.row == 2
    (fallback,) = run(Scripted(lambda slot: SlotAnswer(WITNESS[1], False, 1)), 1, range(4))
    assert fallback.seed is not None
    assert fallback.seed.row == 0
    assert len(fallback.attempts) == 4
    assert fallback.attempts[-1].seed == 0


def test_another_error_is_not_taken_for_memory() -> None:
    class Broken(Scripted):
        def _answers(self, slots: Sequence[Slot]) -> list[SlotAnswer]:
            raise RuntimeError("shape '[3]' is invalid")

    with pytest.raises(RuntimeError, match="invalid"):
        run(Broken(nothing), 1)


def test_results_come_in_the_order_of_the_targets() -> None:
    network: Network = toy_network()
    assert network.depth == 4
    found = run(Scripted(nothing, passes=10), 5)
    assert [each.target for each in found] == targets(5)


@pytest.mark.parametrize("objective", ["adversarial", "prefer"])
def test_another_label_counts_only_if_the_network_asked_alone_gives_it(objective: str) -> None:
    """The witness has the seed's label, whatever the search says: the next seeds are tried."""
    search = Scripted(lambda slot: SlotAnswer(WITNESS[1], True, 10), objective=objective, passes=40)
    (found,) = run(search, 1)
    assert [attempt.seed for attempt in found.attempts] == [1, 2, 3, 0] if objective == "prefer" else [0, 1, 2, 3]
    outcomes = [attempt.outcome for attempt in found.attempts]
    if objective == "adversarial":
        assert outcomes == [Outcome.UNKNOWN] * 4
        assert found.x2 is None
    else:
        assert outcomes[-1] is Outcome.FOUND
        assert found.seed is not None
        assert found.seed.row == 0
