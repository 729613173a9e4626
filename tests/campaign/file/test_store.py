"""The campaign file: what is written comes back, damage and other databases are refused, nothing stored is lost."""

from __future__ import annotations

import os
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.file.schema import SCHEMA_VERSION
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError
from dnncov_core.records import Attempt, Outcome, SeedReport, State, TargetResult
from tests import builders, runs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.dnncov"


def spec() -> CampaignSpec:
    return CampaignSpec(network="toy", data="toy", criterion="vv", sigma=3.0, layers=(3, 4), pairs=7)


class TestRoundTrip:
    def test_specification(self, path: Path) -> None:
        with CampaignStore.create(path, spec(), {"dnncov": "1"}) as store:
            assert store.spec() == spec()
            assert store.versions() == {"dnncov": "1"}
            assert store.state() is State.WAITING
            assert store.card() is None
            assert store.prepared.seeds() is None

    def test_prepared_network_seeds_and_targets(self, path: Path) -> None:
        with builders.campaign(path, found=0, exhausted=0, pending=5) as store:
            report = store.prepared.seeds()
            assert report is not None
            assert report.rows.tolist() == list(range(40))
            assert (report.inputs, report.misclassified) == (50, 10)
            assert store.card() == builders.card()
            assert len(store.targets.pending()) == 5

    def test_results(self, path: Path) -> None:
        with builders.campaign(path, found=4, exhausted=2, pending=1, adversarial=1, survivors=3) as store:
            assert store.counts.outcomes() == {Outcome.FOUND: 4, Outcome.EXHAUSTED: 2, Outcome.PENDING: 1}
            progress = store.counts.progress()
            assert (progress.total, progress.done, progress.covered, progress.adversarial) == (7, 6, 4, 1)
            pairs = store.pairs.page()
            again = builders.made_pair(pairs[0].target, adversarial=True, distance=0.01)
            np.testing.assert_array_equal(pairs[0].x1, again.x1)
            np.testing.assert_array_equal(pairs[0].x2, again.x2)
            assert pairs[0].x2.dtype == again.x2.dtype
            assert (pairs[0].adversarial, pairs[3].adversarial) == (True, False)
            (attempt,) = store.attempts.of(pairs[0].target)
            assert attempt.outcome is Outcome.FOUND

    def test_free_features(self, free_campaign: Path) -> None:
        with CampaignStore(free_campaign) as store:
            targets, pairs = store.targets.all(), store.pairs.page()
            assert [target.condition_most for target in targets] == [2] * 5
            assert {target.condition_neurons for target in targets} == {()}
            assert [pair.target for pair in pairs] == targets
            assert all(pair.flipped == pair.condition_neurons and 1 <= len(pair.flipped) <= 2 for pair in pairs)
            assert all(runs.covers("ss", pair) for pair in pairs)

    def test_named_features_flip_nothing_of_their_own(self, path: Path) -> None:
        with builders.campaign(path) as store:
            assert {(pair.flipped, pair.target.condition_most) for pair in store.pairs.page()} == {(None, None)}
            assert all(pair.condition_neurons == pair.target.condition_neurons for pair in store.pairs.page())

    def test_what_the_network_decided(self, path: Path) -> None:
        asked = CampaignSpec(network="toy", data="toy")
        with CampaignStore.create(path, asked, {}) as store:
            assert store.spec().generator == "auto"
            assert store.prepared.batch() == 1
            decided = replace(asked, generator="targeted")
            store.prepare(decided, builders.card(), "d", SeedReport(np.arange(2), 2, 0), [], batch=7)
            assert store.spec() == decided
            assert store.prepared.batch() == 7

    def test_all_targets_in_the_order_of_work(self, path: Path) -> None:
        with builders.campaign(path, found=3, exhausted=2, pending=2) as store:
            assert store.targets.all() == builders._targets(builders.card(), 7)
            assert store.targets.pending() == store.targets.all()[5:]

    def test_float32_stays_float32(self, path: Path) -> None:
        from dnncov_core.campaign.file.encoding import pack, unpack

        array = np.array([0.1, 0.2], np.float32)
        assert unpack(pack(array)).dtype == np.float32


class TestBatches:
    def results(self, store: CampaignStore) -> list[TargetResult]:
        first, second, third = store.targets.pending()
        attempts = (Attempt(0, Outcome.EXHAUSTED, 0.5, passes=30), Attempt(1, Outcome.FOUND, 0.5, passes=12))
        return [
            TargetResult(first, Outcome.FOUND, attempts, builders.made_pair(first, adversarial=True), 1.0),
            TargetResult(second, Outcome.EXHAUSTED, attempts[:1], None, 2.0),
            TargetResult(third, Outcome.FOUND, attempts[1:], builders.made_pair(third, adversarial=False), 4.0),
        ]

    def test_a_batch_is_stored_as_its_targets_one_by_one(self, tmp_path: Path) -> None:
        stored = []
        for together in (True, False):
            with builders.campaign(tmp_path / f"{together}.dnncov", found=1, exhausted=0, pending=3) as store:
                results = self.results(store)
                for batch in [results] if together else [[result] for result in results]:
                    expected = store.counts.progress().after(batch)
                    store.record(batch)
                    assert replace(store.counts.progress(), seconds=0) == replace(expected, seconds=0)
                stored.append([store.attempts.of(target) for target in store.targets.all()])
                assert store.counts.outcomes() == {Outcome.FOUND: 3, Outcome.EXHAUSTED: 1}
        assert stored[0] == stored[1]
        assert [attempt.passes for attempt in stored[0][1]] == [30, 12]

    def test_seconds_of_a_batch_are_those_of_its_targets(self, path: Path) -> None:
        with builders.campaign(path, found=1, exhausted=0, pending=3) as store:
            before = store.counts.progress()
            assert before.after(self.results(store)).seconds == before.seconds + 7.0

    def test_a_batch_that_cannot_be_stored_leaves_nothing(self, path: Path) -> None:
        with builders.campaign(path, found=1, exhausted=0, pending=3) as store:
            before, results = store.counts.progress(), self.results(store)
            with pytest.raises(CampaignError):
                store.record([*results, results[0]])
            assert store.counts.progress() == before
            assert len(store.targets.pending()) == 3


class TestRefusals:
    def test_missing_file(self, path: Path) -> None:
        with pytest.raises(CampaignError, match=r"no file c\.dnncov"):
            CampaignStore(path)

    def test_existing_file_is_not_overwritten(self, path: Path) -> None:
        builders.campaign(path).close()
        before = path.read_bytes()
        with pytest.raises(CampaignError, match="exists"):
            CampaignStore.create(path, spec(), {})
        assert path.read_bytes() == before

    def test_text_file(self, path: Path) -> None:
        path.write_text("not a database at all, but long enough to be read as one" * 20)
        with pytest.raises(CampaignError, match=r"by dnncov; got another kind of file, .*; give a campaign file"):
            CampaignStore(path)

    def test_empty_file(self, path: Path) -> None:
        path.touch()
        with pytest.raises(CampaignError, match="expected a campaign file written by dnncov; got an empty file, "):
            CampaignStore(path)

    def test_another_database(self, path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE other (id INTEGER)")
        connection.commit()
        connection.close()
        with pytest.raises(CampaignError, match="another database"):
            CampaignStore(path)

    def test_newer_schema(self, path: Path) -> None:
        builders.campaign(path).close()
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
        connection.close()
        here = rf"\(schema 99; this one reads 1 to {SCHEMA_VERSION}\)"
        said = rf"got c\.dnncov, which is from a later version of dnncov {here}; open it with"
        with pytest.raises(CampaignError, match=said):
            CampaignStore(path)

    def test_truncated_file(self, path: Path) -> None:
        builders.campaign(path, found=12).close()
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        torn = r"a damaged one, c\.dnncov \(parts of it are missing or overwritten\); restore it from a copy"
        with pytest.raises(CampaignError, match=torn), CampaignStore(path) as store:
            (store.counts.layers(), store.pairs.page())

    def test_damaged_blob(self, path: Path) -> None:
        builders.campaign(path).close()
        connection = sqlite3.connect(path)
        connection.execute("UPDATE test_pair SET x2 = x'00112233'")
        connection.commit()
        connection.close()
        with pytest.raises(CampaignError, match="damaged"), CampaignStore(path) as store:
            store.pairs.page()

    def test_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(CampaignError, match="folder that can be written"):
            CampaignStore.create(tmp_path / "file" / "c.dnncov", spec(), {})


def test_a_full_disk_loses_nothing_that_is_stored(path: Path) -> None:
    with builders.campaign(path, found=3, exhausted=0, pending=3) as store:
        before = [p.target for p in store.pairs.page()]
        target = store.targets.pending()[0]
        page_count = store.database._connection.execute("PRAGMA page_count").fetchone()[0]
        store.database._connection.execute(f"PRAGMA max_page_count = {page_count}")
        rng = np.random.default_rng(0)
        pair = builders.made_pair(target, adversarial=True)
        noise = rng.random((1, 200, 200))
        full = type(pair)(**{**vars(pair), "x1": noise, "x2": noise})
        with pytest.raises(CampaignError, match=r"full.*free some space"):
            store.record([builders._result(target, full)])
        assert [p.target for p in store.pairs.page()] == before
        assert target in store.targets.pending()


class TestWorkerState:
    def test_a_live_worker_keeps_others_out(self, path: Path) -> None:
        with builders.campaign(path, pending=1, state=State.RUNNING) as store:
            store.database._connection.execute("UPDATE worker SET pid = ?", (os.getppid(),))
            assert store.state() is State.RUNNING
            with pytest.raises(CampaignError, match="running"):
                store.worker.claim()

    def test_a_worker_that_is_gone_counts_as_interrupted(self, path: Path) -> None:
        with builders.campaign(path, pending=1, state=State.RUNNING) as store:
            store.database._connection.execute("UPDATE worker SET pid = ?", (2**22 + 1,))
            assert store.state() is State.INTERRUPTED
            store.worker.claim()
            assert store.state() is State.PREPARING

    def test_a_silent_worker_counts_as_interrupted(self, path: Path) -> None:
        with builders.campaign(path, pending=1, state=State.RUNNING) as store:
            store.database._connection.execute("UPDATE worker SET heartbeat = ?", (time.time() - 60,))
            assert store.state() is State.INTERRUPTED

    def test_cancelling_what_waits(self, path: Path) -> None:
        with CampaignStore.create(path, spec(), {}) as store:
            store.worker.request_cancel()
            assert store.state() is State.CANCELLED

    def test_claim_forgets_an_old_cancel_request_and_message(self, path: Path) -> None:
        with builders.campaign(path, pending=1, state=State.FAILED, message="no") as store:
            store.worker.request_cancel()
            store.worker.claim()
            assert not store.worker.cancel_requested()
            assert store.worker.message() == ""


def test_preparing_twice_changes_nothing(path: Path) -> None:
    with builders.campaign(path, found=1, exhausted=0) as store:
        targets = store.targets.pending()
        with pytest.raises(CampaignError):
            store.prepare(spec(), builders.card(), "x", SeedReport(np.arange(2), 2, 0), [store.pairs.page()[0].target])
        assert store.targets.pending() == targets
        assert store.prepared.data_fingerprint() == "d" * 64


def test_a_file_in_a_folder_that_cannot_be_written_is_read_and_nothing_is_put_beside_it(
    campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a #%41 ä?.dnncov"
    path.write_bytes(campaign.read_bytes())
    with CampaignStore(campaign) as store:
        expected = store.counts.outcomes()
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
    with CampaignStore(path) as store:
        assert store.counts.outcomes() == expected
        assert list(tmp_path.iterdir()) == [path]
        with pytest.raises(CampaignError, match="which is read-only here; copy it to a folder of yours"):
            store.worker.request_cancel()


@pytest.mark.parametrize(
    ("seconds", "state"), [(0.0, State.RUNNING), (11.0, State.INTERRUPTED), (-11.0, State.INTERRUPTED)]
)
def test_a_worker_whose_last_beat_is_far_from_now_is_gone(path: Path, seconds: float, state: State) -> None:
    with builders.campaign(path, found=1, exhausted=0, pending=1) as store:
        with store.database.transaction() as connection:
            connection.execute(
                "UPDATE worker SET state = 'running', pid = ?, heartbeat = ?", (os.getpid(), time.time() - seconds)
            )
        assert store.state() is state
