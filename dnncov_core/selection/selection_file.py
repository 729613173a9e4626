"""A selection as files: all of it as JSON, its rows and curves as CSV, and its inputs as an ``.npz`` file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core.data import Data
from dnncov_core.record_files import read_or_refuse, write_record, write_whole, writing
from dnncov_core.selection.selection import Selection

ROWS = ("rank", "row", "adds", "label")
CURVES = ("measure", "order", "inputs", "count", "low", "high", "total")


def save_rows(selection: Selection, data: Data, path: Path) -> None:
    """Writes the selected inputs: as an ``.npz`` file with ``images``, ``labels`` if known and ``rows``, or as CSV.

    Raises:
        DataError: the file cannot be written.
    """
    with writing("--out"):
        write_whole(path, inputs_npz(selection, data) if path.suffix == ".npz" else rows_csv(selection, data))


def rows_csv(selection: Selection, data: Data | None = None) -> str:
    """A line for each selected input: its rank from 1, its row in the pool from 0, what it adds, and its label."""
    adds: Sequence[int | str] = selection.first.adds or [""] * selection.inputs
    labels = None if data is None else data.labels
    own = ["" if labels is None else int(labels[row]) for row in selection.selected]
    return _csv(ROWS, zip(range(1, len(own) + 1), selection.selected, adds, own, strict=False))


def inputs_npz(selection: Selection, data: Data) -> bytes:
    """The selected inputs, which `dnncov measure --suite` takes; ``rows`` are theirs in the pool."""
    rows = np.array(selection.selected)
    arrays: dict[str, Any] = {"images": data.images[rows], "rows": rows}
    for name, values in (("labels", data.labels), ("targets", data.targets)):
        if values is not None:
            arrays[name] = values[rows]
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    return content.getvalue()


def curves_csv(selection: Selection) -> str:
    """A line for each curve, order and number of inputs."""
    lines = []
    for curve in selection.curves:
        total = "" if curve.total is None else curve.total
        for each in curve.series:
            ends = zip(each.low or [""] * len(curve.points), each.high or [""] * len(curve.points), strict=True)
            for n, count, (low, high) in zip(curve.points, each.counts, ends, strict=True):
                lines.append((curve.measure, each.order, n, f"{count:.12g}", low, high, total))
    return _csv(CURVES, lines)


def save(selection: Selection, path: Path) -> None:
    """Writes all of it as JSON.

    Raises:
        DataError: the file cannot be written.
    """
    with writing("--result"):
        write_record(path, selection)


def read(path: Path) -> Selection:
    """The selection in a JSON file.

    Raises:
        DataError: there is none.
    """
    return read_or_refuse(Selection, path, "a selection", "order the inputs again")


def as_json(selection: Selection) -> dict[str, Any]:
    """What `dnncov select --json` prints: the selected rows of each order instead of all."""
    found = asdict(selection)
    for each in found["rankings"]:
        each["rows"] = each["rows"][: selection.spec.budget]
        each["adds"] = each["adds"][: selection.spec.budget]
    return found


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([header, *rows])
    return text.getvalue()
