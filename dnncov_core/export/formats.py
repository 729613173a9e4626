"""Formats of files, by name: how an exhibit becomes bytes in each. The same exhibit gives the same bytes."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dnncov_core.export.exhibits import Exhibit
from dnncov_core.export.provenance import Origin
from dnncov_core.export.sheets import Sheet, Value
from dnncov_core.figures.style import INK

WIDTHS: Mapping[str, float] = {"column": 88.0, "page": 180.0}
"""Widths of pictures on paper in millimetres: a column of two, and a whole page."""
KEY = "dnncov"
"""What provenance is called in the metadata of a file."""
FORMULA = re.compile(r"[=@\t\r]|[+-](?![-+\d.,;e ]*$)")
"""How text of a cell begins that spreadsheets take for a formula; numbers and signs, such as "- + -", are none."""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width">
<meta name="description" content="{caption}">
<meta name="generator" content="{generator}">
<meta name="dcterms.created" content="{date}">
<meta name="dnncov" content="{provenance}">
<style>
body {{ margin: 24px auto; max-width: 1000px; padding: 0 16px; background: #fff; color: {ink};
  font: 15px/1.5 "Source Sans", "Source Sans 3", Helvetica, Arial, sans-serif }}
figure {{ margin: 0 }}
</style>
</head>
<body>
<figure>
{figure}
<figcaption>{caption}</figcaption>
</figure>
</body>
</html>
"""
"""A page that opens without the internet: Plotly's program, the data, the caption and the provenance are inside."""


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes:
        title: what it is called where one chooses.
        mime: its media type.
        write: from an exhibit and a width in millimetres to bytes.
        program: what draws the figure; empty for a format of tables.
    """

    title: str
    mime: str
    write: Callable[[Exhibit, float], bytes]
    program: str = ""


def fits(exhibit: Exhibit, name: str) -> bool:
    """Whether an exhibit can be written in a format: every one has a table, and some have a figure."""
    return not FORMATS[name].program or exhibit.has_figure


def _picture(exhibit: Exhibit, form: str, width: float, metadata: Mapping[str, Any]) -> bytes:
    from dnncov_core.export.drawing.draw import picture_bytes  # Matplotlib only where it is needed

    return picture_bytes(exhibit.figure(), form, width=width, metadata=metadata)


def _svg(exhibit: Exhibit, width: float) -> bytes:
    from dnncov_core.export.drawing.text import with_fonts  # Matplotlib only where it is needed

    metadata = svg_metadata(exhibit.kind.title, str(exhibit.caption()), exhibit.provenance)
    return with_fonts(_picture(exhibit, "svg", width, metadata))


def svg_metadata(title: str, caption: str, provenance: Origin) -> dict[str, str | None]:
    """What an SVG says of itself."""
    return {
        "Title": title,
        "Description": caption,
        "Date": provenance.date or None,
        "Creator": provenance.version,
        "Identifier": f"{provenance.kind} {provenance.id}",
        "Source": provenance.to_json(),
    }


def _pdf(exhibit: Exhibit, width: float) -> bytes:
    provenance = exhibit.provenance
    metadata = {
        "Title": exhibit.kind.title,
        "Subject": str(exhibit.caption()),
        "Keywords": f"{KEY} {provenance.to_json()}",
        "Creator": provenance.version,
        "Producer": f"Matplotlib {provenance.written_with['matplotlib']}",
        "CreationDate": provenance.when,
        "ModDate": provenance.when,
    }
    return _picture(exhibit, "pdf", width, metadata)


def _png(exhibit: Exhibit, width: float) -> bytes:
    return _picture(exhibit, "png", width, png_metadata(exhibit.kind.title, str(exhibit.caption()), exhibit.provenance))


def png_metadata(title: str, caption: str, provenance: Origin) -> dict[str, str]:
    """The texts of a PNG."""
    return {
        "Title": title,
        "Description": caption,
        **({"Creation Time": provenance.date} if provenance.date else {}),
        "Software": provenance.version,
        KEY: provenance.to_json(),
    }


def _html(exhibit: Exhibit, width: float) -> bytes:
    import plotly.io

    drawn = plotly.io.to_html(
        exhibit.figure(),
        config={"displaylogo": False, "responsive": True},
        include_plotlyjs=True,
        include_mathjax=False,
        full_html=False,
        div_id=exhibit.stem,
    )
    provenance = exhibit.provenance
    words = {
        "title": exhibit.kind.title,
        "caption": str(exhibit.caption()),
        "generator": provenance.version,
        "date": provenance.date,
        "provenance": provenance.to_json(),
    }
    escaped = {name: html.escape(text) for name, text in words.items()}
    return PAGE.format(**escaped, figure=drawn, ink=INK).encode("utf-8")


def _csv(exhibit: Exhibit, width: float) -> bytes:
    sheet, file = exhibit.sheet(), io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([_cell(column.name) for column in sheet.columns])
    writer.writerows([_cell(value) for value in row] for row in sheet.rows)
    return file.getvalue().encode("utf-8")


def _cell(value: Value) -> str:
    """Numbers with all their digits; nothing for None; an apostrophe before text that a spreadsheet would evaluate.

    >>> _cell(-0.1), _cell(None), _cell(True), _cell("=cmd()")
    ('-0.1', '', 'true', "'=cmd()")
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"'{value}" if FORMULA.match(value) else value
    return repr(value)


def _json(exhibit: Exhibit, width: float) -> bytes:
    sheet = exhibit.sheet()
    names = [column.name for column in sheet.columns]
    content = {
        "title": exhibit.kind.title,
        "caption": str(exhibit.caption()),
        "columns": {column.name: column.meaning for column in sheet.columns},
        "rows": [dict(zip(names, row, strict=True)) for row in sheet.rows],
        "provenance": exhibit.provenance.to_dict(),
    }
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def _parquet(exhibit: Exhibit, width: float) -> bytes:
    import pyarrow.parquet  # comes with Streamlit; only where it is needed

    sheet, file = exhibit.sheet(), io.BytesIO()
    table = arrow_table(sheet).replace_schema_metadata(
        {"title": exhibit.kind.title, "caption": str(exhibit.caption()), KEY: exhibit.provenance.to_json()}
    )
    pyarrow.parquet.write_table(table, file)
    return file.getvalue()


def arrow_table(sheet: Sheet) -> Any:
    """A sheet as Apache Arrow has it; each field's metadata say what it means."""
    import pyarrow

    kinds = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string(), bool: pyarrow.bool_()}
    fields = [
        pyarrow.field(column.name, kinds[column.kind], metadata={"meaning": column.meaning}) for column in sheet.columns
    ]
    columns = [list(values) for values in zip(*sheet.rows, strict=True)] or [[] for _ in fields]
    arrays = [pyarrow.array(values, each.type) for values, each in zip(columns, fields, strict=True)]
    return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))


FORMATS: Mapping[str, Format] = {
    "svg": Format("SVG", "image/svg+xml", _svg, "Matplotlib"),
    "pdf": Format("PDF", "application/pdf", _pdf, "Matplotlib"),
    "png": Format("PNG", "image/png", _png, "Matplotlib"),
    "html": Format("HTML", "text/html", _html, "Plotly"),
    "csv": Format("CSV", "text/csv", _csv),
    "json": Format("JSON", "application/json", _json),
    "parquet": Format("Parquet", "application/vnd.apache.parquet", _parquet),
}
"""Pictures by Matplotlib, the page by Plotly, and tables."""


def drawn_by() -> str:
    """Which program draws which formats, in a sentence.

    >>> drawn_by()
    'Figures are drawn by Matplotlib (SVG, PDF, PNG) and Plotly (HTML).'
    """
    titles: dict[str, list[str]] = {}
    for each in FORMATS.values():
        titles.setdefault(each.program, []).append(each.title)
    programs = [f"{program} ({', '.join(some)})" for program, some in titles.items() if program]
    return f"Figures are drawn by {' and '.join(programs)}."
