"""Data whose labels are a network's own decisions: their name says so, wherever a sentence speaks of accuracy."""

from __future__ import annotations

from pathlib import Path

from dnncov_core.errors import SpecificationError

OWN = "own-decisions"
"""Part of the name of such data."""


def own_decisions(name: str) -> str:
    """What has to be said of such data, by their name or path; empty for others.

    >>> own_decisions("encounters-own-decisions.npz"), own_decisions("encounters.csv")
    ("The labels of these data are the network's own decisions, so that accuracy says nothing.", '')
    """
    said = "The labels of these data are the network's own decisions, so that accuracy says nothing."
    return said if OWN in Path(name).name else ""


def check_says_so(name: str) -> None:
    """Refuses a name for such data that does not say what their labels are.

    Raises:
        SpecificationError: it does not.
    """
    if OWN not in name:
        expected = f"a name with {OWN} for data whose labels are the network's own decisions"
        raise SpecificationError(expected, repr(name), "leave it in the name")
