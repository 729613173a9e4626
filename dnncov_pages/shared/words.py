"""States, numbers and times in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from dnncov_core.records import State


@dataclass(frozen=True)
class Wording:
    """How a state appears."""

    word: str
    colour: str
    icon: str
    sentence: str


STATES: dict[State, Wording] = {
    State.WAITING: Wording("Waiting", "gray", "hourglass_empty", "Created; its worker is starting."),
    State.PREPARING: Wording("Preparing", "blue", "downloading", "The worker loads network and data, and plans."),
    State.RUNNING: Wording("Running", "blue", "play_arrow", "The worker searches test pairs."),
    State.INTERRUPTED: Wording(
        "Interrupted", "orange", "pause", "The worker is gone. Resume goes on where it stopped; nothing stored is lost."
    ),
    State.CANCELLED: Wording("Cancelled", "orange", "stop", "Stopped on request. Resume goes on where it stopped."),
    State.FAILED: Wording("Failed", "red", "error", "The worker stopped with an error. Resume tries again."),
    State.FINISHED: Wording("Finished", "green", "check", "Every test condition has its outcome."),
}


SEEDS_EACH, PASSES_EACH = "Seeds per condition, at most", "Passes per condition, at most"
"""What a campaign's budgets are called wherever they are chosen or shown."""
NOTHING_ASKED = "With any, the {} feature need not change."


def badge(state: State, sentence: str = "") -> None:
    """The state as a coloured word with an icon; its help says ``sentence``, or what it means for a campaign."""
    look = STATES[state]
    words = sentence or look.sentence
    st.badge(look.word, icon=f":material/{look.icon}:", color=look.colour, help=words)  # type: ignore[arg-type]


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


def duration(seconds: float) -> str:
    """A time span, rounded for reading.

    >>> duration(0.2), duration(75), duration(4000)
    ('under 1 s', '1 min 15 s', '1 h 6 min')
    """
    if seconds < 1:
        return "under 1 s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest and minutes < 10 else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if hours < 48 else f"{hours // 24:,} days"


def roughly(seconds: float) -> str:
    """An estimated time span: no more figures than an estimate deserves.

    >>> roughly(0.2), roughly(42), roughly(200), roughly(5000), roughly(11_000)
    ('under 1 s', '40 s', '3 min', '80 min', '3 h')
    """
    if seconds < 10:
        return duration(seconds)
    if seconds < 55:
        return f"{round(seconds, -1):.0f} s"
    if seconds < 7200:
        minutes = max(1, round(seconds / 60))
        return f"{minutes if minutes < 20 else round(minutes, -1)} min"
    hours = round(seconds / 3600)
    return f"{hours:,} h" if hours < 48 else f"{round(hours / 24):,} days"


def moment(timestamp: float) -> str:
    """A time of day, with its date."""
    return datetime.fromtimestamp(timestamp).strftime("%d %b %Y, %H:%M")


def with_own(own: str, title: str) -> str:
    """A title, with the user's own name before it where there is one."""
    return f"{plain(own)} · {title}" if own else title
