"""A caption in its two parts: the sentence that stands below a figure or table, and the details."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Caption:
    """What a figure or a table shows.

    ``summary`` is one sentence with the most important number and its denominator; ``details`` say all else.

    >>> str(Caption("7 of 9 are covered.").followed_by("The others are open.", ""))
    '7 of 9 are covered. The others are open.'
    """

    summary: str
    details: tuple[str, ...] = ()

    def followed_by(self, *details: str) -> Caption:
        """The same caption with more details; empty ones are left out."""
        return Caption(self.summary, (*self.details, *filter(None, details)))

    def __str__(self) -> str:
        """The whole caption, as it stands beside a figure that leaves the app."""
        return " ".join((self.summary, *self.details))
