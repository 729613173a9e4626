"""Sentences about a replay."""

from __future__ import annotations

from dataclasses import replace

from dnncov_core.campaign.review.replayed import Replayed, ReplayedCondition
from dnncov_core.phrases.replayed import change_words, layer_words, replayed_words
from dnncov_core.ratios import Ratio
from tests.builders import card

KEPT = ReplayedCondition(7, (2, 3), True, True, (3, 8), (3, 8), adversarial=True, adversarial_there=True)


def test_nothing_is_said_of_a_pair_that_is_as_it_was() -> None:
    assert change_words(KEPT, card()) == ""
    assert change_words(ReplayedCondition(7, (2, 3), None, True), card()) == ""


def test_each_change_of_a_pair_is_named() -> None:
    lost = replace(KEPT, own=False, covered=False, labels_there=(8, 8), adversarial_there=False)
    assert change_words(lost, card()) == "its condition is lost; x1 is 8 instead of 3; ceased to be adversarial"
    shared = replace(KEPT, own=False, labels=(3, 3), adversarial=False)
    words = "only another test pair covers its condition; x2 is 8 instead of 3; became adversarial"
    assert change_words(shared, card()) == words


def test_layers_with_another_number_or_none_are_named() -> None:
    _, two, three, four, *_ = card().layers
    found = Replayed("net", "", "", ((two, two), (three, four), (four, None)), (), ())
    said = "Layer 4 (layer4) there stands for layer 3 (layer3). No layer there stands for layer 4 (layer4)."
    assert layer_words(found) == said
    assert layer_words(replace(found, layers=found.layers[:1])) == ""


def test_conditions_of_layers_that_are_not_there_are_counted_apart() -> None:
    counts = dict.fromkeys(("lost", "gained", "pending", "x1", "x2", "adversarial", "became", "ceased"), 0)
    said, _ = replayed_words(Ratio(0, 4), Ratio(0, 0), {**counts, "apart": 4})
    assert said.endswith("; lost: 0; gained: 0; of layers that are not there: 4.")


def test_gained_conditions_that_the_campaign_has_not_tried_are_counted() -> None:
    counts = dict.fromkeys(("lost", "apart", "x1", "x2", "adversarial", "became", "ceased"), 0)
    said, _ = replayed_words(Ratio(1, 1), Ratio(186, 900), {**counts, "gained": 185, "pending": 184})
    assert said.endswith("; gained: 185 (184 not tried in the campaign).")
