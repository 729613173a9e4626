"""The address of the page that is shown: it says what the page shows, and widgets change it.

A page reads its address with `parameters` and says once a run with `say` what it shows; a widget that is made with
`bound` says what is shown next. Streamlit's own binding (``bind="query-params"``) makes no entry in the browser's
history, writes labels in place of ids, and drops an address whose values are no labels. However often an address is
said after a click, ``assets/app.js`` makes it one entry in the history.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_STATE = "addresses"
VIEWS = ("by", "axis", "view", "find", "criteria", "states", "list", "outcomes")
"""Parameters of how a page shows what it shows, such as a filter: widgets made with `view` have them."""


@dataclass
class _Visit:
    """Where a visitor is.

    Attributes:
        page: the page that runs, by its name in the address, which is empty for the first page of the menu.
        arrives: whether the visitor has just come to the page, which has not said yet what it shows.
        begins: whether it is the first page of the visit.
        said: what each page said last that it shows, by the page's name.
    """

    page: str | None = None
    arrives: bool = True
    begins: bool = True
    said: dict[str | None, dict[str, str]] = field(default_factory=dict)


def _visit() -> _Visit:
    visit: _Visit = st.session_state.setdefault(_STATE, _Visit())
    return visit


def begin(page: str) -> None:
    """Notes which page runs."""
    visit = _visit()
    visit.begins = visit.begins and visit.page is None
    visit.arrives = visit.arrives or page != visit.page
    visit.page = page


def parameters() -> dict[str, str]:
    """The parameters of the page's address; of one without any, what the page showed when the visitor left it.

    Not so for a visitor who goes back to an address without parameters, or opens it from this page itself.
    """
    now = st.query_params.to_dict()
    return said() if _visit().arrives and not now and not returns() else now


def returns() -> bool:
    """Whether the browser's Back or Forward leads here, so that the address alone says what is shown."""
    context = get_script_run_ctx()
    return context is not None and context.is_history_navigation


def said() -> dict[str, str]:
    """What the page said last that it shows."""
    visit = _visit()
    return dict(visit.said.get(visit.page, {}))


def say(shown: Mapping[str, str]) -> None:
    """Makes the address say what the page shows and, of what it says already, `VIEWS` alone.

    ===================================  =======  ============================================================
    When a page says what it shows       written  because
    ===================================  =======  ============================================================
    first in the visit                   no       the browser would make another entry in its history
    first since the visitor came to it   yes      after a click in the menu the address says nothing yet
    again, and it is something else      yes      Streamlit writes nothing, not even after a link to this page
    again, and it is the same            no       the address says it already
    ===================================  =======  ============================================================
    """
    _write({**shown, **{name: text for name, text in parameters().items() if name in VIEWS}})


def _write(now: dict[str, str]) -> None:
    visit = _visit()
    changes = not visit.begins and (visit.arrives or now != said())
    visit.begins = visit.arrives = False
    visit.said[visit.page] = now
    if changes:
        st.query_params.from_dict(now)


def number(text: str) -> int | None:
    """The number that a parameter of an address says; None for other text, or more digits than a campaign needs."""
    return int(text) if text.isdecimal() and len(text) < 19 else None


def bound(key: str, value: object, then: Callable[[str], None]) -> dict[str, Any]:
    """Arguments of a widget that shows ``value``, whatever it held before; a change calls ``then`` with its key.

    Its options must be named alike in every run. A browser that lags behind sends the name that an option had in an
    earlier run; where no option has this name any more, Streamlit takes it for a change, and the name for the value.
    """
    st.session_state[key] = value
    return {"key": key, "on_change": then, "args": (key,)}


def view(key: str, name: str, usual: object, words: Mapping[str, object] | None = None) -> dict[str, Any]:
    """Arguments of a widget whose value the address says under this ``name``, one of `VIEWS`, unless it is ``usual``.

    ``words`` are values by their text in addresses, where commas part a list; without them a value is its own text.
    """
    text = parameters().get(name, "")
    if words is None:
        value: object = text or usual
    elif isinstance(usual, list):
        value = [words[part] for part in text.split(",") if part in words]
    else:
        value = words.get(text, usual)
    return bound(key, value, partial(_see, name, usual, words or {}))


def _see(name: str, usual: object, words: Mapping[str, object], key: str) -> None:
    value = st.session_state[key]
    texts = {value: text for text, value in words.items()}
    text = ",".join(texts[each] for each in value) if isinstance(value, list) else texts.get(value, value)
    rest = _without([name])
    _write(rest if value == usual else {**rest, name: text})


def drop(names: Container[str]) -> None:
    """Leaves parameters of these names out of the address."""
    _write(_without(names))


def _without(names: Container[str]) -> dict[str, str]:
    return {name: text for name, text in said().items() if name not in names}
