"""What value functions compare agrees with what they say."""

from __future__ import annotations

import math

import hypothesis.strategies as st
import pytest
import torch
from hypothesis import given

from dnncov_core.criteria import VALUE_FUNCTIONS
from dnncov_core.criteria.reference_functions import MeasuredBoundary
from dnncov_core.criteria.value_function_base import ValueFunction
from dnncov_core.criteria.value_functions import NormChange, RatioChange, SymmetricRatioChange, Top
from dnncov_core.layer_values import LayerValues

BOUNDARY = MeasuredBoundary("data", {(2, i): 0.5 * i for i in range(4)})
FUNCTIONS: list[ValueFunction] = [
    *(kind() for name, kind in VALUE_FUNCTIONS.items() if name != "any"),
    NormChange(0.5, "1"),
    NormChange(0.5, "2", at_most=True),
    Top("x2"),
    BOUNDARY,
]
LAYER = st.lists(st.sampled_from([-2.0, -1.0, -0.25, 0.0, 0.25, 0.5, 1.0, 2.0, 4.0]), min_size=4, max_size=4)
RELATIONS = {"≥": lambda a, b: a >= b, "≤": lambda a, b: a <= b, ">": lambda a, b: a > b}


def values(u: list[float]) -> LayerValues:
    tensor = torch.tensor([u], dtype=torch.float64)
    return LayerValues(tensor, tensor.relu(), (1, 2, 2))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.describe())
@given(u1=LAYER, u2=LAYER, neurons=st.sets(st.integers(0, 3), min_size=1))
def test_the_function_holds_iff_every_quantity_does(
    function: ValueFunction, u1: list[float], u2: list[float], neurons: set[int]
) -> None:
    feature = [0, 1, 2, 3] if function.name == "ssim" else sorted(neurons)
    before, after = values(u1), values(u2)
    found = function.quantities(2, before, after, feature)
    assert [i for quantity in found for i in quantity.neurons] == feature
    assert bool(function.at(2, [feature])(before, after, feature)[0]) is all(quantity.holds for quantity in found)
    for quantity in found:
        assert RELATIONS[quantity.relation](quantity.value, quantity.limit) is quantity.holds


def test_any_compares_nothing() -> None:
    assert VALUE_FUNCTIONS["any"]().quantities(2, values([1.0] * 4), values([2.0] * 4), [0]) == ()


@pytest.mark.parametrize(
    ("function", "u1", "u2", "expected"),
    [
        (RatioChange(2.0), 0.0, 3.0, math.inf),
        (RatioChange(2.0), -0.5, -1.5, 3.0),
        (RatioChange(2.0), -0.5, 1.5, -3.0),
        (SymmetricRatioChange(2.0), 4.0, 1.0, 4.0),
        (SymmetricRatioChange(2.0), 4.0, 0.0, math.inf),
    ],
)
def test_ratios_by_hand(function: ValueFunction, u1: float, u2: float, expected: float) -> None:
    (quantity,) = function.quantities(2, values([u1, 0, 0, 0]), values([u2, 0, 0, 0]), [0])
    assert quantity.value == expected


def test_no_change_of_zero_is_no_number() -> None:
    for function in (RatioChange(2.0), SymmetricRatioChange(2.0)):
        (quantity,) = function.quantities(2, values([0.0] * 4), values([0.0] * 4), [0])
        assert math.isnan(quantity.value)
        assert not quantity.holds


def test_boundaries_name_the_data() -> None:
    (quantity,) = BOUNDARY.quantities(2, values([0.0] * 4), values([0.0, 0.0, 0.0, 2.0]), [3])
    assert (quantity.value, quantity.limit) == (2.0, 1.5)
    assert quantity.limit_words == "its largest u over data"
