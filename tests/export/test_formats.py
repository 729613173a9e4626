"""Every exhibit in every format is the right one, says where it comes from, and is the same each time."""

from __future__ import annotations

import csv
import functools
import html
import io
import itertools
import json
import re
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pyarrow.parquet
import pytest
from PIL import Image

from dnncov_core.export.catalogue import EXHIBITS
from dnncov_core.export.formats import FORMATS, WIDTHS, arrow_table, drawn_by, fits
from dnncov_core.export.sheets import Column, Sheet
from tests import runs
from tests.export import made

FIGURES, NAMES = made.FIGURES, sorted([*made.FIGURES, *made.TABLES])
COLUMN = WIDTHS["column"]
SVG = "{http://www.w3.org/2000/svg}"


def written(name: str, form: str, width: float = COLUMN) -> bytes:
    """A file, which several tests look at; a page of HTML has all of Plotly in it, and is not kept."""
    return fresh(name, form, width) if form == "html" else kept(name, form, width)


def fresh(name: str, form: str, width: float = COLUMN) -> bytes:
    return FORMATS[form].write(made.exhibits()[name], width)


kept = functools.cache(fresh)


def as_text(sheet: Sheet) -> list[list[str]]:
    """A sheet's cells as a CSV file has them."""
    return [
        ["" if v is None else str(v).lower() if isinstance(v, bool) else repr(v) if isinstance(v, float) else str(v)
         for v in row]
        for row in sheet.rows
    ]  # fmt: skip


def test_text_that_a_spreadsheet_would_evaluate_has_an_apostrophe() -> None:
    columns = (Column("=name", str, ""), Column("n", float, ""))
    texts = (
        "=cmd()",
        "+A1",
        "@A1",
        "-1+cmd()",
        "\ttab",
        "\rend",
        "a = b",
        "",
        "-1",
        "-1.5e-07",
        "- + -; - + +",
        "-1.0 0.5",
    )
    rows = tuple((text, -1.5) for text in texts)
    shown = SimpleNamespace(sheet=lambda: Sheet(columns, rows))
    content = FORMATS["csv"].write(shown, COLUMN).decode()  # type: ignore[arg-type]
    header, *found = csv.reader(io.StringIO(content, newline=""))
    assert header == ["'=name", "n"]
    assert found == [[f"'{text}" if text in texts[:6] else text, "-1.5"] for text in texts]


@pytest.mark.parametrize("name", NAMES)
def test_tables_are_read_back_as_they_were(name: str) -> None:
    shown = made.exhibits()[name]
    sheet = shown.sheet()
    names = [column.name for column in sheet.columns]
    assert len(set(names)) == len(names)
    rows = list(csv.reader(io.StringIO(written(name, "csv").decode(), newline="")))
    assert rows[0] == names
    assert rows[1:] == as_text(sheet)
    content = json.loads(written(name, "json"))
    assert content["rows"] == [dict(zip(names, row, strict=True)) for row in sheet.rows]
    assert content["columns"] == {column.name: column.meaning for column in sheet.columns}
    assert content["provenance"] == json.loads(shown.provenance.to_json())
    assert content["caption"] == str(shown.caption())
    table = pyarrow.parquet.read_table(io.BytesIO(written(name, "parquet")))
    assert table.equals(arrow_table(sheet))
    assert [tuple(row.values()) for row in table.to_pylist()] == list(sheet.rows)
    assert json.loads(table.schema.metadata[b"dnncov"]) == json.loads(shown.provenance.to_json())
    assert table.schema.metadata[b"caption"].decode() == str(shown.caption())


@pytest.mark.parametrize("name", NAMES)
def test_cells_are_of_the_kind_of_their_column(name: str) -> None:
    sheet = made.exhibits()[name].sheet()
    for row in sheet.rows:
        for value, column in zip(row, sheet.columns, strict=True):
            assert value is None or type(value) is column.kind, (column.name, value)


@pytest.mark.parametrize(("name", "width"), zip(FIGURES[::2], itertools.cycle(WIDTHS)))
def test_png(name: str, width: str) -> None:
    """Every other figure as a PNG file, the others as a PDF file; tests/export/drawing draws each in both widths."""
    shown = made.figures()[name]
    image = Image.open(io.BytesIO(written(name, "png", WIDTHS[width])))
    image.load()
    assert image.size[0] == pytest.approx(WIDTHS[width] / 25.4 * 300, abs=1)
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    assert 0.2 < image.size[1] / image.size[0] < 2.2
    assert image.info["Description"] == str(shown.caption())
    assert json.loads(image.info["dnncov"]) == json.loads(shown.provenance.to_json())
    assert image.info.get("Creation Time", "") == shown.provenance.date
    assert image.convert("RGB").getcolors(20) is None  # there are more


@pytest.mark.parametrize("name", FIGURES)
def test_svg_has_its_words_as_text(name: str) -> None:
    shown, content = made.figures()[name], written(name, "svg")
    root = ElementTree.fromstring(content)
    texts = [element.text or "" for element in root.iter(f"{SVG}text")]
    words = " ".join(texts)
    figure = shown.figure()
    for wanted in (figure.layout.title.text, figure.layout.title.subtitle.text):
        assert wanted in words
    for title in (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text):
        assert all(word in words for word in (title or "").split())
    for trace in figure.data:
        if trace.text and (trace.type == "bar" or "text" in (trace.mode or "")):
            for text in trace.text:
                for line in re.sub("</?b>", "", text).split("<br>"):
                    assert line in words
    assert root.attrib["width"] == f"{COLUMN / 25.4 * 72:.6f}".rstrip("0") + "pt"
    assert "@font-face" in (next(root.iter(f"{SVG}style")).text or "")
    plain = html.unescape(content.decode())
    for wanted in (shown.provenance.to_json(), shown.provenance.date, str(shown.caption())):
        assert wanted in plain
    assert "http" not in "".join(value for element in root.iter() for key, value in element.attrib.items()
                                 if "href" in key and not value.startswith("#"))  # fmt: skip


@pytest.mark.parametrize("name", FIGURES[1::2])
def test_pdf_has_fonts_and_says_where_it_comes_from(name: str) -> None:
    shown, content = made.figures()[name], written(name, "pdf")
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert b"/Subtype /Type0" in content
    assert b"/FontFile2" in content
    assert b"/Type3" not in content
    (box,) = re.findall(rb"/MediaBox \[ 0 0 ([0-9.]+) ([0-9.]+) \]", content)
    assert float(box[0]) == pytest.approx(COLUMN / 25.4 * 72, abs=0.1)
    assert shown.provenance.to_json() in pdf_words(content)
    assert str(shown.caption()) in pdf_words(content)
    when = shown.provenance.when
    assert (b"/CreationDate" in content) == (when is not None)
    assert when is None or f"(D:{when:%Y%m%d%H%M%S}" in content.decode("latin-1")


def pdf_words(content: bytes) -> str:
    """The strings of the information dictionary."""
    start = content.index(b"/Creator")
    block = content[content.rindex(b"obj", 0, start) : content.index(b"endobj", start)]
    found = []
    for match in re.finditer(rb"\(((?:[^()\\]|\\.|\([^()]*\))*)\)", block, re.S):
        text = re.sub(rb"\\([0-7]{3})", lambda m: bytes([int(m.group(1), 8)]), match.group(1))
        text = re.sub(
            rb"\\(.)", lambda m: {b"n": b"\n", b"r": b"\r", b"t": b"\t"}.get(m.group(1), m.group(1)), text, flags=re.S
        )
        found.append(text.decode("utf-16") if text[:2] in (b"\xff\xfe", b"\xfe\xff") else text.decode("latin-1"))
    return "\n".join(found)


@pytest.mark.parametrize("name", FIGURES)
def test_html_needs_nothing_else_and_holds_the_data(name: str) -> None:
    shown, page = made.figures()[name], written(name, "html").decode()
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", page)
    call = page[page.rindex("Plotly.newPlot(") + len("Plotly.newPlot(") :].lstrip()
    assert call.startswith(f'"{shown.stem}",')
    traces, _ = json.JSONDecoder().raw_decode(call[call.index("[") :])
    assert traces == json.loads(shown.figure().to_json())["data"]
    (meta,) = re.findall(r'<meta name="dnncov" content="([^"]*)">', page)
    assert json.loads(html.unescape(meta)) == json.loads(shown.provenance.to_json())
    assert f"<figcaption>{html.escape(str(shown.caption()))}</figcaption>" in page


@functools.cache
def one_of_each() -> list[str]:
    """An exhibit of every kind that is registered."""
    return sorted({each.name: name for name, each in reversed(made.exhibits().items())}.values())


def test_of_every_kind_there_is_one() -> None:
    assert {made.exhibits()[name].name for name in one_of_each()} == set(EXHIBITS)
    assert sorted(made.exhibits()) == NAMES


def tasks() -> list[tuple[str, str]]:
    """Every kind in one format of figures, if it has one, and in one of tables; one figure in all formats."""
    kinds = [
        (name, forms[at % 3])
        for at, name in enumerate(one_of_each())
        for forms in (("svg", "pdf", "png"), ("csv", "json", "parquet"))
        if fits(made.exhibits()[name], forms[at % 3])
    ]
    return sorted({*kinds, *(("few-coverage", form) for form in FORMATS if form != "html")})


def checksums(tasks: list[tuple[str, str]], threads: int = 1) -> list[int]:
    """Of files that so many threads write at the same time."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda task: zlib.crc32(written(*task)), tasks))


OTHER = """
import json, multiprocessing, shutil, socket
def refused(*arguments, **options):
    raise OSError("no network here")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refused
from tests.export.test_formats import checksums, tasks
assert not any(map(shutil.which, ("chromium", "chrome", "google-chrome")))
each = [(tasks()[0::2], 4), (tasks()[1::2], 4)]
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(json.dumps(pool.starmap(checksums, each, chunksize=1)))
"""


def test_processes_and_threads_without_programs_or_network_write_the_same_at_the_same_time(tmp_path: Path) -> None:
    """No browser can be found, nothing can be reached, and names are hashed differently."""
    environment = {"PATH": "", "PYTHONPATH": str(runs.ROOT), "PYTHONHASHSEED": "1", "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", OTHER], env=environment, capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert json.loads(done.stdout) == [checksums(tasks()[0::2]), checksums(tasks()[1::2])]


def test_no_file_has_a_path_of_this_machine() -> None:
    paths = {str(runs.ROOT), str(Path.home()), sys.prefix, "/tmp"}
    for name, form in tasks():
        text = written(name, form).decode("latin-1")
        assert not [path for path in paths if path in text and len(path) > 1]


def test_every_format_of_figures_is_named_with_its_program() -> None:
    for each in FORMATS.values():
        assert (each.title in drawn_by()) == bool(each.program)
        assert each.program in drawn_by()
