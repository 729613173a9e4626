"""Which targets a campaign has, and on which device it works."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dnncov_core.campaign.work.plan import Plan, device_for, plan_targets
from dnncov_core.errors import SpecificationError
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.network import Network
from dnncov_core.resources import devices
from tests import runs
from tests.networks_for_tests import mlp_of


@pytest.fixture(scope="module")
def toy() -> Network:
    return load_network("toy")[0]


class TestTargets:
    def test_layers_choose_the_decision_layers(self, toy: Network) -> None:
        targets = plan_targets(toy, runs.toy_spec(layers=(4,))).targets
        assert {(t.condition_layer, t.decision_layer) for t in targets} == {(3, 4)}
        assert len(targets) == 6

    @pytest.mark.parametrize("layer", [1, 2, 5, 99])
    def test_no_decision_layer(self, toy: Network, layer: int) -> None:
        with pytest.raises(
            SpecificationError, match=rf"layers must be some of the decision layers 3, 4; got layer {layer}"
        ):
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

    def test_an_unknown_one_is_refused(self) -> None:
        with pytest.raises(SpecificationError, match="one of auto, cpu, cuda, mps; got 'gpu'"):
            device_for("gpu")

    def test_what_is_here_is_known_without_torch(self) -> None:
        there = {"auto": True, "cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        assert devices() == tuple(name for name, is_there in there.items() if is_there)
