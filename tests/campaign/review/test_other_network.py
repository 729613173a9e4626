"""The test pairs of a campaign on another network, against a forward pass and the definitions in plain loops."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from torch import nn

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.other_network import replay_on
from dnncov_core.campaign.review.replayed import Replayed, ReplayedCondition, counterparts
from dnncov_core.criteria import CRITERIA
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.errors import CampaignError
from dnncov_core.networks.network import Network
from dnncov_core.networks.zoo import TOY_WEIGHTS, load_embedded
from dnncov_core.records import LayerInfo, Target, TestPair
from tests import reference, runs
from tests.networks_for_tests import linear

HERE = "tests.campaign.review.test_other_network"
WEIGHTS = [np.array(weight, np.float64) for weight in TOY_WEIGHTS]
BOUNDS = (-10.0, 10.0)


def retrained_weights() -> list[np.ndarray]:
    """Those of the network toy, a little moved."""
    rng = np.random.default_rng(4)
    return [weight + rng.normal(0, 1.0, weight.shape) for weight in WEIGHTS]


def made(weights: list[np.ndarray], bounds: tuple[float, float] = BOUNDS, **more: Any) -> Network:
    layers = [part for weight in weights for part in (linear(weight), nn.ReLU())]
    return Network(nn.Sequential(*layers[:-1]), (len(weights[0]),), bounds=bounds, **more)


def retrained() -> Network:
    return made(retrained_weights())


def deeper() -> Network:
    """With one more layer of three neurons before the output."""
    first, second, last = retrained_weights()
    return made([first, second, np.eye(3) - 0.2, last])


def narrower() -> Network:
    """Whose second hidden layer has two neurons."""
    first, second, last = retrained_weights()
    return made([first, second[:, :2], last[:2]])


def nothing_alike() -> Network:
    return made([np.ones((2, 7)), np.ones((7, 5)), np.ones((5, 2))])


def tight() -> Network:
    return made(WEIGHTS, (-0.5, 0.5))


def three_inputs() -> Network:
    return made([np.ones((3, 3)), *WEIGHTS[1:]])


def other_order() -> Network:
    return made(retrained_weights(), classes=load_embedded("toy").classes[::-1])


def three_classes() -> Network:
    return made([*WEIGHTS[:2], np.ones((3, 3))])


def replayed(path: Path, name: str) -> Replayed:
    with CampaignStore(path) as store:
        return replay_on(store, f"{HERE}:{name}")


def pairs_of(path: Path) -> list[TestPair]:
    with CampaignStore(path) as store:
        return store.pairs.page()


def each_with_its_pair(path: Path, name: str) -> Iterator[tuple[ReplayedCondition, TestPair]]:
    """What became of each condition of a test pair on a network, and that pair."""
    pairs = {pair.target.ordinal: pair for pair in pairs_of(path)}
    found = [each for each in replayed(path, name).conditions if each.labels]
    assert [each.ordinal for each in found] == sorted(pairs)
    return ((each, pairs[each.ordinal]) for each in found)


def targets_of(path: Path) -> list[Target]:
    with CampaignStore(path) as store:
        return store.targets.all()


def u_of(x: np.ndarray, weights: list[np.ndarray]) -> list[list[float]]:
    """u of layers 2 to K in plain loops."""
    return reference.forward(x.tolist(), weights)


def holds(criterion: str, target: Target, pair: TestPair, weights: list[np.ndarray]) -> bool:
    """Whether x1 and x2 of a pair cover a target, by the definition."""
    one, two = u_of(pair.x1, weights), u_of(pair.x2, weights)
    k, decision = ((one[layer - 2], two[layer - 2]) for layer in (target.condition_layer, target.decision_layer))
    own = CRITERIA[criterion].g2
    g2 = reference.always if own == ANY else getattr(reference, own.name)(**vars(own))
    neurons = (target.condition_neurons, target.decision_neurons)
    return reference.holds(criterion, k, decision, *neurons, reference.always, g2)


def label(x: np.ndarray, weights: list[np.ndarray]) -> int:
    return int(np.argmax(u_of(x, weights)[-1]))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_conditions_and_labels_are_those_of_the_definitions(toy_campaigns: dict[str, Path], criterion: str) -> None:
    path, weights = toy_campaigns[criterion], retrained_weights()
    found, pairs, targets = replayed(path, "retrained"), pairs_of(path), targets_of(path)
    by_ordinal = {pair.target.ordinal: pair for pair in pairs}
    covered = {each.ordinal for each in targets if any(holds(criterion, each, pair, weights) for pair in pairs)}
    assert {each.ordinal for each in found.conditions} == covered | set(by_ordinal)
    for each in found.conditions:
        assert each.covered == (each.ordinal in covered)
        pair = by_ordinal.get(each.ordinal)
        if pair is None:
            assert (each.own, each.labels, each.labels_there) == (None, (), ())
            continue
        assert each.own == holds(criterion, pair.target, pair, weights)
        assert each.labels == (label(pair.x1, WEIGHTS), label(pair.x2, WEIGHTS))
        assert each.labels_there == (label(pair.x1, weights), label(pair.x2, weights))
        assert each.adversarial == pair.adversarial
        assert each.adversarial_there == (each.labels_there[0] != each.labels_there[1])


def test_the_four_campaigns_have_pairs_of_every_fate(toy_campaigns: dict[str, Path]) -> None:
    """So that the comparison above is not about nothing."""
    some = [each for path in toy_campaigns.values() for each in replayed(path, "retrained").conditions]
    assert {(each.own, each.covered) for each in some if each.labels} >= {(True, True), (False, True), (False, False)}
    assert any(each.labels != each.labels_there for each in some)
    assert any(each.adversarial != each.adversarial_there for each in some)


def test_on_the_campaigns_own_network_all_is_as_it_was(toy_campaigns: dict[str, Path]) -> None:
    with CampaignStore(toy_campaigns["ss"]) as store:
        found = replay_on(store, "toy")
    assert all(each.own and each.covered for each in found.conditions if each.labels)
    assert all(each.labels == each.labels_there for each in found.conditions)
    assert found.fingerprint == load_embedded("toy").fingerprint


def test_the_effect_that_the_campaign_asks_for_is_asked_there(tmp_path: Path) -> None:
    path, weights = runs.finished(tmp_path / "c.dnncov", runs.toy_spec("ss", effect="needed")), retrained_weights()
    pairs, found = {pair.target.ordinal: pair for pair in pairs_of(path)}, replayed(path, "retrained")
    told = {}
    for ordinal, pair in pairs.items():
        k, decision = pair.target.condition_layer - 2, pair.target.decision_layer - 2
        one, two = u_of(pair.x1, weights), u_of(pair.x2, weights)
        weight = weights[decision]
        back = reference.put(two[k], one[k], pair.target.condition_neurons, weight, np.zeros(weight.shape[1]))
        needed = reference.needed("ss", one[decision], back, pair.target.decision_neurons, reference.always)
        told[ordinal] = holds("ss", pair.target, pair, weights) and needed
    assert {each.ordinal: each.own for each in found.conditions if each.labels} == told
    assert set(told.values()) == {True, False}


def test_on_another_structure_the_layers_that_are_there_are_asked(toy_campaigns: dict[str, Path]) -> None:
    """The output of the deeper network stands for the output, and has another layer before it."""
    path, weights = toy_campaigns["ss"], retrained_weights()
    found = replayed(path, "deeper")
    assert [(each.index, there and there.index) for each, there in found.layers] == [(2, 2), (3, 3), (4, 5)]
    assert [(edge, there) for edge, _, there in found.asked] == [((2, 3), (2, 3)), ((3, 4), None)]
    counts = {edge: n for edge, n, _ in found.asked}
    assert counts == {(2, 3): 9, (3, 4): 6}
    for each, pair in each_with_its_pair(path, "deeper"):
        here = each.edge == (2, 3)
        assert each.own == (holds("ss", pair.target, pair, weights) if here else None)
        assert each.labels_there[0] == label(pair.x1, [*weights[:2], np.eye(3) - 0.2, weights[2]])
        assert here or not each.covered


def test_a_layer_of_another_shape_has_no_counterpart(toy_campaigns: dict[str, Path]) -> None:
    path = toy_campaigns["ss"]
    with pytest.raises(CampaignError, match="none of whose layer pairs has their shapes"):
        replayed(path, "narrower")


def layers(*named: tuple[str, int]) -> list[LayerInfo]:
    return [LayerInfo(k, name, "", n, (n,)) for k, (name, n) in enumerate([("", 9), *named], start=1)]


@pytest.mark.parametrize(
    ("here", "there", "expected"),
    [
        ([("a", 4), ("b", 3), ("c", 2)], [("a", 4), ("b", 3), ("c", 2)], {2: 2, 3: 3, 4: 4}),
        ([("a", 4), ("b", 3), ("c", 2)], [("x", 4), ("y", 3), ("z", 2)], {2: 2, 3: 3, 4: 4}),
        ([("a", 4), ("b", 4), ("c", 2)], [("a", 4), ("new", 4), ("b", 4), ("z", 2)], {2: 2, 3: 4, 4: 5}),
        ([("a", 4), ("b", 3), ("c", 2)], [("a", 4), ("b", 5), ("c", 2)], {2: 2, 4: 4}),
        ([("a", 4), ("b", 4), ("c", 2)], [("b", 4), ("a", 4), ("c", 2)], {2: 3, 3: 2, 4: 4}),
        ([("a", 4), ("b", 4), ("c", 2)], [("x", 4), ("a", 4), ("c", 2)], {2: 3, 4: 4}),
        ([("a", 4), ("c", 2)], [("a", 4), ("c", 3)], {2: 2}),
    ],
)
def test_layers_stand_for_those_of_the_same_name_and_shape_and_else_of_the_same_number_and_shape(
    here: list[tuple[str, int]], there: list[tuple[str, int]], expected: dict[int, int]
) -> None:
    assert counterparts(layers(*here), layers(*there)) == expected


def test_layers_of_another_shape_in_several_axes_stand_for_none() -> None:
    plain = layers(("a", 16), ("c", 2))
    images = [plain[0], dataclasses.replace(plain[1], shape=(4, 2, 2)), plain[2]]
    assert counterparts(images, plain) == {3: 3}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("tight", "expected a network whose bounds hold the campaign's inputs; got test pair "),
        ("three_inputs", "expected a network with inputs of shape (2,), as the campaign's; got (3,); take another"),
        ("three_classes", "expected a network with outputs of 2 classes, as the campaign's; got 3 classes; take"),
        ("other_order", "expected a network whose class 0 is 0, as the campaign's; got 1: the order differs; take"),
        ("nothing_alike", "expected a network with layer pairs of the campaign's; got "),
    ],
)
def test_networks_that_cannot_be_asked_are_refused(toy_campaigns: dict[str, Path], name: str, expected: str) -> None:
    with pytest.raises(CampaignError) as refused:
        replayed(toy_campaigns["ss"], name)
    assert str(refused.value).startswith(expected)
    assert "\n" not in str(refused.value)


def test_a_campaign_that_was_not_started_has_nothing_to_replay(tmp_path: Path) -> None:
    path = runs.create(tmp_path / "c.dnncov", runs.toy_spec())
    with pytest.raises(CampaignError, match="expected a campaign with test conditions; got one that was not started"):
        replayed(path, "retrained")


def test_boundaries_are_those_of_the_other_network(tmp_path: Path) -> None:
    """SV beyond the largest u over the reference data: of the network that is asked."""
    spec = runs.toy_spec("sv", value_function="upper_boundary", sigma=None, reference="toy")
    path, weights = runs.finished(tmp_path / "c.dnncov", spec), retrained_weights()
    images = np.asarray(runs.load_data("toy").images, np.float64)
    highest = [max(values) for values in zip(*[np.concatenate(u_of(x, weights)) for x in images], strict=True)]
    starts = [0, 3, 6]
    for each, pair in each_with_its_pair(path, "retrained"):
        target, (one, two) = pair.target, (u_of(x, weights) for x in (pair.x1, pair.x2))
        k, at = target.condition_layer - 2, target.decision_layer - 2
        (j,) = target.decision_neurons
        changed = reference.sc(one[k], two[k], target.condition_neurons)
        alone = reference.nsc(one[k], two[k], [i for i in range(3) if i not in target.condition_neurons])
        beyond = reference.nsc(one[at], two[at], [j]) and two[at][j] > highest[starts[at] + j]
        assert each.own == (changed and alone and beyond)


def test_a_pair_that_counts_for_several_conditions_is_asked_for_each(tmp_path: Path) -> None:
    path, weights = runs.finished(tmp_path / "c.dnncov", runs.toy_spec("ss", reuse=True)), retrained_weights()
    pairs = pairs_of(path)
    assert any(pair.found_for is not None for pair in pairs)
    for each, pair in each_with_its_pair(path, "retrained"):
        assert each.own == holds("ss", pair.target, pair, weights)
        assert each.covered == any(holds("ss", pair.target, other, weights) for other in pairs)


def test_free_features_are_asked_for_the_same_number_of_neurons(free_campaign: Path) -> None:
    weights = retrained_weights()
    for each, pair in each_with_its_pair(free_campaign, "retrained"):
        one, two = u_of(pair.x1, weights), u_of(pair.x2, weights)
        k, at = pair.target.condition_layer - 2, pair.target.decision_layer - 2
        most = pair.target.condition_most
        assert most is not None
        sides = ((one[k], two[k]), (one[at], two[at]))
        assert each.own == reference.free_holds("ss", *sides, most, pair.target.decision_neurons, reference.always)


def test_progress_and_names_of_layers(toy_campaigns: dict[str, Path]) -> None:
    told: list[tuple[str, int, int]] = []
    with CampaignStore(toy_campaigns["ss"]) as store:
        found = replay_on(store, f"{HERE}:retrained", on_progress=lambda *step: told.append(step))
        n = store.pairs.count()
        card = store.card()
    assert card is not None
    assert told == [("test pairs", done, n) for done in range(1, n + 1)]
    assert [each for each, _ in found.layers] == [*card.layers[1:]]
    assert [there and there.index for _, there in found.layers] == [2, 3, 4]


def test_conditions_that_the_campaign_has_not_tried_are_told_from_those_that_it_tried(tmp_path: Path) -> None:
    path = runs.finished(tmp_path / "c.dnncov", runs.toy_spec("ss", reuse=True))
    copies = [pair.target.ordinal for pair in pairs_of(path) if pair.found_for is not None]
    outcomes = {ordinal: ("pending", "exhausted")[at % 2] for at, ordinal in enumerate(copies)}
    of = "(SELECT id FROM target WHERE ordinal = ?)"
    with CampaignStore(path) as store:
        with store.database.transaction() as connection:
            for ordinal, outcome in outcomes.items():
                connection.execute(f"DELETE FROM test_pair WHERE target IN {of}", (ordinal,))
                connection.execute("UPDATE target SET outcome = ? WHERE ordinal = ?", (outcome, ordinal))
        gained = [each for each in replay_on(store, "toy").conditions if not each.labels]
    assert {each.ordinal: each.pending for each in gained} == {at: outcomes[at] == "pending" for at in copies}
    assert {each.pending for each in gained} == {True, False}


def test_the_campaign_is_only_read(toy_campaigns: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "c.dnncov"
    shutil.copy(toy_campaigns["vv"], path)
    before = runs.content(path)
    replayed(path, "retrained")
    assert runs.content(path) == before
