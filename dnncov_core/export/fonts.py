"""Fonts inside an SVG: the glyphs that its texts use, so that they look the same where the font is not installed."""

from __future__ import annotations

import base64
import html
import io
import re

from dnncov_core.export.drawing.text import FAMILY, font_file

TEXT = re.compile(r"<text\b([^>]*)>([^<]*)</text>")
START = "<defs>"


def with_fonts(svg: bytes) -> bytes:
    """The same drawing with a subset of its fonts in it."""
    text = svg.decode("utf-8")
    used: dict[bool, set[str]] = {False: set(), True: set()}
    for attributes, words in TEXT.findall(text):
        used["bold" in attributes or " 700 " in attributes].update(html.unescape(words))
    faces = "".join(_face(bold, signs) for bold, signs in used.items() if signs)
    return text.replace(START, f'{START}\n  <style type="text/css">{faces}</style>', 1).encode("utf-8")


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
    made = TTFont(str(font_file(bold)), recalcTimestamp=False)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=sorted(map(ord, signs)))
    subsetter.subset(made)
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()
