"""Files of saved tensors take no more memory than they have bytes, and PyTorch by itself would let them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from dnncov_core.errors import NetworkError
from dnncov_core.networks.saved_tensors import GrowingFileError, check_members, saved_tensors
from dnncov_core.networks.weights import read_weights

MEBIBYTE = 2**20
KEY = b"\x80\x02}X\x01\x00\x00\x00a"
"""The beginning of a pickled dictionary, with its key ``a``."""


def bytearray_of(n: int) -> bytes:
    return KEY + b"c__builtin__\nbytearray\n\x8a\x04" + n.to_bytes(4, "little") + b"\x85Rs."


def encoded(times: int) -> bytes:
    """Four letters as hexadecimal digits, again and again: twice as many each time."""
    letters = b"X\x04\x00\x00\x00aaaaX\x06\x00\x00\x00latin1\x86R"
    return KEY + b"c_codecs\nencode\n" * (times + 1) + letters + b"X\x03\x00\x00\x00hex\x86R" * times + b"s."


PICKLES: dict[str, tuple[bytes, int]] = {
    "bytearray": (bytearray_of(3 * MEBIBYTE), 3 * MEBIBYTE),
    "encode": (encoded(18), MEBIBYTE),
}


def saved_with(pickled: bytes, compression: int = zipfile.ZIP_STORED) -> io.BytesIO:
    """A file of ``torch.save`` with another pickle in it."""
    whole, changed = io.BytesIO(), io.BytesIO()
    torch.save({"a": torch.zeros(2)}, whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(changed, "w", compression) as new:
        for name in old.namelist():
            new.writestr(name, pickled if name.endswith("data.pkl") else old.read(name))
    changed.seek(0)
    return changed


@pytest.mark.parametrize("name", PICKLES)
def test_a_pickle_that_grows_is_refused(name: str, tmp_path: Path) -> None:
    pickled, n_bytes = PICKLES[name]
    assert len(torch.load(saved_with(pickled), weights_only=True)["a"]) == n_bytes  # so that it is an attack
    (tmp_path / "w.pth").write_bytes(saved_with(pickled).getvalue())
    with pytest.raises(NetworkError, match=r"w\.pth with Python objects that are no tensors; save it again"):
        read_weights(tmp_path / "w.pth")


def test_compressed_members_are_refused() -> None:
    whole = io.BytesIO()
    torch.save({"a": torch.zeros(MEBIBYTE)}, whole)
    packed = io.BytesIO()
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert len(packed.getvalue()) < len(whole.getvalue()) / 100
    with pytest.raises(GrowingFileError, match="compressed members"):
        saved_tensors(packed)
    assert saved_tensors(whole)["a"].shape == (MEBIBYTE,)


def member(name: str, size: int, packed: int | None = None) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.file_size, entry.compress_size = size, size if packed is None else packed
    return entry


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([member("a", 80), member("b", 30)], "larger than its 100 bytes"),
        ([member("a", 10), member("a", 10)], "two members of one name"),
        ([member("a", 10, 5)], "compressed members"),
    ],
)
def test_members_take_no_more_than_their_archive(entries: list[zipfile.ZipInfo], said: str) -> None:
    with pytest.raises(GrowingFileError, match=said):
        check_members(entries, 100)
    check_members([member("a", 60), member("b", 40)], 100)


@pytest.mark.parametrize("place", [2**24 - 5, 2**24, 2**24 + 1])
def test_a_name_is_found_where_two_chunks_meet(place: int) -> None:
    check: Callable[[io.BytesIO], object] = saved_tensors
    with pytest.raises(GrowingFileError):
        check(io.BytesIO(b"\0" * place + b"\nbytearray\n"))
