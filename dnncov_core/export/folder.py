"""Many files at once: a folder or a ZIP file, with captions and provenance beside the figures and tables."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import DataError
from dnncov_core.export.exhibits import Exhibit
from dnncov_core.export.formats import FORMATS, drawn_by, fits
from dnncov_core.export.pairs import pairs_bytes
from dnncov_core.export.provenance import Origin, Provenance
from dnncov_core.figures.pictures import is_picture
from dnncov_core.records import NetworkCard, TestPair

CAPTIONS, PROVENANCE = "CAPTION.md", "provenance.json"
NPZ = "npz"
"""The format of all test pairs together; one pair is a PNG."""
ALL = (*FORMATS, NPZ)
"""All formats."""
MOST_PICTURES = 24
"""Test pairs that become pictures, unless another number is asked for."""
FIRST = datetime(1980, 1, 1)
"""The earliest date that a ZIP file can hold."""
HEAD = (
    f"{drawn_by()} They show the numbers that the tables hold. Where the numbers come from is in each file's metadata,"
    " and for CSV files in `provenance.json`.\n"
)


@dataclass(frozen=True)
class File:
    """A file by its name in the folder; its content is made when it is written."""

    name: str
    content: Callable[[], bytes]


def files(
    exhibits: Sequence[Exhibit], formats: Sequence[str], width: float, more: Sequence[File] = ()
) -> Iterator[File]:
    """Every exhibit in every format that fits it, then ``more``, then captions and provenance.

    The exhibits are of one source; ``width`` of pictures is in millimetres.
    """
    for exhibit in exhibits:
        for name in formats:
            if name in FORMATS and fits(exhibit, name):
                yield File(f"{exhibit.stem}.{name}", partial(FORMATS[name].write, exhibit, width))
    yield from more
    if exhibits:
        yield File(CAPTIONS, lambda: caption_text(exhibits, more).encode("utf-8"))
        yield File(PROVENANCE, lambda: provenance_text(exhibits).encode("utf-8"))


def caption_text(exhibits: Sequence[Exhibit], more: Sequence[File] = ()) -> str:
    """Markdown with a paragraph for each figure and table, in which no name makes a picture, a link or a tag."""
    parts = [f"# {_escaped(exhibits[0].provenance.source)}\n", HEAD]
    parts += [f"## {each.kind.title}: {each.stem}\n\n{_escaped(str(each.caption()))}\n" for each in exhibits]
    if more:
        parts.append(f"## Test pairs\n\n{', '.join(file.name for file in more)}\n")
    return "\n".join(parts)


def _escaped(text: str) -> str:
    return re.sub(r"[\[<]", r"\\\g<0>", text)


def provenance_text(exhibits: Sequence[Exhibit]) -> str:
    """JSON: where the numbers come from, and what the columns of each table mean."""
    tables = {
        each.stem: {
            "title": each.kind.title,
            "caption": str(each.caption()),
            "columns": {column.name: column.meaning for column in each.sheet().columns},
        }
        for each in exhibits
    }
    content: dict[str, Any] = {"provenance": exhibits[0].provenance.to_dict(), "tables": tables}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def pair_files(
    store: CampaignStore, provenance: Provenance, formats: Sequence[str], width: float, most: int | None = MOST_PICTURES
) -> list[File]:
    """The test pairs: all as one NumPy file, and some as pictures, adversarial and near ones first.

    The campaign stays open until the files are written. Of the formats "npz" and "png" are of pairs; ``width`` of
    pictures is in millimetres, and ``most`` their number, None for all.
    """
    found = [File("pairs.npz", lambda: pairs_bytes(store))] if NPZ in formats else []
    card = store.card()
    if card is None or "png" not in formats:
        return found
    limit = -1 if most is None else most
    pairs = store.pairs.page(PairFilter(adversarial=True), order="nearest", limit=limit)
    if most is None or len(pairs) < most:
        others = [pair for pair in store.pairs.page(order="nearest", limit=limit) if not pair.adversarial]
        pairs += others[: None if most is None else most - len(pairs)]
    for each in pairs:
        found.append(File(f"pairs/{each.target.ordinal}.png", partial(pair_png, each, card, provenance, width)))
    return found


def pair_png(pair: TestPair, card: NetworkCard, provenance: Provenance, width: float) -> bytes:
    """A test pair as a PNG: pictures of images, a plot of other inputs."""
    if is_picture(card):
        from dnncov_core.export.pictures import pair_picture  # Matplotlib's fonts only where they are needed

        return pair_picture(pair, card, provenance, width)
    from dnncov_core.export.pair_plots import pair_plot

    return pair_plot(pair, card, provenance, width)


def write_folder(folder: Path, some: Iterator[File]) -> list[str]:
    """Writes files, replacing those of the same name; returns their names.

    Raises:
        DataError: the folder cannot be written.
    """
    written = []
    for file in some:
        content = file.content()
        try:
            path = folder / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        except OSError as error:
            reason = error.strerror or str(error)
            raise DataError("a folder that can be written", reason, "choose another --out") from error
        written.append(file.name)
    return written


def zipped(some: Iterator[File], provenance: Origin) -> bytes:
    """The files in one ZIP file, whose entries have the date of the numbers, or the earliest possible one."""
    file = io.BytesIO()
    moment = (provenance.when or FIRST).timetuple()[:6]
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in some:
            entry = zipfile.ZipInfo(each.name, (max(FIRST.year, moment[0]), *moment[1:]))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, each.content())
    return file.getvalue()
