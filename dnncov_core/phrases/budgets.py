"""Budgets that were raised after a campaign had begun, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dnncov_core.phrases.numbers import counted
from dnncov_core.ratios import Ratio

if TYPE_CHECKING:
    from dnncov_core.campaign.budgets import Retry
    from dnncov_core.campaign.spec import CampaignSpec


def raised(retry: Retry) -> str:
    """Which conditions were tried again, and with what.

    >>> from dnncov_core.campaign.budgets import Retry
    >>> raised(Retry(("exhausted", "error"), (3, 4), 12, (41, 400), (100, 400)))
    '12 conditions (exhausted or error, decision layers 3, 4) tried again with at most 100 seeds instead of 41'
    >>> raised(Retry(("error",), (), 1, (41, 400), (41, 400)))
    '1 condition (error) tried again with the same budgets'
    """
    layers = f", decision layers {', '.join(map(str, retry.layers))}" if retry.layers else ""
    kinds = zip(("seeds", "passes"), retry.before, retry.after, strict=True)
    larger = " and ".join(f"{new:,} {name} instead of {old:,}" for name, old, new in kinds if old != new)
    budgets = f"at most {larger}" if larger else "the same budgets"
    some = f"{counted(retry.conditions, 'condition')} ({' or '.join(retry.outcomes)}{layers})"
    return f"{some} tried again with {budgets}"


def retry_words(spec: CampaignSpec, covered: Ratio | None) -> str:
    """What came of the last retry; empty where it is not known.

    Args:
        spec: with its retries.
        covered: conditions covered since the last one, as `newly_covered` counts them.
    """
    if covered is None:
        return ""
    pending = spec.retries[-1].pending
    before = f", {pending:,} of which had not been tried before" if pending else ""
    return f"{covered.counts} test conditions newly covered{before}"
