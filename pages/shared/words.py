"""Text from outside, numbers and small tables, as pages write them, and pages of long lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import streamlit as st

from dnncov_core.campaign.parameters import by_label
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.adversarial import BASELINE_SEARCHES
from dnncov_core.phrases.coverage import EIGHT_BITS
from dnncov_core.phrases.effect import EFFECT, WATERFALL
from dnncov_core.phrases.glossary import GLOSSARY, PURPOSE, WORDS

PHRASES = {
    "purpose": PURPOSE,
    "glossary": GLOSSARY,
    "baseline_searches": BASELINE_SEARCHES,
    "effect": EFFECT,
    "waterfall": WATERFALL,
    "eight_bits": EIGHT_BITS,
    "grouped": "**By decision layer**: in a network with branches a decision layer follows several condition layers."
    " Their counts are added, and means, deviations and quartiles are over all their test pairs together.",
}
"""What names in braces stand for in the help of pages."""


_LINKED = {word: word for word in WORDS if word not in ("needed", "sufficient", "worth")} | {
    "criteria": "criterion",
    "kill": "killed",
}
"""What leads to a word; those that are left out also stand in sentences where they mean what they mean anywhere."""
_WORD = re.compile(
    rf"`[^`]*`|\[[^\]]*\]\([^)]*\)|\b({'|'.join(sorted(_LINKED, key=len, reverse=True))})(?:e?s)?\b", re.IGNORECASE
)
"""A word; or code, or a link, in which no word is looked for."""


def linked(text: str) -> str:
    """Text in Markdown in which each word of the glossary, where it first stands, leads to its meaning on Help.

    >>> linked("A witness is a test pair; some witnesses are reused.")
    'A [witness](help#witness) is a [test pair](help#test-pair); some witnesses are reused.'
    """
    seen: set[str] = set()

    def link(found: re.Match[str]) -> str:
        word = _LINKED.get(str(found[1]).lower(), "")
        if not word or word in seen:
            return found[0]
        seen.add(word)
        return f"[{found[0]}](help#{word.replace(' ', '-')})"

    return _WORD.sub(link, text)


def help_of(label: str, text: str) -> str:
    """The help of a field: its words lead to Help, and so do those of its label, which follow where it has them not.

    >>> help_of("Order of seeds", "Nearest first, or at random.")
    'Nearest first, or at random. On Help: [seeds](help#seed).'
    >>> help_of("Criterion", "Which criterion is asked.")
    'Which [criterion](help#criterion) is asked.'
    """
    told = linked(text)
    links = [link for link in re.findall(r"\[[^\]]*\]\([^)]*\)", linked(label)) if link.partition("](")[2] not in told]
    return f"{told} On Help: {', '.join(links)}." if links else told


def has_help(room: str) -> bool:
    """Whether a page has a ``help.md``."""
    return _help_file(room).is_file()


def help_text(room: str, **instead: str) -> str:
    """The text of a page's ``help.md`` in Markdown; ``instead`` replaces some of `PHRASES`."""
    return _help_file(room).read_text(encoding="utf-8").format_map(PHRASES | instead)


def _help_file(room: str) -> Path:
    return Path(__file__).parents[1] / room / "help.md"


def page_help(
    room: str, title: str = "How these numbers are computed", *, above: Callable[[], None] = lambda: None
) -> None:
    """An expander with the text of a page's ``help.md``, below what ``above`` draws; its words lead to Help."""
    with st.expander(title, icon=":material/help:"):
        above()
        st.markdown(linked(help_text(room)))


_SIGNS = re.compile(r"[\\`*_\[\]{}<>#|~$:&]")
"""What means something in Markdown wherever it stands."""
_BREAKS = re.compile(
    r"^(?=[-+=]|\d+[.)](?:\s|$))"
    r"|(?<=:)(?=//|\w+[:/])|(?<=@)|(?<=www)(?=\.)"
    r"|(?<=[-<>~])(?=[-=>]{1,2}(?:\s|$))",
    re.IGNORECASE,
)
"""Where text is parted: before what would begin a list, and in what Streamlit replaces in spite of escapes.

These are addresses, which become links, names of icons, and arrows that are made of signs.
"""
_NOTHING = ":small[]"
"""Shows nothing, and parts the text around it."""


def plain(text: str) -> str:
    r"""Text from outside, in one line, that Markdown shows as it is: no style, no link, no picture.

    >>> plain("a_b [x](y)")
    'a\\_b \\[x\\](y)'
    >>> plain("www.example.org")
    'www:small[].example.org'
    """
    line = re.sub(r"\s*[\r\n]\s*", " ", text).strip()
    return _NOTHING.join(_SIGNS.sub(r"\\\g<0>", part) for part in _BREAKS.split(line))


def say_error(error: DnncovError | str) -> None:
    """An error in place, with the label of the form's field for the parameter that it is about."""
    text = error if isinstance(error, str) else by_label(error)
    st.error(plain(text), icon=":material/error:")


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A small table of text, that needs none of the machinery of large ones."""
    lines = (heads, ["---"] * len(heads), *([plain(str(cell)) for cell in row] for row in rows))
    st.markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


@contextmanager
def paged(key: str, n: int, per_page: int) -> Iterator[slice]:
    """Which of ``n`` rows the chosen page shows; below what is drawn of them, buttons for the other pages."""
    n_pages = -(-n // per_page)
    key = f"{key}-{n_pages}"
    page = min(st.session_state.get(key, 1), max(n_pages, 1))
    yield slice((page - 1) * per_page, min(page * per_page, n))
    if n_pages > 1:
        st.pagination(n_pages, key=key)


def metric(label: str, value: str, below: str, words: str) -> None:
    """A number with its label; below it the counts that it comes from, and a help text."""
    st.metric(label, value, delta=below, delta_color="off", delta_arrow="off", help=linked(words))


def with_own(own: str, title: str) -> str:
    """A title, with the user's own name before it where there is one, as Markdown shows them as they are."""
    return plain(f"{own} · {title}" if own else title)
