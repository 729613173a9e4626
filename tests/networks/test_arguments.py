"""What a network is told beside its module: what is clear is taken, everything else is one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from dnncov_core.box import Box
from dnncov_core.errors import NetworkError
from dnncov_core.networks.arguments import checked_box, checked_classes, checked_resize, checked_shape
from dnncov_core.types import Bounds, Ranges, Shape


def assert_refused(check: Callable[[], object], expected: str, fix: str) -> None:
    with pytest.raises(NetworkError) as caught:
        check()
    text = str(caught.value)
    assert text.startswith(f"expected {expected}")
    assert text.endswith(f"; {fix}")
    assert "\n" not in text
    assert len(text) < 400


@pytest.mark.parametrize("given", [(1, 28, 28), [1, 28, 28], torch.Size([1, 28, 28]), np.array([1, 28, 28])])
def test_a_shape_is_a_sequence_of_whole_numbers(given: Any) -> None:
    assert checked_shape(given) == (1, 28, 28)
    assert [type(size) for size in checked_shape(given)] == [int] * 3


@pytest.mark.parametrize(
    "given", [None, (), (0,), (-1, 3), (True, 3), (3.0,), ("3",), "3", {3}, (None,), ((3,),), {"c": 3}, np.eye(2), 2.5]
)
def test_another_shape_is_refused(given: Any) -> None:
    assert_refused(lambda: checked_shape(given), "input_shape, the sizes of one input", "change the input shape")


def test_a_shape_that_is_a_number_is_told_how_to_be_written() -> None:
    assert_refused(lambda: checked_shape(6), "input_shape", "write (6,)")


@pytest.mark.parametrize(
    "given",
    [
        (-1, 2.5),
        [-1, 2.5],
        ([-1.0], [2.5]),
        (np.array(-1.0), np.array([2.5])),
        np.array([-1, 2.5]),
        np.array([[-1], [2.5]]),
        torch.tensor([-1, 2.5]),
        torch.tensor([-1, 2.5], dtype=torch.bfloat16),
        (torch.tensor(-1), torch.tensor([2.5])),
        (np.int8(-1), np.float32(2.5)),
    ],
)
def test_bounds_are_two_numbers_in_any_dress(given: Any) -> None:
    assert checked_box((3,), given) == Box((3,), (-1.0, 2.5))


TWO_NUMBERS = "bounds (low, high), two finite numbers with low < high"
ARRAYS = "bounds as numbers, or arrays of numbers that broadcast to (3,), such as those of shape (3,);"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        *((given, TWO_NUMBERS) for given in (None, 3, (0,), (0, 1, 2), "012", {0: 1}, {0, 1}, (), (1, 1), (1.0, 0.0))),
        *((given, TWO_NUMBERS) for given in ((float("nan"), 1), (0, float("inf")), (0, 10**400))),
        ((-1.5e308, 1.5e308), TWO_NUMBERS),
        (np.zeros((4, 2)), TWO_NUMBERS),
        *((given, ARRAYS) for given in (("0", "1"), (False, True), (0, None), (0, 1j))),
        *((given, ARRAYS) for given in (([0, 0], 1), ([[0], [1, 2]], 1), ([True] * 3, 2), (["0"] * 3, 2))),
        *((given, ARRAYS) for given in ((np.zeros((2, 3)), 1), ({"a": 0}, 1), ([0, 10**400, 0], 1))),
        (([0, 1, 0], 1), None),
        (([0, 3, 0], [1, 2, 1]), "bounds of finite numbers with low <= high for feature 1; got low 3 and high 2"),
        (([0, 0, float("nan")], 1), "bounds of finite numbers with low <= high for feature 2; got low nan and high 1"),
        (([0, 0, -1.5e308], 1.5e308), "bounds of finite numbers with low <= high for feature 2"),
        (([1, 2, 3], [1, 2, 3]), "bounds with low < high for at least one feature; got none"),
    ],
)
def test_other_bounds_are_refused(given: Any, expected: str | None) -> None:
    if expected is None:
        assert checked_box((3,), given).ranges == ((0.0, 1.0), (1.0, 1.0), (0.0, 1.0))
    else:
        assert_refused(lambda: checked_box((3,), given), expected.split(";")[0], "change the bounds")


@pytest.mark.parametrize(
    ("shape", "given", "bounds", "ranges"),
    [
        ((2,), ([0.0, -3.14], [60760.0, 3.14]), (-3.14, 60760.0), ((0.0, 60760.0), (-3.14, 3.14))),
        ((2,), (np.float32([-1, 0]), torch.tensor(2)), (-1.0, 2.0), ((-1.0, 2.0), (0.0, 2.0))),
        ((2, 3), (np.array([[-1], [0]]), 1), (-1.0, 1.0), ((-1.0, 1.0), (0.0, 1.0))),
        ((2, 1, 2), (np.zeros((2, 1, 1)), np.full((2, 1, 1), 255)), (0.0, 255.0), ((0.0, 255.0), (0.0, 255.0))),
        ((2, 2), ([[0, 1], [2, 3]], 4), (0.0, 4.0), ((0.0, 4.0), (1.0, 4.0), (2.0, 4.0), (3.0, 4.0))),
        ((1, 8, 8), (torch.zeros(1, 8, 8), torch.ones(1, 8, 8)), (0.0, 1.0), None),
    ],
)
def test_features_have_bounds_of_their_own(shape: Shape, given: Any, bounds: Bounds, ranges: Ranges | None) -> None:
    assert checked_box(shape, given) == Box(shape, bounds, ranges)


def test_features_have_names_and_units() -> None:
    box = checked_box((2, 5), (0, 1), ["voltage", "current"], ("V", "A"))
    assert (box.features, box.units) == (("voltage", "current"), ("V", "A"))
    assert checked_box((2,), ([0, -1], 1), None, ["m", ""]).units == ("m", "")


@pytest.mark.parametrize("given", [["a"], ["a", "b", "c"], "ab", ["a", 1], {"a": 1, "b": 2}, 3])
def test_other_names_and_units_are_refused(given: Any) -> None:
    for what, named in (("features", {"features": given}), ("units", {"units": given})):
        fix = f"change the {what} or leave them out"
        assert_refused(lambda named=named: checked_box((2,), (0, 1), **named), f"{what}, 2 texts for inputs of", fix)


def test_a_name_of_two_features_is_refused() -> None:
    assert_refused(lambda: checked_box((2,), (0, 1), ["a", "a"]), "features with a name each", "change the features")


@pytest.mark.parametrize(
    "given", [["0", "1"], ("0", "1"), [0, 1], range(2), np.array([0, 1]), np.array(["0", "1"]), None]
)
def test_classes_are_names_or_numbers_in_an_order(given: Any) -> None:
    assert checked_classes(given, 2) == ("0", "1")


@pytest.mark.parametrize(
    "given", ["ab", b"ab", {"a": 1, "b": 2}, {"a", "b"}, [None, "b"], [1.5, 2], [True, "b"], 2, [["a"], "b"]]
)
def test_other_classes_are_refused(given: Any) -> None:
    fix = "change the classes or leave them out"
    assert_refused(lambda: checked_classes(given, 2), "classes, a list of names; got ", fix)


@pytest.mark.parametrize("given", [None, 28, np.int64(256), 10_000])
def test_a_resize_leaves_a_whole_input(given: Any) -> None:
    assert checked_resize(given, (1, 28, 20)) == given


@pytest.mark.parametrize("given", [27, 0, -28, True, 28.0, "28", "wide", [28], 10_001, 10**30])
def test_another_resize_is_refused(given: Any) -> None:
    expected, fix = "resize of at least the height and the width of input_shape", "change resize or leave it out"
    assert_refused(lambda: checked_resize(given, (1, 28, 20)), expected, fix)
