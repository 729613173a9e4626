"""What ``torch.save`` wrote, if it is tensors alone, and takes no more memory than its file says.

``weights_only=True`` keeps code from running. What it still lets a small file do is fill the memory: with compressed
members, and with pickles that ask for a `bytearray` of any length, or encode a text again and again.
"""

from __future__ import annotations

import os
import warnings
from typing import IO, Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import torch

CHUNK = 2**24
GROWING = (b"\nbytearray\n", b"\nencode\n")
"""Functions that pickles may call and that no saved tensor needs, as a pickle names them."""


class GrowingFileError(Exception):
    """A file that would take more memory than it has bytes; the message says how, in a few words."""


def saved_tensors(file: IO[bytes]) -> Any:
    """The tensors of a file, on the CPU; other errors than these are PyTorch's, for a damaged file.

    Raises:
        GrowingFileError: the file would take more memory than it has bytes.
        pickle.UnpicklingError: it has other Python objects.
    """
    _check(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.load(file, map_location="cpu", weights_only=True)


def _check(file: IO[bytes]) -> None:
    before = b""
    while chunk := file.read(CHUNK):
        if any(name in before + chunk for name in GROWING):
            raise GrowingFileError("Python objects that are no tensors")
        before = chunk[-16:]
    n_bytes = file.seek(0, os.SEEK_END)
    file.seek(0)
    if file.read(2) == b"PK":
        with ZipFile(file) as archive:
            check_members(archive.infolist(), n_bytes)
    file.seek(0)


def check_members(entries: list[ZipInfo], n_bytes: int) -> None:
    """Checks that the members of an archive of ``n_bytes`` take no more than that, uncompressed as PyTorch writes them.

    Raises:
        GrowingFileError: one is compressed, two have one name, or together they are larger than the archive.
    """
    if any(entry.compress_type != ZIP_STORED or entry.file_size != entry.compress_size for entry in entries):
        raise GrowingFileError("compressed members")
    if len({entry.filename for entry in entries}) != len(entries):
        raise GrowingFileError("two members of one name")
    if sum(entry.file_size for entry in entries) > n_bytes:
        raise GrowingFileError(f"members that are larger than its {n_bytes:,} bytes")
