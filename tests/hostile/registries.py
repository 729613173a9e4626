"""Registry files with wrong types, broken TOML, endless nesting, and paths that lead elsewhere."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tests.hostile.trials import Case
from tests.hostile.values import MARKDOWN, bytes_changed

GOOD: dict[str, list[dict[str, Any]]] = {
    "network": [
        {"name": "ours", "file": "nets/ours.pt2", "data": "our-data", "description": "Ours."},
        {"name": "built", "factory": "package.module:build"},
    ],
    "data": [{"name": "our-data", "path": "data.npz", "description": "Four inputs."}, {"name": "more", "path": "nets"}],
}
PATHS = (
    *("../../../etc/passwd", "/etc/passwd", "/dev/zero", "/dev/stdin", "~", "~nobody-here/x", "~root/x", "a\0b", "\n"),
    *(".", "", "loop", "loop/loop", "x" * 300, "x/" * 3000, "nets/ours.pt2/x", "registry.toml", "nets"),
    *("loop.pt2", "folder.pt2", "/dev/zero.pt2", "x" * 300 + ".pt2", "~nobody-here/x.pt2", "a\0b.pt2"),
)
TEXTS = (*PATHS, *(MARKDOWN, "x" * 10**5, "toy", "mnist", "vgg16", "ours", "a:b", "os:getcwd", "x:y", "\x1b[31m"))
OTHERS = (None, True, -1, 2**63, 10**400, 1e308, [], [[]], {}, {"a": 1}, [{"name": "x"}], "2020-01-01")
COMMANDS = (("networks",), ("measure", "ours", "--suite", "our-data", "--criteria", "n"))


def make(rng: random.Random, folder: Path) -> Case:
    """A registry that is wrong in one way, in the user's folder, with files that it may name."""
    home = folder / "home"
    (home / "nets").mkdir(parents=True)
    (home / "nets" / "ours.pt2").write_bytes(b"no network")
    (home / "data.npz").write_bytes(b"no data")
    (home / "folder.pt2").mkdir()
    for name in ("loop", "loop.pt2"):
        (home / name).symlink_to(name)
    text, words = rng.choice((_values, _values, _values, _bytes, _texts))(rng)
    (home / "registry.toml").write_bytes(text)
    return Case(words, COMMANDS)


def _values(rng: random.Random) -> tuple[bytes, str]:
    """Fields with another text or another type, fields of other names, entries twice."""
    tables = {kind: [dict(entry) for entry in entries] for kind, entries in GOOD.items()}
    told = []
    for _ in range(rng.choice((1, 1, 2, 4))):
        kind = rng.choice(list(tables))
        entry = rng.choice(tables[kind])
        field = rng.choice((*entry, *entry, "file", "factory", "path", MARKDOWN, ""))
        entry[field] = value = rng.choice((*TEXTS, *TEXTS, *OTHERS))
        told.append(f"{kind}.{field[:20]} is {value!r:.40}")
        if rng.random() < 0.1:
            tables[kind] = tables[kind] * rng.choice((2, 300))
    return _written(tables).encode(errors="replace"), ", ".join(told)


def _written(tables: dict[str, list[dict[str, Any]]]) -> str:
    lines = []
    for kind, entries in tables.items():
        for entry in entries:
            lines += [f"[[{kind}]]", *(f"{json.dumps(field)} = {_value(value)}" for field, value in entry.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_value(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return "nan" if value is None else json.dumps(value).replace("\x7f", "\\u007f")


def _bytes(rng: random.Random) -> tuple[bytes, str]:
    return bytes_changed(rng, _written(GOOD).encode())


def _texts(rng: random.Random) -> tuple[bytes, str]:
    """Other texts: too deep, too long, of other headings."""
    text = rng.choice(
        (
            *("a = " + "[" * 50_000, "a = " + "{a = " * 50_000, "a = " + "9" * 50_000, "[a" + ".a" * 50_000 + "]"),
            *("a" + ".a" * 3000 + " = 1", "[[network]]\n" * 20_000, "[network]\nname = 'x'", "network = 3"),
            *("", "\n" * 10**6, "# " + "x" * 10**7, "[[networks]]", "[data]\n[data.x]", "data = [[1], 2]"),
            *('[[network]]\nname = "' + "x" * 10**6, "network = [" + "{}," * 10_000 + "]", "\x00", "\ufeff[[data]]"),
        )
    )
    return text.encode(), f"{text[:30]!r}, {len(text):,} letters"
