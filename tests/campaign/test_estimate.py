from __future__ import annotations

import dataclasses

import pytest

from dnncov_core.campaign.estimate import estimate, programme_size
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.speed import Speed
from dnncov_core.records import LayerInfo, NetworkCard
from tests.builders import card

PUBLISHED = {  # the paper's table of LP calls: hidden layers -> (variables, constraints) by decision layer
    (78, 62, 73, 47): [(864, 3294), (926, 3418), (999, 3564), (1046, 3658)],
    (87, 33, 62): [(873, 3312), (906, 3378), (968, 3502)],
    (76, 55, 74, 98, 75): [(862, 3290), (917, 3400), (991, 3548), (1089, 3744), (1164, 3894)],
}


@pytest.mark.parametrize("hidden", PUBLISHED)
def test_programmes_have_the_published_sizes(hidden: tuple[int, ...]) -> None:
    network = card(hidden=hidden)
    sizes = [programme_size(network, edge) for edge in network.edges]
    expected = PUBLISHED[hidden]
    assert sizes[: len(expected)] == expected


def test_convolutions_have_no_stated_size() -> None:
    network = card()
    layers = list(network.layers)
    layers[1] = LayerInfo(2, "conv", "relu", 5, (5, 1, 1))
    convolutional = NetworkCard(**{**vars(network), "layers": tuple(layers)})
    assert programme_size(convolutional, (2, 3)) == (None, None)


def test_pairs_attempts_and_time() -> None:
    network = card(hidden=(78, 62, 73, 47))
    every = estimate(network, CampaignSpec(network="net", data="mnist"))
    assert (every.conditions, every.available) == (13_263, 13_263)
    asked, speed = CampaignSpec(network="net", data="mnist", pairs=200, max_seeds=5), Speed(3, 0.5, 0.1, covered=0.25)
    some = estimate(network, asked, speed)
    assert (some.conditions, some.most_attempts) == (200, 200 * (5 + 20))
    assert some.seconds == 3 + 200 * 0.5 + 50 * 0.1
    assert every.seconds is None


def test_chosen_layers_and_features_count() -> None:
    network = card(hidden=(10, 20, 30))
    spec = CampaignSpec(network="net", data="mnist", layers=(4,), feature_mode="fixed", omega=0.1)
    work = estimate(network, spec)
    assert work.available == 10 * 10
    assert [size.edge for size in work.programmes] == [(3, 4)]


def test_top_weights_bound_the_pairs() -> None:
    network = card(hidden=(12, 7, 9))
    work = estimate(network, CampaignSpec(network="net", data="mnist", top_weights=10))
    assert [size.pairs for size in work.programmes] == [10 * 7, 7 * 9, 9 * 10]
    assert work.conditions == work.available == 223


@pytest.mark.parametrize("named", ["lp", "targeted"])
def test_auto_is_estimated_as_what_it_means(named: str) -> None:
    mode = "free" if named == "targeted" else "neuron"
    asked = CampaignSpec(network="net", data="mnist", pairs=7, feature_mode=mode)
    assert estimate(card(), asked) == estimate(card(), dataclasses.replace(asked, generator=named))


def test_a_small_pool_of_seeds_limits_the_attempts() -> None:
    work = estimate(card(), CampaignSpec(network="net", data="mnist", pairs=10, seeds=3, more_seeds=4))
    assert work.most_attempts == 10 * (3 + 4)
    random = estimate(card(), CampaignSpec(network="net", data="mnist", pairs=10, seeds=3, seed_order="random"))
    assert random.most_attempts == 10 * 3


def test_no_more_seeds_are_tried_than_the_data_have_inputs() -> None:
    asked = CampaignSpec(network="net", data="mnist", pairs=10, max_seeds=30_000_000)
    assert estimate(card(), asked, inputs=5000).most_attempts == 10 * 5000
    assert estimate(card(), dataclasses.replace(asked, max_seeds=7), inputs=5000).most_attempts == 10 * (7 + 20)
