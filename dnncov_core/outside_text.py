"""JSON and TOML from outside: whatever is wrong with a text is one kind of error, before anything of it is used."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Iterable
from typing import Any

DEEPEST = 100
"""Tables and lists within each other that a text may have."""


def json_value(text: str | bytes) -> Any:
    """The value of a JSON text that nobody here may have written.

    Raises:
        ValueError: it is no JSON; it is nested deeper than `DEEPEST`; it has a number that no finite float is close to,
            such as NaN or 1e999, or text that cannot be written as UTF-8. The message is one line.

    >>> json_value('{"bounds": [0, 1]}')
    {'bounds': [0, 1]}
    """
    return _judged(json.loads, text)


def toml_value(text: str) -> Any:
    """The value of a TOML text that nobody here may have written; raises what `json_value` does."""
    return _judged(tomllib.loads, text)


def with_codes(name: str) -> str:
    r"""A file's name with codes for bytes that are no letters, so that it can be written as UTF-8.

    >>> with_codes("n\udcff.dnncov")
    'n\\udcff.dnncov'
    """
    return name.encode(errors="backslashreplace").decode()


def _judged(parse: Callable[[Any], Any], text: str | bytes) -> Any:
    try:
        value = parse(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"text that is no JSON at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise _too_deep() from error
    level = [value]
    for _ in range(DEEPEST):
        level = [child for item in level for child in _children(item)]
        if not level:
            return value
    raise _too_deep()


def _too_deep() -> ValueError:
    return ValueError(f"more than {DEEPEST} lists or tables within each other")


def _children(item: Any) -> Iterable[Any]:
    """What a list or a table holds; nothing for anything else, which is judged."""
    if isinstance(item, list):
        return item
    if isinstance(item, dict):
        return (*item.keys(), *item.values())
    if isinstance(item, str):
        item.encode()
    elif isinstance(item, int | float) and not _is_finite(item):
        raise ValueError("a number that is not finite")
    return ()


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer beyond the largest float
        return False
