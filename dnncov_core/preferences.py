"""What the user has chosen for good: how the Overview shows entries, and whether the example is there; a small file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from dnncov_core.record_files import read_record, write_record
from dnncov_core.resources import home

FILE = "preferences.json"
"""In the user's folder."""


@dataclass(frozen=True)
class Preferences:
    """How the Overview shows entries, and whether the example that comes with the program is listed."""

    view: Literal["Cards", "Table"] = "Cards"
    example: bool = True


def preferences() -> Preferences:
    """The user's preferences; the usual ones where there is no file that can be read."""
    try:
        return read_record(Preferences, home() / FILE, ignore_unknown=True)
    except (OSError, ValueError):
        return Preferences()


def prefer(**changes: object) -> None:
    """Keeps some preferences beside the others.

    Raises:
        DataError: the user's folder cannot be written.
    """
    write_record(home() / FILE, replace(preferences(), **changes))  # type: ignore[arg-type]
