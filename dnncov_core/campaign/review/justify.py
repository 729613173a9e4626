"""Justifications as people give them: with a reason and an author, dated today."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date

from dnncov_core.campaign.file.evidence import ordinals_in_words
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import CampaignError
from dnncov_core.records import Justification


def justify(
    store: CampaignStore, ordinals: Collection[int], reason: str, author: str, *, replace: bool = False
) -> list[Justification]:
    """Says why test conditions need no test pair, as of today.

    Args:
        store: the campaign.
        ordinals: of the conditions.
        reason: in words.
        author: who says so.
        replace: also where somebody has justified one already.

    Returns:
        The justifications that it replaces.

    Raises:
        CampaignError: no reason, no author, no ordinal, or one that no test condition has, or whose condition is
            covered, proved infeasible, or justified already; nothing is stored.
    """
    for name, text in (("a reason", reason), ("an author", author)):
        if not text.strip():
            raise CampaignError(f"{name} in words", "none", "say why no test pair is needed, and who says so")
    _refuse_none(ordinals)
    today = date.today().isoformat()
    return store.justify(ordinals, " ".join(reason.split()), " ".join(author.split()), today, replace=replace)


def withdraw(store: CampaignStore, ordinals: Collection[int]) -> None:
    """Takes justifications away.

    Raises:
        CampaignError: no ordinal, or one of a condition that is not justified; nothing is stored.
    """
    _refuse_none(ordinals)
    known = {justification.ordinal for justification in store.justifications()}
    unknown = sorted(set(ordinals) - known)
    if unknown:
        fix = "list those with 'dnncov gaps FILE --status justified'"
        raise CampaignError("ordinals of justified test conditions", ordinals_in_words(unknown), fix)
    store.withdraw(ordinals)


def _refuse_none(ordinals: Collection[int]) -> None:
    if not ordinals:
        raise CampaignError("the ordinal of a test condition", "none", "choose at least one")
