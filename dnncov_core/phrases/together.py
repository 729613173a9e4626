"""How many test conditions a campaign searches for together, and why it is not more."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.campaign.batch import Limit, limit_of
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.phrases.numbers import counted

WHY: Mapping[Limit, str] = {
    Limit.REUSE: "with reuse, a test pair may cover those that follow",
    Limit.GRID: "the solver for x2 on a grid takes one at a time",
    Limit.FORMULATION: "each is written as a programme of its own",
    Limit.FEW: "larger groups would leave processes without work",
    Limit.VALUES: "the values of more would not fit in a processor's cache",
}


def searched_together(store: CampaignStore) -> str:
    """How many are searched for together, and what keeps it from being more; empty before they are planned."""
    card, batch = store.card(), store.prepared.batch()
    if card is None:
        return ""
    some = "one at a time" if batch == 1 else f"up to {counted(batch, 'test condition')} of the same layers"
    limit = limit_of(store.spec(), card.layers, store.counts.progress().total)
    return some if limit is None else f"{some}, since {WHY[limit]}"
