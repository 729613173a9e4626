"""A setting's address gives the same setting again, and one that says nothing gets a clear line."""

from __future__ import annotations

import pytest

from dnncov_core.criteria import CRITERIA
from dnncov_core.criteria.value_function_base import ValueFunction
from dnncov_core.criteria.value_functions import ANY, AbsoluteChange, RatioChange, Top
from dnncov_core.errors import SpecificationError
from dnncov_core.features import Feature, FeaturePair
from dnncov_core.playground.address import PARAMETERS, read, write
from dnncov_core.playground.setting import EXAMPLES, Setting

FUNCTIONS: list[tuple[str, ValueFunction | None, ValueFunction]] = [
    ("ss", None, ANY),
    ("vs", RatioChange(1.5), ANY),
    ("sv", AbsoluteChange(0.1), ANY),
    ("vv", Top(), AbsoluteChange(1e-9)),
]


@pytest.mark.parametrize(("key", "own", "first"), FUNCTIONS)
def test_an_address_gives_its_setting_again(key: str, own: ValueFunction | None, first: ValueFunction) -> None:
    method = CRITERIA[key] if own is None else CRITERIA[key].with_functions(own, first)
    pair = FeaturePair(Feature(3, (0, 2)), Feature(4, (1,)))
    setting = Setting((0.1 + 0.2, -10.0), (1e-7, 1 / 3), method, pair)
    address = write(setting)
    assert set(address) <= set(PARAMETERS)
    assert read(address) == setting


@pytest.mark.parametrize("key", EXAMPLES)
def test_an_example_has_a_short_address(key: str) -> None:
    assert write(EXAMPLES[key].setting) == {"example": key}
    assert read({"example": key}) == EXAMPLES[key].setting


def test_what_is_left_out_is_that_of_the_criterions_example() -> None:
    assert read({}) == EXAMPLES["ss"].setting
    found = read({"criterion": "sv", "x2": "0.5,0.25"})
    usual = EXAMPLES["sv"].setting
    assert found == Setting(usual.x1, (0.5, 0.25), usual.method, usual.pair)


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ({"example": "tt"}, f"expected an example, one of {', '.join(EXAMPLES)}; got 'tt'"),
        ({"criterion": "nb"}, f"expected a criterion, one of {', '.join(CRITERIA)}; got 'nb'"),
        ({"x1": "1"}, "expected x1 as two numbers with a comma between, such as 0.1,0; got '1'"),
        ({"x2": "0,1,2"}, "expected x2 as two numbers"),
        ({"x2": "a,b"}, "expected x2 as two numbers"),
        ({"x1": "nan,0"}, "x1 must be two numbers from -10 to 10; got nan, 0"),
        ({"x1": "inf,0"}, "x1 must be two numbers from -10 to 10; got inf, 0"),
        ({"x2": "0,10.5"}, "x2 must be two numbers from -10 to 10; got 0, 10.5"),
        ({"criterion": "sv", "g": "ssmi"}, "expected a value function"),
        ({"criterion": "sv", "g": "ratio=x"}, "expected ratio=NUMBER; got 'ratio=x'"),
        ({"criterion": "sv", "g": "ratio=-1"}, "sigma above 0"),
        ({"g": "ratio"}, "no value function for SS"),
        ({"criterion": "vs", "g1": "ratio"}, "no separate g1 for VS"),
        ({"features": "2.1"}, "expected features as neurons of two layers"),
        ({"features": "2.1_3"}, "expected features as neurons of two layers"),
        ({"features": "2.1_3.1_4.1"}, "expected features as neurons of two layers"),
        ({"features": "2.1_4.1"}, "expected features of layers 2 and 3 or 3 and 4; got 2 and 4"),
        ({"features": "2.1_3.4"}, "The feature of layer 3 must be one or more of its neurons 1 to 3; got 4"),
        ({"features": "2.0_3.1"}, "The feature of layer 2 must be one or more of its neurons 1 to 3; got 0"),
    ],
)
def test_a_bad_address_is_one_clear_line(address: dict[str, str], line: str) -> None:
    with pytest.raises(SpecificationError) as caught:
        read(address)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
