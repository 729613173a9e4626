"""Arrays of numbers that come from outside, in NumPy's formats: judged by their headers before anything is allocated.

NumPy's own reader evaluates the header of an array and allocates whatever that announces.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo, is_zipfile

import numpy as np
from numpy.typing import NDArray

from dnncov_core.errors import DataError, DnncovError
from dnncov_core.resources import gib_in
from dnncov_core.types import Shape

Array = NDArray[Any]

LIMIT = "DNNCOV_ARRAY_GIB"
"""The environment variable that sets how many GiB an array may take in memory, where that is more than its file."""
GIB = 2**30
MAGIC = b"\x93NUMPY"
LENGTH_BYTES = {1: 2, 2: 4, 3: 4}
"""Major version of the format -> bytes that hold the length of the header."""
MAX_HEADER = 4096
"""Bytes at most from the beginning of an array to its first number; NumPy writes 128 for arrays of numbers."""
MAX_DIMENSIONS = 32
HEADER = re.compile(
    r"""\{(?:(?:'descr':(?P<dtype>'[^']*')|'fortran_order':(?P<fortran>True|False)
    |'shape':\((?P<shape>(?:\d{1,19}L?,)*(?:\d{1,19}L?)?)\)),?){3}\}""",
    re.VERBOSE,
)
"""The header without its blanks: a literal of Python, in which Python 2 wrote an L after large numbers."""
NUMBERS = re.compile(r"'[<>=|]?(?:\?|b1|[iu][1248]|f[248])'")
"""The types that both NumPy and PyTorch have: truth values, integers, and floats of at most 64 bits."""
KINDS = "integers, or of floats of at most 64 bits"
OTHERS = {
    re.compile(r"'[<>=|]?O\d*'"): "Python objects, which are not loaded",
    re.compile(r"'[<>=|]?[SU]\d+'"): "text",
}
"""Other types, as headers write them, and their names in messages."""
CHUNK = 2**20
AGAIN = "save it again with numpy.savez"
MORE = f"set {LIMIT} to allow more GiB if you trust the file"
"""What to do about an array that is damaged, and about one that is too large."""


@dataclass(frozen=True)
class Header:
    """What an array says of itself.

    Attributes:
        dtype: of its numbers, in the byte order of the file.
        shape: how many there are along each axis.
        fortran: whether the first axis changes fastest.
        start: the place of the first number, in bytes.
    """

    dtype: np.dtype[Any]
    shape: Shape
    fortran: bool
    start: int

    @property
    def n_bytes(self) -> int:
        """What its numbers take."""
        return math.prod(self.shape) * self.dtype.itemsize


def npz_names(path: Path) -> tuple[str, ...]:
    """The names of the arrays in an ``.npz`` file.

    Raises:
        DataError: no such file, or a damaged or other one.
    """
    with _members(path) as (_, members):
        return tuple(members)


def npz_header(path: Path, name: str) -> Header:
    """What an array of an ``.npz`` file says of itself; its numbers are not read.

    Raises:
        DataError: the file or the array is missing or damaged, or the array holds more than numbers.
    """
    what = f"{name} in {path}"
    with _members(path) as (archive, members), archive.open(_readable(members[name], what)) as stream:
        return _header(stream.read(MAX_HEADER), what)


def check_size(n_bytes: int, what: str, path: Path) -> None:
    """Refuses numbers that take more memory than their file has bytes, and more than the limit.

    Raises:
        DataError: they do.
    """
    most_bytes = max(gib_in(LIMIT, 1) * GIB, path.stat().st_size)
    if n_bytes > most_bytes:
        raise DataError(f"{what} in {path} of at most {most_bytes / GIB:g} GiB", _gib(n_bytes), MORE)


def npz_array(path: Path, name: str, *, kinds: str = KINDS) -> Array:
    """An array of an ``.npz`` file; ``kinds`` says for messages which numbers it should have.

    Raises:
        DataError: the file or the array is missing or damaged, or the array is too large or holds more than numbers.
    """
    what = f"{name} in {path}"
    with _members(path) as (archive, members), archive.open(_readable(members[name], what)) as stream:
        most_bytes = max(gib_in(LIMIT, 1) * GIB, path.stat().st_size)
        return _array(stream, what, most_bytes, fix=MORE, there=members[name].file_size, kinds=kinds)


def zlib_array(blob: bytes, what: str, most_bytes: int) -> Array:
    """An array that is compressed by zlib.

    Args:
        blob: the compressed ``.npy`` file.
        what: its name for messages.
        most_bytes: that its numbers may take.

    Raises:
        DataError: it is damaged, too large, or holds more than numbers.
    """
    with _one_line(f"{what}, compressed by zlib"):
        return _array(_Inflated(blob), what, most_bytes, fix=AGAIN)


class _Inflated:
    """What zlib compressed, read piece by piece."""

    def __init__(self, blob: bytes) -> None:
        self._blob, self._zlib = BytesIO(blob), zlib.decompressobj()

    def read(self, size: int) -> bytes:
        """At most so many bytes, at least one; none at the end."""
        while True:
            packed = self._zlib.unconsumed_tail or self._blob.read(CHUNK)
            piece = self._zlib.decompress(packed, size)
            if not piece and not packed and not self._zlib.eof:
                raise zlib.error("a stream without its end")
            if piece or not packed:
                return piece


@contextmanager
def _members(path: Path) -> Iterator[tuple[ZipFile, dict[str, ZipInfo]]]:
    """The archive and its members by the names of their arrays."""
    readable = f"a readable .npz file at {path}"
    with _one_line(readable):
        if not path.is_file():
            raise DataError(f"an .npz file at {path}", "no such file", "check the path")
        if not is_zipfile(path):
            raise _damaged(readable, f"{path.stat().st_size} bytes that are no whole .npz file")
        with ZipFile(path) as archive:
            yield archive, {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}


@contextmanager
def _one_line(expected: str) -> Iterator[None]:
    """Whatever damaged content makes zipfile, zlib and NumPy raise becomes a DataError."""
    try:
        yield
    except DnncovError:
        raise
    except Exception as error:
        raise _damaged(expected, f"{type(error).__name__}: {error}") from error


def _readable(member: ZipInfo, what: str) -> ZipInfo:
    """The member itself, unless it is encrypted or of a compression whose output zipfile does not bound."""
    if member.flag_bits & 1:
        raise _damaged(f"{what} as NumPy writes it", "an encrypted one")
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise _damaged(f"{what} as NumPy compresses it", f"compression method {member.compress_type}")
    return member


def _header(content: bytes, what: str, kinds: str = KINDS) -> Header:
    """The header at the beginning of an array's first `MAX_HEADER` bytes."""
    length = LENGTH_BYTES.get(content[6], 0) if content.startswith(MAGIC) and len(content) > 7 else 0
    if not length:
        raise _damaged(f"{what} as an array of NumPy", "another kind of file")
    start = 8 + length + int.from_bytes(content[8 : 8 + length], "little")
    if start > len(content):
        raise _damaged(f"{what} with a whole header of at most {MAX_HEADER} bytes", f"one of {start:,} bytes")
    text = "".join(content[8 + length : start].decode("latin-1").split()).replace('"', "'")
    found = HEADER.fullmatch(text)
    if found is None or None in found.groups() or found["shape"].count(",") > MAX_DIMENSIONS:
        raise _damaged(f"{what} with the header of an array of numbers", repr(text[:80]))
    shape = tuple(int(size.rstrip("L")) for size in found["shape"].split(",") if size)
    return Header(_dtype(found["dtype"], what, kinds), shape, found["fortran"] == "True", start)


def _dtype(text: str, what: str, kinds: str) -> np.dtype[Any]:
    if NUMBERS.fullmatch(text) is None:
        named = next((words for other, words in OTHERS.items() if other.fullmatch(text)), f"the type {text[:40]}")
        raise DataError(f"{what} as an array of {kinds}", named, "save it with another dtype")
    return np.dtype(text.strip("'"))


def _gib(n_bytes: int) -> str:
    """A size in GiB.

    >>> _gib(1_610_649_600), _gib(10**30)
    ('1.5 GiB', 'over 9,999 GiB')
    """
    return f"{n_bytes / GIB:,.4g} GiB" if n_bytes <= 9999 * GIB else "over 9,999 GiB"


def _array(
    stream: _Inflated | IO[bytes],
    what: str,
    most_bytes: float,
    *,
    fix: str,
    there: int | None = None,
    kinds: str = KINDS,
) -> Array:
    """The array of a stream, writable; ``there`` is how many bytes the stream has, ``fix`` what a larger one needs."""
    piece = stream.read(MAX_HEADER)
    header = _header(piece, what, kinds)
    announced = math.prod(max(size, 1) for size in header.shape) * header.dtype.itemsize
    if announced > most_bytes:
        got = f"{_gib(announced)}, {str(header.shape)[:60]} of {header.dtype}"
        raise DataError(f"{what} of at most {most_bytes / GIB:g} GiB", got, fix)
    expected = f"{header.n_bytes:,} bytes of numbers, as its header says, for {what}"
    if there not in (None, header.start + header.n_bytes):
        raise _damaged(expected, f"{there:,} bytes with the header")
    array: Array = np.empty(math.prod(header.shape), header.dtype)
    memory, filled, piece = array.view(np.uint8), 0, piece[header.start :]
    while piece and filled + len(piece) <= len(memory):
        memory[filled : filled + len(piece)] = np.frombuffer(piece, np.uint8)
        filled, piece = filled + len(piece), stream.read(CHUNK)
    if piece or filled < len(memory):
        raise _damaged(expected, "more" if piece else f"{filled:,} bytes")
    return array.reshape(header.shape[::-1]).T if header.fortran else array.reshape(header.shape)


def _damaged(expected: str, got: str) -> DataError:
    return DataError(expected, got, AGAIN)
