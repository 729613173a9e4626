"""Files of earlier versions: opened, shown, resumed and verified as if they were new."""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import closing
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign.file import sql
from dnncov_core.campaign.file.file_kind import CAMPAIGN
from dnncov_core.campaign.file.schema import SCHEMA, SCHEMA_VERSION
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.verification import verify
from dnncov_core.campaign.work.worker import work
from dnncov_core.cli.show import campaign_summary
from dnncov_core.errors import CampaignError
from dnncov_core.records import Attempt, EffectCounts, LayerCounts, State
from tests import runs
from tests.campaign import old_versions


@dataclass(frozen=True)
class Old:
    """A file of an earlier version, and the same campaign by this version, which is read only."""

    path: Path
    finished: Path
    version: int

    def known(self, attempt: Attempt) -> Attempt:
        """What the earlier version stored of an attempt."""
        known = self._columns("attempt")
        return replace(attempt, **{each.name: None for each in fields(Attempt) if each.name not in known})

    @property
    def batch(self) -> int:
        """Test conditions that are searched for at the same time; one where the earlier version did not store it."""
        with CampaignStore(self.finished) as new:
            return new.prepared.batch() if "batch" in self._columns("campaign") else 1

    @property
    def layers(self) -> tuple[LayerCounts, ...]:
        """The counts by layer pair that the old file gives; without effects where the earlier version stored none."""
        return layers_of(self.finished, self.version)

    def _columns(self, table: str) -> set[str]:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.executescript(old_versions.SCHEMAS[self.version])
            return {name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """What each earlier version's specification asks for, as this version does it."""
    folder = tmp_path_factory.mktemp("new")
    made: dict[str, Path] = {}
    for version, spec in old_versions.SPECS.items():
        if spec not in made:
            asked = runs.toy_spec(**old_versions.EARLIER | old_versions.ASKED[version])
            made[spec] = runs.finished(folder / f"{version}.dnncov", asked)
    return {version: made[spec] for version, spec in old_versions.SPECS.items()}


@pytest.fixture(params=old_versions.SCHEMAS)
def old(request: pytest.FixtureRequest, tmp_path: Path, finished: dict[int, Path]) -> Old:
    version: int = request.param
    path = old_versions.write(tmp_path / "old.dnncov", finished[version], version)
    return Old(path, finished[version], version)


def layers_of(path: Path, version: int) -> tuple[LayerCounts, ...]:
    """The counts of a campaign, as if nobody knew the effects of its test pairs where a version did not store them."""
    with CampaignStore(path) as store:
        layers = store.counts.layers()
    if version >= old_versions.EFFECTS_SINCE:
        return layers
    return tuple(replace(each, effects=EffectCounts(unknown=each.found, unknown_8bit=each.found)) for each in layers)


def effects_not_known(found: int) -> dict[str, Any]:
    """What summaries say of the effects of so many test pairs that an earlier version stored; they are no pixels."""
    effect = {"effect": "needed", "covered": None, **dict.fromkeys(("needed", "sufficient", "both"), 0)}
    rounded = dict.fromkeys(("needed_8bit", "sufficient_8bit", "both_8bit"))
    return {**effect, **rounded, "unknown": found, "mean_share": None}


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("schema", old_versions.SCHEMAS.values(), ids=map(str, old_versions.SCHEMAS))
def test_columns_that_old_files_get_may_be_null_and_have_no_default(schema: str) -> None:
    """A file that gets them is given a name and a type alone, and its rows NULL."""
    asked = 'SELECT t.name, c.name, c."notnull", c.dflt_value FROM sqlite_master t JOIN pragma_table_info(t.name) c'
    with closing(sqlite3.connect(":memory:")) as new, closing(sqlite3.connect(":memory:")) as before:
        new.executescript(SCHEMA)
        before.executescript(schema)
        columns, known = new.execute(asked).fetchall(), before.execute(asked).fetchall()
    tables, names = {table for table, *_ in known}, {row[:2] for row in known}
    added = [row for row in columns if row[0] in tables and row[:2] not in names]
    assert [row for row in added if row[2:] != (0, None)] == []


def test_an_old_file_is_brought_up_to_date_with_all_that_it_holds(old: Old) -> None:
    assert version(old.path) == old.version
    with CampaignStore(old.path) as store, CampaignStore(old.finished) as new:
        assert store.spec() == new.spec()
        assert store.counts.layers() == old.layers
        assert store.targets.all() == new.targets.all()
        assert store.prepared.batch() == old.batch
        for pair in new.pairs.page():
            assert store.attempts.of(pair.target) == [old.known(attempt) for attempt in new.attempts.of(pair.target)]
        assert [pair.found_for for pair in store.pairs.page()] == [pair.found_for for pair in new.pairs.page()]
        assert {pair.flipped for pair in store.pairs.page()} == {None}
        assert verify(store).holding == len(new.pairs.page())
    assert version(old.path) == SCHEMA_VERSION
    CampaignStore(old.path).close()


def test_what_an_old_file_does_not_know_is_none(old: Old) -> None:
    with CampaignStore(old.path) as store, CampaignStore(old.finished) as new:
        before, after = campaign_summary(store), campaign_summary(new)
    unknown = {"calls": None, "seconds_mean": None, "iterations_mean": None} if old.version == 1 else {}
    if old.version < old_versions.EFFECTS_SINCE:
        assert before.pop("with_effect") == effects_not_known(after["covered"])
        assert after.pop("with_effect")["unknown"] == 0
        after["layers"] = [{**layer, "with_effect": effects_not_known(layer["covered"])} for layer in after["layers"]]
    if old.version < old_versions.CONTROLS_SINCE:
        assert before.pop("control") is None
        assert after.pop("control") is not None
    assert before.pop("programmes") == [{**costs, **unknown} for costs in after.pop("programmes")]
    assert {**before, "spec": None} == {**after, "spec": None}


def test_an_old_file_is_resumed_to_the_same_end(old: Old) -> None:
    runs.reopen(old.path)
    assert work(old.path) is State.FINISHED
    mine, theirs = runs.content(old.path), runs.content(old.finished)
    attempts, others = mine.pop("attempts"), theirs.pop("attempts")
    assert mine == theirs
    *earlier, last = others
    for target in earlier:
        known = [replace(old.known(attempt), solver_seconds=0.0) for attempt in others[target]]
        assert [replace(attempt, solver_seconds=0.0) for attempt in attempts[target]] == known
    assert attempts[last] == others[last]
    assert sum(attempt.calls or 0 for attempt in attempts[last]) > 0


def test_resuming_a_finished_old_file_finds_the_effects_of_its_pairs(old: Old) -> None:
    assert work(old.path) is State.FINISHED
    with CampaignStore(old.path) as store, CampaignStore(old.finished) as new:
        assert store.counts.layers() == new.counts.layers()
        found, expected = verify(store), verify(new)
    assert found == expected
    assert (found.effects, found.without_effect) == (found.pairs, 0)


def test_an_old_file_that_cannot_be_written_is_read(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect

    def read_only(path: str, **options: Any) -> sqlite3.Connection:
        return connect(path.replace("mode=rw", "mode=ro"), **options)

    expected = campaign_summary(CampaignStore(old.finished))
    monkeypatch.setattr(sql.sqlite3, "connect", read_only)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK or Path(path).is_dir())
    with CampaignStore(old.path) as store:
        found = campaign_summary(store)
        if old.version < old_versions.EFFECTS_SINCE:
            for layer in expected["layers"]:
                layer["with_effect"] = effects_not_known(layer["covered"])
        assert found["layers"] == expected["layers"]
        known = [costs["iterations_mean"] if old.version > 1 else None for costs in expected["programmes"]]
        assert [costs["iterations_mean"] for costs in found["programmes"]] == known
        assert store.prepared.batch() == old.batch
        assert {target.condition_most for target in store.targets.all()} == {None}
        assert verify(store).failing == {}
        assert (store.certificates.all(), store.justifications.all()) == ([], [])
        with pytest.raises(CampaignError, match="which is read-only here"):
            store.worker.request_cancel()
    monkeypatch.undo()
    assert version(old.path) == old.version


def test_an_old_file_in_a_folder_that_cannot_be_written_is_read(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = old.layers
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK or not Path(path).is_dir())
    with CampaignStore(old.path) as store:
        assert store.counts.layers() == expected
    assert version(old.path) == old.version


@pytest.mark.parametrize("since", [1, 2, 3, 4, 7, 12])
def test_openers_at_the_same_time_do_not_hinder_each_other(
    tmp_path: Path, finished: dict[int, Path], since: int
) -> None:
    expected = layers_of(finished[since], since)
    for place in range(10):
        path = old_versions.write(tmp_path / f"{place}.dnncov", finished[since], since)
        start, found = threading.Barrier(4), []

        def read(path: Path = path, start: threading.Barrier = start, found: list[object] = found) -> None:
            start.wait()
            with CampaignStore(path) as store:
                found.append((store.counts.layers(), len(store.attempts.programme_costs())))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [(expected, 2)] * 4
        assert version(path) == SCHEMA_VERSION


def test_a_process_that_has_the_old_file_open_goes_on_writing(old: Old) -> None:
    with closing(sqlite3.connect(old.path, timeout=30, isolation_level=None)) as worker:
        worker.execute("SELECT * FROM attempt").fetchone()
        CampaignStore(old.path).close()
        worker.execute(
            "INSERT INTO attempt (target, place, seed, outcome, seconds, message) VALUES (1, 99, 0, 'unknown', 1, '')"
        )
        assert worker.execute("SELECT calls, passes FROM attempt WHERE place = 99").fetchone() == (None, None)


def test_an_update_that_breaks_off_leaves_the_old_file(old: Old, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(CAMPAIGN), "schema", f"{SCHEMA} CREATE UNIQUE INDEX broken ON attempt (outcome);")
    with pytest.raises(CampaignError, match="UNIQUE constraint failed"):
        CampaignStore(old.path)
    monkeypatch.undo()
    assert version(old.path) == old.version
    CampaignStore(old.path).close()
    assert version(old.path) == SCHEMA_VERSION


def test_a_new_file_has_the_columns_and_indexes_of_one_brought_up_to_date(old: Old) -> None:
    CampaignStore(old.path).close()

    def columns(path: Path) -> set[tuple[object, ...]]:
        with closing(sqlite3.connect(path)) as connection:
            tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {(t, *column[1:]) for t in tables for column in connection.execute(f"PRAGMA table_info({t})")}

    def indexes(path: Path) -> set[tuple[object, ...]]:
        with closing(sqlite3.connect(path)) as connection:
            names = connection.execute("SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'").fetchall()
            rows = ((t, n, row) for t, n in names for row in connection.execute(f"PRAGMA index_info({n})"))
            return {(t, n, place, column) for t, n, (place, _, column) in rows}

    assert columns(old.path) == columns(old.finished)
    assert indexes(old.path) == indexes(old.finished)
