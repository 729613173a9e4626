"""Words of a figure: Plotly's small subset of HTML as lines, fonts that come with Matplotlib, and wrapping."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import matplotlib
from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font
from matplotlib.textpath import text_to_path

from dnncov_core.export.drawing.properties import NotDrawnError

POINTS = 0.5
"""Of paper for one pixel of a screen: text of 14 pixels has 7 points."""
LEAST = 6.5
"""Points of the smallest text, that can still be read on paper."""
FAMILY = "DejaVu Sans"
"""Comes with Matplotlib, so that files are the same on every machine."""
FILES = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}
LINE = 1.25
"""From one line to the next, in font sizes."""


def points_of_text(pixels: float) -> float:
    """The size of a text on paper.

    >>> points_of_text(14), points_of_text(11)
    (7.0, 6.5)
    """
    return max(LEAST, POINTS * pixels)


@dataclass(frozen=True)
class Line:
    """One line of text, in one weight."""

    text: str
    bold: bool = False


def lines_of(text: str) -> list[Line]:
    """Plotly's text as lines.

    Raises:
        NotDrawnError: a tag that is not known, or a line that is bold in part.

    >>> lines_of("<b>87.3 %</b><br>131 of 150")
    [Line(text='87.3 %', bold=True), Line(text='131 of 150', bold=False)]
    """
    return [_line(part) for part in text.split("<br>")] if text else []


def _line(text: str) -> Line:
    bold = re.fullmatch(r"<b>(.*)</b>", text)
    inside = bold.group(1) if bold else text
    if re.search(r"</?[a-z][^>]*>", inside):
        raise NotDrawnError(f"text {text!r}")
    return Line(html.unescape(inside), bool(bold))


def font(size: float, *, bold: bool = False) -> FontProperties:
    """The font of a size in points; its family is what an SVG names."""
    return FontProperties(fname=str(font_file(bold)), family=FAMILY, size=size, weight="bold" if bold else "normal")


def font_file(bold: bool) -> Path:
    """Matplotlib's own copy."""
    return Path(matplotlib.get_data_path(), "fonts", "ttf", FILES[bold])


@cache
def _glyphs() -> frozenset[int]:
    return frozenset(FT2Font(str(font_file(False))).get_charmap())


def has_glyphs(text: str) -> bool:
    """Whether the font has every sign of a text."""
    return all(ord(sign) in _glyphs() for sign in text)


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """In points."""
    width, _, _ = text_to_path.get_text_width_height_descent(text, font(size, bold=bold), ismath=False)
    return float(width)


def wrapped(text: str, size: float, most: float, *, bold: bool = False) -> list[str]:
    """Lines of at most so many points, broken at blanks; a word that is too long is cut."""
    lines: list[str] = []
    line = ""
    for word in (piece for blank in text.split(" ") for piece in _pieces(blank, size, most, bold=bold)):
        longer = f"{line} {word}" if line else word
        if line and width_of(longer, size, bold=bold) > most:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line]


def _pieces(word: str, size: float, most: float, *, bold: bool) -> Sequence[str]:
    if width_of(word, size, bold=bold) <= most or len(word) < 2:
        return [word]
    at = max((n for n in range(1, len(word)) if width_of(word[:n], size, bold=bold) <= most), default=1)
    return [word[:at], *_pieces(word[at:], size, most, bold=bold)]
