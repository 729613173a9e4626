"""Arrays in NumPy's formats, whole ones and such that announce more than they hold."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np


def npy(array: Any) -> bytes:
    """An array as NumPy saves it, Python objects pickled."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def archive(members: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive, such as an ``.npz`` file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def announcing(shape: tuple[int, ...], mebibytes: int = 0) -> bytes:
    """A small blob of zlib: an array that announces this shape, and has so many MiB of zeros."""
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"descr": "<f8", "fortran_order": False, "shape": shape})  # type: ignore[arg-type]
    squeezed = zlib.compressobj(9)
    return b"".join(map(squeezed.compress, [buffer.getvalue(), *[bytes(2**20)] * mebibytes])) + squeezed.flush()
