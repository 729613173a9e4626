"""Values from outside, judged by the types of the fields of records; the rest of the program relies on them."""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Callable, Hashable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from dnncov_core.types import LARGEST, Limits

Read = Callable[[Any], Any]
"""Makes a field's value of what a file has; raises ValueError where that is another type, or out of range."""
T = TypeVar("T")


def shown(value: object) -> str:
    """A value for a message, shortened."""
    return reprlib.repr(value)


def exact(kind: type, words: str, value: Any) -> Any:
    """A value of this very type; true is no number, and 1.0 no whole one."""
    if type(value) is not kind:
        raise ValueError(f"{shown(value)} instead of {words}")
    return value


def number(value: Any) -> float:
    """A number, which may be infinite, but not NaN."""
    found = float(exact(int if type(value) is int else float, "a number", value))
    if math.isnan(found):
        raise ValueError(f"{shown(value)} instead of a number")
    return found


PLAIN: Mapping[Any, Read] = {
    bool: partial(exact, bool, "true or false"),
    int: partial(exact, int, "a whole number"),
    float: number,
    int | float: lambda value: value if type(value) is int else number(value),
    str: partial(exact, str, "text"),
    Any: lambda value: value,
}
"""How values of JSON are read."""
LIMITS: Mapping[type, Limits] = {
    int: Limits(-LARGEST - 1, LARGEST),
    float: Limits(-sys.float_info.max, sys.float_info.max),
}
"""The numbers that fields without a range of their own may have: integers as SQLite holds them, and finite ones."""


def reader(kind: Any, plain: Mapping[Any, Read] = PLAIN, *, ignore_unknown: bool = False) -> Read:
    """How values of a field of this type are read.

    Args:
        kind: the type, with the range of its numbers if it has one, else those of `LIMITS`.
        plain: how types are read that consist of no others, and any that the file writes in its own way.
        ignore_unknown: whether fields that a record does not have are left out; else they are refused.

    Raises:
        KeyError: a type that nobody reads.
    """
    origin, parts = get_origin(kind), get_args(kind)
    inner = partial(reader, plain=plain, ignore_unknown=ignore_unknown)
    if origin is Annotated:
        return partial(_within, plain[parts[0]], parts[1])
    if kind in LIMITS:
        return partial(_within, plain[kind], LIMITS[kind])
    if kind in plain:
        return plain[kind]
    if origin in (Union, UnionType):
        (one,) = (part for part in parts if part is not NoneType)
        return partial(_optional, inner(one))
    if origin is Literal:
        return partial(_one_of, dict(zip(parts, parts, strict=True)))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return partial(_one_of, {member.value: member for member in kind})
    if isinstance(kind, type) and is_dataclass(kind):
        return partial(record, kind, ignore_unknown=ignore_unknown)
    return _compound(kind, inner)


def _compound(kind: Any, inner: Callable[[Any], Read]) -> Read:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple and parts[1:] == (...,):
        return partial(_all, inner(parts[0]))
    if origin is tuple:
        return partial(_each, tuple(map(inner, parts)))
    if origin in (dict, Mapping):
        return partial(_table, inner(parts[1]))
    raise KeyError(kind)


def _within(read: Read, limits: Limits, value: Any) -> Any:
    found = read(value)
    if not limits.least <= found <= limits.most:
        raise ValueError(f"{shown(value)} instead of a number from {limits.least:,.12g} to {limits.most:,.12g}")
    return found


def _optional(read: Read, value: Any) -> Any:
    return None if value is None else read(value)


def _one_of(known: Mapping[Any, Any], value: Any) -> Any:
    if type(value) not in (str, int) or value not in known:
        raise ValueError(f"{shown(value)} instead of one of {', '.join(map(str, known))}")
    return known[value]


def _all(read: Read, value: Any) -> tuple[Any, ...]:
    return tuple(map(read, exact(list, "a list", value)))


def _each(reads: tuple[Read, ...], value: Any) -> tuple[Any, ...]:
    if len(exact(list, "a list", value)) != len(reads):
        raise ValueError(f"{shown(value)} instead of a list of {len(reads)}")
    return tuple(read(part) for read, part in zip(reads, value, strict=True))


def _table(read: Read, value: Any) -> dict[str, Any]:
    return {name: read(part) for name, part in exact(dict, "a table", value).items()}


@cache
def types_of(kind: Any) -> Mapping[str, Any]:
    """The types of a record's fields, with the ranges of their numbers."""
    types = get_type_hints(kind, include_extras=True)
    return {each.name: types[each.name] for each in fields(kind)}


@cache
def _readers(kind: Hashable, ignore_unknown: bool) -> Mapping[str, Read]:
    return {name: reader(each, ignore_unknown=ignore_unknown) for name, each in types_of(kind).items()}


def record(kind: Callable[..., T], value: Any, *, ignore_unknown: bool = False) -> T:
    """The record with the fields of a table of JSON; one with a default may be left out.

    Args:
        kind: a dataclass.
        value: the table.
        ignore_unknown: whether fields that the record does not have, or one within it, are left out.

    Raises:
        ValueError: no table, a field that is missing, unknown or wrong, or fields that do not go together.
    """
    readers, table = _readers(kind, ignore_unknown), exact(dict, "a table", value)
    if not ignore_unknown and not table.keys() <= readers.keys():
        raise ValueError(f"an unknown field, {', '.join(sorted(table.keys() - readers.keys()))}")
    missing = [each.name for each in fields(kind) if _needed(each) and each.name not in table]  # type: ignore[arg-type]
    if missing:
        raise ValueError(f"no {', '.join(missing)}")
    return kind(**{name: named(name, read, table[name]) for name, read in readers.items() if name in table})


def _needed(each: Any) -> bool:
    return each.default is MISSING and each.default_factory is MISSING


def named(name: str, read: Read, value: Any) -> Any:
    """What ``read`` makes of a value; its error says the name of the field."""
    try:
        return read(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
