"""What a network's file does not say, from a TOML file beside it: ``model.onnx.toml`` beside ``model.onnx``.

Its fields are the arguments of `Network`, and ``mean`` and ``deviation`` of inputs in units that the module does not
take: it gets (x - mean) / deviation. Nothing of the file is run as code. Imports no torch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dnncov_core.errors import NetworkError
from dnncov_core.outside_text import toml_value

SUFFIX = ".toml"
"""Follows the whole name of the network's file."""
SCALING = ("mean", "deviation")
TOLD = (
    *("resize", "bicubic", "features", "units", "embedded", "output", "decision", "threshold"),
    *("tolerance", "quantities", "quantity_units", *SCALING),
)
"""What a network's file, or the one beside it, may say besides bounds and classes."""
MOST_BYTES = 2**24


def path_beside(network: Path) -> Path:
    """Where the file beside a network's file is, if there is one."""
    return network.with_name(network.name + SUFFIX)


def companion(path: Path) -> dict[str, Any]:
    """What the file beside a network's file says, for `Network` to check; empty where there is none.

    Raises:
        NetworkError: it cannot be read, is no TOML, or has a field that it cannot have.
    """
    beside = path_beside(path)
    try:
        with beside.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _unreadable(beside, str(error.strerror)) from error
    return fields_of(content, path)


def fields_of(content: bytes, network: Path) -> dict[str, Any]:
    """What the bytes of the file beside a network's file say.

    Raises:
        NetworkError: they are no TOML, or have a field that it cannot have.
    """
    beside = path_beside(network)
    known = ("bounds", "classes", *TOLD, *(["input_shape"] if network.suffix == ".onnx" else []))
    try:
        if len(content) > MOST_BYTES:
            raise ValueError(f"more than {MOST_BYTES:,} bytes")
        fields: dict[str, Any] = toml_value(content.decode("utf-8"))
    except ValueError as error:
        raise _unreadable(beside, str(error)) from error
    if unknown := sorted(fields.keys() - set(known)):
        got = f"{', '.join(unknown)} in {beside.name}"
        raise NetworkError(f"some of the fields {', '.join(known)}", got, "correct their names")
    return fields


def _unreadable(beside: Path, why: str) -> NetworkError:
    return NetworkError("a readable TOML file beside the network's", f"{beside.name}: {why}", "correct or remove it")


def text_of(fields: Mapping[str, object], *, comment: str) -> str:
    """The text of the file that has these fields, below a line of comment.

    >>> print(text_of({"classes": ["a", "b"], "decision": "min"}, comment="Of a network."))
    # Of a network.
    <BLANKLINE>
    classes = ["a", "b"]
    decision = "min"
    <BLANKLINE>
    """
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items())
    return "\n".join([f"# {comment}", "", *lines, ""])
