"""The .pt2 file of an honest network, and ways to hide code in it, each of which creates a marker file."""

from __future__ import annotations

import importlib
import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.export import Dim

Members = dict[str, bytes]
PROGRAM = "net/models/model.json"
WEIGHTS = "net/data/weights/model_weights_config.json"
CONSTANTS = "net/data/constants/model_constants_config.json"
SAMPLES = "net/data/sample_inputs/model.pt"


class Honest(nn.Module):
    """Has parameters, a buffer, a constant tensor, numbers, something in place and arithmetic on the batch size."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 6), nn.Linear(6, 3)
        self.register_buffer("mean", torch.tensor(0.5))
        self.scale = torch.tensor([1.0, 2.0, 3.0])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu_(self.first((x - self.mean) * 2 + 0.25))
        return self.second(hidden.view(x.shape[0], -1)) * self.scale


class Runs:
    """Creates a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return open, (str(self.marker), "w")


def written(path: Path, members: Members, compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def changed(members: Members, name: str, change: Callable[[Any], Any]) -> Members:
    """The members with one JSON changed in place."""
    fields = json.loads(members[name])
    change(fields)
    return {**members, name: json.dumps(fields).encode()}


def saved(value: Any, *, as_before: bool = False) -> bytes:
    """A file of ``torch.save``, or of that of an old PyTorch."""
    buffer = io.BytesIO()
    torch.save(value, buffer, _use_new_zipfile_serialization=not as_before)
    return buffer.getvalue()


def repacked(content: bytes, pickled: bytes | None = None, compression: int = zipfile.ZIP_STORED) -> bytes:
    """A file of ``torch.save`` with another pickle in it, or compressed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w", compression) as new:
        for name in old.namelist():
            new.writestr(name, pickled if pickled and name.endswith("data.pkl") else old.read(name))
    return buffer.getvalue()


KEY = b"\x80\x02}X\x01\x00\x00\x00a"
"""The beginning of a pickled dictionary, with its key ``a``."""


def bytearray_of(n: int) -> bytes:
    """A pickle of so many bytes, which it does not hold."""
    return KEY + b"c__builtin__\nbytearray\n\x8a\x05" + n.to_bytes(5, "little") + b"\x85Rs."


def encoded(times: int) -> bytes:
    """A pickle of four letters as hexadecimal digits, again and again: twice as many each time."""
    letters = b"X\x04\x00\x00\x00aaaaX\x06\x00\x00\x00latin1\x86R"
    return KEY + b"c_codecs\nencode\n" * (times + 1) + letters + b"X\x03\x00\x00\x00hex\x86R" * times + b"s."


# Attacks: members of an honest file and a marker to create -> members of a malicious one


def pickled_weight(members: Members, marker: Path) -> Members:
    evil = changed(members, WEIGHTS, lambda fields: fields["config"]["first.bias"].update(use_pickle=True))
    return {**evil, f"net/data/weights/{payload(members, WEIGHTS, 'first.bias')}": saved(Runs(marker))}


def pickled_constant(members: Members, marker: Path) -> Members:
    evil = changed(members, CONSTANTS, lambda fields: fields["config"]["scale"].update(use_pickle=True))
    return {**evil, f"net/data/constants/{payload(members, CONSTANTS, 'scale')}": saved(Runs(marker))}


def opaque_constant(members: Members, marker: Path) -> Members:
    record = {"path_name": "opaque_obj_0", "use_pickle": True}
    evil = changed(members, CONSTANTS, lambda fields: fields["config"]["scale"].update(record))
    return {**evil, "net/data/constants/opaque_obj_0": pickle.dumps(Runs(marker))}


def sample_inputs(members: Members, marker: Path) -> Members:
    return {**members, SAMPLES: saved(((Runs(marker),), {}))}


def symbolic_size(members: Members, marker: Path) -> Members:
    def change(fields: Any) -> None:
        sizes = fields["graph_module"]["graph"]["tensor_values"]["x"]["sizes"]
        sizes[0]["as_expr"]["expr_str"] = f"open('{marker}', 'w')"

    return changed(members, PROGRAM, change)


def function_as_operator(members: Members, marker: Path) -> Members:
    def change(fields: Any) -> None:
        argument = {"name": "", "arg": {"as_string": f"touch '{marker}'"}, "kind": 1}
        node = {"target": "torch.os.system", "inputs": [argument], "outputs": [], "metadata": {}, "name": "run"}
        fields["graph_module"]["graph"]["nodes"].insert(0, node)

    return changed(members, PROGRAM, change)


def source_as_name(members: Members, marker: Path) -> Members:
    text = members[PROGRAM].decode()
    return {**members, PROGRAM: text.replace('"x"', json.dumps(f"x=open('{marker}', 'w')")).encode()}


def module_in_tree(members: Members, marker: Path) -> Members:
    (marker.parent / "evil_module.py").write_text(f"open({str(marker)!r}, 'w')")
    importlib.invalidate_caches()

    def change(fields: Any) -> None:
        signature = fields["graph_module"]["module_call_graph"][0]["signature"]
        keys = json.dumps([{"__enum__": True, "fqn": "evil_module:Kind", "name": "x"}])
        signature["in_spec"] = json.dumps([1, {"type": "builtins.dict", "context": keys, "children_spec": []}])

    return changed(members, PROGRAM, change)


ATTACKS = [
    *(pickled_weight, pickled_constant, opaque_constant),
    *(symbolic_size, source_as_name, module_in_tree),
]
Attack = Callable[[Members, Path], Members]


def payload(members: Members, config: str, key: str) -> str:
    return str(json.loads(members[config])["config"][key]["path_name"])


def honest_members() -> Members:
    """Members of the file of an honest network, whose weights come from the seed 0."""
    torch.manual_seed(0)
    program = torch.export.export(Honest().eval(), (torch.zeros(2, 4),), dynamic_shapes=({0: Dim("batch")},))
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    with zipfile.ZipFile(buffer) as archive:
        return {"net/" + name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
