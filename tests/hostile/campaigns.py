"""Campaign files that are wrong in one or two values, rows or bytes; most are still good SQLite."""

from __future__ import annotations

import functools
import io
import json
import random
import sqlite3
import tempfile
import zlib
from collections.abc import Callable
from contextlib import closing, redirect_stderr
from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core.campaign.file.encoding import pack
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.retry import retry
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.worker import work
from dnncov_core.records import Certificate, State
from dnncov_core.workers import WorkerStatus
from tests import runs
from tests.builders import say
from tests.hostile.trials import Case
from tests.hostile.values import MARKDOWN, TOO_DEEP, bytes_changed, changed
from tests.made_arrays import announcing

FILE = "c.dnncov"
READERS = (
    ("show", FILE, "--json"),
    ("verify", FILE),
    ("gaps", FILE, "--status", "open,covered,justified,proved_infeasible"),
    ("show", FILE),
    ("export", FILE, "--out", "out", "--formats", "csv"),
    ("pairs", FILE, "--out", "p.npz"),
    ("measure", "toy", "--suite", FILE, "--criteria", "ss"),
)
WRITERS = (
    ("justify", FILE, "--ordinals", "1,2,3", "--reason", "x", "--author", "x", "--replace"),
    ("retry", FILE, "--max-seeds", "4"),
    ("control", FILE),
    ("prove", FILE, "--methods", "intervals", "--time-limit", "2"),
    ("cancel", FILE),
    ("resume", FILE),
)
"""Commands that change the file."""
SPECS = (
    runs.toy_spec("vv", value_function="upper_boundary", reference="toy", max_seeds=1, more_seeds=0, generator="lp"),
    runs.toy_spec("ss", top_weights=2, reuse=True, max_seeds=1, more_seeds=0),
)
JSON = ("spec", "card", "versions", "available")
BLOBS = (("campaign", "seeds"), ("campaign", "boundaries"), ("test_pair", "x1"), ("test_pair", "x2"))
NUMBERS = (-(2**63), -1, 0, 1, 2, 3, 7, 2**31, 2**63 - 1, 0.5, -0.5, 1e-320, 1e308, -1e308, float("inf"), float("-inf"))
TEXTS = ("", "0", "x", "0 0", "1e9", "99999999999", "-1", "٣", "a\x00b", "line\nline", "x" * 100_000, MARKDOWN)
OTHERS = (None, b"", b"\x00\xff", b"12", "found", "pending", "error", "running", "9999-99-99")
Change = Callable[[random.Random, sqlite3.Connection], str]


def whole(number: int) -> bytes:
    """The file of a campaign in which every table has rows."""
    return _whole(SPECS[number])


@functools.cache
def _whole(spec: CampaignSpec) -> bytes:
    with tempfile.TemporaryDirectory() as folder, redirect_stderr(io.StringIO()):
        path = runs.finished(Path(folder) / FILE, spec)
        with CampaignStore(path) as store:
            retry(store, max_seeds=2)
        work(path)
        with CampaignStore(path) as store:
            store.certificates.record([Certificate(2, 0, 1, 0.5, float("inf"), "intervals", 0.1)], {})
            say(
                store, [target.ordinal for target in store.targets.all()[:3]], "never seen", "A. Engineer", "2026-01-02"
            )
            store.proof.claim(WorkerStatus(State.FINISHED, 1, 1e9, 1e9, "intervals", 1, 1, "1 neuron is constant"))
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
        return path.read_bytes()


def make(rng: random.Random, folder: Path) -> Case:
    """A campaign file that is wrong in one or two places."""
    content = whole(rng.randrange(len(SPECS)))
    if rng.random() < 0.15:
        content, words = _pages(rng, content) if rng.random() < 0.3 else bytes_changed(rng, content)
        (folder / FILE).write_bytes(content)
        return Case(words, _commands(rng))
    (folder / FILE).write_bytes(content)
    if rng.random() < 0.3:
        _loosen(folder / FILE)
    with closing(sqlite3.connect(folder / FILE)) as connection, connection:
        changes = rng.sample(CHANGES, rng.choice((1, 1, 1, 2)))
        changes.sort(key=lambda change: change is _computed)  # what is computed may have no end, and comes last
        words = [_changed(change, rng, connection) for change in changes]
    return Case(", ".join(words), _commands(rng))


def _changed(change: Change, rng: random.Random, connection: sqlite3.Connection) -> str:
    try:
        return change(rng, connection)
    except (sqlite3.Error, ValueError, RecursionError) as error:  # after another change, or what no table takes
        return f"no change: {error}"


def _commands(rng: random.Random) -> tuple[tuple[str, ...], ...]:
    """Some of those that read, then some of those that write."""
    return (*rng.sample(READERS, 4), *rng.sample(WRITERS, 2))


def _loosen(path: Path) -> None:
    """Tables that let NULL and several rows in."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        for word in (" NOT NULL", " CHECK (id = 1)"):
            connection.execute("UPDATE sqlite_master SET sql = replace(sql, ?, '') WHERE type = 'table'", (word,))


def _pages(rng: random.Random, content: bytes) -> tuple[bytes, str]:
    pages = [content[start : start + 4096] for start in range(0, len(content), 4096)]
    one, two = rng.sample(range(len(pages)), 2)
    pages[one], pages[two] = pages[two], pages[one]
    return b"".join(pages), f"pages {one} and {two} swapped"


def _tables(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    return [name for (name,) in rows.fetchall()]


def _value(rng: random.Random, connection: sqlite3.Connection) -> str:
    table = rng.choice(_tables(connection))
    column = rng.choice(connection.execute(f"PRAGMA table_info({table})").fetchall())[1]
    value = rng.choice(rng.choice((NUMBERS, NUMBERS, TEXTS, OTHERS)))
    if column == "passes" and value in (*NUMBERS, "99999999999"):
        value = -1  # a large budget is no fault: baseline searches spend it until somebody cancels them
    return _set(rng, connection, table, column, value)


def _set(rng: random.Random, connection: sqlite3.Connection, table: str, column: str, value: Any) -> str:
    """Sets the column of all rows, or of one."""
    where = rng.choice(("TRUE", f"rowid = (SELECT max(rowid) FROM {table})"))
    if table == "attempt" and where != "TRUE":
        where = "place = 0"
    connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {where}", (value,))
    return f"{table}.{column} is {value!r:.60} where {where}"


def _json(rng: random.Random, connection: sqlite3.Connection) -> str:
    column = rng.choice(JSON)
    (text,) = connection.execute(f"SELECT max({column}) FROM campaign").fetchone()
    if rng.random() < 0.05:
        new, words = TOO_DEEP, "nested too deep"
    else:
        value, words = changed(rng, json.loads(text if isinstance(text, str) else "[[2, 3, 4]]"))
        new = json.dumps(value)
    connection.execute(f"UPDATE campaign SET {column} = ?", (new,))
    return f"campaign.{column}: {words}"


def _blob(rng: random.Random, connection: sqlite3.Connection) -> str:
    table, column = rng.choice(BLOBS)
    kind = rng.choice(("announces", "bomb", "dtype", "shape", "numbers", "broken", "cut"))
    (old,) = connection.execute(f"SELECT max({column}) FROM {table}").fetchone()
    odd = rng.choice((np.nan, np.inf, -np.inf, 1e308, -1.0, 1e-320))
    new = {
        "announces": lambda: announcing((100_000_000_000,), 1),
        "bomb": lambda: announcing((2**17, rng.choice((2, 64, 2000))), 64),
        "dtype": lambda: pack(np.zeros(2, rng.choice(("U3", "c16", "i8", "bool", "f2", "f4", "u8", ">f8")))),
        "shape": lambda: pack(np.zeros(rng.choice(((), (0,), (1, 2), (3,), (2, 3), (5, 3), (1,) * 20)))),
        "numbers": lambda: pack(np.full(2, odd)),
        "broken": lambda: zlib.compress(rng.randbytes(200)),
        "cut": lambda: (old if isinstance(old, bytes) else b"x" * 9)[: rng.randrange(1, 9)],
    }[kind]()
    return f"{kind}: {_set(rng, connection, table, column, new)}"


def _rows(rng: random.Random, connection: sqlite3.Connection) -> str:
    """Rows taken away or doubled, or a table without any or gone."""
    table = rng.choice(_tables(connection))
    way = rng.choice(("delete one", "delete all", "double", "drop"))
    statement = {
        "delete one": f"DELETE FROM {table} WHERE {_key(table)} = (SELECT max({_key(table)}) FROM {table})",
        "delete all": f"DELETE FROM {table}",
        "double": f"INSERT OR IGNORE INTO {table} SELECT {_shifted(connection, table)} FROM {table}",
        "drop": f"DROP TABLE {table}",
    }[way]
    connection.execute(statement)
    return f"{table}: {way}"


def _key(table: str) -> str:
    return "target" if table == "attempt" else "rowid"


def _shifted(connection: sqlite3.Connection, table: str) -> str:
    """All columns, with keys that are free."""
    names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall()]
    keys = ("id", "ordinal", "layer", "target") if table != "certificate" else ("layer",)
    return ", ".join(f"{name} + 1000" if name in keys else name for name in names)


def _references(rng: random.Random, connection: sqlite3.Connection) -> str:
    """Layers, neurons, labels, seeds and rows that refer to what there is not."""
    table, column = rng.choice(
        (
            ("target", "condition_layer"),
            ("target", "decision_layer"),
            ("target", "ordinal"),
            ("target", "condition_neurons"),
            ("target", "decision_neurons"),
            ("target", "condition_most"),
            ("test_pair", "target"),
            ("test_pair", "seed"),
            ("test_pair", "label1"),
            ("test_pair", "label2"),
            ("test_pair", "flipped"),
            ("test_pair", "adversarial"),
            ("test_pair", "holds_8bit"),
            ("test_pair", "needed"),
            ("test_pair", "sufficient_8bit"),
            ("test_pair", "found_for"),
            ("attempt", "target"),
            ("attempt", "seed"),
            ("certificate", "layer"),
            ("certificate", "neuron"),
            ("certificate", "sign"),
            ("justification", "ordinal"),
            ("control", "ordinal"),
            ("control", "random"),
            ("proof", "done"),
            ("campaign", "inputs"),
            ("campaign", "misclassified"),
            ("campaign", "batch"),
        )
    )
    value = rng.choice((0, 1, 2, 3, 4, 5, 9, 50, 10**6, -3, 2**40))
    return _set(rng, connection, table, column, f"{value} {value + 1}" if rng.random() < 0.1 else value)


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"


def _computed(rng: random.Random, connection: sqlite3.Connection) -> str:
    """A table of endless rows or with a column that is computed, or what happens at each change."""
    table = rng.choice(_tables(connection))
    way = rng.choice(("view", "column", "trigger"))
    names = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall()]
    if way == "view":
        columns = ", ".join(f"i AS {name}" for name in names)
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"CREATE VIEW {table} AS {ENDLESS} SELECT {columns} FROM n")
    elif way == "column":
        column = rng.choice(names)
        connection.execute(f"ALTER TABLE {table} RENAME COLUMN {column} TO other")
        connection.execute(f"ALTER TABLE {table} ADD COLUMN {column} AS (length(zeroblob(900000000)))")
    else:
        connection.execute(
            f"CREATE TRIGGER t AFTER UPDATE ON {table} BEGIN INSERT INTO justification"
            f" SELECT 100 + i, 'x', 'x', '2026-01-01' FROM ({ENDLESS} SELECT i FROM n); END"
        )
    return f"{table}: {way}"


CHANGES: tuple[Change, ...] = (
    _computed,
    _value,
    _value,
    _value,
    _json,
    _json,
    _json,
    _blob,
    _rows,
    _references,
    _references,
)
