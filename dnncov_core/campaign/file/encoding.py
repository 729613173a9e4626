"""How records become rows of the campaign file, and back, by the names and types of their fields."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from dnncov_core.arrays import zlib_array
from dnncov_core.outside_values import PLAIN, Read, exact, named, reader, shown, types_of
from dnncov_core.records import Target
from dnncov_core.types import FloatArray, IntArray, Neurons

Array = np.ndarray[Any, np.dtype[Any]]
T = TypeVar("T")
MOST_BYTES = 2**28
"""That an array of a campaign may take in memory: what it announces is judged before."""


def pack(array: Array) -> bytes:
    """An array as a compressed blob."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return zlib.compress(buffer.getvalue(), 6)


def unpack(blob: Any) -> Array:
    """The inverse of `pack`.

    Raises:
        ValueError: no bytes.
        DataError: they are damaged, too many, or no numbers.
    """
    return zlib_array(exact(bytes, "bytes", blob), "numbers", MOST_BYTES)


def join(neurons: Sequence[int]) -> str:
    """Neuron indices as text, separated by blanks."""
    return " ".join(map(str, neurons))


def _floats(blob: Any) -> Array:
    array = unpack(blob)
    if not np.issubdtype(array.dtype, np.floating) or not array.dtype.isnative:
        raise ValueError(f"an array of {array.dtype}")
    return array


def _integers(blob: Any) -> Array:
    array = unpack(blob)
    if not np.issubdtype(array.dtype, np.signedinteger) or array.ndim != 1:
        raise ValueError(f"{array.dtype} of shape {array.shape} instead of a row of integers")
    return array.astype(np.int64)


def _split(text: Any) -> tuple[int, ...]:
    words = exact(str, "text", text).split()
    if not all(word.isdecimal() and word.isascii() and len(word) <= MOST_DIGITS for word in words):
        raise ValueError(f"{shown(text)} instead of neurons, separated by blanks")
    return tuple(map(int, words))


def _truth(value: Any) -> bool:
    if exact(int, "0 or 1", value) not in (0, 1):
        raise ValueError(f"{value} instead of 0 or 1")
    return bool(value)


MOST_DIGITS = 9
"""Of the index of a neuron."""
READ: Mapping[Any, Read] = {
    **PLAIN,
    bool: _truth,
    Neurons: _split,
    FloatArray: _floats,
    IntArray: _integers,
}
"""How the values of columns are read, by the types of fields; ranges and what may be NULL are added to them."""
IN_WORDS = {"nearest": "the least distance", "farthest": "the largest distance", "heartbeat": "the last sign of life"}
"""Columns whose names say too little in a message."""
ELSEWHERE = Target
"""The type of a field that has no column: it is a row of another table."""


@cache
def _reader(kind: Any) -> Read:
    return reader(kind, READ)


def value_of(kind: Any, value: Any) -> Any:
    """The value of a column as a field of this type has it; raises ValueError where it cannot be one."""
    return _reader(kind)(value)


@cache
def _readers(kind: Any) -> Mapping[str, Read]:
    """By field of a record, how its column is read."""
    return {name: reader(each, READ) for name, each in types_of(kind).items()}


@cache
def _named(kind: Any) -> tuple[str, ...]:
    return tuple(name for name in _readers(kind) if types_of(kind)[name] is not ELSEWHERE)


def columns(kind: Any, table: str = "") -> str:
    """The columns of a kind of records, for a query; ``table`` is its name in a query of several tables."""
    return ", ".join(f"{table}.{name}" if table else name for name in _named(kind))


def marks(kind: Any) -> str:
    """A question mark for each of these columns."""
    return ", ".join("?" * len(_named(kind)))


def record_from(kind: Callable[..., T], row: Sequence[Any], *known: Any) -> T:
    """The record with ``known`` for its first fields, and for the others these values of columns.

    Raises:
        ValueError: one of them is of another type, or out of range.
    """
    given = zip(islice(_readers(kind).items(), len(known), None), row, strict=True)
    return kind(*known, *(named(IN_WORDS.get(name, name), read, value) for (name, read), value in given))


def to_row(record: Any) -> list[object]:
    """The record's values of its `columns`, as the file holds them."""
    return [_to_sql(getattr(record, name)) for name in _named(record.__class__)]


def _to_sql(value: Any) -> object:
    if isinstance(value, np.ndarray):
        return pack(value)
    if isinstance(value, tuple):
        return join(value)
    if isinstance(value, bool):
        return int(value)
    return value.value if isinstance(value, Enum) else value
