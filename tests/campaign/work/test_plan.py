"""Which targets and which seeds a campaign has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.plan import Plan, Seeds, correctly_classified, device_for, plan_seeds, plan_targets
from dnncov_core.campaign.work.worker import work
from dnncov_core.data import Data, load_data
from dnncov_core.errors import DataError, NumericsError, SpecificationError
from dnncov_core.networks import Network, memory
from dnncov_core.networks.loading import load_network
from dnncov_core.records import State
from tests import runs
from tests.networks_for_tests import mlp_of


@pytest.fixture(scope="module")
def toy() -> Network:
    return load_network("toy")[0]


def data(labels: list[int], images: np.ndarray | None = None) -> Data:
    """The toy inputs, or others, with these labels."""
    images = load_data("toy").images if images is None else images
    return Data("made", images, np.array(labels, np.int64), (), "test", "none")


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
        with pytest.raises(DataError, match="expected a correctly classified input to serve as seed; got none of 6"):
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
        assert [*memory.parts(toy, len(made))] == [slice(row, row + 1) for row in range(6)]
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


class TestTargets:
    def test_layers_choose_the_decision_layers(self, toy: Network) -> None:
        targets = plan_targets(toy, runs.toy_spec(layers=(4,))).targets
        assert {(t.condition_layer, t.decision_layer) for t in targets} == {(3, 4)}
        assert len(targets) == 6

    @pytest.mark.parametrize("layer", [1, 2, 5, 99])
    def test_no_decision_layer(self, toy: Network, layer: int) -> None:
        with pytest.raises(SpecificationError, match=rf"decision layers among 3, 4; got layer {layer}"):
            plan_targets(toy, runs.toy_spec(layers=(layer,)))


class TestModes:
    def test_free_features_make_a_target_for_each_decision_neuron(self, toy: Network) -> None:
        targets = plan_targets(toy, runs.toy_spec(feature_mode="free", omega=0.7)).targets
        assert sorted((t.edge, t.decision_neurons) for t in targets) == [
            *(((2, 3), (j,)) for j in range(3)),
            *(((3, 4), (j,)) for j in range(2)),
        ]
        assert {(t.condition_neurons, t.condition_most) for t in targets} == {((), 2)}

    def test_maps_of_dense_layers_are_refused(self, toy: Network) -> None:
        with pytest.raises(SpecificationError, match=r"layers with feature maps .*got layer 2 .* of shape \(3,\)"):
            plan_targets(toy, runs.toy_spec(feature_mode="map"))

    def test_an_even_sample_has_as_many_of_each_layer_pair(self, toy: Network) -> None:
        spec = runs.toy_spec(pairs=8, sampling="even")
        edges = [target.edge for target in plan_targets(toy, spec).targets]
        assert edges == [(2, 3), (3, 4)] * 4
        assert plan_targets(toy, spec) == plan_targets(toy, spec)

    def test_an_even_sample_among_the_strongest(self, toy: Network) -> None:
        plan = plan_targets(toy, runs.toy_spec(pairs=7, sampling="even", top_weights=2))
        strongest = plan_targets(toy, runs.toy_spec(top_weights=2))
        assert set(plan.targets) <= set(strongest.targets)
        edges = [target.edge for target in plan.targets]
        assert (edges.count((2, 3)), edges.count((3, 4))) == (4, 3)


class TestTopWeights:
    def planned(self, network: Network, **fields: object) -> Plan:
        return plan_targets(network, runs.toy_spec(**fields))

    def test_the_papers_example(self, toy: Network) -> None:
        """The largest of each column of W2: 2 -7 1, 3 6 -5, and -1 4 9."""
        pairs = {
            (t.condition_neurons, t.decision_neurons) for t in self.planned(toy, top_weights=1, layers=(3,)).targets
        }
        assert pairs == {((1,), (0,)), ((1,), (1,)), ((2,), (2,))}

    def test_targets_are_some_of_all_with_their_places(self, toy: Network) -> None:
        everything = {target.ordinal: target for target in self.planned(toy).targets}
        plan = self.planned(toy, top_weights=2)
        assert all(everything[target.ordinal] == target for target in plan.targets)
        assert [len(plan.targets), sum((plan.available or {}).values())] == [10, 10]

    def test_a_sample_is_drawn_among_them(self, toy: Network) -> None:
        strongest = self.planned(toy, top_weights=2)
        sample = self.planned(toy, top_weights=2, pairs=4)
        assert len(sample.targets) == 4
        assert set(sample.targets) < set(strongest.targets)
        assert sample.available == strongest.available

    def test_weights_of_zero_are_no_connection(self) -> None:
        weight = np.array([[1.0, 0.0], [0.0, 0.0], [-2.0, 3.0]])
        plan = self.planned(Network(mlp_of([np.ones((2, 3)), weight]), (2,)), top_weights=99)
        pairs = {(t.condition_neurons, t.decision_neurons) for t in plan.targets}
        assert pairs == {((0,), (0,)), ((2,), (0,)), ((2,), (1,))}
        assert plan.available == {(2, 3): 3}


class TestDevice:
    def test_auto_is_one_of_this_machine(self) -> None:
        assert device_for("auto").type in ("cpu", "cuda", "mps")
        assert device_for("cpu").type == "cpu"

    def test_processes_take_gpus_in_turn(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
        for name in ("cuda", "auto"):
            assert [str(device_for(name, process)) for process in range(4)] == ["cuda:0", "cuda:1", "cuda:2", "cuda:0"]
        assert {str(device_for("cpu", process)) for process in range(3)} == {"cpu"}

    @pytest.mark.parametrize("name", ["cuda", "mps"])
    def test_a_missing_one_is_refused(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
        with pytest.raises(SpecificationError, match=rf"device of this machine \(cpu\); got {name}"):
            device_for(name)


def test_misclassified_inputs_are_never_seeds_of_a_campaign(tmp_path: Path) -> None:
    labels = [1, 0, 0, 1, 1, 1]
    np.savez(tmp_path / "d.npz", images=load_data("toy").images, labels=labels)
    path = runs.finished(tmp_path / "c.dnncov", runs.toy_spec(), data=str(tmp_path / "d.npz"))
    with CampaignStore(path) as store:
        report = store.seed_report()
        assert report is not None
        assert (report.rows.tolist(), report.misclassified) == ([0, 2, 3, 4], 2)
        tried = {row for (row,) in store._rows("SELECT DISTINCT seed FROM attempt")}
        assert tried == {0, 2, 3, 4}
        assert {pair.seed for pair in store.test_pairs()} <= {0, 2, 3, 4}
        assert all(pair.label1 == labels[pair.seed] for pair in store.test_pairs())


def test_refused_data_leave_a_failed_campaign_with_the_same_message(tmp_path: Path) -> None:
    np.savez(tmp_path / "d.npz", images=load_data("toy").images, labels=[1 - label for label in RIGHT])
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec())
    with pytest.raises(DataError, match="correctly classified input") as error:
        work(path, data=str(tmp_path / "d.npz"))
    with CampaignStore(path) as store:
        assert (store.state(), store.message()) == (State.FAILED, str(error.value))
