"""Folders of images with files that are damaged, lie about their size, or are something else."""

from __future__ import annotations

import io
import os
import random
import struct
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from dnncov_core.data import load_data
from tests.hostile.trials import CANARY, Case
from tests.hostile.values import MARKDOWN, bytes_changed

PLAIN = (
    ("measure", "mnist-n1", "--suite", "photos", "--criteria", "n"),
    ("run", "mnist-n1", "--data", "photos", "--pairs", "1"),
)
RESIZING = """
import torch
from dnncov_core import Network

def make():
    torch.manual_seed(0)
    first, second = torch.nn.Linear(3 * 24 * 24, 5), torch.nn.Linear(5, 10)
    return Network(torch.nn.Sequential(torch.nn.Flatten(), first, torch.nn.ReLU(), second), (3, 24, 24), resize=30)
"""
KINDS = (
    "PNG",
    "JPEG",
    "GIF",
    "BMP",
    "TIFF",
    "WEBP",
    "PPM",
    "JPEG2000",
    "MPO",
    "TGA",
    "ICO",
    "PCX",
    "EPS",
    "PDF",
    "DDS",
    "SGI",
)
MODES = ("1", "L", "P", "LA", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "HSV", "I", "I;16", "F")
DIGITS = tuple("0123456789")
ORIENTATION = 274


def make(rng: random.Random, folder: Path) -> Case:
    """A folder of whole images and one that is wrong, or a folder that is wrong itself."""
    resizing = rng.random() < 0.3
    size = (rng.choice((20, 40, 300)), rng.choice((20, 40, 300))) if resizing else (28, 28)
    for digit in DIGITS[: rng.choice((1, 3, 10))]:
        whole = _picture(rng, size, "RGB") if resizing else Image.fromarray(load_data("mnist").images[int(digit), 0])
        _put(folder / "photos" / digit / "whole.png", whole)
    words = rng.choice((_damaged, _damaged, _kinds, _kinds, _turned, _sizes, _bombs, _named, _special, _folders))(
        rng, folder, size
    )
    if not resizing:
        return Case(words, PLAIN)
    (folder / "resizing.py").write_text(RESIZING)
    return Case(words, (("measure", "resizing:make", "--suite", "photos", "--criteria", "n"),))


def _picture(rng: random.Random, size: tuple[int, int], mode: str = "L") -> Image.Image:
    pixels = np.random.default_rng(rng.getrandbits(32)).integers(0, 256, (*size, 3), dtype=np.uint8)
    grey = Image.fromarray(pixels).convert("L")
    return grey.convert(mode) if mode in ("I", "I;16", "F") else Image.fromarray(pixels).convert(mode)


def _put(path: Path, image: Image.Image, kind: str | None = None, **options: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, format=kind, **options)


def _content(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, format=kind, **options)
    return buffer.getvalue()


def _wrong(folder: Path, content: bytes, suffix: str = ".png") -> None:
    (folder / "photos" / "0" / f"wrong{suffix}").write_bytes(content)


def _damaged(rng: random.Random, folder: Path, size: tuple[int, int]) -> str:
    kind = rng.choice(KINDS[:8])
    content, words = bytes_changed(rng, _content(_picture(rng, size, "RGB"), kind))
    _wrong(folder, content)
    return f"{kind}: {words}"


def _kinds(rng: random.Random, folder: Path, size: tuple[int, int]) -> str:
    """An image of another kind or mode; a film; one of 16 bits a channel."""
    kind, mode = rng.choice(KINDS), rng.choice(MODES)
    options: dict[str, Any] = {}
    if rng.random() < 0.3:
        options = {"save_all": True, "append_images": [_picture(rng, size, mode) for _ in range(rng.choice((1, 30)))]}
    if rng.random() < 0.1:
        _wrong(folder, _deep(size))
        return "16 bits a channel"
    try:
        content = _content(_picture(rng, size, mode), kind, **options)
    except (OSError, ValueError, KeyError, TypeError):  # Pillow writes no such files
        content, mode = _content(_picture(rng, size, "RGB"), kind), "RGB"
    if rng.random() < 0.3:
        content, words = bytes_changed(rng, content)
        mode = f"{mode}, {words}"
    _wrong(folder, content, rng.choice((".png", ".jpg", "", f".{kind.lower()}")))
    return f"{kind}, mode {mode}{', several' if options else ''}"


def _chunks(**chunks: bytes) -> bytes:
    """A PNG file of these chunks."""
    parts = [
        struct.pack(">I", len(data)) + name.encode() + data + struct.pack(">I", zlib.crc32(name.encode() + data))
        for name, data in chunks.items()
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _deep(size: tuple[int, int]) -> bytes:
    height, width = size
    rows = zlib.compress((b"\0" + bytes(width * 6)) * height)
    return _chunks(IHDR=struct.pack(">IIBBBBB", width, height, 16, 2, 0, 0, 0), IDAT=rows, IEND=b"")


def _turned(rng: random.Random, folder: Path, size: tuple[int, int]) -> str:
    """Notes of the camera: all orientations, and numbers that are none."""
    image, kind = _picture(rng, size, "RGB"), rng.choice(("PNG", "JPEG", "WEBP", "TIFF"))
    orientation = rng.choice((*range(10), 255, 65535, "6", (6, 6)))
    exif = image.getexif()
    exif[ORIENTATION] = orientation
    with warnings.catch_warnings(action="ignore"):
        try:
            raw = bytearray(exif.tobytes())
            for _ in range(rng.choice((0, 0, 1, 4))):
                raw[rng.randrange(len(raw))] = rng.randrange(256)
            content = _content(image, kind, exif=bytes(raw))
        except Exception:  # the writer reads what it is given, too
            content = _content(image, "JPEG", exif=b"Exif\0\0" + rng.randbytes(40))
    _wrong(folder, content)
    return f"{kind} of orientation {orientation}"


def _sizes(rng: random.Random, folder: Path, size: tuple[int, int]) -> str:
    other = rng.choice(((1, 1), (28, 27), (size[1], size[0]), (1, 3000), (3000, 1), (15, 200), (16, 799), (2000, 2000)))
    _put(folder / "photos" / "0" / "wrong.png", _picture(rng, other, rng.choice(("L", "RGB", "P"))))
    return f"{other[0]} pixels high and {other[1]} wide"


def _bombs(rng: random.Random, folder: Path, size: tuple[int, int]) -> str:
    """Files that announce more pixels than they have, or that are small on the disk and have as many."""
    height = rng.choice((28, 3000, 9000, 12_000, 2**31 - 1))
    width = rng.choice((28, 3000, 9000, 12_000, 2**31 - 1))
    rows = bytes(min(height * (width + 1), rng.choice((1000, 10**6, 9 * 10**7))))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    text = zlib.compress(bytes(rng.choice((10, 10**7))))
    exif = b"MM\0\x2a\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"
    chunks = {"IHDR": header, "zTXt": b"Comment\0\0" + text, "eXIf": exif, "IDAT": zlib.compress(rows, 1), "IEND": b""}
    for name in ("zTXt", "eXIf"):
        if rng.random() < 0.5:
            del chunks[name]
    _wrong(folder, _chunks(**chunks))
    return f"{width} x {height} pixels, {len(rows):,} bytes of them"


NAMES = (
    *(
        "a\nb.png",
        "\x1b[31mred.png",
        MARKDOWN[:60].replace("/", "_") + ".png",
        "\udcff.png",
        "x" * 250 + ".png",
        " .png",
    ),
    *(
        "-o.png",
        "CON.png",
        "a.png ",
        "\u202egnp.exe",
        ".hidden.png",
        "Thumbs.db",
        "desktop.ini",
        "é.png",
        "e\u0301.png",
    ),
    "'; DROP TABLE.png",
)


def _named(rng: random.Random, folder: Path, size: tuple[int, int]) -> str:
    """Odd names of images, of subfolders, and of files beside these."""
    name = rng.choice(NAMES)
    place = folder / "photos" / rng.choice(("0", "", name))
    place.mkdir(exist_ok=True)
    content = _content(_picture(rng, size), "PNG") if rng.random() < 0.7 else b"no image"
    (place / name if place.name != name else place / "a.png").write_bytes(content)
    return f"the name {name!r} in {place.name!r}"


def _special(rng: random.Random, folder: Path, size: tuple[int, int]) -> str:
    """Links, pipes, folders and programmes where an image is due."""
    wrong = folder / "photos" / rng.choice(("0", "")) / rng.choice(("wrong.png", "wrong"))
    ways: dict[str, Callable[[], object]] = {
        "link to nothing": lambda: wrong.symlink_to("nowhere"),
        "link to itself": lambda: wrong.symlink_to(wrong.name),
        "link to its folder": lambda: wrong.symlink_to(".."),
        "link to an image": lambda: wrong.symlink_to(folder / "photos" / "0" / "whole.png"),
        "link to a device": lambda: wrong.symlink_to(
            rng.choice(("/dev/zero", "/dev/random", "/dev/stdin", "/proc/kmsg"))
        ),
        "pipe": lambda: os.mkfifo(wrong),
        "folder": lambda: wrong.mkdir(),
        "unreadable": lambda: (wrong.write_bytes(b"x"), wrong.chmod(0)),
        "PostScript": lambda: wrong.write_text(
            f"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 28 28\n({CANARY}) (w) file"
        ),
        "SVG": lambda: wrong.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="28" height="28"/>'),
        "text": lambda: wrong.write_text(MARKDOWN),
        "nothing": lambda: wrong.write_bytes(b""),
    }
    way = rng.choice(list(ways))
    ways[way]()
    return f"{way} as {wrong.relative_to(folder)}"


def _folders(rng: random.Random, folder: Path, size: tuple[int, int]) -> str:
    """Subfolders that no class, or only some, are named by; folders within them; none at all."""
    photos = folder / "photos"
    way = rng.choice(("strange", "some", "twice", "deep", "empty", "alone", "many", "renamed"))
    if way == "strange":
        _put(photos / "eleven" / "a.png", _picture(rng, size))
    elif way in ("some", "renamed"):
        (photos / "0").rename(photos / rng.choice(("00", "zero", "-1", "10", "٠", "O")))
    elif way == "twice":
        _put(photos / "00" / "a.png", _picture(rng, size))
    elif way == "deep":
        _put(photos / "0" / "more" / "a.png", _picture(rng, size))
    elif way == "many":
        for number in range(2000):
            (photos / f"n{number}").mkdir()
    else:
        for path in photos.rglob("*.png"):
            path.unlink()
        if way == "alone":
            for path in list(photos.iterdir()):
                path.rmdir()
            _put(photos / "a.png", _picture(rng, size))
    return f"subfolders: {way}"
