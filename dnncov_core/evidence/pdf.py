"""A report as a PDF file for printing, by ReportLab: contents, page numbers, and a head on every page."""

from __future__ import annotations

import io
from functools import cache, singledispatch
from html import escape
from typing import Any

from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import registerFont, registerFontFamily, stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    Image,
    KeepTogether,
    ListFlowable,
    PageTemplate,
    Spacer,
)
from reportlab.platypus import Paragraph as Words
from reportlab.platypus import Table as Grid
from reportlab.platypus.tableofcontents import TableOfContents

from dnncov_core.evidence.document import (
    Commands,
    Document,
    Figure,
    Formula,
    Heading,
    Items,
    Paragraph,
    Signatures,
    Table,
)
from dnncov_core.evidence.page import FEW_ROWS, markup
from dnncov_core.export.drawing.text import FAMILY, font_file
from dnncov_core.outside_text import with_codes

LEFT, TOP, BOTTOM = 20 * mm, 24 * mm, 20 * mm
WIDTH, HEIGHT = A4[0] - 2 * LEFT, A4[1] - TOP - BOTTOM
PADDING = 10.0
"""Points between two columns of a table."""
FIRST_ROWS = 3
"""So many rows of a long table stand on the page where it begins."""
rl_config.useA85 = 0  # streams of bytes instead of letters: smaller, and made in half the time
INK, LINE = colors.HexColor("#10161E"), colors.HexColor("#C9CFD8")
BOLD, MONO = f"{FAMILY} Bold", f"{FAMILY} Mono"
TEXT = ParagraphStyle("text", fontName=FAMILY, fontSize=9, leading=13, textColor=INK, spaceAfter=6)
SMALL = ParagraphStyle("small", TEXT, fontSize=7.5, leading=10, spaceAfter=0)
RIGHT = ParagraphStyle("right", SMALL, alignment=2)
CAPTION = ParagraphStyle("caption", SMALL, fontSize=8, leading=11, spaceBefore=4, spaceAfter=4)
FORMULA = ParagraphStyle("formula", TEXT, fontSize=10, leading=15, leftIndent=6 * mm)
CODE = ParagraphStyle("code", SMALL, fontName=MONO, backColor="#F3F5F8", borderPadding=4, leftIndent=4, spaceBefore=2)
TITLE = ParagraphStyle("title", TEXT, fontName=BOLD, fontSize=20, leading=26, spaceAfter=8)
HEADS = [
    ParagraphStyle(f"head{level}", TEXT, fontName=BOLD, fontSize=size, leading=1.3 * size, keepWithNext=1, **space)
    for level, size, space in (
        (1, 14, {"spaceBefore": 16, "spaceAfter": 6}),
        (2, 11, {"spaceBefore": 12, "spaceAfter": 4}),
        (3, 9.5, {"spaceBefore": 9, "spaceAfter": 3}),
    )
]
ENTRIES = [
    ParagraphStyle("entry1", TEXT, spaceAfter=0, spaceBefore=2),
    ParagraphStyle("entry2", TEXT, fontSize=8, leading=11, leftIndent=6 * mm, spaceAfter=0),
]


def pdf_file(document: Document) -> bytes:
    """The file; a document gives the same bytes each time."""
    _register_fonts()
    story: list[Any] = [Words(_safe(document.title), TITLE), Words(_safe(document.sentence), TEXT)]
    story += [Words("Contents", ParagraphStyle("contents", HEADS[0]))]
    story += [TableOfContents(levelStyles=ENTRIES, dotsMinLevel=0)]
    numbered = [("", None), *document.numbered(), ("", None)]
    for (_, before), (number, block), (_, after) in zip(numbered, numbered[1:], numbered[2:], strict=False):
        story += _flowables(block, number)
        if isinstance(before, Heading) and isinstance(block, Paragraph) and isinstance(after, Table | Figure):
            story[-1].keepWithNext = True  # else it might stand alone with its heading at the end of a page
    file = io.BytesIO()
    _Pages(document, file).multiBuild(story)
    return file.getvalue()


@cache
def _register_fonts() -> None:
    """Matplotlib's copies of the fonts, which the pictures have as well."""
    plain, bold = font_file(False), font_file(True)
    for name, path in ((FAMILY, plain), (BOLD, bold), (MONO, plain.with_name("DejaVuSansMono.ttf"))):
        registerFont(TTFont(name, str(path)))
    registerFontFamily(FAMILY, normal=FAMILY, bold=BOLD, italic=FAMILY, boldItalic=BOLD)


class _Together(KeepTogether):  # type: ignore[misc]
    """What stands on one page; a long table at its end begins where its first rows fit, and goes on overleaf."""

    def split(self, width: float, height: float) -> list[Flowable]:
        """What to draw one after the other, after a new page where it has to be."""
        *above, last = self._content
        if isinstance(last, Grid) and len(last._cellvalues) > 1 + FEW_ROWS:
            last.wrap(width, height)
            needed = sum(each.wrap(width, height)[1] + each.getSpaceBefore() + each.getSpaceAfter() for each in above)
            if needed + sum(last._rowHeights[: 1 + FIRST_ROWS]) <= height:
                return [*self._content]
        found: list[Flowable] = super().split(width, height)
        return found


class _Pages(BaseDocTemplate):  # type: ignore[misc]
    """Pages with head and foot, made again until contents and the number of ``pages`` are those of the pass before."""

    def __init__(self, document: Document, file: io.BytesIO) -> None:
        said = {"title": with_codes(f"{document.title}: {document.about}"), "author": document.maker, "lang": "en"}
        super().__init__(file, pagesize=A4, invariant=1, keepTogetherClass=_Together, **said)
        frame = Frame(LEFT, BOTTOM, WIDTH, HEIGHT, 0, 0, 0, 0)
        self.addPageTemplates(PageTemplate("page", [frame], onPage=self._around))
        self._document, self.pages, self._headings = document, 0, 0

    def _around(self, canvas: Any, _: object) -> None:
        canvas.setFont(FAMILY, 7)
        canvas.setFillColor(INK)
        canvas.setStrokeColor(LINE)
        canvas.line(LEFT, A4[1] - TOP + 6 * mm, A4[0] - LEFT, A4[1] - TOP + 6 * mm)
        head, date = A4[1] - TOP + 8 * mm, f"{self._document.date[:10]}"
        canvas.drawString(LEFT, head, _shortened(with_codes(self._document.about), WIDTH - 25 * mm))
        canvas.drawRightString(A4[0] - LEFT, head, date)
        canvas.drawString(LEFT, BOTTOM - 9 * mm, self._document.maker)
        canvas.drawRightString(A4[0] - LEFT, BOTTOM - 9 * mm, f"Page {canvas.getPageNumber()} of {self.pages}")

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802  ReportLab's name
        """Notes where a heading stands."""
        level = next((at for at, style in enumerate(HEADS[:2]) if getattr(flowable, "style", None) is style), None)
        if level is None:
            return
        self._headings += 1
        text, key = flowable.getPlainText(), f"heading-{self._headings}"
        self.canv.bookmarkPage(key)
        self.canv.addOutlineEntry(text, key, level, closed=level == 0)
        self.notify("TOCEntry", (level, _safe(text), self.page, key))

    def beforeDocument(self) -> None:  # noqa: N802  ReportLab's name
        """Begins a pass."""
        self._headings = 0

    def _allSatisfied(self) -> bool:  # noqa: N802  ReportLab's name
        """Whether it was the last pass."""
        before, self.pages = self.pages, self.page
        return self.pages == before and bool(super()._allSatisfied())


class _Picture(Image):  # type: ignore[misc]
    """A picture, which is not drawn in the first pass, for which its place is enough."""

    def draw(self) -> None:
        """Draws it."""
        if self.canv._doctemplate.pages:
            super().draw()


def _shortened(text: str, most: float) -> str:
    while stringWidth(text, FAMILY, 7) > most:
        text = f"{text[:-2]}…"
    return text


def _safe(text: str) -> str:
    """Text without tags, and without what no file can hold."""
    return escape(with_codes(text))


@singledispatch
def _flowables(block: object, number: str) -> list[Any]:
    raise NotImplementedError(type(block).__name__)


@_flowables.register
def _(block: Heading, number: str) -> list[Any]:
    return [Words(f"{number} {_safe(block.text)}", HEADS[block.level - 1])]


@_flowables.register
def _(block: Paragraph, number: str) -> list[Any]:
    return [Words(_safe(block.text), TEXT)]


@_flowables.register
def _(block: Items, number: str) -> list[Any]:
    points = [Words(_safe(item), ParagraphStyle("item", TEXT, spaceAfter=3)) for item in block.items]
    return [ListFlowable(points, bulletType="bullet", start="•", leftIndent=12, bulletFontSize=8), Spacer(1, 4)]


@_flowables.register
def _(block: Commands, number: str) -> list[Any]:
    return [Words("<br/>".join(map(_safe, block.lines)), CODE), Spacer(1, 8)]


@_flowables.register
def _(block: Formula, number: str) -> list[Any]:
    return [Words(markup(block), FORMULA)]


@_flowables.register
def _(block: Table, number: str) -> list[Any]:
    caption = Words(f"<b>{number}.</b> {_safe(block.caption)}", ParagraphStyle("above", CAPTION, keepWithNext=1))
    styles = [RIGHT if at in block.numbers else SMALL for at in range(len(block.heads))]
    heads = [Words(f"<b>{_safe(head)}</b>", style) for head, style in zip(block.heads, styles, strict=True)]
    rows = [[Words(_safe(cell), style) for cell, style in zip(row, styles, strict=True)] for row in block.rows]
    looks = [
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("LINEBELOW", (0, 0), (-1, 0), 0.7, INK),
        ("LINEBELOW", (0, 1), (-1, -1), 0.3, LINE),
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("RIGHTPADDING", (0, 0), (-1, -1), PADDING),
        ("TOPPADDING", (0, 0), (-1, -1), 2),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
    ]
    grid = Grid([heads, *rows], colWidths=_widths(block), repeatRows=1, splitInRow=1, style=looks, hAlign="LEFT")
    return [caption, grid, Spacer(1, 10)]


def _widths(table: Table) -> list[float]:
    """Widths of columns: what each needs, and where that is more than the page, the wide ones share what is left."""
    columns = zip(table.heads, *table.rows, strict=True)
    needed = [
        1
        + PADDING
        + max(
            stringWidth(with_codes(cell), BOLD if at == 0 else FAMILY, SMALL.fontSize) for at, cell in enumerate(each)
        )
        for each in columns
    ]
    given: dict[int, float] = {}
    for at in sorted(range(len(needed)), key=needed.__getitem__):
        given[at] = min(needed[at], (WIDTH - sum(given.values())) / (len(needed) - len(given)))
    return [given[at] for at in range(len(needed))]


@_flowables.register
def _(block: Figure, number: str) -> list[Any]:
    picture = _Picture(io.BytesIO(block.draw("png")), mask=None)
    scale = min(WIDTH / picture.imageWidth, block.share * HEIGHT / picture.imageHeight)
    picture.drawWidth, picture.drawHeight = scale * picture.imageWidth, scale * picture.imageHeight
    picture.hAlign, picture.keepWithNext = "LEFT", True
    return [picture, Words(f"<b>{number}.</b> {_safe(block.caption)}", CAPTION), Spacer(1, 8)]


@_flowables.register
def _(block: Signatures, number: str) -> list[Any]:
    heads = [Words(f"<b>{head}</b>", SMALL) for head in block.heads]
    lines = [[Words(_safe(role), SMALL), "", "", ""] for role in block.roles]
    every = (0, 0), (-1, -1)
    looks = [("LINEBELOW", *every, 0.5, INK), ("VALIGN", *every, "BOTTOM"), ("LEFTPADDING", *every, 0)]
    heights = [16.0, *[44.0] * len(lines)]
    widths = [share * WIDTH for share in (0.34, 0.28, 0.14, 0.24)]
    return [Grid([heads, *lines], colWidths=widths, rowHeights=heights, style=looks, hAlign="LEFT"), Spacer(1, 8)]
