from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dnncov_core.figures.pictures import LEAST_WIDTH, amplification, difference, is_picture, is_series, picture
from tests.builders import card


@pytest.mark.parametrize("shape", [(1, 28, 28), (1, 17, 29), (3, 40, 24), (3, 224, 224), (17, 29), (2, 9, 11)])
def test_height_and_width_keep_their_places(shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(0).random(shape)
    shown = picture(x)
    width = shape[-1] * (shape[0] if len(shape) == 3 and shape[0] not in (1, 3) else 1)
    times = max(1, round(LEAST_WIDTH / width))
    assert shown.shape == (shape[-2] * times, width * times, 3)
    assert shown.dtype == np.uint8


def test_bounds_are_black_and_white() -> None:
    shown = picture(np.array([[[-10.0, 10.0]]]), (-10.0, 10.0))
    assert tuple(shown[0, 0]) == (0, 0, 0)
    assert tuple(shown[0, -1]) == (255, 255, 255)


def test_three_channels_are_red_green_and_blue() -> None:
    x = np.zeros((3, 2, 2))
    x[0] = 1.0
    assert tuple(picture(x)[0, 0]) == (255, 0, 0)


def test_increase_and_decrease_differ() -> None:
    x1 = np.zeros((1, 1, 3)) + 0.5
    x2 = x1 + np.array([0.1, 0.0, -0.1])
    shown, factor = difference(x1, x2)
    up, same, down = shown[0, 0], shown[0, shown.shape[1] // 2], shown[0, -1]
    assert factor == 10
    assert up[0] > up[2]
    assert down[2] > down[0]
    assert len(set(same.tolist())) == 1


def test_the_factor_is_never_hidden_by_clipping() -> None:
    for largest in (1.0, 0.51, 0.5, 0.3, 1 / 255, 1e-3, 1e-7):
        factor = amplification(largest)
        assert 0.4 < largest * factor <= 1 + 1e-6


def test_colour_differences_are_around_grey() -> None:
    x1 = np.full((3, 4, 4), 0.5)
    shown, factor = difference(x1, x1)
    assert factor == 1
    assert np.all(shown == 128)


def test_numbers_are_no_picture_and_two_sizes_are_a_series_where_channels_are_described() -> None:
    assert is_picture(card(input_shape=(1, 28, 28)))
    assert not is_picture(card(input_shape=(2,)))
    two = card(input_shape=(2, 28))
    assert (is_picture(two), is_series(two)) == (True, False)
    for told in ({"features": ("a", "b")}, {"units": ("V", "A")}, {"ranges": ((0.0, 1.0), (0.0, 2.0))}):
        assert (is_picture(replace(two, **told)), is_series(replace(two, **told))) == (False, True)
    image = replace(card(input_shape=(1, 28, 28)), features=("grey",))
    assert (is_picture(image), is_series(image)) == (True, False)


def test_channels_that_come_last_are_those_of_the_same_picture() -> None:
    rng = np.random.default_rng(0)
    for channels in (1, 3):
        one, two = rng.random((2, channels, 5, 8))
        last = [np.moveaxis(x, 0, -1) for x in (one, two)]
        assert np.array_equal(picture(last[0]), picture(one))
        assert np.array_equal(difference(*last)[0], difference(one, two)[0])
