"""Value functions against plain loops, their edge cases, and the half-spaces that they hand to generators."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from dnncov_core.activations import LayerValues
from dnncov_core.criteria import VALUE_FUNCTIONS
from dnncov_core.criteria.value_functions import (
    Absolute,
    Alternative,
    Any,
    NormDistance,
    Ratio,
    RatioSymmetric,
    Top,
    UpperBoundary,
    ValueFunction,
)
from dnncov_core.errors import SpecificationError
from tests import reference
from tests.networks_for_tests import features, layer_values

NUMBERS = st.sampled_from([-4.0, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0])
PAIRED: list[tuple[ValueFunction, reference.Changed]] = [
    (Ratio(2.0), reference.ratio(2.0)),
    (Ratio(0.5), reference.ratio(0.5)),
    (RatioSymmetric(2.0), reference.ratio_symmetric(2.0)),
    (RatioSymmetric(4.0), reference.ratio_symmetric(4.0)),
    (Absolute(1.0), reference.absolute(1.0)),
    (Absolute(0.0), reference.absolute(0.0)),
    (UpperBoundary(1.0), reference.upper_boundary(1.0)),
    (UpperBoundary(0.0), reference.upper_boundary(0.0)),
    *(
        (NormDistance(2.0, p, at_most), reference.norm(2.0, p, at_most=at_most))
        for p in ("1", "2", "inf")
        for at_most in (False, True)
    ),
    (Any(), reference.always),
]
LINEAR = [(g, slow) for g, slow in PAIRED if not (isinstance(g, NormDistance) and g.p == "2")]
Layers = tuple[list[list[float]], list[list[float]], tuple[int, ...]]


def label(value: object) -> str:
    return repr(value) if isinstance(value, ValueFunction) else ""


def rows(u: Sequence[Sequence[float]]) -> LayerValues:
    return layer_values(torch.tensor(u, dtype=torch.float64))


@st.composite
def layers(draw: st.DrawFn, batches: tuple[tuple[int, int], ...] = ((3, 3), (1, 4), (4, 1))) -> Layers:
    size = draw(st.integers(1, 4))
    row = st.lists(NUMBERS, min_size=size, max_size=size)
    u1, u2 = (draw(st.lists(row, min_size=n, max_size=n)) for n in draw(st.sampled_from(batches)))
    return u1, u2, draw(features(size))


def chosen(u: Sequence[Sequence[float]], b: int, neurons: Sequence[int]) -> list[float]:
    return [u[b % len(u)][i] for i in neurons]


@pytest.mark.parametrize(("g", "slow"), PAIRED, ids=label)
@given(drawn=layers())
def test_function_equals_its_slow_reference(g: ValueFunction, slow: reference.Changed, drawn: Layers) -> None:
    u1, u2, neurons = drawn
    got = g(rows(u1), rows(u2), neurons)
    n = max(len(u1), len(u2))
    assert got.dtype == torch.bool
    assert got.tolist() == [slow(chosen(u1, b, neurons), chosen(u2, b, neurons)) for b in range(n)]


@pytest.mark.parametrize("of", ["x1", "x2"])
@given(drawn=layers())
def test_top_equals_its_slow_reference(of: str, drawn: Layers) -> None:
    u1, u2, neurons = drawn
    got = Top(of)(rows(u1), rows(u2), neurons)
    n = max(len(u1), len(u2))
    assert got.tolist() == [reference.top(u1[b % len(u1)], u2[b % len(u2)], neurons, of) for b in range(n)]


@pytest.mark.parametrize(
    ("g", "u1", "u2", "expected"),
    [
        (Ratio(2.0), 0.0, 0.0, False),
        (Ratio(2.0), -0.0, 0.0, False),
        (Ratio(2.0), 0.0, -1e-300, True),
        (Ratio(2.0), -0.0, 3.0, True),
        (Ratio(2.0), 1.0, 2.0, True),
        (Ratio(2.0), -1.0, -2.0, True),
        (Ratio(2.0), 1.0, -9.0, False),
        (Ratio(2.0), 2.0, 1.0, False),
        (RatioSymmetric(2.0), 2.0, 1.0, True),
        (RatioSymmetric(2.0), 2.0, 0.0, True),
        (RatioSymmetric(2.0), 0.0, 0.0, False),
        (RatioSymmetric(2.0), 2.0, -1.0, False),
        (Absolute(1.0), 1.0, 2.0, True),
        (UpperBoundary(1.0), 0.0, 1.0, False),
        (Any(), 0.0, 0.0, True),
    ],
)
def test_edges(g: ValueFunction, u1: float, u2: float, expected: bool) -> None:
    assert bool(g(rows([[u1]]), rows([[u2]]), [0])) == expected


@pytest.mark.parametrize("build", [Ratio, RatioSymmetric])
@pytest.mark.parametrize("sigma", [0.0, -2.0, float("nan")])
def test_sigma_must_be_above_zero(build: Callable[[float], ValueFunction], sigma: float) -> None:
    with pytest.raises(SpecificationError, match="sigma"):
        build(sigma)


# Half-spaces for generators


def satisfied(alternative: Alternative, u2: Sequence[float]) -> bool:
    values = {"u": u2, "v": [reference.relu(u) for u in u2]}
    return all(
        (total > h.at_least if h.strict else total >= h.at_least)
        for h in alternative
        for total in [sum(c * values[h.of][i] for i, c in h.coefficients.items())]
    )


@pytest.mark.parametrize(("g", "slow"), LINEAR, ids=label)
@given(drawn=layers(batches=((1, 5),)))
@example(drawn=([[0.0]], [[-0.0]], (0,)))
@example(drawn=([[2.0]], [[0.0]], (0,)))
def test_alternatives_are_where_the_function_holds(g: ValueFunction, slow: reference.Changed, drawn: Layers) -> None:
    u1, u2, neurons = drawn
    alternatives = list(g.alternatives(rows(u1), neurons))
    for row in u2:
        expected = slow(chosen(u1, 0, neurons), chosen([row], 0, neurons))
        assert any(satisfied(alternative, row) for alternative in alternatives) == expected


@pytest.mark.parametrize("of", ["x1", "x2"])
@given(drawn=layers(batches=((1, 5),)))
def test_alternatives_of_top(of: str, drawn: Layers) -> None:
    u1, u2, neurons = drawn
    alternatives = list(Top(of).alternatives(rows(u1), neurons))
    for row in u2:
        expected = reference.top(u1[0], row, neurons, of)
        assert any(satisfied(alternative, row) for alternative in alternatives) == expected


@pytest.mark.parametrize("at_most", [False, True])
def test_euclidean_norm_is_linear_for_one_neuron_alone(at_most: bool) -> None:
    g, u1 = NormDistance(2.0, "2", at_most), rows([[1.0, 1.0]])
    for u2 in itertools.product([-2.0, -1.0, 0.0, 3.0, 4.0], repeat=2):
        holds = any(satisfied(alternative, u2) for alternative in g.alternatives(u1, [1]))
        assert holds == bool(g(u1, rows([u2]), [1]))
    with pytest.raises(SpecificationError, match="linear"):
        g.alternatives(u1, [0, 1])


@pytest.mark.parametrize("g", [Absolute(), NormDistance(p="1"), Ratio()], ids=label)
def test_too_many_alternatives_are_refused_before_they_are_built(g: ValueFunction) -> None:
    with pytest.raises(SpecificationError, match="alternatives"):
        list(g.alternatives(rows([[0.0] * 40]), range(40)))


@pytest.mark.parametrize("name", VALUE_FUNCTIONS)
def test_registered_function_answers_to_its_name_and_has_words(name: str) -> None:
    assert VALUE_FUNCTIONS[name].name == name
    assert VALUE_FUNCTIONS[name].words
