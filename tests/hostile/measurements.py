"""Measurement files with wrong values, broken JSON and broken bytes."""

from __future__ import annotations

import functools
import json
import random
import tempfile
from pathlib import Path
from typing import Any

from tests.hostile.trials import Case
from tests.hostile.values import TOO_DEEP, bytes_changed, changed
from tests.suites.made import baseline, covering, patterns, save

COMMANDS = (("export", "m.json", "--out", "out", "--formats", "csv"),)


@functools.cache
def whole() -> bytes:
    """A file as ``dnncov measure`` writes it, with a criterion of each sort."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.json"
        save(path, covering("ss", (10, 1386, 600), "some compared"), baseline("tn:2", (60, 22, 63)), patterns(4999))
        return path.read_bytes()


def make(rng: random.Random, folder: Path) -> Case:
    """A measurement file that is wrong in one or two places."""
    way = rng.choice(("value", "value", "value", "bytes", "deep"))
    content: Any = json.loads(whole())
    if way == "value":
        content, words = changed(rng, content)
        written = json.dumps(content).encode()
    elif way == "bytes":
        written, words = bytes_changed(rng, whole())
    else:
        deep = TOO_DEEP.encode()
        written, words = whole().replace(b'"4999"', deep).replace(b"4999", deep), "nested too deep"
    (folder / "m.json").write_bytes(written)
    return Case(words, COMMANDS)
