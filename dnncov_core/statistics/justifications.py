"""All justifications that a campaign file has ever held: those that stand, and what became of the others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import Justification, PastJustification


@dataclass(frozen=True)
class Said:
    """One justification.

    Attributes:
        justification: the reason, with who gave it and when.
        refuted_by: the ordinal of the test pair that refutes it; None if none does, or did when it was withdrawn.
    """

    justification: Justification
    refuted_by: int | None

    @property
    def past(self) -> PastJustification | None:
        """The justification where it was replaced or withdrawn."""
        return self.justification if isinstance(self.justification, PastJustification) else None

    @property
    def became(self) -> str:
        """What became of it."""
        refuted = "" if self.refuted_by is None else f"refuted by pair {self.refuted_by}"
        if self.past is None:
            return refuted or "stands"
        return f"{refuted}, withdrawn" if refuted else self.past.how

    @property
    def words(self) -> str:
        """The reason, who gave it and when, what became of it, and when and by whom."""
        said, ended = self.justification, ""
        if self.past is not None:
            ended = f" {_in_words(self.past.ended)}" + (f" by {self.past.ended_by}" if self.past.ended_by else "")
        return f"{said.reason} ({said.author}, {_in_words(said.time or said.date)}); {self.became}{ended}"


def _in_words(time: str) -> str:
    """A time of the file for reading; a day alone stays as it is.

    >>> _in_words("2026-01-02T03:04:05Z"), _in_words("2026-01-02")
    ('2026-01-02 03:04:05 UTC', '2026-01-02')
    """
    return time.replace("T", " ").replace("Z", " UTC")


def justification_history(store: CampaignStore, ordinals: Collection[int] | None = None) -> list[Said]:
    """All that were ever given, by ordinal and then by time; of these test conditions alone where some are named."""
    past = [Said(each, each.ordinal if each.how == "refuted" else None) for each in store.justifications.past()]
    refuted = {condition.target.ordinal for condition in store.conditions.refuted()}
    standing = [Said(each, each.ordinal if each.ordinal in refuted else None) for each in store.justifications.all()]
    found = [each for each in (*past, *standing) if ordinals is None or each.justification.ordinal in ordinals]
    return sorted(found, key=lambda each: each.justification.ordinal)
