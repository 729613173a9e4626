"""Campaigns from their start, or from where they were left, to their end."""

from __future__ import annotations

import dataclasses
import random
import shutil
import signal
import sqlite3
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.campaign import batch
from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.verification import verify
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.worker import work
from dnncov_core.criteria import CRITERIA
from dnncov_core.errors import CampaignError, NumericsError
from dnncov_core.features import FeaturePair
from dnncov_core.generators import GRIDS
from dnncov_core.generators.base import Found, Seed
from dnncov_core.generators.lockstep import Asking
from dnncov_core.generators.lp_search import LinearProgramSearch
from dnncov_core.records import Attempt, Outcome, State
from tests import runs

KILLS = 3
"""How often the kill test ends the worker; more only takes longer."""

PAPERS = {
    "ss": [((0,), (0,))],
    "vs": [((0,), (2,)), ((1,), (2,))],
    "sv": [((0,), (1,))],
    "vv": [((0,), (2,)), ((1,), (2,)), ((2,), (2,))],
}
"""The pairs of layers 2 and 3 that the paper's Examples cover (its second for VS by its singletons), 0-based."""


@pytest.mark.parametrize("criterion", CRITERIA)
class TestToy:
    def test_finishes_with_an_outcome_for_every_target(self, toy_campaigns: dict[str, Path], criterion: str) -> None:
        with CampaignStore(toy_campaigns[criterion]) as store:
            assert store.state() is State.FINISHED
            assert sum(store.counts.outcomes().values()) == 3 * 3 + 3 * 2
            assert set(store.counts.outcomes()) <= {Outcome.FOUND, Outcome.EXHAUSTED}
            assert store.targets.pending() == []

    def test_every_stored_pair_holds_when_replayed(self, toy_campaigns: dict[str, Path], criterion: str) -> None:
        with CampaignStore(toy_campaigns[criterion]) as store:
            found = verify(store)
            assert found.failing == {}
            assert found.holding == found.pairs == store.counts.outcomes()[Outcome.FOUND] >= 12

    def test_every_stored_pair_holds_by_the_slow_reference(
        self, toy_campaigns: dict[str, Path], criterion: str
    ) -> None:
        with CampaignStore(toy_campaigns[criterion]) as store:
            assert [pair.target for pair in store.pairs.page() if not runs.covers(criterion, pair)] == []

    def test_the_papers_pairs_are_covered(self, toy_campaigns: dict[str, Path], criterion: str) -> None:
        with CampaignStore(toy_campaigns[criterion]) as store:
            targets = [pair.target for pair in store.pairs.page(PairFilter(edge=(2, 3)))]
        covered = {(target.condition_neurons, target.decision_neurons) for target in targets}
        assert set(PAPERS.get(criterion, ())) <= covered

    def test_the_same_random_seed_gives_the_same_campaign(
        self, toy_campaigns: dict[str, Path], criterion: str, tmp_path: Path
    ) -> None:
        again = runs.finished(tmp_path / "again.dnncov", runs.toy_spec(criterion))
        assert runs.content(again) == runs.content(toy_campaigns[criterion])

    def test_another_random_seed_gives_another(
        self, toy_campaigns: dict[str, Path], criterion: str, tmp_path: Path
    ) -> None:
        other = runs.finished(tmp_path / "other.dnncov", runs.toy_spec(criterion, seed_order="random", random_seed=1))
        assert runs.content(other)["attempts"] != runs.content(toy_campaigns[criterion])["attempts"]

    def test_a_sample_is_a_part_of_the_whole(
        self, toy_campaigns: dict[str, Path], criterion: str, tmp_path: Path
    ) -> None:
        sample = runs.content(runs.finished(tmp_path / "s.dnncov", runs.toy_spec(criterion, pairs=6)))
        whole = runs.content(toy_campaigns[criterion])
        assert sum(sample["outcomes"].values()) == 6
        assert sample["pairs"]
        assert all(pair in whole["pairs"] for pair in sample["pairs"])
        assert all(whole["attempts"][target] == tried for target, tried in sample["attempts"].items())


@pytest.mark.parametrize("budgets", [{"max_seeds": 2, "more_seeds": 0}, {"seeds": 4, "max_seeds": 1, "more_seeds": 1}])
def test_no_target_gets_more_seeds_than_its_budget(tmp_path: Path, budgets: dict[str, int]) -> None:
    path = runs.finished(tmp_path / "c.dnncov", runs.toy_spec(**budgets))
    connection = sqlite3.connect(path)
    tried = connection.execute(
        "SELECT outcome, (SELECT count(*) FROM attempt WHERE target = id) FROM target"
    ).fetchall()
    connection.close()
    assert max(n for _, n in tried) == 2
    assert all(n == 2 for outcome, n in tried if outcome == "exhausted")
    assert "exhausted" in {outcome for outcome, _ in tried}


def test_killed_at_random_moments_and_resumed_it_ends_the_same(tmp_path: Path) -> None:
    spec = dataclasses.replace(runs.MNIST_N9, pairs=20)  # more than a free machine does before the first kill
    unbroken, broken = runs.finished(tmp_path / "unbroken.dnncov", spec), runs.create(tmp_path / "broken.dnncov", spec)
    moments = random.Random(0)
    for kill in range(KILLS):
        before = runs.done(broken)
        worker = runs.forked(runs.command, "resume", broken)
        if kill:  # the first may come at any time, preparation included; the others while there is something to lose
            runs.until(lambda before=before: runs.done(broken) > before)  # type: ignore[misc]
        time.sleep(moments.uniform(0, 0.4 if kill else 3.0))
        worker.kill()
        worker.join()
        assert worker.exitcode == -signal.SIGKILL
        if kill:
            assert runs.state_of(broken) is State.INTERRUPTED
    assert before < runs.done(broken) < 20
    assert work(broken) is State.FINISHED
    assert runs.content(broken) == runs.content(unbroken)


def test_few_targets_are_searched_for_in_small_batches_and_many_in_larger_ones(
    tmp_path: Path, toy_campaigns: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for batches, size in ((15, 1), (2, 7)):
        monkeypatch.setattr(batch, "BATCHES", batches)
        path = runs.finished(tmp_path / f"{batches}.dnncov", runs.toy_spec())
        with CampaignStore(path) as store, CampaignStore(toy_campaigns["ss"]) as one_by_one:
            assert store.prepared.batch() == size
            assert store.counts.outcomes() == one_by_one.counts.outcomes()
            for found, alone in zip(store.pairs.page(), one_by_one.pairs.page(), strict=True):
                assert found.target == alone.target
                assert found.x2 == pytest.approx(alone.x2, abs=1e-6)
    monkeypatch.setattr(batch, "BATCHES", 2)
    for fields in ({"reuse": True}, {"generator": "lp-reference"}):  # what is covered already, or gains nothing
        path = runs.finished(tmp_path / f"{[*fields]}.dnncov", runs.toy_spec(**fields))
        with CampaignStore(path) as store:
            assert store.prepared.batch() == 1


def test_a_search_has_one_thread_as_those_of_others_have(tmp_path: Path) -> None:
    """Sums in more threads differ in their last bits, by which what is found would depend on who finds it."""
    threads, before = set[int](), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        path = runs.create(tmp_path / "c.dnncov", runs.toy_spec(pairs=2))
        work(path, on_progress=lambda progress: progress.done and threads.add(torch.get_num_threads()))
        assert (threads, torch.get_num_threads()) == ({1}, 2)
    finally:
        torch.set_num_threads(before)


def test_two_campaigns_at_once(tmp_path: Path, toy_campaigns: dict[str, Path]) -> None:
    paths = {key: runs.create(tmp_path / f"{key}.dnncov", runs.toy_spec(key)) for key in ("ss", "vv")}
    workers = [runs.forked(runs.command, "resume", path) for path in paths.values()]
    assert [(worker.join(), worker.exitcode) for worker in workers] == [(None, 0)] * 2
    for key, path in paths.items():
        assert runs.content(path) == runs.content(toy_campaigns[key])


class TestResume:
    @pytest.fixture
    def path(self, toy_campaigns: dict[str, Path], tmp_path: Path) -> Path:
        """A campaign that was left after some of its targets."""
        path = tmp_path / "c.dnncov"
        shutil.copy(toy_campaigns["ss"], path)
        connection = sqlite3.connect(path)
        for table, column in (("attempt", "target"), ("test_pair", "target")):
            connection.execute(f"DELETE FROM {table} WHERE {column} > 4")
        connection.execute("UPDATE target SET outcome = 'pending' WHERE id > 4")
        connection.execute("UPDATE worker SET state = 'cancelled'")
        connection.commit()
        connection.close()
        return path

    def test_it_ends_as_if_it_had_never_stopped(self, path: Path, toy_campaigns: dict[str, Path]) -> None:
        assert runs.done(path) == 4
        assert work(path) is State.FINISHED
        assert runs.content(path) == runs.content(toy_campaigns["ss"])

    def test_another_network_is_refused_and_nothing_is_lost(self, path: Path) -> None:
        before = runs.content(path)
        with pytest.raises(CampaignError, match=r"expected the network of this campaign.*got mnist-n9.*--network"):
            work(path, network="mnist-n9")
        after = runs.content(path)
        assert after.pop("state") is State.FAILED
        assert "expected the network of this campaign" in after.pop("message")
        assert after == {key: value for key, value in before.items() if key not in ("state", "message")}

    def test_other_data_are_refused_and_nothing_is_lost(self, path: Path, tmp_path: Path) -> None:
        before = runs.content(path)
        other = tmp_path / "other.npz"
        np.savez(other, images=np.array([[1.0, 2.0], [3.0, -4.0]]), labels=[1, 1])
        with pytest.raises(CampaignError, match=r"expected the data of this campaign.*other\.npz.*--data") as error:
            work(path, data=str(other))
        after = runs.content(path)
        assert after["pairs"] == before["pairs"]
        assert after["message"] == str(error.value).replace(f"{tmp_path}/", "")
        assert work(path) is State.FINISHED

    @pytest.mark.parametrize("network", [None, "mnist-n9"])
    def test_a_finished_campaign_stays_as_it_is(
        self, toy_campaigns: dict[str, Path], tmp_path: Path, network: str | None
    ) -> None:
        path = tmp_path / "c.dnncov"
        shutil.copy(toy_campaigns["vs"], path)
        assert work(path, network=network) is State.FINISHED
        assert runs.content(path) == runs.content(toy_campaigns["vs"])


def test_what_the_network_does_not_confirm_alone_is_not_covered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def careless(self: object, pair: FeaturePair, seed: Seed) -> Asking[tuple[Attempt, np.ndarray]]:
        yield from ()
        return Attempt(seed.row, Outcome.FOUND, 0.0), seed.x

    monkeypatch.setattr(LinearProgramSearch, "attempting", careless)
    path = runs.finished(tmp_path / "c.dnncov", runs.toy_spec())
    with CampaignStore(path) as store:
        assert store.counts.outcomes() == {Outcome.EXHAUSTED: 15}
        assert store.pairs.count() == 0
        assert store.counts.progress().attempts == 15
    connection = sqlite3.connect(path)
    assert {*connection.execute("SELECT outcome, message FROM attempt")} == {
        ("unknown", "the network does not confirm it when asked alone")
    }
    connection.close()


def test_a_nan_on_the_way_is_an_error_and_never_coverage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: object, pair: FeaturePair, seed: Seed) -> Asking[tuple[Attempt, np.ndarray]]:
        yield from ()
        raise NumericsError("finite values of u", "1 NaN", "check the weights")

    monkeypatch.setattr(LinearProgramSearch, "attempting", broken)
    path = runs.finished(tmp_path / "c.dnncov", runs.toy_spec(max_seeds=2, more_seeds=0))
    with CampaignStore(path) as store:
        assert store.counts.outcomes() == {Outcome.ERROR: 15}
    connection = sqlite3.connect(path)
    attempts = connection.execute("SELECT outcome, message FROM attempt").fetchall()
    connection.close()
    assert attempts == [("error", "expected finite values of u; got 1 NaN; check the weights")] * 30


def test_an_unforeseen_error_is_kept_as_the_campaigns_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def out_of_memory(found: Found, *_: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr("dnncov_core.campaign.work.task._result", out_of_memory)
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec())
    with pytest.raises(RuntimeError, match="out of memory"):
        work(path)
    with CampaignStore(path) as store:
        assert (store.state(), store.worker.message()) == (State.FAILED, "RuntimeError: out of memory")


def test_on_the_grid_of_8_bits_no_pair_is_lost_by_rounding(tmp_path: Path) -> None:
    spec = CampaignSpec(network="mnist-n1", data="mnist", pairs=6, seeds=40, max_seeds=3, grid="8bit")
    with CampaignStore(runs.finished(tmp_path / "c.dnncov", spec)) as store:
        pairs = list(store.pairs.page())
        assert len(pairs) >= 4
        for pair in pairs:
            assert pair.holds_8bit
            np.testing.assert_array_equal(pair.x2, GRIDS["8bit"].nearest(pair.x2))
            assert pair.distance_inf * 255 == pytest.approx(round(pair.distance_inf * 255), abs=1e-4)
