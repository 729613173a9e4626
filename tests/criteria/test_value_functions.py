"""Value functions against plain loops, their edge cases, and the half-spaces that they hand to generators."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from dnncov_core.criteria import VALUE_FUNCTIONS
from dnncov_core.criteria.ssim import SSIM
from dnncov_core.criteria.value_function_base import Alternative, ValueFunction
from dnncov_core.criteria.value_functions import (
    AbsoluteChange,
    AnyChange,
    NormChange,
    RatioChange,
    SymmetricRatioChange,
    Top,
    UpperBoundary,
)
from dnncov_core.errors import SpecificationError
from dnncov_core.layer_values import LayerValues
from tests import reference
from tests.networks_for_tests import features, layer_values

NUMBERS = st.sampled_from([-4.0, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, 4.0])
PAIRED: list[tuple[ValueFunction, reference.Changed]] = [
    (RatioChange(2.0), reference.ratio(2.0)),
    (RatioChange(0.5), reference.ratio(0.5)),
    (SymmetricRatioChange(2.0), reference.ratio_symmetric(2.0)),
    (SymmetricRatioChange(4.0), reference.ratio_symmetric(4.0)),
    (AbsoluteChange(1.0), reference.absolute(1.0)),
    (AbsoluteChange(0.0), reference.absolute(0.0)),
    (UpperBoundary(1.0), reference.upper_boundary(1.0)),
    (UpperBoundary(0.0), reference.upper_boundary(0.0)),
    *(
        (NormChange(2.0, p, at_most), reference.norm(2.0, p, at_most=at_most))
        for p in ("1", "2", "inf")
        for at_most in (False, True)
    ),
    (AnyChange(), reference.always),
]
LINEAR = [(g, slow) for g, slow in PAIRED if not (isinstance(g, NormChange) and g.p == "2")]
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
        (RatioChange(2.0), 0.0, 0.0, False),
        (RatioChange(2.0), -0.0, 0.0, False),
        (RatioChange(2.0), 0.0, -1e-300, True),
        (RatioChange(2.0), -0.0, 3.0, True),
        (RatioChange(2.0), 1.0, 2.0, True),
        (RatioChange(2.0), -1.0, -2.0, True),
        (RatioChange(2.0), 1.0, -9.0, False),
        (RatioChange(2.0), 2.0, 1.0, False),
        (SymmetricRatioChange(2.0), 2.0, 1.0, True),
        (SymmetricRatioChange(2.0), 2.0, 0.0, True),
        (SymmetricRatioChange(2.0), 0.0, 0.0, False),
        (SymmetricRatioChange(2.0), 2.0, -1.0, False),
        (AbsoluteChange(1.0), 1.0, 2.0, True),
        (UpperBoundary(1.0), 0.0, 1.0, False),
        (AnyChange(), 0.0, 0.0, True),
    ],
)
def test_edges(g: ValueFunction, u1: float, u2: float, expected: bool) -> None:
    assert bool(g(rows([[u1]]), rows([[u2]]), [0])) == expected


@pytest.mark.parametrize("build", [RatioChange, SymmetricRatioChange])
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
    g, u1 = NormChange(2.0, "2", at_most), rows([[1.0, 1.0]])
    for u2 in itertools.product([-2.0, -1.0, 0.0, 3.0, 4.0], repeat=2):
        holds = any(satisfied(alternative, u2) for alternative in g.alternatives(u1, [1]))
        assert holds == bool(g(u1, rows([u2]), [1]))
    with pytest.raises(SpecificationError, match="linear"):
        g.alternatives(u1, [0, 1])


@pytest.mark.parametrize("g", [AbsoluteChange(), NormChange(p="1"), RatioChange()], ids=label)
def test_too_many_alternatives_are_refused_before_they_are_built(g: ValueFunction) -> None:
    with pytest.raises(SpecificationError, match="alternatives"):
        list(g.alternatives(rows([[0.0] * 40]), range(40)))


# What is lacking, for generators that follow gradients

SHORTFALL = [(g, slow) for g, slow in PAIRED if not isinstance(g, Top)]


def on_strict_edge(g: ValueFunction, u1: Sequence[float], u2: Sequence[float]) -> bool:
    """Where a strict inequality is met with equality: nothing lacks, and yet the function does not hold."""
    if isinstance(g, UpperBoundary):
        return g.d in u2
    return isinstance(g, (RatioChange, SymmetricRatioChange)) and any(a == b == 0 for a, b in zip(u1, u2, strict=True))


def lacking(g: ValueFunction, u1: Sequence[Sequence[float]], u2: Sequence[Sequence[float]]) -> torch.Tensor:
    return g.shortfall(torch.tensor(u1, dtype=torch.float64), torch.tensor(u2, dtype=torch.float64))


@pytest.mark.parametrize(("g", "slow"), SHORTFALL, ids=label)
@given(drawn=layers(batches=((3, 3),)))
def test_nothing_lacks_exactly_where_the_function_holds(
    g: ValueFunction, slow: reference.Changed, drawn: Layers
) -> None:
    u1, u2, neurons = drawn
    mine = [(chosen(u1, b, neurons), chosen(u2, b, neurons)) for b in range(3)]
    got = lacking(g, *zip(*mine, strict=True))
    assert got.shape == (3,)
    for (first, second), value in zip(mine, got.tolist(), strict=True):
        if not on_strict_edge(g, first, second):
            assert (value <= 0) == slow(first, second)


@pytest.mark.parametrize(
    ("g", "u1", "u2"),
    [(RatioChange(2.0), 0.0, 0.0), (SymmetricRatioChange(2.0), -0.0, 0.0), (UpperBoundary(1.0), 3.0, 1.0)],
    ids=label,
)
def test_on_strict_edges_nothing_lacks_and_a_step_beyond_holds(g: ValueFunction, u1: float, u2: float) -> None:
    assert lacking(g, [[u1]], [[u2]]).tolist() == [0.0]
    assert not bool(g(rows([[u1]]), rows([[u2]]), [0]))
    assert lacking(g, [[u1]], [[u2 + 0.5]]).tolist() == [-0.5]
    assert bool(g(rows([[u1]]), rows([[u2 + 0.5]]), [0]))


@pytest.mark.parametrize(
    ("g", "u1", "u2", "expected"),
    [
        (RatioChange(2.0), 1.0, 0.5, 1.5),
        (RatioChange(2.0), -1.0, 0.5, 2.5),
        (RatioChange(2.0), -1.0, -3.0, -1.0),
        (SymmetricRatioChange(2.0), 4.0, 2.5, 0.5),
        (SymmetricRatioChange(2.0), 4.0, -0.25, 0.25),
        (AbsoluteChange(1.0), 1.0, 1.25, 0.75),
        (UpperBoundary(1.0), 0.0, -0.5, 1.5),
        (NormChange(2.0, "inf"), 1.0, 0.0, 1.0),
        (NormChange(2.0, "inf", at_most=True), 1.0, 0.0, -1.0),
        (AnyChange(), 1.0, 0.0, -math.inf),
    ],
    ids=label,
)
def test_what_lacks_is_in_units_of_u(g: ValueFunction, u1: float, u2: float, expected: float) -> None:
    assert lacking(g, [[u1]], [[u2]]).tolist() == [expected]


@pytest.mark.parametrize("g", [RatioChange(2.0), AbsoluteChange(1.0), UpperBoundary(1.0)], ids=label)
def test_the_worst_neuron_of_a_feature_counts(g: ValueFunction) -> None:
    u1, u2 = [1.0, 2.0, -1.0], [1.5, 5.0, 0.0]
    alone = [lacking(g, [[a]], [[b]]).item() for a, b in zip(u1, u2, strict=True)]
    assert lacking(g, [u1], [u2]).item() == max(alone)


@pytest.mark.parametrize("g", [g for g, _ in SHORTFALL if not isinstance(g, AnyChange)], ids=label)
@given(drawn=layers(batches=((3, 3),)), shift=st.sampled_from([0.23, -0.37]))
def test_what_lacks_has_gradients_that_lessen_it(g: ValueFunction, drawn: Layers, shift: float) -> None:
    first, second, neurons = drawn
    u1, u2 = (torch.tensor([chosen(u, b, neurons) for b in range(3)], dtype=torch.float64) for u in (first, second))
    u2 = (u2 + shift * torch.arange(1, len(neurons) + 1)).requires_grad_()  # no two lack the same
    before = g.shortfall(u1, u2)
    (gradient,) = torch.autograd.grad(before.sum(), u2)
    assert gradient.shape == u2.shape
    assert gradient.isfinite().all()
    after = g.shortfall(u1, u2.detach() - 1e-6 * gradient)
    assert ((after < before) | (before <= 0) | (gradient == 0).all(dim=1)).all()
    moved = (u2 != u1).all(dim=1)
    assert (gradient != 0).any(dim=1)[moved & (before > 0)].all()


@pytest.mark.parametrize("g", [Top("x1"), Top("x2"), SSIM()], ids=label)
def test_functions_of_a_whole_layer_have_no_shortfall(g: ValueFunction) -> None:
    with pytest.raises(SpecificationError, match=rf"the feature's own u for gradient search; got {g.name}; choose"):
        lacking(g, [[1.0]], [[2.0]])


@pytest.mark.parametrize("name", VALUE_FUNCTIONS)
def test_every_registered_function_has_a_shortfall_or_refuses(name: str) -> None:
    try:
        value = lacking(VALUE_FUNCTIONS[name](), [[1.0]], [[2.5]]).item()
    except SpecificationError:
        assert name in ("top", "ssim")
        return
    holds = bool(VALUE_FUNCTIONS[name]()(rows([[1.0]]), rows([[2.5]]), [0]))
    assert (value <= 0) == holds


@pytest.mark.parametrize("name", VALUE_FUNCTIONS)
def test_registered_function_answers_to_its_name_and_has_words(name: str) -> None:
    assert VALUE_FUNCTIONS[name].name == name
    assert VALUE_FUNCTIONS[name].words
