"""A setting as the parameters of an address, so that it can be shared.

``example=sv``, or x1, x2, criterion, g, g1 and features. Neurons have the paper's numbers there, from 1 within their
layer: ``features=2.1_2.2_3.3`` is the feature pair ({n2,1, n2,2}, {n3,3}).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from dnncov_core.campaign.spec import parse_value_function
from dnncov_core.criteria import CRITERIA, CoveringMethod
from dnncov_core.criteria.value_function_base import ValueFunction
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.errors import SpecificationError, unknown_name
from dnncov_core.features import FeaturePair
from dnncov_core.partitions import Feature
from dnncov_core.playground.setting import EXAMPLES, Point, Setting

PARAMETERS = ("example", "x1", "x2", "criterion", "g", "g1", "features")
"""What a setting's address may have."""


def write(setting: Setting) -> dict[str, str]:
    """The parameters of a setting.

    >>> write(EXAMPLES["sv"].setting)
    {'example': 'sv'}
    """
    for key, example in EXAMPLES.items():
        if example.setting == setting:
            return {"example": key}
    method = setting.method
    address = {"x1": _point(setting.x1), "x2": _point(setting.x2), "criterion": method.key}
    if method.own_function is not None:
        address["g"] = _function(method.own_function)
    if method.two_functions:
        address["g1"] = _function(method.g1)
    return address | {"features": _features(setting.pair)}


def read(address: Mapping[str, str]) -> Setting:
    """The setting of an address; what it leaves out is that of the example of its criterion, or of SS.

    Raises:
        SpecificationError: a parameter that says nothing that the playground can show.
    """
    if "example" in address:
        if address["example"] not in EXAMPLES:
            raise unknown_name("example", address["example"], EXAMPLES)
        return EXAMPLES[address["example"]].setting
    key = address.get("criterion", "ss")
    if key not in CRITERIA:
        raise unknown_name("criterion", key, CRITERIA)
    usual = EXAMPLES[key].setting
    return Setting(
        _read_point("x1", address["x1"]) if "x1" in address else usual.x1,
        _read_point("x2", address["x2"]) if "x2" in address else usual.x2,
        _read_method(usual.method, address.get("g"), address.get("g1")),
        _read_features(address["features"]) if "features" in address else usual.pair,
    )


def _read_method(usual: CoveringMethod, g: str | None, g1: str | None) -> CoveringMethod:
    if g is None and g1 is None:
        return usual
    own = usual.own_function if g is None else parse_value_function(g)
    first = ANY if g1 is None else parse_value_function(g1)
    return usual.with_functions(own or first, first)


def _function(function: ValueFunction) -> str:
    numbers = [field.name for field in fields(function) if field.type == "float"]
    return f"{function.name}={_number(getattr(function, numbers[0]))}" if numbers else function.name


def _number(value: float) -> str:
    """A number as short as possible without losing a digit.

    >>> _number(-1.0), _number(0.1)
    ('-1', '0.1')
    """
    return repr(value + 0.0).removesuffix(".0")


def _point(point: Point) -> str:
    return ",".join(map(_number, point))


def _read_point(name: str, text: str) -> Point:
    try:
        one, two = map(float, text.split(","))
    except ValueError as error:
        expected = f"{name} as two numbers with a comma between, such as 0.1,0"
        raise SpecificationError(expected, repr(text[:40]), "change the address") from error
    return one, two


def _features(pair: FeaturePair) -> str:
    return "_".join(f"{f.layer}.{i + 1}" for f in (pair.condition, pair.decision) for i in f.neurons)


def _read_features(text: str) -> FeaturePair:
    try:
        neurons = [tuple(map(int, part.split("."))) for part in text.split("_")]
        layers = sorted({k for k, _ in neurons})
        k, decision = layers
    except ValueError as error:
        expected = "features as neurons of two layers, such as 2.1_2.2_3.3 for ({n2,1, n2,2}, {n3,3})"
        raise SpecificationError(expected, repr(text[:40]), "change the address") from error
    condition, decided = (
        Feature(layer, tuple(sorted({i - 1 for at, i in neurons if at == layer}))) for layer in (k, decision)
    )
    return FeaturePair(condition, decided)
