"""Test conditions put back to be tried again with more seeds or passes; the specification keeps the earlier budgets."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from dnncov_core.campaign.file.conditions import Status
from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.sql import copy, remove
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria.effects import EFFECTS, asks_as_much
from dnncov_core.errors import CampaignError, ParameterError, SpecificationError, unknown_name
from dnncov_core.ratios import Ratio
from dnncov_core.records import BUDGETS, Budgets, Outcome, Retry

RETRIED = ("exhausted", "error")
"""Outcomes of test conditions that may be tried again."""
FAILED = ("error",)
"""Outcomes of conditions that need no larger budget to be tried again."""


def retry(
    store: CampaignStore,
    *,
    outcomes: Sequence[str] = RETRIED,
    ordinals: Collection[int] = (),
    **given: int | None,
) -> Retry:
    """Makes uncovered test conditions pending again, with larger budgets; a worker then goes on with them.

    Attempts and test pairs stay. Seeds that a linear programme was solved for are not tried again. Conditions whose
    attempts broke off are tried again with the budgets as they are, if only they are chosen.

    Args:
        store: a prepared campaign without a worker.
        outcomes: conditions that ended so, some of `RETRIED`.
        ordinals: these conditions alone; empty for all.
        given: what one condition may cost, earlier attempts included, by the names of `BUDGETS`; None for as before.

    Raises:
        ParameterError: a budget that no campaign can have, that is not larger, or more seeds than there are.
        SpecificationError: an unknown outcome, or budgets where none are needed.
        CampaignError: nothing to try again, a campaign that was not started, or a worker at it; nothing is changed.
    """
    _refuse_new(store)
    for outcome in outcomes:
        if outcome not in RETRIED:
            raise unknown_name("outcome to try again", outcome, RETRIED)
    spec = store.spec()
    budgets = {name: n for name, n in given.items() if n is not None}
    if set(outcomes) == set(FAILED):
        _refuse_budgets(budgets)
        after = _budgets_of(spec)
    else:
        if not {outcome.value for outcome in store.counts.outcomes()}.intersection(outcomes):
            raise CampaignError("test conditions to try again", "none", "nothing is left to try")
        _refuse_no_seeds_left(store)
        after = _raised(store, budgets)
    return store.put_back(Retry(tuple(outcomes), (), 0, _budgets_of(spec), after), set(ordinals))


def retry_with_effect(store: CampaignStore, path: Path, effect: str) -> Retry:
    """Makes a new campaign file that asks for this effect; a worker then goes on with it, and the earlier file stays.

    The new one holds what holds under both demands. Conditions whose test pairs do not show the effect are pending
    again, and where it is not a stricter demand than the earlier one, so are those that were exhausted or failed.

    Args:
        store: a prepared campaign without a worker.
        path: the new file.
        effect: a key of `EFFECTS`.

    Raises:
        SpecificationError: an unknown effect.
        CampaignError: nothing to try again, effects that are not known, a campaign that was not started, or a worker
            at it; there is no new file then.
    """
    _refuse_new(store)
    if effect not in EFFECTS:
        raise unknown_name("effect", effect, EFFECTS)
    if unknown := store.pairs.count(PairFilter(without_effects=True)):
        got = f"{unknown:,} of which that is not known"
        raise CampaignError("test pairs of which is known which effect they show", got, "resume the campaign first")
    spec = store.spec()
    others = () if asks_as_much(effect, spec.effect) else RETRIED
    copy(store.database, path)
    try:
        with CampaignStore(path) as new:
            ended, budgets = (Status.WITHOUT_EFFECT.value, *others), _budgets_of(spec)
            return new.put_back(Retry(ended, (), 0, budgets, budgets, effect=effect, origin=store.path.stem))
    except CampaignError:
        remove(path)
        raise


def newly_covered(store: CampaignStore) -> Ratio | None:
    """Test conditions covered since the last retry, of those tried again and those not tried before it.

    None without a retry, and where the file does not say how many were covered before.

    Raises:
        CampaignError: the file says otherwise than its test conditions.
    """
    retries = store.spec().retries
    if not retries or retries[-1].covered is None:
        return None
    tried = retries[-1].conditions + retries[-1].pending
    covered = store.counts.outcomes().get(Outcome.FOUND, 0) - retries[-1].covered
    with store.database.judging():
        if not 0 <= covered <= tried:
            raise ValueError(f"{covered} newly covered of {tried} conditions that were tried again")
    return Ratio(covered, tried)


def all_tried(store: CampaignStore) -> bool:
    """Whether every seed was tried for each condition that is exhausted, so that more of them are not to be had."""
    spec = store.spec()
    return (
        not spec.by_gradients and not _some_left_out(spec) and spec.max_seeds + spec.seeds_beyond >= seeds_there(store)
    )


def seeds_there(store: CampaignStore) -> int:
    """How many inputs conditions can be tried from: all that are correctly classified, or in random order the pool."""
    report = store.prepared.seeds()
    if report is None:
        return 0
    return report.n_correct if store.spec().seed_order == "nearest" else len(report.rows)


def _some_left_out(spec: CampaignSpec) -> bool:
    """Whether exhausted conditions may be left that were not tried with the budgets as they are: others were chosen."""
    left = False
    for each in spec.retries:
        if each.chosen:
            left = left or each.before != each.after
        elif Outcome.EXHAUSTED.value in each.outcomes:
            left = False
    return left


def _refuse_new(store: CampaignStore) -> None:
    if store.card() is None:
        raise CampaignError("a campaign with test conditions", "one that was not started", "start it first")


def _budgets_of(spec: CampaignSpec) -> Budgets:
    return tuple(getattr(spec, name) for name in BUDGETS)


def _refuse_budgets(budgets: Mapping[str, int]) -> None:
    for name, n in budgets.items():
        expected = "no new budget where only what failed is tried again"
        raise SpecificationError(expected, f"{name} {n}", f"leave {name} out")


def _refuse_no_seeds_left(store: CampaignStore) -> None:
    if all_tried(store):
        fix = f"a retry can only repeat conditions that failed; for these, choose the outcome {FAILED[0]} alone"
        got = f"none, since all seeds of this campaign ({seeds_there(store):,}) were tried"
        raise CampaignError("seeds that were not tried yet", got, fix)


def _raised(store: CampaignStore, budgets: Mapping[str, Any]) -> Budgets:
    """The campaign's budgets with these in place of its own, at least one of them larger and none smaller."""
    spec, pool, there = store.spec(), store.prepared.pool(), seeds_there(store)
    _refuse_idle(spec, budgets)
    raised = dataclasses.replace(spec, **budgets)  # refuses what no campaign can have
    for name, n in budgets.items():
        if n < getattr(spec, name):
            raise ParameterError(name, f"at least {getattr(spec, name):,}, as it is", f"{n:,}", "lower no budget")
    if raised.max_seeds > max(pool, spec.max_seeds):
        raise ParameterError("max_seeds", f"at most {pool:,}, the seeds of this campaign", f"{raised.max_seeds:,}")
    if raised.more_seeds > max(there, spec.more_seeds):
        expected = f"at most {there:,}, the inputs that the network gets right"
        raise ParameterError("more_seeds", expected, f"{raised.more_seeds:,}")
    if _budgets_of(raised) == _budgets_of(spec) and not _some_left_out(spec):
        others = [name for name in BUDGETS if name != "max_seeds" and not PARAMETERS[name].idle(spec)]
        limits = (
            f"above {spec.max_seeds:,}",
            *(f"the {BUDGETS[name]} above {getattr(spec, name):,}" for name in others),
        )
        got = f"{spec.max_seeds:,}, with which nothing would change"
        raise ParameterError("max_seeds", ", or ".join(limits), got, "raise a budget" if others else "raise it")
    return _budgets_of(raised)


def _refuse_idle(spec: CampaignSpec, budgets: Mapping[str, Any]) -> None:
    """Refuses budgets that decide nothing in this campaign."""
    for name, where, with_ in (
        ("passes", "the search follows no gradients", f"generator {spec.generator}"),
        ("more_seeds", "seeds come in random order", f"seed order {spec.seed_order}"),
    ):
        if name in budgets and PARAMETERS[name].idle(spec):
            got = f"{budgets[name]} with {with_}"
            raise ParameterError(name, f"left out where {where}", got, "leave it out")
