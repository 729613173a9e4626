"""What the user has chosen for good: how the Overview shows entries, and whether the example is there; a small file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import Literal

from dnncov_core.errors import unwritable
from dnncov_core.outside_text import json_value
from dnncov_core.outside_values import record
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
        text = (home() / FILE).read_text(encoding="utf-8")
        return record(Preferences, json_value(text), ignore_unknown=True)
    except (OSError, ValueError):
        return Preferences()


def prefer(**changes: object) -> None:
    """Keeps some preferences beside the others.

    Raises:
        DataError: the user's folder cannot be written.
    """
    path = home() / FILE
    new = path.with_suffix(".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_text(json.dumps(asdict(replace(preferences(), **changes))), encoding="utf-8")  # type: ignore[arg-type]
        new.replace(path)
    except OSError as error:
        raise unwritable(error) from error
