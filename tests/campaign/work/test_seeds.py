"""Which seeds a campaign has, and in which order its targets try them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.plan import plan_targets
from dnncov_core.campaign.work.seeds import Seeds, correctly_classified, plan_seeds
from dnncov_core.campaign.work.worker import work
from dnncov_core.data import Data, load_data
from dnncov_core.errors import DataError, NumericsError
from dnncov_core.networks import memory
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.network import Network
from dnncov_core.records import State
from tests import runs


@pytest.fixture(scope="module")
def toy() -> Network:
    return load_network("toy")[0]


def data(labels: list[int], images: np.ndarray | None = None) -> Data:
    """The toy inputs, or others, with these labels."""
    images = load_data("toy").images if images is None else images
    return Data("made", images, np.array(labels, np.int64), (), "test")


RIGHT = [1, 1, 0, 1, 1, 0]


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
