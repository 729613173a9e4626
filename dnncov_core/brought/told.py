"""What a dropped network's file does not say: a TOML file that is dropped as well, or what somebody types.

Both become the file beside the network's that `networks.companion` reads, and go with it when it gets a name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from dnncov_core.brought.drafts import choose, folder_of, read_draft
from dnncov_core.errors import DataError, SpecificationError, unwritable
from dnncov_core.networks.companion import MOST_BYTES, companion, fields_of, path_beside, text_of
from dnncov_core.networks.reference import is_file
from dnncov_core.record_files import write_whole


@dataclass(frozen=True)
class Typed:
    """A field as it is typed: its label, an example, and whether it holds numbers; several have commas between."""

    label: str
    example: str
    numbers: bool = False


SHAPE, LOW, HIGH, DECISION = "input_shape", "low", "high", "decision"
FIELDS: Mapping[str, Typed] = {
    "classes": Typed("Classes, in the order of the outputs", "COC, WL, WR, SL, SR"),
    DECISION: Typed("The class is the one with", ""),
    SHAPE: Typed("Shape of an input (.onnx)", "5", numbers=True),
    "features": Typed("Names of the inputs", "rho, theta, psi, v_own, v_int"),
    "units": Typed("Units of the inputs", "m, rad, rad, ft/s, ft/s"),
    LOW: Typed("Smallest values of the inputs", "0, -3.14, -3.14, 100, 0", numbers=True),
    HIGH: Typed("Largest values of the inputs", "60760, 3.14, 3.14, 1200, 1200", numbers=True),
    "mean": Typed("Means to subtract", "0.13", numbers=True),
    "deviation": Typed("Deviations to divide by", "0.31", numbers=True),
    "threshold": Typed("Threshold of a single output", "0.5", numbers=True),
    "tolerance": Typed("Regression: tolerances of the outputs", "0.5, 2", numbers=True),
    "quantities": Typed("Regression: names of the outputs", "cross-track error, heading error"),
    "quantity_units": Typed("Regression: units of the outputs", "m, degrees"),
}


def told(draft_id: str) -> dict[str, Any]:
    """The fields of the file beside a draft's network.

    Raises:
        DataError: there is no such draft, or its network can have no such file.
        NetworkError: the file cannot be read.
    """
    return companion(_network(draft_id))


def _network(draft_id: str) -> Path:
    folder, part = folder_of(draft_id), read_draft(draft_id).network
    if part is None or not is_file(part.file):
        raise DataError("an .onnx or .pt2 file that a .toml file can say more of", "none", "drop the network, too")
    return folder / part.file


def receive_told(draft_id: str, content: IO[bytes]) -> None:
    """Takes a TOML file in place of an earlier one, and of what was typed; an earlier check is forgotten.

    Raises:
        DataError: there is no such draft, its network can have no such file, or the folder cannot be written.
        NetworkError: it is no TOML, or has a field that it cannot have.
    """
    _write(draft_id, content.read(MOST_BYTES + 1))


def tell(draft_id: str, typed: Mapping[str, str]) -> None:
    """Writes what was typed into the file; fields that cannot be typed stay as they are.

    Args:
        draft_id: the draft.
        typed: texts by the names of `FIELDS`, where empty ones take a field away.

    Raises:
        DataError: likewise.
        NetworkError: likewise.
        SpecificationError: a text that has no numbers where they are due, or one end of the bounds alone.
    """
    fields = _with_ends(told(draft_id))
    before = as_typed(fields)
    fields |= {name: _value(name, text) for name, text in typed.items() if text.strip() != before[name]}
    low, high = fields.pop(LOW, None), fields.pop(HIGH, None)
    if (low is None) != (high is None):
        raise SpecificationError("smallest and largest values of the inputs", "one of them", "type the other, too")
    fields["bounds"] = None if low is None else [low, high]
    given = {name: value for name, value in fields.items() if value is not None}
    text = text_of(given, comment="What this network is told about its inputs and outputs.")
    _write(draft_id, text.encode())


def as_typed(fields: Mapping[str, Any]) -> dict[str, str]:
    """The fields as somebody would type them; empty where there is none, and for arrays of several axes."""
    given = _with_ends(fields)
    return {name: _text(given.get(name)) for name in FIELDS}


def _with_ends(fields: Mapping[str, Any]) -> dict[str, Any]:
    """With smallest and largest values for themselves."""
    bounds = fields.get("bounds")
    ends = dict(zip((LOW, HIGH), bounds, strict=True)) if isinstance(bounds, list) and len(bounds) == 2 else {}
    return {name: value for name, value in fields.items() if not ends or name != "bounds"} | ends


def _text(value: Any) -> str:
    values = value if isinstance(value, list) else [] if value is None else [value]
    return "" if any(isinstance(each, list | dict) for each in values) else ", ".join(map(str, values))


def _value(name: str, text: str) -> object:
    """What a text says; None for nothing."""
    parts = [part.strip() for part in text.split(",")]
    if parts == [""] or name == DECISION:
        return text.strip() or None
    if not FIELDS[name].numbers:
        return parts
    try:
        exact = [float(part) for part in parts]
    except ValueError:
        exact = [math.nan]
    if not all(map(math.isfinite, exact)):
        raise SpecificationError(f"“{FIELDS[name].label}” as numbers with commas between", repr(text), "correct them")
    numbers = [int(each) if each.is_integer() else each for each in exact]
    return numbers if len(numbers) > 1 or name == SHAPE else numbers[0]


def _write(draft_id: str, content: bytes) -> None:
    network = _network(draft_id)
    fields_of(content, network)
    try:
        write_whole(path_beside(network), content.decode("utf-8"))
    except OSError as error:
        raise unwritable(error) from error
    choose(draft_id, "data", read_draft(draft_id).data)
