"""Makes a ``.pt2`` file safe to load: checks every member, and hands PyTorch a fresh archive of what passed.

``torch.export.load`` can run code from a file: it unpickles weights, constants and sample inputs, loads compiled
libraries, and evaluates texts of the program (see `pt2_program`). A network needs none of that. Sample inputs are left
out unread, whatever else would run code is refused before PyTorch touches the file, and PyTorch never reads the file
itself.
"""

from __future__ import annotations

import io
import json
import math
import re
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch.export.pt2_archive._package import PT2ArchiveWriter

from dnncov_core.errors import NetworkError
from dnncov_core.networks.exported_program import first_line
from dnncov_core.networks.pt2_program import cleaned, refused
from dnncov_core.networks.saved_tensors import GrowingFileError, check_members
from dnncov_core.outside_text import json_value

PROGRAM = "models/model.json"
SAMPLES = "data/sample_inputs/model.pt"
PAYLOADS = {
    "data/weights/": ("model_weights_config.json", "weight_"),
    "data/constants/": ("model_constants_config.json", "tensor_"),
}
"""Folder to the file that describes its tensors, and the beginning of the names of the tensors' files."""
EXTRA = "extra/dnncov.json"
"""What ``extra_files={"dnncov.json": ...}`` of ``torch.export.save`` adds as JSON: bounds and classes, and where there
are some resize, features and units."""
MEMBERS = re.compile(
    r"data/weights/(weight_\d{1,6}|model_weights_config\.json)|data/constants/(tensor_\d{1,6}|model_constants_config\.json)"
    r"|models/model\.json|data/sample_inputs/model\.pt|archive_format|archive_version|byteorder|version"
    r"|\.data/(version|serialization_id|alignment)|\.format_version|\.storage_alignment|extra/[\w.-]+",
    re.ASCII,
)
MAX_TEXT_BYTES = 2**26
MAX_EXPANDED = 2**20
"""Numbers that a tensor with repeated storage may have."""
LEGACY = "serialized_exported_program.json"


@dataclass(frozen=True)
class CheckedFile:
    """A fresh archive that is safe to load, and the text of `EXTRA` beside the program, if any."""

    archive: io.BytesIO
    extra: str | None


def check(path: Path) -> CheckedFile:
    """Checks a ``.pt2`` file; runs nothing from it.

    Raises:
        NetworkError: it is missing, no such file, damaged, or holds more than tensors and a graph.
    """
    try:
        members = _members(path)
        program = cleaned(_json(members, PROGRAM))
        payloads = {name: data for folder in PAYLOADS for name, data in _payload(members, folder).items()}
        extra = _text(members, EXTRA).decode() if EXTRA in members else None
    except NetworkError:
        raise
    except GrowingFileError as error:
        raise refused(str(error)) from error
    except OSError as error:
        raise NetworkError("a readable .pt2 file", f"{path}: {error.strerror}", "correct the path") from error
    except Exception as error:  # whatever a damaged file makes the readers raise
        got = f"{path} is damaged or no such file: {first_line(error)}"
        raise NetworkError("a .pt2 file of torch.export.save", got, "export the network again") from error
    return CheckedFile(_archive({PROGRAM: _bytes(program), SAMPLES: b"", **payloads}), extra)


def _members(path: Path) -> dict[str, bytes]:
    """Name within the archive, without its top folder, to content; refuses names that no network needs."""
    with zipfile.ZipFile(path) as archive:
        entries = archive.infolist()
        if any(entry.filename == LEGACY for entry in entries):
            got = f"{path}, which an old PyTorch wrote"
            raise NetworkError("a .pt2 file of PyTorch 2.8 or newer", got, "export the network again with a newer one")
        check_members(entries, path.stat().st_size)
        members = {_member_name(entry.filename): archive.read(entry) for entry in entries}
    if members.get("byteorder", sys.byteorder.encode()) != sys.byteorder.encode():
        raise refused("tensors in another byte order")
    return members


def _member_name(name: str) -> str:
    _, _, rest = name.partition("/")
    if MEMBERS.fullmatch(rest) is None:
        raise refused(f"the member {name[:80]!r}")
    return rest


def _json(members: dict[str, bytes], name: str) -> Any:
    return json_value(_text(members, name))


def _text(members: dict[str, bytes], name: str) -> bytes:
    if name not in members:
        raise ValueError(f"{name} is missing")
    if len(members[name]) > MAX_TEXT_BYTES:
        raise refused(f"{len(members[name])} bytes in {name}")
    return members[name]


def _bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


def _payload(members: dict[str, bytes], folder: str) -> dict[str, bytes]:
    """The description of a folder's tensors, checked, and those tensors."""
    config, prefix = PAYLOADS[folder]
    described = cleaned(_json(members, folder + config))
    found = {folder + config: _bytes(described)}
    for key, record in described["config"].items():
        name = record["path_name"]
        if record["use_pickle"] is not False or not name.startswith(prefix):
            raise refused(f"{key!r}, which is a pickled object instead of a tensor's numbers")
        found[folder + name] = members[folder + name]
        _check_extent(key, record["tensor_meta"], len(members[folder + name]))
    return found


def _check_extent(key: str, meta: dict[str, Any], n_bytes: int) -> None:
    """A tensor has no more numbers than its file has bytes, but for small ones that repeat theirs."""
    numbers = math.prod(int(size["as_int"]) for size in meta["sizes"])
    if numbers < 0 or numbers > (max(n_bytes, MAX_EXPANDED) if n_bytes else 0):
        raise refused(f"{key!r} of {numbers} numbers in {n_bytes} bytes")


def _archive(members: dict[str, bytes]) -> io.BytesIO:
    buffer = io.BytesIO()
    with PT2ArchiveWriter(buffer) as writer:
        for name, content in members.items():
            writer.write_bytes(name, content)
    buffer.seek(0)
    return buffer
