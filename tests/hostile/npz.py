"""``.npz`` files that are damaged, lie about what they hold, hide code, or hold more than a machine does."""

from __future__ import annotations

import random
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tests.hostile.trials import CANARY, Case
from tests.hostile.values import MARKDOWN, bytes_changed
from tests.made_arrays import archive, npy
from tests.networks.malicious import Runs

INPUTS = np.array([(0.1, 0.0), (0.0, -1.0), (0.0, 1.0), (0.1, 0.1), (0.1, -0.1), (0.1, 0.5)])
LABELS = np.array([1, 1, 0, 1, 1, 0])
COMMANDS = (
    ("measure", "toy", "--suite", "d.npz", "--criteria", "ss,n"),
    ("run", "toy", "--data", "d.npz", "--pairs", "1"),
)
MEBIBYTE = 2**20
RUNS = Runs(Path(CANARY))

Members = dict[str, bytes]


def make(rng: random.Random, folder: Path) -> Case:
    """One ``.npz`` file that is wrong in one way, or right."""
    content, words = rng.choice(
        (_damaged, _damaged, _headers, _headers, _arrays, _arrays, _directory, _members, _bomb)
    )(rng)
    (folder / "d.npz").write_bytes(content)
    return Case(words, COMMANDS)


def _whole() -> Members:
    return {"images.npy": npy(INPUTS), "labels.npy": npy(LABELS)}


def _replaced(rng: random.Random, content: bytes) -> bytes:
    """A whole archive but for one array."""
    name = rng.choice(list(_whole()))
    return archive(_whole() | {name: content}, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))


def _damaged(rng: random.Random) -> tuple[bytes, str]:
    whole = archive(_whole(), rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))
    if rng.random() < 0.5:
        return bytes_changed(rng, whole)
    changed, words = bytes_changed(rng, npy(INPUTS))
    return _replaced(rng, changed), f"array: {words}"


TYPES = (
    *("<f8", ">f8", "<f4", "<f2", "<f16", ">f16", "<c16", "<c32", "|b1", "|i1", "|u1", "<i8", "<u8", "|O", "O8", "|V0"),
    *("|V8", "|S0", "|S9", "<U1", "<U999999999", "<M8[s]", "<m8[ns]"),
)
OTHER_TYPES = (
    "[('a', '<f8'), ('b', '|O')]",
    "[('a', [('b', '<f8')])]",
    "('<f8', (1000000000,))",
    "'f8,' * 9",
    "None",
    "3",
)
SHAPES = (
    *("()", "(0,)", "(6, 2)", "(12,)", "(6, 2, 1)", "(-6, 2)", "(6, -2)", "(2, 6)", "(0, 9999999999)", "(1,) * 40"),
    *(f"({2**31}, 2)", f"({2**62}, 2)", f"({2**63}, 2)", f"({2**64},)", f"({10**30},)", "(6.0, 2)", "('6', 2)"),
    *("(True, 12)", "[6, 2]", "6", "None", "(6, 2, )", "(6L, 2L)", f"({'1, ' * 40})", "(None, 2)", "(1e9, 2)"),
)
ORDERS = ("False", "True", "0", "None", "'no'", "not 1")
MONSTERS = (
    "(" * 1500,
    "[" * 90 + "]" * 90,
    "-" * 3000 + "1",
    "{" * 3000,
    "1" * 4000,
    "'" + "a" * 3000,
    "'''" + "\\" * 3000,
    "\n" * 3000,
    "(1," * 900,
    "0x" * 1900,
    "1_" * 1900,
    " 1" * 1900,
    "__import__('os').system('touch canary')",
    "open('canary', 'w')",
    "{'descr': '<f8', 'fortran_order': False, 'shape': (open('canary', 'w'),)}",
    "\0" * 100,
    MARKDOWN,
)


def _headers(rng: random.Random) -> tuple[bytes, str]:
    text = _header_text(rng)
    header = text.encode("utf-8", "replace")
    version = rng.choice((1, 1, 1, 2, 3, 0, 4, 255))
    length = rng.choice((None, None, None, None, 0, 1, len(header) // 2, len(header) + 1, 65535, 2**31, 2**32 - 1))
    size = len(header) if length is None else length
    packed = struct.pack("<H", size & 0xFFFF) if version == 1 else struct.pack("<I", size)
    content = b"\x93NUMPY" + bytes((version, rng.choice((0, 0, 0, 1)))) + packed + header + _numbers(rng)
    return _replaced(rng, content), f"header {text[:90]!r}, version {version}, length {size}"


def _header_text(rng: random.Random) -> str:
    if rng.random() < 0.3:
        return rng.choice(MONSTERS)
    kind = f"'{rng.choice(TYPES)}'" if rng.random() < 0.7 else rng.choice(OTHER_TYPES)
    fields = {"descr": kind, "fortran_order": rng.choice(ORDERS[:2] * 3 + ORDERS), "shape": rng.choice(SHAPES)}
    if rng.random() < 0.1:
        del fields[rng.choice(list(fields))]
    if rng.random() < 0.1:
        fields[rng.choice(("shape ", "x", "descr\\0"))] = rng.choice(SHAPES)
    text = "{" + "".join(f"'{key}': {value}, " for key, value in fields.items()) + "}"
    return text + rng.choice(("", "\n", " " * 60 + "\n", " " * 9000, "#" * 9000, "\0"))


def _numbers(rng: random.Random) -> bytes:
    return rng.choice(
        (INPUTS.tobytes(), INPUTS.tobytes(), b"", INPUTS.tobytes()[:-3], INPUTS.tobytes() * 2, bytes(MEBIBYTE))
    )


def _given(rng: random.Random) -> Iterator[tuple[str, Any]]:
    """Arrays that NumPy saves, most of which are no images and no labels."""
    yield "objects", np.array([RUNS, RUNS], dtype=object)
    yield "object in a structure", np.array([(1.0, RUNS)], dtype=[("a", "f8"), ("b", "O")])
    yield "no array", RUNS
    for kind in (
        "longdouble",
        "clongdouble",
        "c16",
        "c8",
        "f2",
        "f4",
        ">f4",
        ">f8",
        "u1",
        "i1",
        ">u2",
        "i8",
        "u8",
        "?",
    ):
        yield kind, INPUTS.astype(kind)
        yield f"{kind} labels", LABELS.astype(kind)
    yield "structure", np.zeros(6, [("a", "f8"), ("b", "i4", (2, 2))])
    yield "text", np.array(["a", "b" * 100])
    yield "bytes", np.array([b"a", b""])
    yield "dates", np.array(["2020-01-01", "NaT"], "M8[D]")
    yield "nothing", np.zeros(6, "V0")
    yield "Fortran", np.asfortranarray(INPUTS)
    yield "scalar", np.float64(1)
    for shape in ((0,), (0, 2), (6, 0), (6, 2, 0), (1,) * 32, (12,), (1, 6, 2), (6, 1, 2), (6, 2, 1), (100_000, 2)):
        yield f"zeros {shape}", np.zeros(shape)
    for value in (np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 2.0, -2.0):
        changed = INPUTS.copy()
        changed[rng.randrange(6), rng.randrange(2)] = value
        yield f"the value {value}", changed
    for label in (-1, 2, 255, 2**31, 2**63 - 1, -(2**63)):
        yield f"the label {label}", np.array([0, 1, 0, 1, 0, label])
    for label in (2**63, 2**64 - 1):
        yield f"the label {label}", np.array([0, 1, 0, 1, 0, label], np.uint64)


def _arrays(rng: random.Random) -> tuple[bytes, str]:
    words, array = rng.choice(list(_given(rng)))
    return _replaced(rng, npy(array)), words


FIELDS = {"version": (6, "H"), "flags": (8, "H"), "method": (10, "H"), "crc": (16, "I"), "packed": (20, "I")} | {
    "size": (24, "I"),
    "name": (28, "H"),
    "extra": (30, "H"),
    "comment": (32, "H"),
    "disk": (34, "H"),
    "attributes": (38, "I"),
    "offset": (42, "I"),
}
"""Places and lengths of what the directory of a zip archive says of a member."""
LOCAL = {
    "version": (4, "H"),
    "flags": (6, "H"),
    "method": (8, "H"),
    "crc": (14, "I"),
    "packed": (18, "I"),
    "size": (22, "I"),
}
"""Likewise, where the member itself begins."""


def _directory(rng: random.Random) -> tuple[bytes, str]:
    content = bytearray(archive(_whole(), rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))))
    told = []
    for _ in range(rng.choice((1, 1, 2, 4))):
        signature, fields = rng.choice(((b"PK\x01\x02", FIELDS), (b"PK\x03\x04", LOCAL)))
        starts = [place for place in range(len(content)) if content.startswith(signature, place)]
        name = rng.choice(list(fields))
        place, size = fields[name]
        value = rng.choice(
            (0, 1, 2, 8, 9, 12, 14, 20, 45, 63, 93, 99, 0x800, 0xFFFF, 2**31, 2**32 - 1, rng.getrandbits(32))
        )
        struct.pack_into(
            f"<{size}", content, rng.choice(starts) + place, value & (0xFFFF if size == "H" else 2**32 - 1)
        )
        told.append(f"{signature[2]}.{name} = {value}")
    return bytes(content), f"archive: {', '.join(told)}"


NAMES = (
    *(
        "../../canary",
        "/tmp/canary",
        "images",
        "images.npy.npy",
        "IMAGES.npy",
        "images.npy/",
        "a\rb\nc.npy",
        ".npy",
    ),
    *("\x1b[31mred.npy", MARKDOWN[:200], "x" * 60_000, "\u202eexe.npy", "a\0b.npy"),
)


def _members(rng: random.Random) -> tuple[bytes, str]:
    way = rng.choice(("names", "missing", "many", "twice", "bz2", "lzma", "before", "after", "other files"))
    whole, name = _whole(), rng.choice(list(_whole()))
    if way == "names":
        other = rng.choice(NAMES)
        return archive(
            {(other if each == name else each): data for each, data in whole.items()}
        ), f"name {other[:40]!r}"
    if way == "missing":
        return archive({each: data for each, data in whole.items() if each != name}), f"without {name}"
    if way == "many":
        return archive(whole | {f"{number}.npy": b"" for number in range(rng.choice((10, 20_000)))}), "many members"
    if way == "twice":
        return archive(whole) + archive({name: npy(np.zeros(3))}), "two archives"
    if way in ("bz2", "lzma"):
        return archive(whole, {"bz2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}[way]), way
    if way == "before":
        return rng.randbytes(rng.choice((1, 100, 70_000))) + archive(whole), "bytes before the archive"
    if way == "after":
        return archive(whole) + rng.randbytes(rng.choice((1, 100, 70_000))), "bytes after the archive"
    others = (
        b"",
        b"hello",
        npy(INPUTS),
        b"PK\x05\x06" + bytes(18),
        b"\x80\x04\x95",
        archive({"a/d.npz": archive(whole)}),
    )
    return rng.choice(others), "another file"


def _bomb(rng: random.Random) -> tuple[bytes, str]:
    """What is small on the disk and large in memory: all of it said, or less, or more."""
    mebibytes = rng.choice((1, 1, 8, 8, 64, 400))
    said = rng.choice((mebibytes, 1, 1500, 10**6))
    header = f"{{'descr': '{rng.choice(('<f8', '|u1'))}', 'fortran_order': False, 'shape': ({said * 2**17}, 1), }}"
    packed = struct.pack("<H", len(header))
    start = rng.choice((b"\x93NUMPY\1\0" + packed + header.encode(), b"\x93NUMPY\2\0" + struct.pack("<I", 2**31)))
    compression = rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    member = {rng.choice(list(_whole())): start + bytes(mebibytes * MEBIBYTE)}
    return archive(
        _whole() | member, compression
    ), f"bomb of {mebibytes} MiB that says {said}, compression {compression}"
