"""How records become rows of the campaign file, and back, by the names and types of their fields."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, TypeVar

import numpy as np

from dnncov_core.records import Outcome, State

Array = np.ndarray[Any, np.dtype[Any]]
T = TypeVar("T")
Read = Callable[[Any], Any]


def pack(array: Array) -> bytes:
    """An array as a compressed blob."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return zlib.compress(buffer.getvalue(), 6)


def unpack(blob: bytes) -> Array:
    """The inverse of `pack`."""
    array: np.ndarray[Any, np.dtype[Any]] = np.load(io.BytesIO(zlib.decompress(blob)), allow_pickle=False)
    return array


def join(neurons: Sequence[int]) -> str:
    """Neuron indices as text, separated by blanks."""
    return " ".join(map(str, neurons))


def _floats(blob: bytes) -> Array:
    array = unpack(blob)
    if not np.issubdtype(array.dtype, np.floating):
        raise ValueError(f"an input of {array.dtype}")
    return array


def _split(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


READ: Mapping[str, Read] = {
    "int": int,
    "float": float,
    "str": str,
    "tuple[int, ...]": _split,
    "bool": bool,
    "FloatArray": _floats,
    "Outcome": Outcome,
    "State": State,
}
"""How the value of a column is read, by the type of the field as its record writes it; other types have no columns."""
ELSEWHERE = "Target"
"""The type of a field that has no column: it is a row of another table."""


@cache
def _readers(kind: Any) -> Mapping[str, Read]:
    """By column of a record's table, how it is read; NULL where the field may be None."""
    return {each.name: _reader(str(each.type)) for each in fields(kind) if each.type != ELSEWHERE}


def _reader(kind: str) -> Read:
    of_value = READ[kind.removesuffix(" | None")]
    return (lambda value: None if value is None else of_value(value)) if kind.endswith(" | None") else of_value


def columns(kind: Any, table: str = "") -> str:
    """The columns of a kind of records, for a query; ``table`` is its name in a query of several tables."""
    return ", ".join(f"{table}.{name}" if table else name for name in _readers(kind))


def marks(kind: Any) -> str:
    """A question mark for each of these columns."""
    return ", ".join("?" * len(_readers(kind)))


def record_from(kind: Callable[..., T], row: Sequence[Any], *known: Any) -> T:
    """The record with these values of its `columns`; ``known`` are those of the fields before them."""
    return kind(*known, *(read(value) for read, value in zip(_readers(kind).values(), row, strict=True)))


def to_row(record: Any) -> list[object]:
    """The record's values of its `columns`, as the file holds them."""
    return [_to_sql(getattr(record, name)) for name in _readers(record.__class__)]


def _to_sql(value: Any) -> object:
    if isinstance(value, np.ndarray):
        return pack(value)
    if isinstance(value, tuple):
        return join(value)
    return value.value if isinstance(value, Enum) else value
