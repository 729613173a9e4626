"""Errors and names on pages, as they are."""

from __future__ import annotations

import pytest
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


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("https://a.example", r"https\::small[]//a.example"),
        ("WWW.a.example", "WWW:small[].a.example"),
        ("a@b.example", "a@:small[]b.example"),
        (":material/home: :streamlit:", r"\::small[]material/home\: \::small[]streamlit\:"),
        ("a -> b -- c >= d", r"a -:small[]\> b -:small[]- c \>:small[]= d"),
        ("- 1", ":small[]- 1"),
        ("10. x", ":small[]10. x"),
        ("&lt;\n\n    # x", r"\&lt; \# x"),
        ("show --json FILE", "show --json FILE"),
    ],
)
def test_markdown_makes_nothing_of_plain_text(text: str, written: str) -> None:
    """Streamlit makes links, icons and arrows of text after escapes are gone; something that shows nothing parts it."""
    assert plain(text) == written
