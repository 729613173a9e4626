"""How records become rows of the campaign file, and back."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from dnncov_core.records import Attempt, Outcome, Target, TestPair

Array = np.ndarray[Any, np.dtype[Any]]

TARGET_FIELDS = tuple(field.name for field in fields(Target))
ATTEMPT_FIELDS = tuple(field.name for field in fields(Attempt))
PAIR_FIELDS = tuple(field.name for field in fields(TestPair) if field.name != "target")


def to_row(record: Target | Attempt | TestPair, names: Sequence[str]) -> list[object]:
    """Values of the record's fields ``names``, as the file holds them."""
    return [_to_sql(getattr(record, name)) for name in names]


def _to_sql(value: Any) -> object:
    if isinstance(value, np.ndarray):
        return pack(value)
    if isinstance(value, tuple):
        return join(value)
    return value.value if isinstance(value, Outcome) else value


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


def _split(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split())


def target_from(row: Sequence[Any]) -> Target:
    """The target with these values of `TARGET_FIELDS`."""
    values = dict(zip(TARGET_FIELDS, row, strict=True))
    neurons = {name: _split(values[name]) for name in ("condition_neurons", "decision_neurons")}
    return Target(**{**values, **neurons})


def attempt_from(row: Sequence[Any]) -> Attempt:
    """The attempt with these values of `ATTEMPT_FIELDS`."""
    values = dict(zip(ATTEMPT_FIELDS, row, strict=True))
    return Attempt(**{**values, "outcome": Outcome(values["outcome"])})


def pair_from(target: Target, row: Sequence[Any]) -> TestPair:
    """The test pair of a target with these values of `PAIR_FIELDS`."""
    values = dict(zip(PAIR_FIELDS, row, strict=True))
    arrays = {name: _floats(values[name]) for name in ("x1", "x2")}
    truths = {
        name: None if values[name] is None else bool(values[name])
        for name in ("adversarial", "holds_float64", "holds_8bit")
    }
    flipped = None if values["flipped"] is None else _split(values["flipped"])
    return TestPair(target=target, **{**values, **arrays, **truths, "flipped": flipped})


def _floats(blob: bytes) -> Array:
    array = unpack(blob)
    if not np.issubdtype(array.dtype, np.floating):
        raise ValueError(f"an input of {array.dtype}")
    return array
