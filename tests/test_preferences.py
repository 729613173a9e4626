"""What the user has chosen for good is kept in a file, and no file of any other content breaks the app."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.errors import DataError
from dnncov_core.preferences import FILE, Preferences, prefer, preferences
from dnncov_core.resources import home


def test_what_is_preferred_stays_beside_what_was_preferred_before(folder: Path) -> None:
    assert preferences() == Preferences("Cards", True)
    prefer(view="Table")
    prefer(example=False)
    assert preferences() == Preferences("Table", False)
    assert [path.name for path in home().iterdir()] == [FILE]


@pytest.mark.parametrize(
    "text", ["", "[]", "null", '{"view": "Wall"}', '{"example": 0}', "{" * 5000, '{"view": 1e999}']
)
def test_a_file_with_something_else_says_nothing(folder: Path, text: str) -> None:
    prefer(view="Table")
    (home() / FILE).write_text(text)
    assert preferences() == Preferences()
    prefer(example=False)
    assert preferences() == Preferences(example=False)


def test_preferences_of_a_later_version_are_read_as_far_as_they_are_known(folder: Path) -> None:
    prefer(view="Table")
    (home() / FILE).write_text('{"view": "Table", "colour": "blue"}')
    assert preferences() == Preferences("Table")


def test_a_folder_that_cannot_be_written_is_an_error_in_one_line(folder: Path) -> None:
    home().write_text("a file where the folder should be")
    with pytest.raises(DataError, match="a folder that can be written"):
        prefer(view="Table")
