"""Which seeds a campaign has, and in which order its targets try them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.retry import retry
from dnncov_core.campaign.work.plan import plan_targets
from dnncov_core.campaign.work.seeds import Seeds, correctly_classified, plan_seeds
from dnncov_core.campaign.work.worker import work
from dnncov_core.data import Data, load_data
from dnncov_core.errors import DataError, NumericsError
from dnncov_core.generators.seed_order.programme_ranking import ProgrammeRanking
from dnncov_core.networks import memory
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.network import Network
from dnncov_core.records import State, Target
from tests import runs


@pytest.fixture(scope="module")
def toy() -> Network:
    return load_network("toy")[0]


def data(labels: list[int], images: np.ndarray | None = None) -> Data:
    """The toy inputs, or others, with these labels."""
    images = load_data("toy").images if images is None else images
    return Data("made", images, np.array(labels, np.int64), (), "test")


RIGHT = [1, 1, 0, 1, 1, 0]
ALL = np.arange(6)


class TestSeeds:
    def test_misclassified_inputs_are_left_out_and_counted(self, toy: Network) -> None:
        report = plan_seeds(toy, data([1, 0, 0, 1, 1, 0]), runs.toy_spec())
        assert report.rows.tolist() == [0, 2, 3, 4, 5]
        assert (report.inputs, report.misclassified) == (6, 1)

    def test_a_pool_of_seeds_is_drawn_from_the_random_seed(self, toy: Network) -> None:
        drawn = {tuple(plan_seeds(toy, data(RIGHT), runs.toy_spec(seeds=3, random_seed=r)).rows) for r in range(9)}
        assert all(len(set(rows)) == 3 for rows in drawn)
        assert len(drawn) > 3
        again = plan_seeds(toy, data(RIGHT), runs.toy_spec(seeds=3, random_seed=4))
        assert tuple(again.rows) in drawn
        assert again.misclassified == 0

    def test_a_pool_larger_than_the_data_is_all_of_it(self, toy: Network) -> None:
        assert len(plan_seeds(toy, data(RIGHT), runs.toy_spec(seeds=50)).rows) == 6

    def test_near_chance_is_refused_with_its_numbers(self, toy: Network) -> None:
        with pytest.raises(DataError, match=r"above chance \(55\.0% with 2 classes\); got 50\.0% \(3 of 6\).*pixel"):
            plan_seeds(toy, data([0, 0, 1, 1, 1, 0]), runs.toy_spec())

    def test_no_correct_input_is_refused(self, toy: Network) -> None:
        with pytest.raises(DataError, match="seed; got none of 6; check that labels count from 0, the order of"):
            plan_seeds(toy, data([1 - label for label in RIGHT]), runs.toy_spec())

    def test_logits_that_are_no_numbers_are_refused(self) -> None:
        module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2))
        module[2].weight.data[0, 0] = float("nan")
        network = Network(module, (2,), (-10.0, 10.0))
        with pytest.raises(NumericsError, match="NaN or infinite ones for 6 of 6 inputs"):
            plan_seeds(network, data([0] * 6), runs.toy_spec())

    def test_inputs_go_through_the_network_in_parts_that_fit_into_memory(
        self, toy: Network, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made = data([1, 0, 0, 1, 0, 0])
        whole = correctly_classified(toy, made)
        monkeypatch.setattr(memory, "BYTES_ON_CPU", 1.0)
        assert [*memory.batches(toy, len(made))] == [slice(row, row + 1) for row in range(6)]
        assert correctly_classified(toy, made).tolist() == whole.tolist() == [True, False, True, True, False, True]


class TestOrder:
    def orders(self, toy: Network, **fields: int) -> dict[int, list[int]]:
        spec = runs.toy_spec(**{"generator": "lp", "seed_order": "random", **fields})
        targets = plan_targets(toy, spec).targets
        seeds = Seeds(np.arange(6), data(RIGHT), toy, spec, method=spec.covering_method(), targets=targets)
        found = zip(targets, seeds.of(targets), strict=True)
        return {target.ordinal: [seed.row for seed in those] for target, those in found}

    def test_it_depends_on_the_target_alone(self, toy: Network) -> None:
        whole, sample = self.orders(toy), self.orders(toy, pairs=4)
        assert sample == {ordinal: whole[ordinal] for ordinal in sample}
        assert len({tuple(order) for order in whole.values()}) > 10

    def test_it_depends_on_the_random_seed(self, toy: Network) -> None:
        assert self.orders(toy) != self.orders(toy, random_seed=1)

    def test_a_budget_takes_the_first(self, toy: Network) -> None:
        whole = self.orders(toy)
        assert self.orders(toy, max_seeds=2) == {ordinal: order[:2] for ordinal, order in whole.items()}

    def test_seeds_are_pixels_in_the_networks_precision(self) -> None:
        network, _ = load_network("mnist-n9")
        digits = load_data("mnist", network.input_shape)
        spec = runs.MNIST_N9
        targets = plan_targets(network, spec).targets[:1]
        order = Seeds(np.array([7]), digits, network, spec, method=spec.covering_method(), targets=targets)
        ((seed,),) = order.of(targets)
        assert seed.row == 7
        assert seed.x.dtype == network(torch.from_numpy(seed.x)[None]).numpy().dtype
        np.testing.assert_array_equal(seed.x, (digits.images[7] / 255).astype(seed.x.dtype))


class TestBeyond:
    """Seeds beyond the first ones: the nearest of all correctly classified inputs, those tried left out."""

    POOL = np.array([1, 3])

    def seeds(
        self, toy: Network, correct: np.ndarray | None, pool: np.ndarray = POOL, **fields: Any
    ) -> tuple[Seeds, list[Target]]:
        spec = runs.toy_spec(**{"generator": "lp", "max_seeds": 1, **fields})
        targets = plan_targets(toy, spec).targets
        method = spec.covering_method()
        return Seeds(pool, data(RIGHT), toy, spec, method=method, targets=targets, correct=correct), targets

    def orders(self, toy: Network, correct: np.ndarray | None = ALL, **fields: Any) -> dict[int, list[int]]:
        seeds, targets = self.seeds(toy, correct, **fields)
        found = zip(targets, seeds.of(targets), strict=True)
        return {target.ordinal: [seed.row for seed in those] for target, those in found}

    def test_they_follow_the_first_in_the_order_of_all(self, toy: Network) -> None:
        first, found = self.orders(toy, more_seeds=0), self.orders(toy, more_seeds=3)
        nearest = self.orders(toy, None, pool=ALL, max_seeds=6, more_seeds=0)
        for ordinal, rows in found.items():
            beyond = [row for row in nearest[ordinal] if row not in first[ordinal]]
            assert rows == first[ordinal] + beyond[:3]
        assert any(set(rows) - set(self.POOL.tolist()) for rows in found.values())

    def test_none_is_tried_twice_and_there_are_no_more_than_there_are(self, toy: Network) -> None:
        assert all(sorted(rows) == ALL.tolist() for rows in self.orders(toy, more_seeds=99).values())

    def test_where_all_are_seeds_they_follow_in_the_same_ranking(self, toy: Network) -> None:
        assert self.orders(toy, None, more_seeds=1) == self.orders(toy, None, max_seeds=2, more_seeds=0)

    def test_in_random_order_there_are_none(self, toy: Network) -> None:
        assert {len(rows) for rows in self.orders(toy, seed_order="random", more_seeds=3).values()} == {1}

    def test_they_are_ranked_only_once_the_first_failed(self, toy: Network, monkeypatch: pytest.MonkeyPatch) -> None:
        seeds, targets = self.seeds(toy, ALL, more_seeds=3)
        pools: list[int] = []
        prepare = ProgrammeRanking.__call__
        monkeypatch.setattr(
            ProgrammeRanking, "__call__", lambda self, some: pools.append(self._pool.size) or prepare(self, some)
        )
        orders = [iter(those) for those in seeds.of(targets)]
        for order in orders:
            next(order)
        assert pools == [2]
        last = [next(order).row for order in reversed(orders)][::-1]
        assert pools == [2, *[6] * len(targets)]
        assert last == [rows[1] for rows in self.orders(toy, more_seeds=3).values()]

    @pytest.mark.parametrize(("left", "n"), [(11, 0), (12, 3), (400, 3)])
    def test_gradient_search_ranks_them_with_half_of_the_passes_that_are_left(
        self, toy: Network, left: int, n: int
    ) -> None:
        seeds, targets = self.seeds(toy, ALL, generator="targeted", more_seeds=3)
        for order in seeds.of(targets, lambda target: left):
            _, *beyond = order
            assert len(beyond) <= n
            assert bool(beyond) == bool(n)
            assert sum(seed.passes for seed in beyond) <= left / 2


class TestCampaignWithSeedsBeyond:
    SPEC = runs.toy_spec(generator="lp", seeds=1, max_seeds=1, more_seeds=5)

    @pytest.fixture(scope="class")
    def path(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        return runs.finished(tmp_path_factory.mktemp("beyond") / "c.dnncov", self.SPEC)

    def test_it_covers_more_and_what_it_covered_stays(self, path: Path, tmp_path: Path) -> None:
        without = runs.content(runs.finished(tmp_path / "c.dnncov", replace(self.SPEC, more_seeds=0)))
        found = runs.content(path)
        assert len(found["pairs"]) > len(without["pairs"]) > 0
        assert all(pair in found["pairs"] for pair in without["pairs"])
        assert {len({pair["seed"] for pair in each["pairs"]}) > 1 for each in (found, without)} == {True, False}
        with CampaignStore(path) as store:
            assert all(runs.covers("ss", pair) for pair in store.pairs.page())

    def test_all_correctly_classified_inputs_are_stored_only_where_they_are_needed(
        self, path: Path, tmp_path: Path
    ) -> None:
        specs = (
            self.SPEC,
            replace(self.SPEC, more_seeds=0),
            replace(self.SPEC, seeds=None),
            replace(self.SPEC, seed_order="random"),
        )
        toy, made = load_network("toy")[0], load_data("toy")
        stored = [plan_seeds(toy, made, spec).correct for spec in specs]
        assert [None if rows is None else rows.tolist() for rows in stored] == [ALL.tolist(), None, None, None]
        with CampaignStore(path) as store:
            report = store.prepared.seeds()
        assert report is not None
        assert (len(report.rows), report.correct.tolist()) == (1, ALL.tolist())  # type: ignore[union-attr]

    @pytest.mark.parametrize("generator", ["lp", "targeted"])
    def test_raised_later_it_ends_as_a_campaign_that_had_them_at_once(self, tmp_path: Path, generator: str) -> None:
        spec = replace(self.SPEC, generator=generator, more_seeds=0)
        path = runs.finished(tmp_path / "c.dnncov", spec)
        with CampaignStore(path) as store:
            n = len(store.pairs.page())
            assert retry(store, more_seeds=5).after == (1, 400, 5)
        assert work(path) is State.FINISHED
        at_once = runs.finished(tmp_path / "once.dnncov", replace(spec, more_seeds=5))
        pairs = [{pair["target"]: pair["x2"] for pair in runs.content(each)["pairs"]} for each in (path, at_once)]
        assert pairs[0] == pairs[1]
        assert len(pairs[0]) > n
        with CampaignStore(path) as store:
            assert store.prepared.seeds().correct.tolist() == ALL.tolist()  # type: ignore[union-attr]
            assert store.attempts.seeds_tried() == {}

    def test_stopped_after_each_batch_it_ends_the_same(self, path: Path, tmp_path: Path) -> None:
        broken = runs.create(tmp_path / "c.dnncov", self.SPEC)
        done = 0

        def stop(progress: CampaignProgress) -> None:
            nonlocal done
            if progress.done > done:
                done = progress.done
                raise KeyboardInterrupt

        while work(broken, on_progress=stop) is State.CANCELLED:
            pass
        assert runs.content(broken) == runs.content(path)


def test_misclassified_inputs_are_never_seeds_of_a_campaign(tmp_path: Path) -> None:
    labels = [1, 0, 0, 1, 1, 1]
    np.savez(tmp_path / "d.npz", images=load_data("toy").images, labels=labels)
    path = runs.finished(tmp_path / "c.dnncov", runs.toy_spec(), data=str(tmp_path / "d.npz"))
    with CampaignStore(path) as store:
        report = store.prepared.seeds()
        assert report is not None
        assert (report.rows.tolist(), report.misclassified) == ([0, 2, 3, 4], 2)
        tried = {row for (row,) in store.database.rows("SELECT DISTINCT seed FROM attempt")}
        assert tried == {0, 2, 3, 4}
        assert {pair.seed for pair in store.pairs.page()} <= {0, 2, 3, 4}
        assert all(pair.label1 == labels[pair.seed] for pair in store.pairs.page())


def test_refused_data_leave_a_failed_campaign_with_the_same_message(tmp_path: Path) -> None:
    np.savez(tmp_path / "d.npz", images=load_data("toy").images, labels=[1 - label for label in RIGHT])
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec())
    with pytest.raises(DataError, match="correctly classified input") as error:
        work(path, data=str(tmp_path / "d.npz"))
    with CampaignStore(path) as store:
        assert (store.state(), store.worker.message()) == (State.FAILED, str(error.value))
