"""``.pt2`` files and files of weights that are damaged, lie about what they hold, hide code, or fill the memory."""

from __future__ import annotations

import functools
import io
import json
import pickle
import random
import struct
import threading
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torchvision.models import squeezenet1_1

from tests.hostile.trials import CANARY, Case
from tests.hostile.values import DEPTH, MARKDOWN, NASTY, TOO_DEEP, bytes_changed, changed
from tests.networks.malicious import (
    ATTACKS,
    CONSTANTS,
    PROGRAM,
    WEIGHTS,
    Members,
    Runs,
    bytearray_of,
    encoded,
    function_as_operator,
    honest_members,
    repacked,
    sample_inputs,
    saved,
    written,
)

EXTRA = "net/extra/dnncov.json"
TEXTS = (PROGRAM, PROGRAM, PROGRAM, WEIGHTS, CONSTANTS, EXTRA, EXTRA)
HONEST_EXTRA = {"bounds": [0.0, 1.0], "classes": ["a", "b", "c"], "resize": None}
NETWORK = (("measure", "net.pt2", "--suite", "d.npz", "--criteria", "n,ss"),)
COMPRESSIONS = (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
MEBIBYTE = 2**20
ALONE = threading.Lock()
"""PyTorch exports in one thread at a time."""


def whole() -> Members:
    """The members of the file of an honest network of four inputs and three classes, with what it is told beside it."""
    with ALONE:
        return {**_honest(), EXTRA: json.dumps(HONEST_EXTRA).encode()}


_honest = functools.cache(honest_members)


def make(rng: random.Random, folder: Path) -> Case:
    """A file of a network or of weights that is wrong in one way, and data for it."""
    if rng.random() < 0.35:
        return _weights(rng, folder)
    ways = (_value, _value, _value, _value, _bytes, _bytes, _numbers, _told, _told, _archive, _archive, _attack)
    words = rng.choice(ways)(rng, folder)
    np.savez(folder / "d.npz", images=np.random.default_rng(0).random((6, 4), np.float32), labels=np.arange(6) % 3)
    return Case(words, NETWORK)


def _put(folder: Path, members: Members, compression: int = zipfile.ZIP_STORED) -> None:
    written(folder / "net.pt2", members, compression)


def _value(rng: random.Random, folder: Path) -> str:
    """One value of one JSON."""
    name = rng.choice(TEXTS)
    content, words = changed(rng, json.loads(whole()[name]))
    _put(folder, {**whole(), name: json.dumps(content).encode()})
    return f"{name}: {words}"


def _bytes(rng: random.Random, folder: Path) -> str:
    """Bytes of one member, or of the whole file."""
    name = rng.choice((*whole(), "", ""))
    if name:
        content, words = bytes_changed(rng, whole()[name])
        _put(folder, {**whole(), name: content})
        return f"{name}: {words}"
    _put(folder, whole())
    content, words = bytes_changed(rng, (folder / "net.pt2").read_bytes())
    (folder / "net.pt2").write_bytes(content)
    return words


def _numbers(rng: random.Random, folder: Path) -> str:
    """Shapes, strides, types and offsets of tensors, in the description of weights or of the graph."""
    name = rng.choice((WEIGHTS, CONSTANTS, PROGRAM, PROGRAM))
    content = json.loads(whole()[name])
    found = [each for each in _tables(content) if set(each) & {"as_int", "dtype", "as_float", "as_ints", "as_expr"}]
    told = []
    for _ in range(rng.choice((1, 1, 2, 5))):
        table = rng.choice(found)
        field = rng.choice(sorted(set(table) & {"as_int", "dtype", "as_float", "as_ints", "as_expr"}))
        table[field] = value = rng.choice(
            (*range(-3, 40), 10**5, 10**9, 2**31, 2**62, 2**63 - 1, 2**63, 10**30, -(2**63), [3, -1], [10**9, 10**9])
        )
        told.append(f"{field} = {value}")
    _put(folder, {**whole(), name: json.dumps(content).encode()})
    return f"{name}: {', '.join(told)}"


def _tables(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [table for item in value for table in _tables(item)]
    return [value, *(table for item in value.values() for table in _tables(item))] if isinstance(value, dict) else []


def _told(rng: random.Random, folder: Path) -> str:
    """What is told beside the program: bounds, classes and resize, or something else."""
    if rng.random() < 0.3:
        content = rng.choice((TOO_DEEP.encode(), b'{"a":' * DEPTH, b"", b"\xff\xfe", b"nul", b"9" * 5000, b"NaN"))
        _put(folder, {**whole(), EXTRA: content})
        return f"{EXTRA}: {content[:20]!r}"
    field = rng.choice(list(HONEST_EXTRA))
    value = rng.choice(
        (
            *(*NASTY, [0, 1, 2], [1, 0], [0, 0], [0, 1e308], [-1e308, 1e308], [0, 10**400], [[0], [1]], ["0", "1"]),
            *([True, False], "abc", {"a": 0, "b": 1, "c": 2}, [MARKDOWN] * 3, ["\x1b[31m", "\n", ""], [1, 2, 3]),
            *([None] * 3, ["a"] * 10**5, 10**12, 2.5, [[0.0] * 4, [1.0] * 4]),
        )
    )
    _put(folder, {**whole(), EXTRA: json.dumps({**HONEST_EXTRA, field: value}).encode()})
    return f"{field} is {value!r:.60}"


def _archive(rng: random.Random, folder: Path) -> str:
    """Members that are missing, doubled, compressed, oddly named, or larger than the file."""
    way = rng.choice(("missing", "twice", "packed", "named", "bomb", "shared", "other", "around"))
    name = rng.choice(list(whole()))
    members = dict(whole())
    if way == "missing":
        del members[name]
    if way == "named":
        names = ("../../canary", "/tmp/canary", "net/models/model.so", MARKDOWN[:200], "x" * 60_000, "net/" * 5000)
        members[rng.choice(names)] = b"x"
    if way in ("packed", "bomb"):
        members[name] += bytes(rng.choice((0, 400)) * MEBIBYTE if way == "bomb" else 0)
    _put(folder, members, rng.choice(COMPRESSIONS) if way in ("packed", "bomb") else zipfile.ZIP_STORED)
    path = folder / "net.pt2"
    if way == "twice":
        path.write_bytes(path.read_bytes() + path.read_bytes())
    if way == "shared":
        _share(path, rng.choice((50, 2000)))
    if way == "other":
        others = (b"", b"x", pickle.dumps(1), saved({"a": torch.zeros(2)}), b"PK\x05\x06" + bytes(18))
        path.write_bytes(rng.choice(others))
    if way == "around":
        noise = rng.randbytes(rng.choice((1, 100, 70_000)))
        path.write_bytes(rng.choice((noise + path.read_bytes(), path.read_bytes() + noise)))
    return f"archive: {way} ({name})"


def _share(path: Path, times: int) -> None:
    """Lets the directory name one member of a MiB many times: an archive of gigabytes in one MiB."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("net/data/weights/weight_0", bytes(MEBIBYTE))
        entry = archive.infolist()[0]
        archive.filelist += [entry] * times


def _attack(rng: random.Random, folder: Path) -> str:
    """Code in one of the places from which PyTorch runs some: each creates the canary."""
    attack = rng.choice((*ATTACKS, sample_inputs, function_as_operator))
    _put(folder, attack(whole(), folder / CANARY))
    return attack.__name__


# Files of weights


@functools.cache
def state() -> Mapping[str, torch.Tensor]:
    """The weights of the smallest network of torchvision that is known by name."""
    torch.manual_seed(0)
    return squeezenet1_1(weights=None).state_dict()


def _weights(rng: random.Random, folder: Path) -> Case:
    ways = (_tensors, _tensors, _pickled, _broken, _broken, _safetensors, _safetensors)
    file, content, words = rng.choice(ways)(rng, folder)
    (folder / file).write_bytes(content)
    return Case(f"weights: {words}", (("networks", f"squeezenet1_1={file}"),))


def _tensors(rng: random.Random, folder: Path) -> tuple[str, bytes, str]:
    """A tensor that is missing, superfluous, or of another kind or shape."""
    content: dict[Any, Any] = dict(state())
    name = rng.choice(list(content))
    ways: dict[str, Callable[[torch.Tensor], Any]] = {
        "missing": lambda tensor: None,
        "scalar": lambda tensor: torch.tensor(1.0),
        "one more": lambda tensor: tensor[None],
        "empty": lambda tensor: tensor[:0],
        "nan": lambda tensor: tensor * torch.nan,
        "infinite": lambda tensor: tensor / 0,
        "repeated": lambda tensor: torch.zeros(()).expand(tensor.shape),
        "huge": lambda tensor: torch.zeros(()).expand(10**6, 10**6),
        "complex": lambda tensor: tensor.to(torch.complex64),
        "bool": lambda tensor: tensor > 0,
        "bytes": lambda tensor: tensor.to(torch.int8),
        "bfloat16": lambda tensor: tensor.bfloat16(),
        "float8": lambda tensor: tensor.to(torch.float8_e4m3fn),
        "sparse": lambda tensor: tensor.to_sparse(),
        "meta": lambda tensor: tensor.to("meta"),
        "quantised": lambda tensor: torch.quantize_per_tensor(tensor, 0.1, 0, torch.qint8),
        "number": lambda tensor: 3.5,
        "text": lambda tensor: MARKDOWN,
        "table": lambda tensor: {"a": tensor},
        "parameter": torch.nn.Parameter,
    }
    way = rng.choice(list(ways))
    content[name] = ways[way](content[name])
    if way == "missing":
        del content[name]
    if rng.random() < 0.2:
        content[rng.choice((MARKDOWN, "", 7, ("a", "b"), None, "a\nb", "\x1b[31m", "x" * 10**5))] = torch.zeros(2)
        way = f"{way}, and an odd name"
    return "w.pth", saved(content), f"{name}: {way}"


def _pickled(rng: random.Random, folder: Path) -> tuple[str, bytes, str]:
    """Python objects that run code or fill the memory, in the new format, in the old one, and plainly pickled."""
    marker = folder / CANARY
    value: Any = {**state(), rng.choice(list(state())): Runs(marker)}
    way = rng.choice(("new", "old", "plain", "module", "bytearray", "encode", "compressed"))
    if way == "new":
        return "w.pth", saved(value), "code in a file of torch.save"
    if way == "old":
        return "w.pth", saved(value, as_before=True), "code in a file of an old torch.save"
    if way == "plain":
        return "w.pth", pickle.dumps(Runs(marker)), "code in a plain pickle"
    if way == "module":
        return "w.pth", saved(torch.nn.Linear(2, 2)), "a module"
    if way == "compressed":
        return "w.pth", repacked(saved(dict(state())), None, rng.choice(COMPRESSIONS)), "compressed members"
    grown = bytearray_of(2**34) if way == "bytearray" else encoded(32)
    return "w.pth", repacked(saved({"a": torch.zeros(2)}), grown), f"a pickle that grows by {way}"


def _broken(rng: random.Random, folder: Path) -> tuple[str, bytes, str]:
    """Bytes of a file, old or new, or of the pickle in it; or another file."""
    small = {"a": torch.zeros(3), "b": torch.ones(2, 2)}
    way = rng.choice(("new", "old", "pickle", "pickle", "other"))
    if way == "other":
        others = (b"", b"x", b"PK\x03\x04", b"<html>", bytes(1000), pickle.dumps([1, 2]))
        return "w.pth", rng.choice(others), "another file"
    if way == "old":
        content, words = bytes_changed(rng, saved(small, as_before=True))
        return "w.pth", content, f"old format: {words}"
    if way == "new":
        content, words = bytes_changed(rng, saved(small))
        return "w.pth", content, words
    with zipfile.ZipFile(io.BytesIO(saved(small))) as archive:
        (name,) = (each for each in archive.namelist() if each.endswith("data.pkl"))
        content, words = bytes_changed(rng, archive.read(name))
    return "w.pth", repacked(saved(small), content), f"pickle: {words}"


def _safetensors(rng: random.Random, folder: Path) -> tuple[str, bytes, str]:
    """A header that is wrong in one place, or the bytes."""
    header: Any = {"a": {"dtype": "F32", "shape": [3], "data_offsets": [0, 12]}, "__metadata__": {"format": "pt"}}
    if rng.random() < 0.3:
        name = next(iter(state()))
        data = state()[name].numpy().tobytes()
        header = {name: {"dtype": "F32", "shape": list(state()[name].shape), "data_offsets": [0, len(data)]}}
    content, words = changed(rng, header)
    text = TOO_DEEP.encode() if rng.random() < 0.1 else json.dumps(content).encode()
    length = rng.choice((len(text), len(text), len(text), 0, 2**31, 2**63 - 1))
    file = struct.pack("<Q", length) + text + bytes(12)
    if rng.random() < 0.3:
        file, words = bytes_changed(rng, file)
    return "w.safetensors", file, f"safetensors: {words}"
