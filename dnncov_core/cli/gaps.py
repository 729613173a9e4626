"""``dnncov gaps``: test conditions one by one, an entry a line, as text or as JSON."""

from __future__ import annotations

import argparse
import dataclasses
import heapq
import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from dnncov_core.campaign.file.conditions import COVERED, OPEN, SELECTIONS, ConditionRecord, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.options import FILE, JSON, Option, say, some_of, subcommand, whole_numbers
from dnncov_core.errors import SpecificationError, unknown_name
from dnncov_core.gate.coverage import Counts
from dnncov_core.phrases.conditions import history_words, refuted_words, why
from dnncov_core.phrases.coverage import have_witness
from dnncov_core.phrases.effect import with_effect
from dnncov_core.phrases.neurons import has_places, neuron_words
from dnncov_core.phrases.numbers import counted
from dnncov_core.records import NetworkCard
from dnncov_core.statistics.coverage import CoverageTable, coverage_table
from dnncov_core.statistics.gaps import Gap, every_gap, gap_table

UNCOVERED_NAMES = ("open", "justified", "proved_infeasible")
"""What is listed if nothing else is asked."""
REFUTED = "refuted"
"""The name of covered conditions whose witness refutes a justification; their status is that of others covered."""


@subcommand(
    FILE,
    JSON,
    some_of("--status", [*SELECTIONS, REFUTED], (), "all that are not covered"),
    Option("--layers", type=whole_numbers, default=(), metavar="3,4", help="only these decision layers"),
    Option("--history", action="store_true", help="list every justification ever given, and what became of it"),
)
def command(options: argparse.Namespace) -> None:
    """List test conditions with their ordinals: what is not covered, and why."""
    if options.history:
        _print_history(options)
    else:
        _print_conditions(options)


def _print_conditions(options: argparse.Namespace) -> None:
    """Lists the test conditions that are asked for, and says how many of all they are."""
    statuses, layers = _statuses(options.status), options.layers
    with CampaignStore(options.file) as store, store.at_one_moment():
        table, spec, card = gap_table(store), store.spec(), store.card()
        reason = partial(why, card=card, seeds=store.prepared.pool(), effect=spec.effect)
        refuted = store.conditions.refuted()
        beside = _refuted_beside(refuted, statuses, layers) if REFUTED in options.status else []
        gaps = heapq.merge(every_gap(store, layers=layers, statuses=statuses), beside, key=_ordinal)
        n = table.matching(statuses=statuses, layers=layers) + len(beside)
        if n or options.json:
            for line in _json(gaps, reason) if options.json else _lines(gaps, reason, card):
                print(line)
        coverage = coverage_table(store)
    print(f"{n:,} of {counted(table.total.total, 'test condition')}", file=sys.stderr)
    if refuted and not options.status:
        print(f"{refuted_words(refuted)} --status {REFUTED} lists them.", file=sys.stderr)
    if not options.status or Status.WITHOUT_EFFECT in statuses:
        _say_effect(coverage, spec.effect, listed=Status.WITHOUT_EFFECT in statuses)


def _print_history(options: argparse.Namespace) -> None:
    """Lists all justifications, those that were replaced or withdrawn too."""
    for name in ("status", "layers"):
        if given := getattr(options, name):
            raise SpecificationError(f"no --{name} with --history", ",".join(map(str, given)), f"leave --{name} out")
    with CampaignStore(options.file) as store, store.at_one_moment():
        history = store.justifications.history()
    entries = [dataclasses.asdict(said) | {"refuted_by": said.refuted_by} for said in history]
    say(options.json, entries, [f"condition {said.ordinal}: {history_words(said)}" for said in history])
    print(counted(len(history), "justification"), file=sys.stderr)


def _say_effect(coverage: CoverageTable, asked: str, *, listed: bool) -> None:
    """Says how many are covered, and with effect, and how the others are listed, or how that is found out."""
    total = coverage.total
    if not total.covered.n:
        return
    others = " --status without_effect lists those without it." * (not listed and total.with_effect != total.covered)
    what = " 'dnncov resume FILE' resumes it." if total.effects.unknown else others
    words = with_effect(total.with_effect, total.effects, coverage.effect)
    print(f"{have_witness(total.covered, total.available, asked)} {words}{what}", file=sys.stderr)


def _statuses(chosen: Sequence[str]) -> set[Status]:
    """The statuses that these names of `SELECTIONS` stand for; all without a witness if no name is given.

    Raises:
        SpecificationError: an unknown name.
    """
    for name in chosen:
        if name not in (*SELECTIONS, REFUTED):
            raise unknown_name("status", name, (*SELECTIONS, REFUTED))
    return {status for name in chosen or UNCOVERED_NAMES for status in SELECTIONS.get(name, ())}


def _refuted_beside(
    refuted: Sequence[ConditionRecord], statuses: Collection[Status], layers: Collection[int]
) -> list[Gap]:
    """Those that are not listed anyway, as covered, of these decision layers (empty for all)."""
    left = [each for each in refuted if each.status not in statuses]
    return [Gap(each, None) for each in left if not layers or each.target.decision_layer in layers]


def open_lines(store: CampaignStore, row: Counts, most: int) -> Iterator[str]:
    """A heading, and a line for each of the first open test conditions of a layer pair."""
    k, layer = map(int, row.place.split(" to "))
    found = store.conditions.page(edge=(k, layer), statuses=OPEN, limit=most)
    card, spec, seeds = store.card(), store.spec(), store.prepared.pool()
    reason = partial(why, card=card, seeds=seeds, effect=spec.effect)
    return _lines((Gap(condition, None) for condition in found), reason, card)


def _ordinal(gap: Gap) -> int:
    return gap.condition.target.ordinal


def _lines(gaps: Iterable[Gap], reason: Callable[..., str], card: NetworkCard | None) -> Iterator[str]:
    """A heading, and a line for each test condition."""
    assert card is not None, "there are test conditions"
    wide = 48 if any(map(has_places, card.layers[1:])) else 20
    yield f"{'ordinal':>8} {'layers':>8}  {'condition':<{wide}} {'decision':<{wide}} {'status':<18} {'seeds':>5}  why"
    for gap in gaps:
        condition, target = gap.condition, gap.condition.target
        layers = f"{target.condition_layer} to {target.decision_layer}"
        one = neuron_words(card.layer(target.condition_layer), target.condition_neurons, target.condition_most)
        two = neuron_words(card.layer(target.decision_layer), target.decision_neurons)
        status = f"open ({condition.status.value})" if condition.status in OPEN else condition.status.value
        known = f"{status:<18} {condition.seeds_tried:>5}  {reason(condition, gap.certificate)}"
        yield f"{target.ordinal:>8} {layers:>8}  {one:<{wide}} {two:<{wide}} {known}".rstrip()


def _json(gaps: Iterable[Gap], reason: Callable[..., str]) -> Iterator[str]:
    """The lines of a JSON list of test conditions; ``most`` is given for a free condition feature.

    ``with_effect``, ``needed`` and ``sufficient`` are null without a witness, and while they are not known;
    ``refuted_by`` is the test pair that refutes a justification, null where none does.
    """
    before = "["
    for gap in gaps:
        yield before + json.dumps(_entry(gap, reason))
        before = ","
    yield "[]" if before == "[" else "]"


def _entry(gap: Gap, reason: Callable[..., str]) -> dict[str, Any]:
    condition, target = gap.condition, gap.condition.target
    return {
        "ordinal": target.ordinal,
        "condition_layer": target.condition_layer,
        "decision_layer": target.decision_layer,
        "condition_neurons": list(target.condition_neurons),
        "most": target.condition_most,
        "decision_neurons": list(target.decision_neurons),
        "status": condition.outcome.value if condition.status in COVERED else condition.status.value,
        "seeds_tried": condition.seeds_tried,
        "why": reason(condition, gap.certificate),
        "with_effect": condition.with_effect,
        "needed": condition.needed,
        "sufficient": condition.sufficient,
        "refuted_by": condition.refuted_by,
    }
