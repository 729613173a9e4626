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
from tests.networks.malicious import bytearray_of, encoded, repacked, saved

MEBIBYTE = 2**20
PICKLES: dict[str, tuple[bytes, int]] = {
    "bytearray": (bytearray_of(3 * MEBIBYTE), 3 * MEBIBYTE),
    "encode": (encoded(18), MEBIBYTE),
}


def saved_with(pickled: bytes) -> bytes:
    """A file of ``torch.save`` with another pickle in it."""
    return repacked(saved({"a": torch.zeros(2)}), pickled)


@pytest.mark.parametrize("name", PICKLES)
def test_a_pickle_that_grows_is_refused(name: str, tmp_path: Path) -> None:
    pickled, n_bytes = PICKLES[name]
    assert (
        len(torch.load(io.BytesIO(saved_with(pickled)), weights_only=True)["a"]) == n_bytes
    )  # so that it is an attack
    (tmp_path / "w.pth").write_bytes(saved_with(pickled))
    with pytest.raises(NetworkError, match=r"w\.pth with Python objects that are no tensors; save it again"):
        read_weights(tmp_path / "w.pth")


def test_compressed_members_are_refused() -> None:
    whole = saved({"a": torch.zeros(MEBIBYTE)})
    packed = repacked(whole, compression=zipfile.ZIP_DEFLATED)
    assert len(packed) < len(whole) / 100
    with pytest.raises(GrowingFileError, match="compressed members"):
        saved_tensors(io.BytesIO(packed))
    assert saved_tensors(io.BytesIO(whole))["a"].shape == (MEBIBYTE,)


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
