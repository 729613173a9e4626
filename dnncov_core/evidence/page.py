"""A report as one HTML page, which needs nothing from elsewhere and is made to be printed."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from functools import singledispatch
from html import escape
from pathlib import Path

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
    spans,
)

FEW_ROWS = 14
"""A table of so many rows stays on one page where it fits."""
SHORT, LONG = 14, 30
"""Letters of text that is kept in one line, and of a word that may be broken, such as a fingerprint."""


def html_page(document: Document) -> bytes:
    """The page, with contents that lead to the sections, and figures inside it."""
    style = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">',
        f"<title>{escape(document.title)}: {escape(document.about)}</title>",
        '<meta name="viewport" content="width=device-width">',
        f'<meta name="generator" content="{escape(document.maker)}">\n<style>{style}</style></head>\n<body>',
        f"<header><h1>{escape(document.title)}</h1><p>{escape(document.sentence)}</p></header>",
        *_contents(document),
        "<main>",
        *(_html(block, number) for number, block in document.numbered()),
        "</main></body></html>\n",
    ]
    return "\n".join(parts).encode("utf-8", "backslashreplace")


def _contents(document: Document) -> Iterator[str]:
    yield '<nav aria-label="Contents"><h2>Contents</h2><ol>'
    for number, block in document.numbered():
        if isinstance(block, Heading) and block.level < 3:
            deep = ' class="deep"' if block.level > 1 else ""
            yield f'<li{deep}><a href="#section-{number}">{number} {escape(block.text)}</a></li>'
    yield "</ol></nav>"


@singledispatch
def _html(block: object, number: str) -> str:
    raise NotImplementedError(type(block).__name__)


@_html.register
def _(block: Heading, number: str) -> str:
    tag = f"h{block.level + 1}"
    return f'<{tag} id="section-{number}">{number} {escape(block.text)}</{tag}>'


@_html.register
def _(block: Paragraph, number: str) -> str:
    return f"<p>{escape(block.text)}</p>"


@_html.register
def _(block: Items, number: str) -> str:
    return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in block.items)}</ul>"


@_html.register
def _(block: Commands, number: str) -> str:
    return "<pre>{}</pre>".format(escape("\n".join(block.lines)))


@_html.register
def _(block: Formula, number: str) -> str:
    return f'<p class="formula">{markup(block)}</p>'


@_html.register
def _(block: Table, number: str) -> str:
    caption = f"<caption>{_caption(block, number)}</caption>"
    whole = " whole" if len(block.rows) <= FEW_ROWS else ""
    kinds = [_kind(block, at) for at in range(len(block.heads))]
    return f'<div class="wide{whole}"><table>{caption}{_grid(block.heads, block.rows, kinds)}</table></div>'


def _kind(table: Table, at: int) -> str:
    """The class of a column: numbers, short text that is not broken, or words that have to be broken anywhere."""
    cells = [table.heads[at], *(row[at] for row in table.rows)]
    if at in table.numbers:
        return "number"
    longest = max(len(word) for cell in cells for word in cell.split(" "))
    return "long" if longest > LONG else "short" if max(map(len, cells)) <= SHORT else "text"


def _grid(heads: Sequence[str], rows: Sequence[Sequence[str]], kinds: Sequence[str]) -> str:
    def line(tag: str, cells: Sequence[str]) -> str:
        more = ' scope="col"' * (tag == "th")
        pairs = zip(kinds, cells, strict=True)
        found = (f'<{tag}{more} class="{kind}">{escape(cell)}</{tag}>' for kind, cell in pairs)
        return f"<tr>{''.join(found)}</tr>"

    body = "\n".join(line("td", row) for row in rows)
    return f"<thead>{line('th', heads)}</thead>\n<tbody>{body}</tbody>"


@_html.register
def _(block: Figure, number: str) -> str:
    content = block.draw("svg")
    kind = "png" if content.startswith(b"\x89PNG") else "svg+xml"
    source = f"data:image/{kind};base64,{base64.b64encode(content).decode('ascii')}"
    picture = f'<img alt="{escape(block.alt)}" style="--share: {block.share}" src="{source}">'
    return f"<figure>{picture}<figcaption>{_caption(block, number)}</figcaption></figure>"


def _caption(block: Table | Figure, number: str) -> str:
    return f"<strong>{number}.</strong> {escape(block.caption)}"


@_html.register
def _(block: Signatures, number: str) -> str:
    rows = [(role, "", "", "") for role in block.roles]
    return f'<table class="signature whole">{_grid(block.heads, rows, ["text"] * len(block.heads))}</table>'


def markup(formula: Formula) -> str:
    """A formula in tags that HTML and ReportLab know."""
    parts = ((escape(text), level) for text, level in spans(formula))
    return "".join(f"<{level}>{text}</{level}>" if level else text for text, level in parts)
