"""The campaign file: what is written comes back, damage and other databases are refused, nothing stored is lost."""

from __future__ import annotations

import os
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.rows import TARGET_FIELDS, target_from
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.errors import CampaignError
from dnncov_core.records import Attempt, Outcome, SeedReport, State, Target, TargetResult
from tests import builders


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
            assert store.seed_report() is None

    def test_prepared_network_seeds_and_targets(self, path: Path) -> None:
        with builders.campaign(path, found=0, exhausted=0, pending=5) as store:
            report = store.seed_report()
            assert report is not None
            assert report.rows.tolist() == list(range(40))
            assert (report.inputs, report.misclassified) == (50, 10)
            assert store.card() == builders.card()
            assert len(store.pending()) == 5

    def test_results(self, path: Path) -> None:
        with builders.campaign(path, found=4, exhausted=2, pending=1, adversarial=1, survivors=3) as store:
            assert store.outcomes() == {Outcome.FOUND: 4, Outcome.EXHAUSTED: 2, Outcome.PENDING: 1}
            progress = store.progress()
            assert (progress.total, progress.done, progress.covered, progress.adversarial) == (7, 6, 4, 1)
            pairs = store.test_pairs()
            again = builders.made_pair(pairs[0].target, adversarial=True, distance=0.01)
            np.testing.assert_array_equal(pairs[0].x1, again.x1)
            np.testing.assert_array_equal(pairs[0].x2, again.x2)
            assert pairs[0].x2.dtype == again.x2.dtype
            assert (pairs[0].adversarial, pairs[3].adversarial) == (True, False)
            (attempt,) = store.attempts(pairs[0].target)
            assert attempt.outcome is Outcome.FOUND

    def test_float32_stays_float32(self, path: Path) -> None:
        from dnncov_core.campaign.rows import pack, unpack

        array = np.array([0.1, 0.2], np.float32)
        assert unpack(pack(array)).dtype == np.float32


class TestFilters:
    @pytest.fixture
    def store(self, path: Path) -> CampaignStore:
        return builders.campaign(path, found=6, exhausted=0, adversarial=2)

    def test_layers(self, store: CampaignStore) -> None:
        pairs = store.test_pairs(edge=(2, 3))
        assert {(p.target.condition_layer, p.target.decision_layer) for p in pairs} == {(2, 3)}
        assert store.count_test_pairs(edge=(2, 3)) == len(pairs) == 2

    def test_adversarial(self, store: CampaignStore) -> None:
        assert len(store.test_pairs(adversarial=True)) == store.count_test_pairs(adversarial=True) == 2

    def test_orders(self, store: CampaignStore) -> None:
        nearest = [p.distance for p in store.test_pairs(order="nearest")]
        assert nearest == sorted(nearest)
        assert [p.distance for p in store.test_pairs(order="farthest")] == nearest[::-1]

    def test_pages(self, store: CampaignStore) -> None:
        everything = [p.target for p in store.test_pairs()]
        pages = [p.target for start in (0, 4) for p in store.test_pairs(limit=4, offset=start)]
        assert pages == everything


def test_layer_counts_agree_with_the_pairs(path: Path) -> None:
    with builders.campaign(path, found=7, exhausted=3, pending=2, adversarial=5, survivors=4) as store:
        pairs = store.test_pairs()
        for counts in store.layer_counts():
            mine = [p for p in pairs if p.target.decision_layer == counts.decision_layer]
            distances = np.array([p.distance for p in mine])
            bad = np.array([p.distance for p in mine if p.adversarial])
            assert counts.found == len(mine)
            assert counts.adversarial == len(bad)
            assert counts.holds_8bit == sum(bool(p.holds_8bit) for p in mine)
            assert counts.mean_distance == pytest.approx(distances.mean())
            assert counts.std_distance == pytest.approx(distances.std())
            assert counts.mean_adversarial_distance == pytest.approx(bad.mean())
            assert counts.std_adversarial_distance == pytest.approx(bad.std())
            assert counts.pending == counts.pairs - counts.found - counts.exhausted
        assert sum(c.pairs for c in store.layer_counts()) == 12


class TestProgrammeCosts:
    def test_sums_agree_with_the_attempts(self, path: Path) -> None:
        with builders.campaign(path, solved=builders.costly) as store:
            everything = [pair.target for pair in store.test_pairs()] + exhausted(store)
            assert len(everything) == 8
            costs = store.programme_costs()
            assert [cost.edge for cost in costs] == [(2, 3), (3, 4), (4, 5)]
            for cost in costs:
                mine = [
                    attempt
                    for target in everything
                    if (target.condition_layer, target.decision_layer) == cost.edge
                    for attempt in store.attempts(target)
                    if attempt.variables is not None
                ]
                rows = [attempt.constraints for attempt in mine]
                assert cost.calls == sum(attempt.calls for attempt in mine) > len(mine) > 3
                assert (cost.variables, cost.constraints_max) == (785, max(rows))
                assert cost.constraints_mean == pytest.approx(sum(rows) / len(rows))
                assert cost.seconds_mean == pytest.approx(sum(attempt.solver_seconds for attempt in mine) / cost.calls)
                assert cost.iterations_mean == pytest.approx(sum(attempt.iterations for attempt in mine) / cost.calls)

    def test_what_a_solver_does_not_tell_stays_unknown(self, path: Path) -> None:
        def silent(target: Target) -> tuple[Attempt, ...]:
            return tuple(replace(attempt, iterations=None) for attempt in builders.costly(target))

        with builders.campaign(path, solved=silent) as store:
            assert {cost.iterations_mean for cost in store.programme_costs()} == {None}
            assert all(cost.seconds_mean for cost in store.programme_costs())

    def test_attempts_that_do_not_tell_are_in_no_mean(self, path: Path) -> None:
        def half(target: Target) -> tuple[Attempt, ...]:
            told, *_ = builders.costly(target)
            old = replace(told, constraints=told.constraints + 2, calls=None, iterations=None, solver_seconds=None)
            return told, old

        with builders.campaign(path, found=1, exhausted=0, adversarial=0, solved=half) as store:
            (told, *_) = store.attempts(store.test_pairs()[0].target)
            (cost,) = store.programme_costs()
            assert (cost.calls, cost.seconds_mean) == (told.calls, told.solver_seconds / told.calls)
            assert cost.iterations_mean == told.iterations / told.calls
            assert cost.constraints_mean == told.constraints + 1

    def test_none_without_programmes(self, path: Path) -> None:
        with builders.campaign(path) as store:
            assert store.programme_costs() == []


def exhausted(store: CampaignStore) -> list[Target]:
    names = ", ".join(TARGET_FIELDS)
    return [target_from(row) for row in store._rows(f"SELECT {names} FROM target WHERE outcome = 'exhausted'")]


def test_what_is_read_at_one_moment_is_of_that_moment(path: Path) -> None:
    with builders.campaign(path, found=2, exhausted=0, pending=1) as store, CampaignStore(path) as reader:
        (target,) = store.pending()
        with reader.at_one_moment():
            before = reader.progress()
            store.claim()
            store.record([TargetResult(target, Outcome.EXHAUSTED, (), None, 0.1)])
            assert reader.progress() == before
            assert len(reader.pending()) == 1
        assert reader.progress().done == before.done + 1
        assert reader.pending() == []


def test_an_empty_campaign_has_no_distances(path: Path) -> None:
    with builders.campaign(path, found=0, exhausted=1) as store:
        assert store.layer_counts()[0].mean_distance is None
        assert len(store.distances().distance) == 0


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
        with pytest.raises(CampaignError, match="damaged"):
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
        with pytest.raises(CampaignError, match=r"schema version 1 to 3; got 99"):
            CampaignStore(path)

    def test_truncated_file(self, path: Path) -> None:
        builders.campaign(path, found=12).close()
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(CampaignError, match="damaged"), CampaignStore(path) as store:
            (store.layer_counts(), store.test_pairs())

    def test_damaged_blob(self, path: Path) -> None:
        builders.campaign(path).close()
        connection = sqlite3.connect(path)
        connection.execute("UPDATE test_pair SET x2 = x'00112233'")
        connection.commit()
        connection.close()
        with pytest.raises(CampaignError, match="damaged"), CampaignStore(path) as store:
            store.test_pairs()

    def test_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(CampaignError, match="folder that can be written"):
            CampaignStore.create(tmp_path / "file" / "c.dnncov", spec(), {})


def test_a_full_disk_loses_nothing_that_is_stored(path: Path) -> None:
    with builders.campaign(path, found=3, exhausted=0, pending=3) as store:
        before = [p.target for p in store.test_pairs()]
        target = store.pending()[0]
        page_count = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {page_count}")
        rng = np.random.default_rng(0)
        pair = builders.made_pair(target, adversarial=True)
        noise = rng.random((1, 200, 200))
        full = type(pair)(**{**vars(pair), "x1": noise, "x2": noise})
        with pytest.raises(CampaignError, match=r"full.*free some space"):
            store.record([builders._result(target, full)])
        assert [p.target for p in store.test_pairs()] == before
        assert target in store.pending()


class TestWorkerState:
    def test_a_live_worker_keeps_others_out(self, path: Path) -> None:
        with builders.campaign(path, pending=1, state=State.RUNNING) as store:
            store._connection.execute("UPDATE worker SET pid = ?", (os.getppid(),))
            assert store.state() is State.RUNNING
            with pytest.raises(CampaignError, match="running"):
                store.claim()

    def test_a_worker_that_is_gone_counts_as_interrupted(self, path: Path) -> None:
        with builders.campaign(path, pending=1, state=State.RUNNING) as store:
            store._connection.execute("UPDATE worker SET pid = ?", (2**22 + 1,))
            assert store.state() is State.INTERRUPTED
            store.claim()
            assert store.state() is State.PREPARING

    def test_a_silent_worker_counts_as_interrupted(self, path: Path) -> None:
        with builders.campaign(path, pending=1, state=State.RUNNING) as store:
            store._connection.execute("UPDATE worker SET heartbeat = ?", (time.time() - 60,))
            assert store.state() is State.INTERRUPTED

    def test_cancelling_what_waits(self, path: Path) -> None:
        with CampaignStore.create(path, spec(), {}) as store:
            store.request_cancel()
            assert store.state() is State.CANCELLED

    def test_claim_forgets_an_old_cancel_request_and_message(self, path: Path) -> None:
        with builders.campaign(path, pending=1, state=State.FAILED, message="no") as store:
            store.request_cancel()
            store.claim()
            assert not store.cancel_requested()
            assert store.message() == ""


def test_preparing_twice_changes_nothing(path: Path) -> None:
    with builders.campaign(path, found=1, exhausted=0) as store:
        targets = store.pending()
        with pytest.raises(CampaignError):
            store.prepare(spec(), builders.card(), "x", SeedReport(np.arange(2), 2, 0), [store.test_pairs()[0].target])
        assert store.pending() == targets
        assert store.data_fingerprint() == "d" * 64
