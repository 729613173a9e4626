"""What a network is told beside its module: what is clear is taken, everything else is one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from dnncov_core.errors import NetworkError
from dnncov_core.networks.arguments import checked_bounds, checked_classes, checked_resize, checked_shape


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
    assert checked_bounds(given) == (-1.0, 2.5)


PER_FEATURE = "give one low and one high for all features: bounds for each feature are not supported yet"


@pytest.mark.parametrize(
    ("given", "fix"),
    [
        *((given, "change the bounds") for given in (None, 3, (0,), (0, 1, 2), ("0", "1"), "01", {0: 1}, {0, 1}, ())),
        *((given, "change the bounds") for given in ((False, True), (0, None), (0, 1j), (1, 1), (1.0, 0.0))),
        *((given, "change the bounds") for given in ((float("nan"), 1), (0, float("inf")), (0, 10**400))),
        ((-1.5e308, 1.5e308), "change the bounds"),
        (([0.0, -3.14], [60760.0, 3.14]), PER_FEATURE),
        ((np.zeros(3), np.ones(3)), PER_FEATURE),
        ((torch.zeros(1, 8, 8), torch.ones(1, 8, 8)), PER_FEATURE),
        ((0.0, np.ones(3)), PER_FEATURE),
        (np.zeros((4, 2)), PER_FEATURE),
    ],
)
def test_other_bounds_are_refused(given: Any, fix: str) -> None:
    assert_refused(lambda: checked_bounds(given), "bounds (low, high), two finite numbers with low < high", fix)


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


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_outputs_are_refused(n: int) -> None:
    fix = "with one logit z return the logits of both classes: z * torch.tensor([0.0, 1.0])"
    assert_refused(lambda: checked_classes(None, n), f"at least two outputs, one for each class; got {n}", fix)


@pytest.mark.parametrize("given", [None, 28, np.int64(256), 10_000])
def test_a_resize_leaves_a_whole_input(given: Any) -> None:
    assert checked_resize(given, (1, 28, 20)) == given


@pytest.mark.parametrize("given", [27, 0, -28, True, 28.0, "28", "wide", [28], 10_001, 10**30])
def test_another_resize_is_refused(given: Any) -> None:
    expected, fix = "resize of at least the height and the width of input_shape", "change resize or leave it out"
    assert_refused(lambda: checked_resize(given, (1, 28, 20)), expected, fix)
