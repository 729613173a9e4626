"""The range that was searched, where an input is a vector of features."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dnncov_core.networks.zoo import embedded_card
from dnncov_core.phrases.inputs import moved_words, searched_range
from dnncov_core.records import Target
from dnncov_core.types import Bounds
from tests.builders import made_pair


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ((0.0, 60760.0), "from 0 to 60,760,"),
        ((-3.14, 1234567.25), "from −3.14 to 1,234,567.25,"),
        ((0.0, 1e-7), "from 0 to 1e−07,"),
    ],
)
def test_vectors_name_one_range_for_all_features(bounds: Bounds, said: str) -> None:
    sentence = searched_range(replace(embedded_card("toy"), bounds=bounds))
    assert sentence == f"All features of the input are searched {said} also those whose own range is smaller."


def test_features_with_ranges_of_their_own_are_listed() -> None:
    own = replace(embedded_card("toy"), ranges=((0.0, 60760.0), (2.5, 2.5)), features=("rho", "theta"), units=("m", ""))
    said = "Each feature is searched within its own range, and distances are shares of it"
    assert searched_range(own) == f"{said}: rho from 0 to 60,760 m, theta fixed at 2.5."
    image = replace(embedded_card("cifar10-cnn"), ranges=((-2.0, 2.0), (-1.0, 2.5), (0.0, 1.0)))
    assert searched_range(image).endswith("channel 0 from −2 to 2, channel 1 from −1 to 2.5, channel 2 from 0 to 1.")
    many = replace(embedded_card("mnist-n1"), ranges=((0.0, 1.0),) * 783 + ((0.0, 2.0),))
    assert searched_range(many) == f"{said}.".replace("feature", "channel")


def test_embedded_tokens_lie_between_words() -> None:
    text = replace(embedded_card("toy"), input_shape=(4, 2), embedded=True)
    said = (
        "An input is a sequence of 4 embedded tokens with 2 numbers each. x2 is mostly a point between words: there"
        " need be no text whose embedding it is."
    )
    assert searched_range(text) == said
    pair = made_pair(Target(0, 2, (0,), 3, (0,)), adversarial=True, shape=(4, 2))
    pair = replace(pair, x1=np.zeros((4, 2)), x2=np.array([[0, 0], [0, 0.25], [0.125, 0], [0, 0]]))
    assert (
        moved_words(pair, text) == "2 of 4 tokens moved; token 1, number 1 moved most, by +0.25, 1.25 % of its range."
    )


def test_images_and_unknown_networks_need_no_sentence() -> None:
    assert searched_range(embedded_card("mnist-n1")) == searched_range(None) == ""


BOX = replace(
    embedded_card("toy"), input_shape=(3,), ranges=((0.0, 100.0), (-2.0, 2.0), (5.0, 5.0)), features=("v", "<a>", "c")
)


@pytest.mark.parametrize(
    ("x2", "said"),
    [
        ([10.0, 0.5, 5.0], "1 of 3 features moved; <a> moved most, by +0.5, 12.5 % of its range."),
        ([6.0, 0.04, 5.0], "2 of 3 features moved; v moved most, by −4 m, 4.00 % of its range."),
        ([14.0, -0.16, 5.0], "2 of 3 features moved, all of them equally: by 4.00 % of their ranges."),
        ([14.0, -0.1, 5.0], "2 of 3 features moved; v moved most, by +4 m, 4.00 % of its range."),
        ([10.0, 0.0, 5.0], "0 of 3 features moved."),
    ],
)
def test_what_moved_is_said_in_units_and_as_a_share(x2: list[float], said: str) -> None:
    target = Target(0, 2, (0,), 3, (0,))
    pair = made_pair(target, adversarial=True, shape=(3,))
    pair = replace(pair, x1=np.array([10.0, 0.0, 5.0]), x2=np.array(x2))
    assert moved_words(pair, replace(BOX, units=("m", "", ""))) == said
