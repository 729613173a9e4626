"""Hostile files dropped into the app, by the engine's path that the page Bring takes: received, checked in a process of
its own, and taken under names.

    python -m tests.hostile.uploads --files 300 [--first 0] [--processes 2]

Files are one of each kind of upload_kinds, then those that npz, networks, onnx_files and images make, and ZIPs, tables
and names that are wrong themselves.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import re
import shutil
import stat
import struct
import sys
import tempfile
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pandas as pd
from PIL import Image

from dnncov_core import registry, workers
from dnncov_core.brought import drafts
from dnncov_core.brought.adoption import adopt, suggested
from dnncov_core.errors import DnncovError
from dnncov_core.records import State
from tests.hostile import images, networks, npz, onnx_files
from tests.hostile.trials import CANARY, Case, _mebibytes
from tests.hostile.upload_kinds import KINDS, Kind
from tests.hostile.values import MARKDOWN, bytes_changed

SECONDS, MEBIBYTES = 120.0, 6 * 1024
"""What a check may take on a busy machine, and of memory at any time."""
ONE_LINE = re.compile(r"(expected .+; got .*; .+|.+ must be .+; got .+; .+)")
NAMES = ("net", "../../net", "/tmp/net", "a\0b", "x" * 300, MARKDOWN[:100], "\u202egpj", "..", "CON", "a b (1)", "-rf")


@dataclass(frozen=True)
class Dropped:
    """What a visitor drops: what was done to it, and a network and data as names or files; how the browser calls it."""

    words: str
    network: str | Path
    data: str | Path
    weights_of: str = ""
    name: str = ""


def case_of(number: int, folder: Path) -> Dropped:
    """Hostile files ``number``, written into a folder: first one of each kind of `KINDS`, then what chance gives."""
    if number < len(KINDS):
        return _of_kind(*[*KINDS.items()][number], folder)
    rng = random.Random(number)
    make = rng.choice(
        (_of(npz.make), _of(networks.make), _of(onnx_files.make), _of(images.make), _zips, _zips, _tables)
    )
    with warnings.catch_warnings(action="ignore"):
        return make(rng, folder)


def _of_kind(words: str, kind: Kind, folder: Path) -> Dropped:
    path = folder / f"dropped{Path(kind.name).suffix[:20]}"
    path.write_bytes(kind.content())
    network, data = (path, kind.other) if kind.is_network else (kind.other, path)
    return Dropped(words, network, data, kind.weights_of, f"{kind.weights_of}-{kind.name}".lstrip("-"))


def _of(make: Callable[[random.Random, Path], Case]) -> Callable[[random.Random, Path], Dropped]:
    """The files that a kind gives to the command, as somebody drops them."""

    def made(rng: random.Random, folder: Path) -> Dropped:
        case = make(rng, folder)
        command = next((each for each in case.commands if "--suite" in each or "--data" in each), case.commands[0])
        weights_of, _, file = command[1].rpartition("=")
        data = next((value for name, value in pairwise(command) if name in ("--suite", "--data")), "mnist")
        network = folder / file if (folder / file).is_file() else "mnist-n1"
        path = folder / data
        if path.is_dir():
            path = Path(shutil.make_archive(str(folder / "packed"), "zip", path))
        return Dropped(case.words, network, path if path.is_file() else "mnist", weights_of)

    return made


def _picture() -> bytes:
    content = io.BytesIO()
    Image.new("L", (28, 28), 7).save(content, "PNG")
    return content.getvalue()


def _zips(rng: random.Random, folder: Path) -> Dropped:
    """A ZIP of images for each class with one entry that is wrong, or with wrong bytes."""
    path, whole = folder / "photos.zip", _picture()
    way = rng.choice(
        ("climbs", "link", "bomb", "lies", "bytes", "twice", "nested", "many", "encrypted", "other", "names")
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for label in range(10):
            archive.writestr(f"{label}/a.png", whole)
        for name, content, mode in _wrong(rng, way):
            entry = zipfile.ZipInfo(name)
            entry.external_attr, entry.compress_type = mode << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    changed = bytearray(path.read_bytes())
    central = changed.index(b"PK\x01\x02")
    if way == "bytes":
        changed = bytearray(bytes_changed(rng, bytes(changed))[0])
    elif way == "lies":
        struct.pack_into("<L", changed, central + rng.choice((16, 20, 24, 42)), rng.getrandbits(32))
    elif way == "encrypted":
        struct.pack_into("<H", changed, central + 8, rng.choice((1, 0x41, 0xFFFF)))
    path.write_bytes(changed)
    return Dropped(f"ZIP: {way}", "mnist-n1", path)


def _wrong(rng: random.Random, way: str) -> Iterator[tuple[str, bytes, int]]:
    """Entries of a ZIP: name, content, and mode as of a file."""
    whole, plain = _picture(), stat.S_IFREG | 0o644
    if way == "climbs":
        name = rng.choice(
            ("../out.png", "0/../../out.png", "/tmp/out.png", "0\\..\\..\\out.png", "C:/out.png", "//x/out.png")
        )
        yield name, whole, plain
    elif way == "link":
        yield "0/link.png", rng.choice((b"/etc/passwd", b"../../..", b"a.png")), stat.S_IFLNK | 0o777
    elif way == "bomb":
        for number in range(rng.choice((1, 12))):
            yield f"0/{number}.png", bytes(rng.choice((2**26, 2**27 + 1))), plain
    elif way == "twice":
        yield "0/a.png", whole, plain
    elif way == "nested":
        yield "0/inner.zip", whole, plain
        yield "0/code.py", b"open('canary', 'w')", plain
    elif way == "many":
        yield from ((f"0/{number}/", b"", stat.S_IFDIR | 0o755) for number in range(20_000))
    elif way == "other":
        yield (
            rng.choice(("a.png", "0/b.txt", "10/a.png", "0/b.png")),
            rng.choice((whole, b"", whole[:50], b"%!PS")),
            plain,
        )
    elif way == "names":
        yield f"0/{rng.choice(NAMES)}.png".replace("\0", "?"), whole, plain


def _tables(rng: random.Random, folder: Path) -> Dropped:
    """A CSV or Parquet file of toy's two numbers that is wrong in one way."""
    frame = pd.DataFrame({"a": [0.1, 0.0, 0.0], "b": [0.0, -1.0, 1.0], "label": [1, 1, 0]})
    way = rng.choice(("bytes", "text", "column", "label", "wide", "huge", "empty"))
    values: tuple[object, ...] = ("=cmd|' /C calc'!A0", "nan", "1e999", MARKDOWN[:50], None, "\0", 2**70)
    if way == "text":
        frame = frame.astype(object)
        frame.iloc[rng.randrange(3), rng.randrange(3)] = rng.choice(values)
    elif way == "column":
        frame.columns = pd.Index(
            rng.choice((["a", "a", "label"], ["a", "b", "c"], ["", "b", "label"], [MARKDOWN[:50], "b", "label"]))
        )
    elif way == "label":
        frame["label"] = rng.choice(([-1, 0, 1], [2**62] * 3, [0.5] * 3, ["x"] * 3))
    elif way == "wide":
        frame = pd.DataFrame([[0.0] * 5000])
    path = folder / rng.choice(("rows.csv", "rows.parquet"))
    try:
        (frame.to_csv if path.suffix == ".csv" else frame.astype(str if way == "text" else object).to_parquet)(
            path, index=False
        )
    except Exception:
        path = folder / "rows.csv"
        frame.to_csv(path, index=False)
    content = path.read_bytes()
    if way == "bytes":
        content = bytes_changed(rng, content)[0]
    elif way == "huge":
        content = b"a,b,label\n" + b"1," * 2**22 + b"\n"
    elif way == "empty":
        content = rng.choice((b"\n", b"a,b,label\n", b"\xff\xfe", b"PAR1"))
    path.write_bytes(content)
    return Dropped(f"table: {way}", "toy", path)


@dataclass(frozen=True)
class Outcome:
    """What became of a file: how it ended, what is wrong with that, and what it took."""

    ended: str
    fault: str
    seconds: float
    mebibytes: float


def tried(number: int, run: Callable[[str], None] | None = None) -> tuple[Dropped, Outcome]:
    """Drops hostile files ``number``, checks them, and takes them by every choice that there is.

    Args:
        number: of the files.
        run: does the work of a check in this process; a process of its own does where it is left out.
    """
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dropped = case_of(number, folder)
        before = _listing(folder)
        try:
            ended, said, peak = _through(number, dropped, run)
        except DnncovError as error:
            ended, said, peak = "refused at once", str(error), 0.0
        except Exception as error:
            ended, said, peak = "raised", f"{type(error).__name__}: {error}", 0.0
        seconds = time.monotonic() - begun
        wrong = {
            "raised": ended == "raised",
            "code executed": (folder / CANARY).exists() or Path(CANARY).exists(),
            "wrote elsewhere": _listing(folder) != before,
            "not one line": bool(said) and (ONE_LINE.fullmatch(said) is None or "Traceback" in said),
            "names a folder": "brought/drafts" in said,
            "too long": ended == "hang",
            "memory": peak > MEBIBYTES,
        }
    fault = ", ".join(each for each, holds in wrong.items() if holds)
    return dropped, Outcome(ended, f"{fault}: {said[:300]}" if fault else "", seconds, peak)


def _listing(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def _through(number: int, dropped: Dropped, run: Callable[[str], None] | None) -> tuple[str, str, float]:
    """How it ended, the message if there is one, and the most memory that its process held."""
    rng, draft_id = random.Random(number), drafts.new_draft()
    try:
        for kind, part in (("network", dropped.network), ("data", dropped.data)):
            if isinstance(part, str):
                drafts.choose(draft_id, kind, drafts.Part(part))
                continue
            name = dropped.name or rng.choice((part.stem, part.stem, *NAMES)) + part.suffix
            weights_of = dropped.weights_of if kind == "network" else ""
            drafts.receive(draft_id, kind, name, io.BytesIO(part.read_bytes()), weights_of=weights_of)
        if run is None:
            drafts.start_check(draft_id)
            peak = _waited(draft_id)
        else:
            run(draft_id)
            peak = 0.0
        found = drafts.standing(draft_id)
        if found.state in workers.ACTIVE:
            drafts.cancel(draft_id)
            return "hang", "", peak
        if found.state is not State.FINISHED or found.report is None:
            return str(found.state and found.state.value), found.status.message if found.status else "", peak
        draft = drafts.read_draft(draft_id)
        assert draft.network is not None
        assert draft.data is not None
        names = {f"{kind}_name": suggested(kind, getattr(draft, kind).name) for kind in ("network", "data")}
        taken = adopt(draft_id, rng.randrange(len(found.report.choices)), **names)
        registry.check_names(taken.network, taken.data)
        return "taken", "", peak
    finally:
        drafts.remove(draft_id)


def _waited(draft_id: str) -> float:
    """Waits for the check's process; the most memory that it held, in mebibytes."""
    begun, peak = time.monotonic(), 0.0
    while (found := drafts.standing(draft_id)).state in workers.ACTIVE and time.monotonic() - begun < SECONDS:
        if found.status is not None:
            peak = max(peak, _mebibytes(found.status.pid))
        time.sleep(0.1)
    return peak


def _left() -> int:
    """Processes that are there after half a minute: Python takes a while to end, on a busy machine some seconds."""
    for _ in range(300):
        workers.reap()
        if not workers._started:
            break
        time.sleep(0.1)
    return len(workers._started)


def main() -> int:
    """Prints faults as they come, then a line that sums up; 1 if there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.uploads", description=__doc__)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        home = Path(name) / "home"
        os.environ["DNNCOV_HOME"] = str(home)
        networks.whole(), onnx_files.whole()  # PyTorch exports in one thread at a time
        outcomes = []
        with ThreadPoolExecutor(options.processes) as threads:
            for dropped, outcome in threads.map(tried, range(options.first, options.first + options.files)):
                outcomes.append(outcome)
                if outcome.fault:
                    print(f"{len(outcomes) - 1 + options.first}: {dropped.words}: {outcome.fault}", flush=True)
        left = _left()
        outside = [path for path in Path(name).iterdir() if path != home]
        parts = list((home / "brought" / "drafts").glob("*"))
    ended = ", ".join(f"{how}: {n}" for how, n in sorted(Counter(each.ended for each in outcomes).items()))
    faults = sum(bool(each.fault) for each in outcomes) + left + len(outside) + len(parts)
    print(
        f"uploads: {len(outcomes):,} files; {ended}; faults {faults}; processes left {left}, files outside {outside},"
        f" drafts left {len(parts)}; longest {max(each.seconds for each in outcomes):.1f} s, most memory"
        f" {max(each.mebibytes for each in outcomes):,.0f} MiB"
    )
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
