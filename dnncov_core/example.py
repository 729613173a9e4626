"""The finished example that comes with the program: a campaign, and a measurement of the same network.

They are read where they lie, below the assets, and are never changed: they are no entries of the user's. The user may
hide them. `python -m tests.example` makes them.
"""

from __future__ import annotations

from pathlib import Path

from dnncov_core.preferences import preferences
from dnncov_core.resources import ASSETS

FOLDER = ASSETS / "example"
ID = "example-digits"
"""Of both; a file ``ID.note`` beside them calls them Example, in every list."""


def with_example(own: dict[str, Path], suffix: str) -> dict[str, Path]:
    """The user's files or stems by id, and last the example's, unless it is hidden or one of them has its id."""
    if ID in own or not preferences().example:
        return own
    return own | {ID: FOLDER / f"{ID}{suffix}"}


def is_example(path: Path) -> bool:
    """Whether a file is one of the example's."""
    return path.absolute().parent == FOLDER
