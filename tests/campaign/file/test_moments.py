"""What was read once, and when it is read again: numbers never outlive the file that they were read from."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dnncov_core.campaign.file import moments
from dnncov_core.campaign.file.conditions import LayerPairMatrix
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import Outcome, Target, TargetResult
from tests import builders

READING: dict[str, Callable[[CampaignStore], object]] = {
    "layers": lambda store: store.counts.layers(),
    "progress": lambda store: store.counts.progress(),
    "statuses": lambda store: store.counts.statuses_by_edge(),
    "adversarial distances": lambda store: store.pairs.adversarial_distances(),
    "baseline_searches": lambda store: store.baseline_searches.counts(),
    "blocks": lambda store: store.conditions.blocks(LayerPairMatrix(first=0, width=4, pairs=20), rows=2, columns=2),
    "spec": CampaignStore.spec,
    "card": CampaignStore.card,
}
NUMBERS: tuple[Callable[[CampaignStore], object], ...] = (
    lambda store: store.counts.layers(),
    lambda store: store.counts.progress(),
    lambda store: store.pairs.adversarial_distances(),
    lambda store: store.pairs.count(),
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.dnncov"
    builders.campaign(path, found=6, exhausted=2, pending=3, adversarial=2).close()
    return path


def rest(path: Path) -> None:
    """Lets a file have changed a minute ago, by its own clock and not by the others' of this test."""
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - 60 * 10**9))


def finish_one(path: Path) -> Target:
    with CampaignStore(path) as store:
        target = store.targets.pending()[0]
        store.worker.claim()
        store.record([TargetResult(target, Outcome.EXHAUSTED, (), None, 0.1)])
    return target


@contextmanager
def asked(store: CampaignStore) -> Iterator[list[str]]:
    """The statements that a store runs meanwhile."""
    statements: list[str] = []
    store.database._connection.set_trace_callback(statements.append)
    yield statements
    store.database._connection.set_trace_callback(None)


@pytest.mark.parametrize("name", READING)
def test_once_a_moment(file: Path, name: str) -> None:
    read = READING[name]
    with CampaignStore(file) as store:
        with store.at_one_moment():
            first = read(store)
            with asked(store) as statements:
                assert read(store) is first
            assert statements == []
        with asked(store) as statements:
            read(store)
        assert statements != []


def test_a_moment_within_a_moment_is_the_same(file: Path) -> None:
    with CampaignStore(file) as store, store.at_one_moment():
        before = store.counts.progress()
        with store.at_one_moment():
            finish_one(file)
            assert store.counts.progress() is before
        assert store.counts.progress() is before


@pytest.mark.parametrize("name", READING)
def test_a_file_at_rest_is_read_once_for_all(file: Path, name: str) -> None:
    rest(file)
    read = READING[name]
    with CampaignStore(file) as store, store.at_one_moment():
        first = read(store)
    with CampaignStore(file) as store, store.at_one_moment(), asked(store) as statements:
        assert read(store) is first
    assert statements == []


def done(path: Path) -> int:
    with CampaignStore(path) as store, store.at_one_moment():
        return store.counts.progress().done


def test_a_file_that_changes_after_a_rest_is_read_again(file: Path) -> None:
    for n in (8, 9, 10):
        rest(file)
        assert done(file) == n
        finish_one(file)
        assert done(file) == n + 1


def test_what_is_still_in_the_log_beside_a_file_at_rest_counts(file: Path) -> None:
    rest(file)
    with CampaignStore(file):  # while it is open, nothing is moved from the log to the file
        assert done(file) == 8
        changed = file.stat().st_mtime_ns
        for n in (9, 10):
            finish_one(file)
            rest(file.with_name(file.name + "-wal"))
            assert done(file) == n
        assert file.stat().st_mtime_ns == changed


def test_another_file_of_the_same_name_size_and_time_is_read(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.dnncov"
    shutil.copy(file, other)
    with sqlite3.connect(other) as connection:
        connection.execute("UPDATE target SET outcome = 'exhausted' WHERE outcome = 'pending'")
    connection.close()
    rest(file)
    assert done(file) == 8
    status = file.stat()
    assert other.stat().st_size == status.st_size
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(file)
    assert done(file) == 11


def test_what_changed_a_moment_ago_is_not_kept(file: Path) -> None:
    stamp = moments.stamp_of(file)
    assert moments.moment_of(file, stamp, stamp) is not moments.moment_of(file, stamp, stamp)
    rest(file)
    now = moments.stamp_of(file)
    assert moments.moment_of(file, now, now) is moments.moment_of(file, now, now)
    assert moments.moment_of(file, stamp, now) is not moments.moment_of(file, now, now)


def test_the_file_that_was_asked_for_longest_ago_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moments, "MOST_FILES", 2)
    monkeypatch.setattr(moments, "_at_rest", type(moments._at_rest)())
    stamp = ((1, int((time.time() - 60) * 1e9), 1),)
    first, second = (moments.moment_of(tmp_path / name, stamp, stamp) for name in "ab")
    assert moments.moment_of(tmp_path / "a", stamp, stamp) is first
    moments.moment_of(tmp_path / "c", stamp, stamp)
    assert moments.moment_of(tmp_path / "a", stamp, stamp) is first
    assert moments.moment_of(tmp_path / "b", stamp, stamp) is not second


@pytest.mark.parametrize("read", NUMBERS)
def test_no_row_with_arrays_is_read_for_numbers(file: Path, read: Callable[[CampaignStore], object]) -> None:
    """Numbers stand behind the arrays in their rows: without an index, counting reads every array of the file."""
    with CampaignStore(file) as store:
        with asked(store) as statements:
            read(store)
        plans = [
            step
            for statement in statements
            if statement.startswith(("SELECT", "WITH", " ", "\n"))
            for _, _, _, step in store.database.rows(f"EXPLAIN QUERY PLAN {statement}")
        ]
    steps = [step for step in plans if step.split()[1] in ("p", "test_pair")]
    assert steps
    assert [step for step in steps if "COVERING INDEX" not in step] == []
