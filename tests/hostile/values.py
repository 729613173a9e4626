"""Values that are wrong wherever they stand, and ways to put them into files."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

MARKDOWN = "**bold** [link](https://evil.example) ![image](https://evil.example/x.png) <b>html</b> https://evil.example"
NASTY: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    7,
    2**31,
    2**63 - 1,
    2**63,
    10**400,
    -0.5,
    0.5,
    1e-320,
    1e308,
    -1e308,
    float("nan"),
    float("inf"),
    float("-inf"),
    "",
    "0",
    "x",
    "1e999",
    "../../etc/passwd",
    "a\x00b",
    "\ud800",
    "line\nline",
    "x" * 100_000,
    MARKDOWN,
    [],
    [1],
    [[1, 2], [3]],
    [None],
    {},
    {"a": 1},
    {"__class__": "os.system"},
)
"""JSON values; a field is rarely made for most of them."""
DEPTH = 100_000
TOO_DEEP = "[" * DEPTH + "]" * DEPTH
"""A JSON text that is nested too deep."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all parts of a JSON value, its own included."""
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def changed(rng: random.Random, value: Any) -> tuple[Any, str]:
    """A copy of a JSON value with one part changed, sometimes two, and what was done in words."""
    new, words = _changed_once(rng, value)
    if rng.random() < 0.2:
        new, more = _changed_once(rng, new)
        words = f"{words}, {more}"
    return new, words


def _changed_once(rng: random.Random, value: Any) -> tuple[Any, str]:
    """A copy of a JSON value with one part replaced, taken away, doubled or renamed, and what was done in words."""
    path = rng.choice(list(places(value)))
    if not path:
        new = rng.choice(NASTY)
        return new, f"all of it is {new!r:.60}"
    new = copy.deepcopy(value)
    parent = new
    for key in path[:-1]:
        parent = parent[key]
    where = ".".join(map(str, path))
    way = rng.choice(("replace", "replace", "replace", "replace", "drop", "double"))
    if way == "drop":
        del parent[path[-1]]
    elif way == "double" and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[path[-1]]))
    else:
        parent[path[-1]] = replacement = rng.choice(NASTY)
        way = f"is {replacement!r:.60}"
    return new, f"{where}: {way}"


def bytes_changed(rng: random.Random, content: bytes) -> tuple[bytes, str]:
    """Bytes with some of them flipped, cut off, doubled or overwritten, and what was done in words."""
    way = rng.choice(("flip", "flip", "flip", "cut", "zero", "double", "insert"))
    place = rng.randrange(max(1, len(content)))
    length = rng.choice((1, 1, 2, 4, 16, 512, 4096))
    if way == "cut":
        return content[:place], f"cut off at byte {place}"
    if way == "flip":
        new = bytearray(content)
        for _ in range(rng.choice((1, 1, 2, 8, 64))):
            place = rng.randrange(max(1, len(content)))
            new[place : place + 1] = bytes([new[place] ^ (1 << rng.randrange(8))]) if new else b""
        return bytes(new), f"bits flipped, the last in byte {place}"
    middle = {
        "zero": bytes(min(length, len(content) - place)),
        "double": content[place : place + length] * 2,
        "insert": rng.randbytes(length),
    }[way]
    rest = place if way == "insert" else place + length
    return content[:place] + middle + content[rest:], f"{way} {length} bytes at {place}"
