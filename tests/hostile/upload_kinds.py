"""Files that somebody may drop, one for each kind of attack and mistake, as name and content.

The name is as a browser says it; the content of some takes seconds to make, and is marked.
"""

from __future__ import annotations

import gzip
import io
import pickle
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.hostile import networks, onnx_files
from tests.hostile.npz import INPUTS, LABELS, RUNS
from tests.hostile.trials import CANARY
from tests.hostile.values import MARKDOWN
from tests.made_arrays import archive, npy
from tests.networks.malicious import ATTACKS, saved, written
from tests.networks.onnx_models import onnx

MANY = 2**27
"""Numbers of an array that is small on the disk: 1 GiB."""


@dataclass(frozen=True)
class Kind:
    """A file to drop.

    Attributes:
        name: as a browser says it.
        content: makes it; some do so from nothing each time.
        other: the data or network that is here already, beside which it is dropped.
        is_network: whether it is dropped as a network.
        slow: whether making or checking it takes more than a second.
        weights_of: of weights, the network that they are said to be of.
    """

    name: str
    content: Callable[[], bytes]
    other: str = "toy"
    is_network: bool = False
    slow: bool = False
    weights_of: str = ""


def _npz(**arrays: np.ndarray) -> bytes:
    return archive({f"{name}.npy": npy(array) for name, array in arrays.items()}, zipfile.ZIP_DEFLATED)


def _good() -> bytes:
    return _npz(images=INPUTS, labels=LABELS)


def _csv(text: str) -> bytes:
    return f"a,b,label\n0.1,0,1\n{text}\n".encode()


def _csv_of(columns: int) -> bytes:
    return b",".join(b"c%d" % n for n in range(columns)) + b"\n" + b",".join([b"0"] * columns) + b"\n"


def _png(width: int, height: int, rows: bytes = b"") -> bytes:
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0),
        b"IDAT": zlib.compress(rows),
        b"IEND": b"",
    }
    written = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks.items()
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(written)


def _zip(**wrong: bytes) -> bytes:
    """A ZIP of a picture for each digit, and of more."""
    entries = {f"{digit}/a.png": _png(28, 28, bytes(28 * 29)) for digit in range(10)}
    return archive(entries | wrong, zipfile.ZIP_DEFLATED)


def _linked() -> bytes:
    content = io.BytesIO(_zip())
    with zipfile.ZipFile(content, "a") as opened:
        entry = zipfile.ZipInfo("0/b.png")
        entry.external_attr = 0o120777 << 16
        opened.writestr(entry, "/etc/passwd")
    return content.getvalue()


def _large_npz() -> bytes:
    content = io.BytesIO()
    with (
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as opened,
        opened.open("images.npy", "w", force_zip64=True) as file,
    ):
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({MANY}, 2), }}"
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n")
        for _ in range(MANY // 2**16):
            file.write(bytes(2**20))
    with zipfile.ZipFile(content, "a") as opened:
        opened.writestr("labels.npy", npy(np.zeros(MANY, np.int8)), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _large_parquet() -> bytes:
    content, columns = io.BytesIO(), {name: np.zeros(MANY // 64) for name in ("a", "b")}
    table = pa.table({**columns, "label": np.zeros(MANY // 64, np.int8)})
    with pq.ParquetWriter(content, table.schema) as file:
        for _ in range(64):
            file.write_table(table)
    return content.getvalue()


def _onnx(change: Callable[[object], object]) -> bytes:
    model = onnx.load_model_from_string(onnx_files.whole())
    change(model)
    content: bytes = model.SerializeToString()
    return content


def _looped(model: object) -> None:
    graph = model.graph  # type: ignore[attr-defined]
    inner = onnx.helper.make_graph(list(graph.node[2:3]), "inner", [], [graph.output[0]])
    loop = onnx.helper.make_node("Loop", ["", "", "h"], ["v"], body=inner)
    graph.node[2].CopyFrom(loop)


def _pt2(change: Callable[[networks.Members, Path], networks.Members] = lambda members, canary: members) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        written(Path(name) / "net.pt2", change(networks.whole(), Path(CANARY)))
        return (Path(name) / "net.pt2").read_bytes()


def _large_onnx(model: object) -> None:
    """A constant whose size takes all memory."""
    onnx_files._bomb(_First(), model)  # type: ignore[arg-type]


class _First:
    """Draws the first of whatever there is."""

    def choice(self, values: tuple[object, ...]) -> object:
        return values[0]


ODD_NAMES = (
    *("../../../x.npz", "..\\..\\x.npz", "/etc/cron.d/x.npz", "C:\\x.npz", "NUL.npz", "CON.npz", "~x.npz", "-rf.npz"),
    *("a\nb\r\t\x1b[31m.npz", "\u202ezpn.exe.npz", "x" * 1000 + ".npz", " .npz", "..npz", "é\u0301\ud83d\ude00.npz"),
    *(f"{MARKDOWN[:80]}.npz", "<img src=x onerror=alert(1)>.npz", "'; DROP TABLE x.npz", "%2e%2e%2fx.npz", "$(id).npz"),
)
KINDS: Mapping[str, Kind] = {
    "pickle in an .npz": Kind("d.npz", lambda: _npz(images=np.array([RUNS], dtype=object), labels=LABELS)),
    "pickle as an .npz": Kind("d.npz", lambda: pickle.dumps(RUNS)),
    "pickle in a .pt": Kind("w.pt", lambda: saved({"a": RUNS}), "mnist", True, weights_of="squeezenet1_1"),
    "old pickle in a .pth": Kind(
        "w.pth", lambda: saved({"a": RUNS}, as_before=True), "mnist", True, weights_of="squeezenet1_1"
    ),
    "pickle as a .pt2": Kind("net.pt2", lambda: saved({"a": RUNS}), "mnist", True),
    **{
        f"code in a .pt2: {attack.__name__}": Kind("net.pt2", partial(_pt2, attack), "mnist", True)
        for attack in ATTACKS
    },
    "ZIP that climbs": Kind("d.zip", lambda: _zip(**{"../../out.png": b"x"}), "mnist-n1"),
    "ZIP with a path from the root": Kind("d.zip", lambda: _zip(**{"/tmp/out.png": b"x"}), "mnist-n1"),
    "ZIP with a link": Kind("d.zip", _linked, "mnist-n1"),
    "ZIP in a ZIP": Kind("d.zip", lambda: _zip(**{"0/inner.zip": _zip()}), "mnist-n1"),
    "ZIP bomb": Kind("d.zip", lambda: _zip(**{"0/b.png": bytes(2**28)}), "mnist-n1", slow=True),
    "ZIP of 30,000 files": Kind(
        "d.zip", lambda: _zip(**{f"0/{number}.png": b"" for number in range(30_000)}), "mnist-n1", slow=True
    ),
    "ZIP with programs": Kind("d.zip", lambda: _zip(**{"0/a.py": b"open('canary', 'w')"}), "mnist-n1"),
    "picture of giant size": Kind("d.zip", lambda: _zip(**{"0/b.png": _png(2**31 - 1, 2**31 - 1)}), "mnist-n1"),
    "picture that is large in memory": Kind(
        "d.zip", lambda: _zip(**{"0/b.png": _png(12_000, 12_000, bytes(12_000 * 12_001))}), "mnist-n1", slow=True
    ),
    "array of 2 GiB in a small .npz": Kind("d.npz", _large_npz, slow=True),
    "table of 2 GiB in a small .parquet": Kind("d.parquet", _large_parquet, slow=True),
    "truncated .npz": Kind("d.npz", lambda: _good()[:200]),
    "truncated .zip": Kind("d.zip", lambda: _zip()[:300], "mnist-n1"),
    "truncated .onnx": Kind("net.onnx", lambda: onnx_files.whole()[:150], "mnist", True),
    "truncated .pt2": Kind("net.pt2", lambda: _pt2()[:900], "mnist", True),
    "truncated .parquet": Kind("d.parquet", lambda: b"PAR1" + bytes(40)),
    "truncated .safetensors": Kind(
        "w.safetensors", lambda: struct.pack("<Q", 2**62) + b"{}", "mnist", True, weights_of="squeezenet1_1"
    ),
    "weights of an .onnx in another file": Kind(
        "net.onnx",
        lambda: _onnx(
            lambda model: onnx.external_data_helper.set_external_data(model.graph.initializer[1], "/etc/passwd")  # type: ignore[attr-defined]
        ),
        "mnist",
        True,
    ),
    "operator of an .onnx of its own": Kind(
        "net.onnx",
        lambda: _onnx(lambda model: setattr(model.graph.node[2], "domain", "own")),  # type: ignore[attr-defined]
        "mnist",
        True,
    ),
    "loop in an .onnx": Kind("net.onnx", lambda: _onnx(_looped), "mnist", True),
    "constant of an .onnx that takes all memory": Kind("net.onnx", lambda: _onnx(_large_onnx), "mnist", True),
    ".csv with text": Kind("d.csv", lambda: _csv("=cmd|' /C calc'!A0,1,1")),
    ".csv with an open quote": Kind("d.csv", lambda: _csv('"0.1,0,1\n0,0,"')),
    ".csv with NUL bytes": Kind("d.csv", lambda: _csv("0.1,\0,1")),
    ".csv of a million columns": Kind("d.csv", lambda: _csv_of(10**6), slow=True),
    ".csv in one line of 8 MB": Kind("d.csv", lambda: _csv("1," * 2**22), slow=True),
    ".csv in UTF-16": Kind("d.csv", lambda: _csv("0,0,1").decode().encode("utf-16")),
    ".npz as .onnx": Kind("net.onnx", _good, "mnist", True),
    ".onnx as .npz": Kind("d.npz", onnx_files.whole),
    "packed .csv as .csv": Kind("d.csv", lambda: gzip.compress(_csv("0,0,1"))),
    "program as .zip": Kind("d.zip", lambda: b"#!/bin/sh\ntouch canary\n", "mnist-n1"),
    "picture as .parquet": Kind("d.parquet", lambda: _png(28, 28, bytes(28 * 29))),
    **{f"empty {suffix}": Kind(f"d{suffix}", bytes) for suffix in (".npz", ".csv", ".parquet", ".zip")},
    **{f"empty {suffix}": Kind(f"net{suffix}", bytes, "mnist", True) for suffix in (".onnx", ".pt2")},
    **{f"name {name[:40]!r}": Kind(name, _good) for name in ODD_NAMES},
    "name without an ending": Kind("data", _good),
    "name of a program": Kind("d.npz.exe", _good),
}
