"""The specification: every parameter is checked, and the messages list what exists."""

from __future__ import annotations

import dataclasses

import pytest

from dnncov_core.campaign.spec import CampaignSpec, parse_value_function
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS
from dnncov_core.criteria.value_functions import Absolute, Any, NormDistance, Ratio, UpperBoundary
from dnncov_core.errors import CampaignError, DnncovError, SpecificationError


def spec(**fields: object) -> CampaignSpec:
    return CampaignSpec(network="toy", data="toy", **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "g1", "g2"),
    [
        ({"criterion": "vs"}, Any(), Any()),
        ({"criterion": "sv"}, Any(), Ratio(2.0)),
        ({"criterion": "vv"}, Any(), Ratio(5.0)),
        ({"criterion": "vs", "value_function": "ratio", "sigma": 3.0}, Ratio(3.0), Any()),
        ({"criterion": "sv", "sigma": 4.0}, Any(), Ratio(4.0)),
        ({"criterion": "vv", "value_function": "upper_boundary", "d": 0.5}, Any(), UpperBoundary(0.5)),
        ({"criterion": "vv", "condition_value_function": "absolute=0.25"}, Absolute(0.25), Ratio(5.0)),
        (
            {"criterion": "sv", "value_function": "norm", "d": 1.5, "p": "1", "at_most": True},
            Any(),
            NormDistance(1.5, "1", True),
        ),
    ],
)
def test_value_functions(fields: dict[str, object], g1: object, g2: object) -> None:
    method = spec(**fields).covering_method()
    assert (method.g1, method.g2) == (g1, g2)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_json_round_trip(criterion: str) -> None:
    one = spec(criterion=criterion, layers=(3,), bound=0.25, pairs=9, top_weights=10)
    assert CampaignSpec.from_json(one.to_json()) == one


def test_json_of_a_newer_version_is_refused() -> None:
    text = spec().to_json().replace('"omega"', '"omega_of_the_future"')
    with pytest.raises(CampaignError, match="omega_of_the_future"):
        CampaignSpec.from_json(text)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"criterion": "xx"}, "one of ss, vs, sv, vv; got 'xx'"),
        ({"generator": "magic"}, "one of auto, lp, lp-reference, targeted, gradient; got 'magic'"),
        ({"feature_mode": "cloud"}, "one of neuron, fixed"),
        ({"grid": "16bit"}, "grid, one of none, 8bit; got '16bit'"),
        ({"norm": "3"}, "one of inf, 2, 1"),
        ({"device": "tpu"}, "one of auto, cpu, cuda, mps"),
        ({"criterion": "sv", "value_function": "huge"}, "one of ratio, ratio_symmetric"),
        ({"pairs": 0}, "pairs: a whole number from 1"),
        ({"top_weights": 0}, "top_weights: a whole number from 1"),
        ({"top_weights": 3, "feature_mode": "fixed"}, "single neurons with top_weights; got feature mode fixed"),
        ({"seeds": 0}, "seeds: a whole number from 1"),
        ({"max_seeds": 0}, "max_seeds"),
        ({"omega": 0.0}, "omega: a share above 0"),
        ({"omega": 1.5}, "omega"),
        ({"omega": float("nan")}, "omega"),
        ({"margin": 0.0}, "margin"),
        ({"bound": -1.0}, "bound"),
        ({"bound": float("inf")}, "bound"),
        ({"random_seed": -1}, "random_seed"),
        ({"sigma": 2.0}, "no value function for SS"),
        ({"value_function": "ratio"}, "no value function for SS"),
        ({"criterion": "sv", "sigma": 0.0}, "sigma above 0"),
        ({"criterion": "sv", "sigma": float("nan")}, "sigma above 0"),
        ({"criterion": "sv", "d": 1.0}, "one of sigma for the value function ratio; got d"),
        ({"criterion": "vs", "sigma": 1.0}, "no parameter for the value function any; got sigma"),
        ({"criterion": "sv", "condition_value_function": "ratio"}, "no separate g1"),
        ({"criterion": "vv", "condition_value_function": "ratio=x"}, "ratio=NUMBER"),
        ({"criterion": "vv", "condition_value_function": "any=3"}, "any without a number"),
        ({"criterion": "vv", "condition_value_function": "big"}, "value function, one of"),
    ],
)
def test_refusals(fields: dict[str, object], message: str) -> None:
    with pytest.raises(SpecificationError) as error:
        spec(**fields)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", VALUE_FUNCTIONS)
def test_every_value_function_can_be_named_alone(name: str) -> None:
    assert isinstance(parse_value_function(name), VALUE_FUNCTIONS[name])


@pytest.mark.parametrize("name", ["sigma", "d", "p", "at_most"])
def test_every_parameter_belongs_to_a_value_function(name: str) -> None:
    fields = {field.name for kind in VALUE_FUNCTIONS.values() for field in dataclasses.fields(kind)}
    assert name in fields


def test_errors_are_of_one_tree() -> None:
    assert issubclass(SpecificationError, DnncovError)
