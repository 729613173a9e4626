"""Test conditions put back to be tried again with more seeds or passes; the specification keeps the earlier budgets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dnncov_core.campaign.budgets import RETRIED, Budgets, Retry
from dnncov_core.errors import CampaignError, SpecificationError, unknown_name
from dnncov_core.generators import GENERATORS
from dnncov_core.ratios import Ratio
from dnncov_core.records import Outcome

if TYPE_CHECKING:
    from dnncov_core.campaign.file.store import CampaignStore
    from dnncov_core.campaign.spec import CampaignSpec


NAMES = "max_seeds", "passes"
"""What messages call the budgets, if nothing else is asked."""
FAILED = ("error",)
"""Outcomes of conditions that need no larger budget to be tried again."""


def retry(
    store: CampaignStore,
    *,
    max_seeds: int | None = None,
    passes: int | None = None,
    outcomes: Sequence[str] = RETRIED,
    names: tuple[str, str] = NAMES,
) -> Retry:
    """Makes uncovered test conditions pending again, with larger budgets; a worker then goes on with them.

    Attempts and test pairs stay. Seeds that a linear programme was solved for are not tried again. What broke off is
    tried again with the budgets as they are, if it is asked for alone.

    Args:
        store: a prepared campaign without a worker.
        max_seeds: seeds tried for one condition, earlier ones included; None for as many as before.
        passes: forward and backward passes that gradient search may spend on one condition; None likewise.
        outcomes: conditions that ended so, some of `RETRIED`.
        names: what messages call ``max_seeds`` and ``passes``.

    Raises:
        SpecificationError: budgets that are not larger, more seeds than there are, or an unknown outcome.
        CampaignError: nothing to try again, a campaign that was not started, or a worker at it; nothing is changed.
    """
    if store.card() is None:
        raise CampaignError("a campaign with test conditions", "one that was not started", "resume it first")
    for outcome in outcomes:
        if outcome not in RETRIED:
            raise unknown_name("outcome to try again", outcome, RETRIED)
    spec, asked = store.spec(), (max_seeds, passes)
    before = spec.max_seeds, spec.passes
    if set(outcomes) == set(FAILED):
        after = _unchanged(before, asked, names)
    else:
        _check_pool(store, max_seeds, names[0])
        after = _raised(spec, asked, names)
    return store.put_back(Retry(tuple(outcomes), (), 0, before, after))


def newly_covered(store: CampaignStore) -> Ratio | None:
    """Test conditions covered since the last retry, of those tried again and those not tried before it.

    None without a retry, and where the file does not say how many were covered before.
    """
    retries = store.spec().retries
    if not retries or retries[-1].covered is None:
        return None
    last = retries[-1]
    covered = store.counts.outcomes().get(Outcome.FOUND, 0) - retries[-1].covered
    return Ratio(covered, last.conditions + last.pending)


def by_passes(spec: CampaignSpec) -> bool:
    """Whether passes are a budget of this campaign."""
    return spec.generator in GENERATORS and GENERATORS[spec.generator].by_gradients


def all_tried(store: CampaignStore) -> bool:
    """Whether every seed was tried for each condition that is exhausted, so that more of them are not to be had."""
    spec = store.spec()
    return not by_passes(spec) and spec.max_seeds >= store.prepared.pool()


def _unchanged(before: Budgets, asked: tuple[int | None, int | None], names: tuple[str, str]) -> Budgets:
    for name, value in zip(names, asked, strict=True):
        if value is not None:
            expected = "no new budget where only what failed is tried again"
            raise SpecificationError(expected, f"{name} {value}", f"leave {name} out")
    return before


def _check_pool(store: CampaignStore, max_seeds: int | None, name: str) -> None:
    """Refuses more seeds than there are."""
    pool = store.prepared.pool()
    if all_tried(store):
        fix = f"try what failed with outcomes {', '.join(FAILED)}; nothing else is left to try"
        raise CampaignError("a campaign with seeds left to try", f"one whose {pool:,} seeds were all tried", fix)
    if max_seeds is not None and max_seeds > max(pool, store.spec().max_seeds):
        raise SpecificationError(f"{name} up to {pool}, the seeds of this campaign", str(max_seeds), "lower it")


def _raised(spec: CampaignSpec, asked: tuple[int | None, int | None], names: tuple[str, str]) -> Budgets:
    (max_seeds, passes), passes_too = asked, by_passes(spec)
    if passes is not None and not passes_too:
        fix = f"leave {names[1]} out"
        raise SpecificationError(f"{names[1]} for gradient search", f"generator {spec.generator}", fix)
    before = spec.max_seeds, spec.passes
    now = max_seeds or spec.max_seeds, passes or spec.passes
    if now == before or now[0] < before[0] or now[1] < before[1]:
        limits = f"{names[0]} above {before[0]}" + (f" or {names[1]} above {before[1]}" if passes_too else "")
        if max_seeds is None and passes is None:
            fix = f"give {names[0]} N" + (f" or {names[1]} N" if passes_too else "")
            raise SpecificationError(limits, "no new budget, with which nothing would change", fix)
        got = f"{names[0]} {now[0]}" + (f", {names[1]} {now[1]}" if passes_too else "")
        raise SpecificationError(limits, got, "raise a budget, and lower none")
    return now
