"""Test conditions one by one, as the command lists them: text for people, JSON for machines, an entry a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dnncov_core.campaign.file.conditions import SELECTIONS, Status
from dnncov_core.errors import unknown_name
from dnncov_core.phrases.conditions import neuron_words, why
from dnncov_core.statistics import Gap

UNCOVERED_NAMES = ("open", "justified", "proved_infeasible")
"""What is listed if nothing else is asked."""


def statuses_of(names: Sequence[str]) -> set[Status]:
    """The statuses that these names of `SELECTIONS` stand for; all without a witness if there is none.

    Raises:
        SpecificationError: an unknown name.
    """
    for name in names:
        if name not in SELECTIONS:
            raise unknown_name("status", name, SELECTIONS)
    return {status for name in names or UNCOVERED_NAMES for status in SELECTIONS[name]}


def gap_lines(gaps: Iterable[Gap], pool: int) -> Iterator[str]:
    """A heading, and a line for each test condition; ``pool`` is the number of seeds, see `why`."""
    yield f"{'ordinal':>8} {'layers':>8}  {'condition':<20} {'decision':<20} {'status':<18} {'seeds':>5}  why"
    for gap in gaps:
        condition, target = gap.condition, gap.condition.target
        layers = f"{target.condition_layer} to {target.decision_layer}"
        one, two = neuron_words(target.condition_neurons, target.condition_most), neuron_words(target.decision_neurons)
        known = (
            f"{condition.status.value:<18} {condition.seeds_tried:>5}  {why(condition, gap.certificate, seeds=pool)}"
        )
        yield f"{target.ordinal:>8} {layers:>8}  {one:<20} {two:<20} {known}".rstrip()


def gap_json(gaps: Iterable[Gap], pool: int) -> Iterator[str]:
    """The lines of a JSON list of test conditions; ``most`` is given for a free condition feature."""
    before = "["
    for gap in gaps:
        yield before + json.dumps(_entry(gap, pool))
        before = ","
    yield "[]" if before == "[" else "]"


def _entry(gap: Gap, pool: int) -> dict[str, Any]:
    condition, target = gap.condition, gap.condition.target
    return {
        "ordinal": target.ordinal,
        "condition_layer": target.condition_layer,
        "decision_layer": target.decision_layer,
        "condition_neurons": list(target.condition_neurons),
        "most": target.condition_most,
        "decision_neurons": list(target.decision_neurons),
        "status": condition.status.value,
        "seeds_tried": condition.seeds_tried,
        "why": why(condition, gap.certificate, seeds=pool),
    }
