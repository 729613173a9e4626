"""Arrays from outside: what NumPy writes is read as it is, and all else is one line before anything is allocated."""

from __future__ import annotations

import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dnncov_core.arrays import LIMIT, MAX_HEADER, npz_array, npz_header, npz_names, zlib_array
from dnncov_core.errors import DataError, DnncovError, SpecificationError
from tests.made_arrays import archive, npy

SIX = np.arange(6.0).reshape(2, 3)
WHOLE = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"


def with_header(text: str, content: bytes = SIX.tobytes(), version: int = 1, length: int | None = None) -> bytes:
    """An array whose header says ``text``, and announces to be ``length`` bytes long."""
    header = text.encode("latin-1")
    size = struct.pack("<H" if version == 1 else "<I", len(header) if length is None else length)
    return b"\x93NUMPY" + bytes([version, 0]) + size + header + content


def npz(folder: Path, content: bytes, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    (folder / "given.npz").write_bytes(archive({"x.npy": content}, compression))
    return folder / "given.npz"


# What NumPy writes


@pytest.mark.parametrize(
    "kind", ["?", "i1", "u1", "<i2", ">u2", "<i4", ">u4", "<i8", ">u8", "<f2", ">f4", "<f8", ">f8"]
)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (5,), (2, 3), (2, 3, 4, 5)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_numbers_are_read_as_numpy_reads_them(tmp_path: Path, kind: str, shape: Any, order: Any) -> None:
    array = np.asarray(np.random.default_rng(1).integers(0, 2, shape), np.dtype(kind), order=order)
    np.savez(tmp_path / "plain.npz", x=array)
    np.savez_compressed(tmp_path / "small.npz", x=array)
    for got in (
        npz_array(tmp_path / "plain.npz", "x"),
        npz_array(tmp_path / "small.npz", "x"),
        zlib_array(zlib.compress(npy(array)), "x", 2**30),
    ):
        assert (got.dtype, got.shape, got.flags.writeable) == (array.dtype, shape, True)
        assert (got == array).all()


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize(
    "header",
    [
        WHOLE,
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2L, 3L)}",
        '{"shape": (2, 3), "fortran_order": False, "descr": "<f8"}',
        f"{WHOLE}{' ' * 500}\n",
    ],
)
def test_headers_of_other_programs_are_read(tmp_path: Path, version: int, header: str) -> None:
    assert (npz_array(npz(tmp_path, with_header(header, version=version)), "x") == SIX).all()


def test_names_and_headers_are_known_without_reading_the_numbers(tmp_path: Path) -> None:
    np.savez(tmp_path / "given.npz", images=np.zeros((7, 2), np.uint8), labels=np.zeros(7))
    assert npz_names(tmp_path / "given.npz") == ("images", "labels")
    header = npz_header(tmp_path / "given.npz", "images")
    assert (header.shape, header.dtype, header.fortran, header.n_bytes) == ((7, 2), np.uint8, False, 14)


def test_an_array_of_many_pieces_is_whole(tmp_path: Path) -> None:
    array = np.random.default_rng(2).integers(0, 256, 2**21 + 3, np.uint8)
    for given in (array, np.zeros(2**18 + 5)):
        assert (npz_array(npz(tmp_path, npy(given)), "x") == given).all()
        assert (zlib_array(zlib.compress(npy(given)), "x", 2**30) == given).all()


# What else there is


HOSTILE = {
    "empty": (b"", "got another kind of file"),
    "text": (b"hello", "got another kind of file"),
    "magic alone": (b"\x93NUMPY", "got another kind of file"),
    "unknown version": (with_header(WHOLE, version=9), "got another kind of file"),
    "cut header": (with_header(WHOLE[:30], b""), "with the header of an array of numbers; got \"{'descr'"),
    "no dictionary": (with_header("[]"), "the header of an array of numbers; got '[]'"),
    "no shape": (with_header("{'descr': '<f8', 'fortran_order': False, 'fortran_order': False}"), "the header of"),
    "open parenthesis": (with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3"), "the header of"),
    "unfinished string": (with_header("{'descr': '''<f8, 'fortran_order': False, 'shape': (2,)}"), "the header of"),
    "negative shape": (with_header(WHOLE.replace("2", "-2")), "the header of an array of numbers"),
    "shape of text": (with_header(WHOLE.replace("2", "'2'")), "the header of an array of numbers"),
    "endless number": (with_header(WHOLE.replace("2", "2" * 3000)), "the header of an array of numbers"),
    "nested": (with_header("(" * 3000), "the header of an array of numbers"),
    "signs": (with_header("-" * 3000 + "1"), "the header of an array of numbers"),
    "structure": (with_header(WHOLE.replace("'<f8'", "[('a', '<f8')]")), "the header of an array of numbers"),
    "dimensions": (with_header(WHOLE.replace("2,", "1, " * 40)), "the header of an array of numbers"),
    "long header": (with_header(WHOLE + " " * MAX_HEADER), f"at most {MAX_HEADER} bytes; got one of 4,165 bytes"),
    "header of gigabytes": (with_header(WHOLE, version=2, length=2**32 - 1), "got one of 4,294,967,307 bytes"),
    "objects": (npy(np.array([{}])), "Python objects, which are not loaded"),
    "longdouble": (npy(np.zeros(2, np.longdouble)), "floats of at most 64 bits; got the type '<f16'"),
    "complex": (npy(np.zeros(2, complex)), "got the type '<c16'"),
    "text array": (npy(np.array(["a"])), "integers, or of floats of at most 64 bits; got text; save"),
    "dates": (npy(np.zeros(2, "M8[s]")), "got the type '<M8[s]'"),
    "nothing": (with_header(WHOLE.replace("<f8", "|V0"), b""), "got the type '|V0'"),
    "gigabytes": (
        with_header(WHOLE.replace("2", str(10**11))),
        "x",
        "at most 1 GiB; got 2,235 GiB, (100000000000, 3) of float64",
    ),
    "too large": (with_header(WHOLE.replace("2", str(2**26))), "at most 1 GiB; got 1.5 GiB, (67108864, 3) of float64"),
    "overflow": (
        with_header(WHOLE.replace("2", str(2**62))),
        "at most 1 GiB; got over 9,999 GiB, (4611686018427387904, 3)",
    ),
    "empty overflow": (
        with_header(WHOLE.replace("2", f"0, {2**62}, {2**62}"), b""),
        "at most 1 GiB; got over 9,999 GiB, (0, ",
    ),
    "overflow of floats": (
        with_header(WHOLE.replace("2, 3", "9" * 18 + f", {'9' * 18}" * 24)),
        "of at most 1 GiB; got over 9,999 GiB, (",
    ),
    "too few": (with_header(WHOLE, SIX.tobytes()[:-1]), "48 bytes of numbers, as its header says, for"),
    "too many": (with_header(WHOLE, SIX.tobytes() + b"1"), "48 bytes of numbers, as its header says, for x in"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_other_content_is_one_line(tmp_path: Path, case: str) -> None:
    content, *_, message = HOSTILE[case]
    path = npz(tmp_path, content)
    for read in (lambda: npz_array(path, "x"), lambda: zlib_array(zlib.compress(content), "x in a blob", 2**30)):
        with pytest.raises(DataError) as caught:
            read()
        assert message in str(caught.value)
        assert str(caught.value).startswith("expected ")
        assert len(str(caught.value).splitlines()) == 1


def test_what_is_refused_is_neither_unpacked_nor_allocated(tmp_path: Path) -> None:
    bomb = with_header(WHOLE.replace("2", str(10**8)), bytes(2**24))
    header = with_header(WHOLE + " " * 2**24, version=2)
    tracemalloc.start()
    for content in (bomb, header):
        blob = zlib.compress(content)
        path = npz(tmp_path, content)
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        for read in (lambda p=path: npz_array(p, "x"), lambda b=blob: zlib_array(b, "x", 2**30)):
            with pytest.raises(DataError):
                read()
        assert tracemalloc.get_traced_memory()[1] - before < 2**21
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (8, 1, "as NumPy writes it; got an encrypted one"),
        (10, 99, "as NumPy compresses it; got compression method 99"),
        (10, zipfile.ZIP_BZIP2, "as NumPy compresses it; got compression method 12"),
        (6, 99, "NotImplementedError: zip file version 9.9"),
        (16, 7, "BadZipFile: Bad CRC-32"),
        (42, 7, "a readable .npz file at"),
    ],
)
def test_archives_with_another_directory_are_one_line(tmp_path: Path, place: int, value: int, message: str) -> None:
    path = npz(tmp_path, npy(SIX), zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + place] = value
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        npz_array(path, "x")
    assert message in str(caught.value)


def test_a_directory_that_announces_more_or_less_than_there_is_is_refused(tmp_path: Path) -> None:
    content = npy(np.zeros(1000))
    for announced in (len(content) - 8, len(content) + 8):
        path = npz(tmp_path, with_header(WHOLE.replace("2, 3", str((announced - 128) // 8)), content[128:]))
        changed = path.read_bytes().replace(struct.pack("<I", 69 + 8000), struct.pack("<I", 69 + announced - 128))
        path.write_bytes(changed)
        with pytest.raises(DataError):
            npz_array(path, "x")


def test_damaged_zlib_is_one_line() -> None:
    blob = zlib.compress(npy(SIX))
    for damaged in (b"", b"hello", blob[:-20], blob[:-1], blob[:10] + bytes(30) + blob[40:]):
        with pytest.raises(DataError) as caught:
            zlib_array(damaged, "x1 of pair 3", 2**30)
        assert "x1 of pair 3" in str(caught.value)


def test_the_user_sets_how_large_an_array_may_be_beyond_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, zeros = tmp_path / "zeros.npz", np.zeros(10_000)
    np.savez_compressed(path, x=zeros)
    monkeypatch.setenv(LIMIT, "7.4e-5")
    with pytest.raises(DataError, match=f"at most 7.4e-05 GiB; got .*; set {LIMIT} to allow more GiB"):
        npz_array(path, "x")
    monkeypatch.setenv(LIMIT, "7.5e-5")
    assert (npz_array(path, "x") == zeros).all()
    for wrong in ("many", "0", "-1", "inf", "nan"):
        monkeypatch.setenv(LIMIT, wrong)
        with pytest.raises(SpecificationError, match=f"a number of GiB above 0 in .*{LIMIT}; got '{wrong}'; change it"):
            npz_array(path, "x")
    monkeypatch.setenv(LIMIT, "1e-9")
    np.savez(path, x=zeros)
    assert (npz_array(path, "x") == zeros).all()


@pytest.mark.parametrize("setting", ["many", "1e-9"])
def test_the_users_limit_for_files_is_none_for_blobs(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIMIT, setting)
    assert (zlib_array(zlib.compress(npy(SIX)), "x", SIX.nbytes) == SIX).all()
    with pytest.raises(DataError, match=r"x of at most .* GiB; got .*; save it again with"):
        zlib_array(zlib.compress(npy(SIX)), "x", SIX.nbytes - 1)


@pytest.mark.parametrize("name", ["missing.npz", "folder.npz", "n" * 300, "empty.npz"])
def test_files_that_are_none_are_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.npz").mkdir()
    (tmp_path / "empty.npz").write_bytes(b"")
    with pytest.raises(DnncovError) as caught:
        npz_names(tmp_path / name)
    assert name in str(caught.value)
