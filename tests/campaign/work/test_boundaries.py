"""Neuron boundaries: the largest u over reference data, kept with the campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.verification import verify
from dnncov_core.data import load_data
from dnncov_core.errors import SpecificationError
from dnncov_core.networks.zoo import load_embedded
from tests import runs


def test_boundaries_come_from_the_reference_data_and_stay_with_the_campaign(tmp_path: Path) -> None:
    spec = runs.toy_spec("sv", value_function="upper_boundary", reference="toy", generator="targeted")
    path = runs.finished(tmp_path / "c.dnncov", spec)
    network, data = load_embedded("toy"), load_data("toy")
    u = capture(network, torch.from_numpy(data.pixels(slice(None))))
    with CampaignStore(path) as store:
        method, pairs, targets = store.covering_method(), store.pairs.page(), store.targets.all()
        assert "largest u over toy" in method.functions
        for target in targets:
            layer, (j,) = target.decision_layer, target.decision_neurons
            boundaries = method.g2.at(layer, [[j]])
            assert boundaries.limits == ((float(u[layer].u[:, j].max()),),)
        assert pairs
        for pair in pairs:
            layer, (j,) = pair.target.decision_layer, pair.target.decision_neurons
            after = capture(network, torch.from_numpy(pair.x2)[None], [layer])[layer].u
            assert float(after[0, j]) > float(u[layer].u[:, j].max())
        assert not verify(store).failing


@pytest.mark.parametrize("generator", ["targeted", "lp"])
def test_boundaries_of_condition_neurons(tmp_path: Path, generator: str) -> None:
    spec = runs.toy_spec("vs", value_function="upper_boundary", reference="toy", generator=generator)
    with CampaignStore(runs.finished(tmp_path / "c.dnncov", spec)) as store:
        u = capture(load_embedded("toy"), torch.from_numpy(load_data("toy").pixels(slice(None))))
        for target in store.targets.all():
            layer, (i,) = target.condition_layer, target.condition_neurons
            assert store.covering_method().g1.at(layer, [[i]]).limits == ((float(u[layer].u[:, i].max()),),)
        assert not verify(store).failing


@pytest.mark.parametrize(("fields", "got"), [({"d": 2.0}, "d = 2"), ({"value_function": "ratio"}, "ratio")])
def test_reference_data_are_for_upper_boundary_alone(fields: dict[str, Any], got: str) -> None:
    with pytest.raises(SpecificationError, match=f"upper_boundary with reference data; got {got}"):
        runs.toy_spec("sv", **{"value_function": "upper_boundary", "reference": "toy", **fields})
