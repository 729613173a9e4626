"""Files of earlier versions: opened, shown, resumed and verified as if they were new."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign import sql
from dnncov_core.campaign.schema import SCHEMA_VERSION
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.campaign.verify import verify
from dnncov_core.campaign.worker import work
from dnncov_core.errors import CampaignError
from dnncov_core.records import Attempt, State
from dnncov_core.summary import campaign_summary
from tests import runs

SCHEMA_1 = """
CREATE TABLE campaign (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    spec TEXT NOT NULL,
    created REAL NOT NULL,
    versions TEXT NOT NULL,
    card TEXT,
    data TEXT,
    seeds BLOB,
    inputs INTEGER,
    misclassified INTEGER
);
CREATE TABLE worker (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    state TEXT NOT NULL,
    pid INTEGER,
    heartbeat REAL,
    cancel INTEGER NOT NULL DEFAULT 0,
    message TEXT NOT NULL DEFAULT '',
    device TEXT NOT NULL DEFAULT '',
    seconds REAL NOT NULL DEFAULT 0
);
CREATE TABLE target (
    id INTEGER PRIMARY KEY,
    ordinal INTEGER NOT NULL UNIQUE,
    condition_layer INTEGER NOT NULL,
    decision_layer INTEGER NOT NULL,
    condition_neurons TEXT NOT NULL,
    decision_neurons TEXT NOT NULL,
    outcome TEXT NOT NULL DEFAULT 'pending',
    seconds REAL
);
CREATE INDEX target_outcome ON target (outcome);
CREATE TABLE attempt (
    target INTEGER NOT NULL REFERENCES target (id),
    place INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    seconds REAL NOT NULL,
    margin REAL,
    objective REAL,
    variables INTEGER,
    constraints INTEGER,
    message TEXT NOT NULL,
    PRIMARY KEY (target, place)
) WITHOUT ROWID;
CREATE TABLE test_pair (
    target INTEGER PRIMARY KEY REFERENCES target (id),
    seed INTEGER NOT NULL,
    x1 BLOB NOT NULL,
    x2 BLOB NOT NULL,
    label1 INTEGER NOT NULL,
    label2 INTEGER NOT NULL,
    confidence1 REAL NOT NULL,
    confidence2 REAL NOT NULL,
    distance_inf REAL NOT NULL,
    distance_2 REAL NOT NULL,
    distance_1 REAL NOT NULL,
    distance REAL NOT NULL,
    adversarial INTEGER NOT NULL,
    holds_float64 INTEGER NOT NULL,
    holds_8bit INTEGER,
    margin REAL
);
"""
SPEC_1 = """
{"network": "toy", "data": "toy", "criterion": "ss", "generator": "lp", "value_function": null, "sigma": null,
 "d": null, "p": null, "at_most": null, "condition_value_function": "any", "feature_mode": "neuron", "omega": 0.001,
 "pairs": null, "layers": [], "seeds": null, "seed_order": "random", "max_seeds": 41, "margin": 0.0001, "norm": "inf",
 "bound": null, "device": "auto", "random_seed": 0}
"""


def version_1(path: Path, finished: Path) -> Path:
    """A file of the first version with the rows of a finished campaign, as that version wrote them."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(SCHEMA_1)
        connection.execute("ATTACH ? AS new", (str(finished),))
        for (table,) in connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            columns = ", ".join(column for _, column, *_ in connection.execute(f"PRAGMA main.table_info({table})"))
            connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
        connection.execute("UPDATE main.campaign SET spec = ?", (SPEC_1,))
        connection.execute(f"PRAGMA main.application_id = {0x444E4E43}")
        connection.execute("PRAGMA main.user_version = 1")
        connection.commit()
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `SPEC_1` asks for, as this version does it: read only."""
    return runs.finished(tmp_path_factory.mktemp("new") / "new.dnncov", runs.toy_spec(seed_order="random"))


@pytest.fixture
def old(tmp_path: Path, finished: Path) -> Path:
    return version_1(tmp_path / "old.dnncov", finished)


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def as_version_1(attempt: Attempt) -> Attempt:
    return replace(attempt, calls=None, iterations=None, solver_seconds=None)


def test_an_old_file_is_brought_up_to_date_with_all_that_it_holds(old: Path, finished: Path) -> None:
    assert version(old) == 1
    with CampaignStore(old) as store, CampaignStore(finished) as new:
        assert store.spec() == new.spec()
        assert store.layer_counts() == new.layer_counts()
        for pair in new.test_pairs():
            assert store.attempts(pair.target) == [as_version_1(attempt) for attempt in new.attempts(pair.target)]
        assert verify(store).holding == len(new.test_pairs())
    assert version(old) == SCHEMA_VERSION
    CampaignStore(old).close()


def test_what_an_old_file_does_not_know_is_none(old: Path, finished: Path) -> None:
    with CampaignStore(old) as store, CampaignStore(finished) as new:
        before, after = campaign_summary(store), campaign_summary(new)
    unknown = {"calls": None, "seconds_mean": None, "iterations_mean": None}
    assert before.pop("programmes") == [{**costs, **unknown} for costs in after.pop("programmes")]
    assert {**before, "spec": None} == {**after, "spec": None}


def test_an_old_file_is_resumed_to_the_same_end(old: Path, finished: Path) -> None:
    runs.reopen(old)
    assert work(old) is State.FINISHED
    mine, theirs = runs.content(old), runs.content(finished)
    attempts, others = mine.pop("attempts"), theirs.pop("attempts")
    assert mine == theirs
    *earlier, last = others
    for target in earlier:
        assert attempts[target] == [replace(as_version_1(attempt), solver_seconds=0.0) for attempt in others[target]]
    assert attempts[last] == others[last]
    assert sum(attempt.calls or 0 for attempt in attempts[last]) > 0


def test_an_old_file_that_cannot_be_written_is_read(old: Path, finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def read_only(path: Path, **options: Any) -> sqlite3.Connection:
        return connect(f"file:{path}?mode=ro", uri=True, **options)

    expected = campaign_summary(CampaignStore(finished))
    monkeypatch.setattr(sql.sqlite3, "connect", read_only)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with CampaignStore(old) as store:
        assert campaign_summary(store)["layers"] == expected["layers"]
        assert [costs["iterations_mean"] for costs in campaign_summary(store)["programmes"]] == [None, None]
        assert verify(store).failing == {}
        with pytest.raises(CampaignError, match="readonly"):
            store.request_cancel()
    monkeypatch.undo()
    assert version(old) == 1


def test_openers_at_the_same_time_do_not_hinder_each_other(tmp_path: Path, finished: Path) -> None:
    for place in range(10):
        path = version_1(tmp_path / f"{place}.dnncov", finished)
        with CampaignStore(finished) as store:
            expected = store.layer_counts()
        start, found = threading.Barrier(4), []

        def read(path: Path = path, start: threading.Barrier = start, found: list[object] = found) -> None:
            start.wait()
            with CampaignStore(path) as store:
                found.append((store.layer_counts(), len(store.programme_costs())))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [(expected, 2)] * 4
        assert version(path) == SCHEMA_VERSION


def test_a_process_that_has_the_old_file_open_goes_on_writing(old: Path) -> None:
    with closing(sqlite3.connect(old, timeout=30, isolation_level=None)) as worker:
        worker.execute("SELECT * FROM attempt").fetchone()
        CampaignStore(old).close()
        worker.execute(
            "INSERT INTO attempt (target, place, seed, outcome, seconds, message) VALUES (1, 99, 0, 'unknown', 1, '')"
        )
        assert worker.execute("SELECT calls FROM attempt WHERE place = 99").fetchone() == (None,)


def test_an_update_that_breaks_off_leaves_the_old_file(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sql, "ADDED", (*sql.ADDED, (2, "missing", "x", "INTEGER")))
    with pytest.raises(CampaignError, match="no such table: missing"):
        CampaignStore(old)
    monkeypatch.undo()
    assert version(old) == 1
    CampaignStore(old).close()
    assert version(old) == SCHEMA_VERSION


def test_a_new_file_has_the_columns_of_one_brought_up_to_date(old: Path, finished: Path) -> None:
    CampaignStore(old).close()

    def columns(path: Path) -> set[tuple[object, ...]]:
        with closing(sqlite3.connect(path)) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {(t, *column[1:]) for t in tables for column in connection.execute(f"PRAGMA table_info({t})")}

    assert columns(old) == columns(finished)
