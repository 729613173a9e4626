"""The errors that this package raises on bad input.

    DnncovError
    ├── NetworkError       a module that cannot be exported, an operator, a shape or a class count
    ├── DataError          images, labels or the file that holds them
    ├── SpecificationError an unknown name or a parameter outside its range
    ├── CampaignError      a campaign file that is damaged, full, busy or of another network
    └── NumericsError      a NaN or an infinite value inside a network

Each message is one line that says what was expected, what came, and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable


class DnncovError(Exception):
    """Base of all errors that a user can cause and mend.

    Args:
        expected: what would have been right.
        got: what came instead.
        fix: what to do, as an imperative.
    """

    def __init__(self, expected: str, got: str, fix: str) -> None:
        super().__init__(f"expected {expected}; got {got}; {fix}".replace("\n", " "))
        self._parts = (expected, got, fix)

    def __reduce__(self) -> tuple[type[DnncovError], tuple[str, str, str]]:
        """How another process receives it."""
        return type(self), self._parts


class NetworkError(DnncovError):
    """A module that cannot become a canonical network."""


class DataError(DnncovError):
    """Images or labels that cannot be used."""


class SpecificationError(DnncovError):
    """An unknown name, or a parameter outside its range."""


class CampaignError(DnncovError):
    """A campaign file that cannot be read, written or continued."""


class NumericsError(DnncovError):
    """A NaN or an infinite value where a number is needed."""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> SpecificationError:
    """The error for a name that no registry has, with the names that exist."""
    article = "an" if kind[0] in "aeiou" else "a"
    return SpecificationError(f"{article} {kind}, one of {', '.join(known)}", repr(name), "choose one of these names")
