"""How words appear: states as badges, text from outside, small tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from dnncov_core.phrases.states import STATES
from dnncov_core.records import State

LOOKS: dict[State, tuple[str, str]] = {
    State.WAITING: ("gray", "hourglass_empty"),
    State.PREPARING: ("blue", "downloading"),
    State.RUNNING: ("blue", "play_arrow"),
    State.INTERRUPTED: ("orange", "pause"),
    State.CANCELLED: ("orange", "stop"),
    State.FAILED: ("red", "error"),
    State.FINISHED: ("green", "check"),
}
"""Colour and icon of each state."""


SEEDS_EACH, PASSES_EACH = "Seeds per condition, at most", "Passes per condition, at most"
"""What a campaign's budgets are called wherever they are chosen or shown."""


def badge(state: State, sentence: str = "") -> None:
    """The state as a coloured word with an icon; its help says ``sentence``, or what it means for a campaign."""
    words, (colour, icon) = STATES[state], LOOKS[state]
    st.badge(words.word, icon=f":material/{icon}:", color=colour, help=sentence or words.sentence)  # type: ignore


def plain(text: str) -> str:
    r"""Text from outside, shown as it is: Markdown's signs are escaped.

    >>> plain("a_b [x](y)")
    'a\\_b \\[x\\](y)'
    """
    return "".join(f"\\{sign}" if sign in "\\`*_[]{}<>#|~$:" else sign for sign in text)


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A small table of text, that needs none of the machinery of large ones."""
    lines = (heads, ["---"] * len(heads), *([plain(str(cell)) for cell in row] for row in rows))
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def with_own(own: str, title: str) -> str:
    """A title, with the user's own name before it where there is one."""
    return f"{plain(own)} · {title}" if own else title
