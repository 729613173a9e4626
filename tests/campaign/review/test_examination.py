"""Why a stored pair covers: signs, values and parts, against the slow reference on the paper's network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.examination import Examination, examine
from dnncov_core.campaign.work.inputs import network_of
from dnncov_core.criteria.parts import Asks
from dnncov_core.networks.zoo import TOY_WEIGHTS
from dnncov_core.oracle import Oracle
from dnncov_core.records import TestPair
from tests import reference, runs


def examined(path: Path) -> list[tuple[TestPair, Examination]]:
    with CampaignStore(path) as store:
        network, _ = network_of(store)
        spec = store.spec()
        oracle, method = Oracle(spec.norm, spec.bound), store.covering_method()
        return [(pair, examine(network, pair, method, oracle)) for pair in store.pairs.page()]


@pytest.mark.parametrize("criterion", ["ss", "vs", "sv", "vv"])
def test_signs_and_values_are_those_of_the_paper(toy_campaigns: dict[str, Path], criterion: str) -> None:
    found = examined(toy_campaigns[criterion])
    assert found
    for pair, seen in found:
        assert seen.holds
        assert seen.differs == ""
        values = runs.toy_values(pair)
        for change in (seen.condition, seen.decision):
            u1, u2 = values[change.layer - 2]
            assert change.u1 == pytest.approx(u1)
            assert change.u2 == pytest.approx(u2)
            assert change.changed.tolist() == [
                reference.sign(a) != reference.sign(b) for a, b in zip(u1, u2, strict=True)
            ]
        assert (seen.verdict.label1, seen.verdict.label2) == (pair.label1, pair.label2)
        assert seen.rounded is None  # its inputs are no pixels


@pytest.mark.parametrize("criterion", ["ss", "vs", "sv", "vv"])
def test_each_part_is_a_bullet_of_the_definition(toy_campaigns: dict[str, Path], criterion: str) -> None:
    asked = {
        "ss": (Asks.CONDITION_SIGN, Asks.REST_KEPT, Asks.DECISION_SIGN),
        "vs": (Asks.CONDITION_VALUE, Asks.LAYER_KEPT, Asks.DECISION_SIGN),
        "sv": (Asks.CONDITION_SIGN, Asks.REST_KEPT, Asks.DECISION_VALUE, Asks.DECISION_KEPT),
        "vv": (Asks.CONDITION_VALUE, Asks.LAYER_KEPT, Asks.DECISION_VALUE, Asks.DECISION_KEPT),
    }[criterion]
    for pair, seen in examined(toy_campaigns[criterion]):
        assert tuple(part.asks for part in seen.parts) == asked
        assert all(part.holds for part in seen.parts)
        for part in seen.parts:
            for quantity in part.quantities:
                u1, u2 = runs.toy_values(pair)[part.layer - 2]
                (i,) = quantity.neurons
                assert quantity.value == pytest.approx(u2[i] / u1[i])
                assert quantity.limit == {"sv": 2.0, "vv": 5.0}[criterion]
                assert quantity.holds


@pytest.mark.parametrize("criterion", ["ss", "vs", "sv", "vv"])
def test_the_effect_is_the_networks_own_arithmetic(toy_campaigns: dict[str, Path], criterion: str) -> None:
    for pair, seen in examined(toy_campaigns[criterion]):
        (k1, k2), (u1, u2) = (runs.toy_values(pair)[layer - 2] for layer in pair.target.edge)
        weight = np.array(TOY_WEIGHTS[pair.target.decision_layer - 2], np.float64)
        condition, decision = pair.condition_neurons, list(pair.target.decision_neurons)
        alone, back = (
            reference.put(*each, condition, weight, np.zeros(weight.shape[1])) for each in ((k1, k2), (k2, k1))
        )
        effect = seen.effect
        for found, expected in ((effect.u1, u1), (effect.alone, alone), (effect.put_back, back), (effect.u2, u2)):
            assert found == pytest.approx([expected[j] for j in decision])
        assert not set(effect.neurons) & set(condition)
        for name in ("needed", "sufficient", "needed_float64", "sufficient_float64", "needed_8bit", "holds_8bit"):
            assert getattr(seen.judged, name) == getattr(pair, name)


def test_a_free_feature_is_what_changed(free_campaign: Path) -> None:
    for pair, seen in examined(free_campaign):
        assert seen.holds
        assert seen.condition.changed.nonzero()[0].tolist() == list(pair.flipped or ())
        assert seen.parts[0].neurons == pair.flipped
        assert all(part.holds for part in seen.parts)


def test_a_pair_that_does_not_cover_says_which_part_fails(toy_campaigns: dict[str, Path]) -> None:
    with CampaignStore(toy_campaigns["ss"]) as store:
        network, _ = network_of(store)
        pair = store.pairs.page()[0]
        seen = examine(network, replace(pair, x2=pair.x1), store.covering_method(), Oracle("inf", None))
    assert not seen.holds
    assert seen.differs == "the covering method does not hold"
    assert [part.holds for part in seen.parts] == [False, True, False]


def test_after_rounding_to_8_bits(tmp_path: Path) -> None:
    path = runs.finished(tmp_path / "c.dnncov", replace(runs.MNIST_N9, generator="lp", bound=0.5))
    with CampaignStore(path) as store:
        network, _ = network_of(store)
        pairs = store.pairs.page()
        assert pairs
        for pair in pairs:
            seen = examine(network, pair, store.covering_method(), Oracle("inf", 0.5))
            assert seen.rounded is not None
            assert seen.rounded.holds is pair.holds_8bit
            x2 = np.round(pair.x2 * 255) / 255
            assert seen.rounded.verdict.distance == pytest.approx(float(np.abs(x2 - pair.x1).max()), abs=1e-6)
            label = int(network(torch.from_numpy(x2)[None])[0].argmax())
            assert seen.rounded.verdict.label2 == label
