"""Justifications as people give them: with a reason and an author, dated today."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from dnncov_core.campaign.store import CampaignStore
from dnncov_core.errors import CampaignError


def justify(store: CampaignStore, ordinals: Collection[int], reason: str, author: str) -> None:
    """Says why test conditions need no test pair, as of today; an earlier justification of one is replaced.

    Raises:
        CampaignError: no reason, no author, no ordinal, or one that no test condition has; nothing is stored.
    """
    for name, text in (("a reason", reason), ("an author", author)):
        if not text.strip():
            raise CampaignError(f"{name} in words", "none", "say why no test pair is needed, and who says so")
    _refuse_none(ordinals)
    store.justify(ordinals, " ".join(reason.split()), " ".join(author.split()), date.today().isoformat())


def withdraw(store: CampaignStore, ordinals: Collection[int]) -> None:
    """Takes justifications away.

    Raises:
        CampaignError: no ordinal, or one of a condition that is not justified; nothing is stored.
    """
    _refuse_none(ordinals)
    known = {justification.ordinal for justification in store.justifications()}
    for ordinal in sorted(set(ordinals) - known):
        raise CampaignError("ordinals of justified test conditions", str(ordinal), "change the ordinals")
    store.withdraw(ordinals)


def _refuse_none(ordinals: Collection[int]) -> None:
    if not ordinals:
        raise CampaignError("the ordinal of a test condition", "none", "choose at least one")
