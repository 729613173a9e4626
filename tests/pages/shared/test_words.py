"""Errors and names on pages, as they are."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from pages.shared.words import plain
from tests.pages.looking import APP


def _fails() -> None:
    from dnncov_core.errors import DataError
    from pages.shared import frame

    with frame.around("run"):
        raise DataError("an image in my_own_data", "*.txt for $5", "choose ~/images")


def test_names_in_errors_are_no_markdown() -> None:
    (error,) = AppTest.from_function(_fails).run().error
    assert error.value == plain("expected an image in my_own_data; got *.txt for $5; choose ~/images")
    assert r"my\_own\_data" in error.value


def test_errors_are_said_in_one_place() -> None:
    rooms = APP.parent / "pages"
    saying = [path.relative_to(rooms).as_posix() for path in rooms.rglob("*.py") if ".error(" in path.read_text()]
    assert saying == ["shared/words.py"]
