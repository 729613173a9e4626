"""Shards of a campaign joined to one file: the same as one worker makes, whatever their order and number."""

from __future__ import annotations

import functools
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign.file.merging import merge
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.plan import open_shards
from dnncov_core.campaign.work.worker import work
from dnncov_core.errors import CampaignError, ParameterError
from dnncov_core.networks import loader
from dnncov_core.networks.zoo import load_embedded
from dnncov_core.records import Certificate, Outcome, Shard, State
from dnncov_core.resources import versions
from tests import runs

N = 7
SPEC = runs.toy_spec(effect="needed")
TIMES = ("seconds", "solver_seconds", "created", "pid", "heartbeat")


def rows(path: Path) -> dict[str, list[Any]]:
    """All rows of a file without times, which differ from run to run."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            table: [
                {name: row[name] for name in row.keys() if name not in TIMES}  # noqa: SIM118 - a row has values
                for row in connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")
            ]
            for table in tables
            if table != "stage"
        }


def shard_of(path: Path, spec: CampaignSpec, shard: Shard) -> Path:
    CampaignStore.create(path, spec, versions(), shard=shard).close()
    assert work(path) is State.FINISHED
    return path


def changed(path: Path, folder: Path, *statements: str) -> Path:
    """A copy of a file in which something else stands."""
    copied = Path(shutil.copy(path, folder / f"changed-{path.name}"))
    with closing(sqlite3.connect(copied)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return copied


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("shards")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "load_embedded", functools.cache(load_embedded))
        return [shard_of(folder / f"{n}.dnncov", SPEC, Shard(n, N)) for n in range(1, N + 1)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runs.finished(tmp_path_factory.mktemp("whole") / "whole.dnncov", SPEC)


def test_in_any_order_and_one_twice_they_are_what_one_worker_makes(
    shards: list[Path], whole: Path, tmp_path: Path
) -> None:
    for place in range(3):
        order = random.Random(place).sample([*shards, shards[place]], N + 1)
        merge(merged := tmp_path / f"{place}.dnncov", order)
        assert rows(merged) == rows(whole)
        assert runs.content(merged) == runs.content(whole)


def test_parts_are_of_whole_batches(tmp_path: Path) -> None:
    spec = runs.toy_spec("vv", generator="targeted", batch=3)
    merge(tmp_path / "m.dnncov", [shard_of(tmp_path / f"{n}.dnncov", spec, Shard(n, 2)) for n in (2, 1)])
    assert rows(tmp_path / "m.dnncov") == rows(runs.finished(tmp_path / "w.dnncov", spec))


def test_a_shard_does_its_own_part_and_says_that_others_are_left(shards: list[Path], whole: Path) -> None:
    done: list[int] = []
    for number, path in enumerate(shards, 1):
        with CampaignStore(path) as store:
            assert store.prepared.shard() == Shard(number, N)
            assert store.state() is State.CANCELLED
            targets, pending = store.targets.all(), store.targets.pending()
            left = open_shards(targets, pending, store.prepared.batch(), N)
            assert left.keys() == {Shard(n, N) for n in range(1, N + 1)} - {Shard(number, N)}
            done += [target.ordinal for target in targets if target not in pending]
    with CampaignStore(whole) as store:
        assert sorted(done) == sorted(target.ordinal for target in store.targets.all())


def test_what_a_missing_shard_leaves_open_is_searched_for_on_resuming(
    shards: list[Path], whole: Path, tmp_path: Path
) -> None:
    merge(merged := tmp_path / "m.dnncov", [*shards[:2], *shards[3:]])
    with CampaignStore(merged) as store:
        left = open_shards(store.targets.all(), store.targets.pending(), store.prepared.batch(), N)
        assert [*left] == [Shard(3, N)]
        assert (store.state(), store.prepared.shard()) == (State.CANCELLED, Shard())
    assert work(merged) is State.FINISHED
    assert runs.content(merged) == runs.content(whole)
    merge(again := tmp_path / "again.dnncov", [tmp_path / "m.dnncov", shards[2]])
    assert rows(again)["target"] == rows(whole)["target"]


def test_files_merged_before_are_merged_again(shards: list[Path], whole: Path, tmp_path: Path) -> None:
    merge(tmp_path / "a.dnncov", shards[:3])
    merge(tmp_path / "b.dnncov", shards[2:])
    merge(tmp_path / "c.dnncov", [tmp_path / "b.dnncov", tmp_path / "a.dnncov"])
    assert rows(tmp_path / "c.dnncov") == rows(whole)


def test_working_time_counts_once(shards: list[Path], tmp_path: Path) -> None:
    merge(merged := tmp_path / "m.dnncov", [*shards, *shards])
    times = []
    for path in shards:
        with CampaignStore(path) as store:
            times.append((store.worker.row().seconds, sum(store.stages.seconds().values())))
    with CampaignStore(merged) as store:
        assert store.worker.row().seconds == pytest.approx(sum(seconds for seconds, _ in times))
        assert sum(store.stages.seconds().values()) == pytest.approx(sum(seconds for _, seconds in times))


class TestRefused:
    @pytest.mark.parametrize(
        ("statement", "said"),
        [
            ("UPDATE campaign SET spec = replace(spec, '\"max_seeds\": 41', '\"max_seeds\": 9')", "max_seeds 41 and 9"),
            ("UPDATE campaign SET data = 'ab' || data", "data of the fingerprints "),
            ("UPDATE campaign SET card = replace(card, 'fingerprint\": \"', 'fingerprint\": \"ab')", "networks of the"),
            ("UPDATE campaign SET batch = batch + 1", "another batch"),
            ('UPDATE campaign SET versions = replace(versions, \'"torch": "\', \'"torch": "9.\')', "torch "),
        ],
    )
    def test_another_campaign(self, shards: list[Path], tmp_path: Path, statement: str, said: str) -> None:
        other = changed(shards[1], tmp_path, statement)
        with pytest.raises(CampaignError, match=f"got changed-2.dnncov with {said}"):
            merge(tmp_path / "m.dnncov", [shards[0], other])
        assert not [*tmp_path.glob("m.*")]

    def test_a_file_that_exists(self, shards: list[Path], tmp_path: Path) -> None:
        merge(tmp_path / "m.dnncov", shards[:1])
        with pytest.raises(CampaignError, match=r"a new file name; got m\.dnncov, which exists"):
            merge(tmp_path / "m.dnncov", shards)

    def test_none_that_began(self, shards: list[Path], tmp_path: Path) -> None:
        new = runs.create(tmp_path / "new.dnncov", SPEC)
        with pytest.raises(CampaignError, match="shards whose search has begun"):
            merge(tmp_path / "m.dnncov", [new])
        merge(tmp_path / "m.dnncov", [new, *shards])
        assert runs.state_of(tmp_path / "m.dnncov") is State.FINISHED

    def test_a_shard_of_conditions_that_depend_on_earlier_ones(self, tmp_path: Path) -> None:
        with pytest.raises(ParameterError, match="reuse must be left out with a shard"):
            CampaignStore.create(tmp_path / "c.dnncov", runs.toy_spec(reuse=True), {}, shard=Shard(1, 2))

    def test_a_pair_of_what_is_proved_infeasible(self, whole: Path, tmp_path: Path) -> None:
        proved = changed(whole, tmp_path, "UPDATE target SET outcome = 'proved_infeasible' WHERE outcome = 'found'")
        for place, order in enumerate(([proved, whole], [whole, proved])):
            with pytest.raises(CampaignError, match="covers a condition which is proved infeasible"):
                merge(tmp_path / f"{place}.dnncov", order)


def test_of_two_outcomes_the_better_stays_whatever_the_order(whole: Path, tmp_path: Path) -> None:
    broken = changed(
        whole,
        tmp_path,
        "DELETE FROM test_pair WHERE target < 6",
        "UPDATE attempt SET outcome = 'error', message = 'the disk is full' WHERE target < 6",
        "UPDATE target SET outcome = 'error' WHERE id < 6",
    )
    for place, order in enumerate(([broken, whole], [whole, broken])):
        merge(merged := tmp_path / f"{place}.dnncov", order)
        assert rows(merged) == rows(whole)


def test_proofs_and_justifications_are_joined(whole: Path, tmp_path: Path) -> None:
    a, b = (Path(shutil.copy(whole, tmp_path / f"{name}.dnncov")) for name in "ab")
    with CampaignStore(a) as one, CampaignStore(b) as other:
        one.certificates.record([Certificate(2, 0, 1, 0.5, 2.0, "intervals", 0.0)], {})
        other.certificates.record([Certificate(2, 1, 1, 0.5, 2.0, "intervals", 0.0)], {})
        open_ones = [target.ordinal for target, outcome in one.targets.with_outcomes() if outcome is not Outcome.FOUND]
        one.justifications.add(open_ones[:1], reason="never seen", author="A")
        for store, author in ((one, "A"), (other, "B")):
            store.justifications.add(open_ones[1:2], reason="never seen", author=author)
            store.justifications.withdraw(open_ones[1:2], author)
    merge(tmp_path / "m.dnncov", [a, b, a])
    with CampaignStore(tmp_path / "m.dnncov") as store:
        assert [(each.layer, each.neuron) for each in store.certificates.all()] == [(2, 0), (2, 1)]
        assert [each.ordinal for each in store.justifications.all()] == open_ones[:1]
        assert sorted(each.author for each in store.justifications.history()) == ["A", "A", "B"]
