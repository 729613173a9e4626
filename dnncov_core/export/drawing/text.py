"""Words of a figure: Plotly's small subset of HTML as lines, wrapping, and fonts, which an SVG has in it."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import matplotlib
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from dnncov_core.export.drawing.properties import NotDrawnError

POINTS = 0.5
"""On paper for one pixel of a screen: text of 14 pixels has 7 points."""
LEAST = 6.5
"""Points of the smallest text, that can still be read on paper."""
FAMILY = "DejaVu Sans"
"""Comes with Matplotlib, so that files are the same on every machine."""
FILES = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}
LINE = 1.25
"""From one line to the next, in font sizes."""
TEXT = re.compile(r"<text\b([^>]*)>([^<]*)</text>")
"""A text of an SVG: its attributes, and its words."""
DEFINITIONS = "<defs>"


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


def font_file(bold: bool) -> Path:
    """The font's file, Matplotlib's own copy."""
    return Path(matplotlib.get_data_path(), "fonts", "ttf", FILES[bold])


@lru_cache(maxsize=4096)
def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text in points; the words of a figure are measured again in each of its formats."""
    font = FontProperties(fname=str(font_file(bold)), size=size)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath=False)
    return float(width)


def wrapped(text: str, size: float, most: float) -> list[str]:
    """Lines of at most so many points, broken at blanks; a word that is too long is cut."""
    lines: list[str] = []
    line = ""
    for word in (piece for blank in text.split(" ") for piece in _pieces(blank, size, most)):
        longer = f"{line} {word}" if line else word
        if line and width_of(longer, size) > most:
            lines.append(line)
            line = word
        else:
            line = longer
    return [*lines, line]


def _pieces(word: str, size: float, most: float) -> Sequence[str]:
    if width_of(word, size) <= most or len(word) < 2:
        return [word]
    at = max((n for n in range(1, len(word)) if width_of(word[:n], size) <= most), default=1)
    return [word[:at], *_pieces(word[at:], size, most)]


def with_fonts(svg: bytes) -> bytes:
    """An SVG with the glyphs in it that its texts use, so that they look the same where the font is not installed."""
    text = svg.decode("utf-8")
    used: dict[bool, set[str]] = {False: set(), True: set()}
    for attributes, words in TEXT.findall(text):
        used["bold" in attributes or " 700 " in attributes].update(html.unescape(words))
    faces = "".join(_face(bold, signs) for bold, signs in used.items() if signs)
    return text.replace(DEFINITIONS, f'{DEFINITIONS}\n  <style type="text/css">{faces}</style>', 1).encode("utf-8")


def _face(bold: bool, signs: set[str]) -> str:
    encoded = base64.b64encode(_subset(bold, signs)).decode("ascii")
    weight = "bold" if bold else "normal"
    source = f"url(data:font/ttf;base64,{encoded}) format('truetype')"
    return f"@font-face{{font-family:'{FAMILY}';font-weight:{weight};src:{source}}}"


def _subset(bold: bool, signs: set[str]) -> bytes:
    from fontTools.subset import Options, Subsetter  # comes with Matplotlib
    from fontTools.ttLib import TTFont

    options = Options(recalc_timestamp=False, notdef_outline=True, layout_features=["kern"], hinting=False)
    options.drop_tables += ["FFTM"]  # when the font was made
    made = TTFont(str(font_file(bold)), recalcTimestamp=False, lazy=True)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=sorted(map(ord, signs)))
    subsetter.subset(made)
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()
