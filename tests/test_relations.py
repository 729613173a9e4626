"""Sign and value changes: the paper's table of activation values, and the slow references on random layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from dnncov_core.activations import capture
from dnncov_core.layer_values import LayerValues
from dnncov_core.networks.network import Network
from dnncov_core.relations import (
    changed_alone,
    changes,
    few_changed,
    layer_kept,
    sign,
    sign_changed,
    sign_kept,
)
from tests import reference
from tests.networks_for_tests import TOY, features, layer_values, toy_network

Relation = Callable[[LayerValues, LayerValues, Sequence[int]], Tensor]

PAPER_TABLE = [
    # x1, u of layers 2 and 3, x2, u of layers 2 and 3, neurons of layer 2 and of layer 3 that change their signs
    ((0.1, 0), (0.4, 0, -0.1, 0.8, 1.2, -0.4), (0, -1), (-1, 2, -1, -14, 12, 8), {0}, {0, 2}),
    ((0, 1), (1, -2, 1, 3, -2, 8), (0.1, 0.1), (0.5, -0.2, 0, 1, 1.5, -0.5), set(), {1, 2}),
    ((0, -1), (-1, 2, -1, -14, 12, 8), (0.1, -0.1), (0.3, 0.2, -0.2, -0.8, 2.1, 0.5), {0}, set()),
    ((0, 1), (1, -2, 1, 3, -2, 8), (0.1, 0.5), (0.9, -1, 0.4, 2.2, 0.7, 2.7), set(), {1}),
]
"""The paper's table of activation values. One of its 24 marks is a misprint: it has "sc" for n_{3,3} in the third
block, from u = 8 to u = 0.5, against its own Definition 2 and its own values; here that neuron keeps its sign."""
VALUES = st.sampled_from([-2.0, -1.0, -1e-300, -0.0, 0.0, 1e-300, 1.0, 2.0])


@pytest.fixture(scope="module")
def toy() -> Network:
    return toy_network()


def values(network: Network, *inputs: Sequence[float]) -> dict[int, LayerValues]:
    return capture(network, torch.tensor(inputs, dtype=torch.float64))


@pytest.mark.parametrize("column", [0, 2])
@pytest.mark.parametrize("row", PAPER_TABLE, ids=lambda row: f"{row[0]} {row[2]}")
def test_activation_values_are_those_of_the_papers_table(toy: Network, row: tuple, column: int) -> None:
    got = values(toy, row[column])
    u = torch.cat([got[2].u[0], got[3].u[0]])
    assert u.tolist() == pytest.approx(row[column + 1], abs=1e-12)
    assert torch.cat([got[2].v[0], got[3].v[0]]).tolist() == [max(value, 0) for value in u.tolist()]
    assert [
        v for layer in reference.forward(row[column], [np.array(weight) for weight in TOY]) for v in layer
    ] == pytest.approx(u.tolist())


@pytest.mark.parametrize("row", PAPER_TABLE, ids=lambda row: f"{row[0]} {row[2]}")
def test_sign_changes_are_those_of_the_papers_table(toy: Network, row: tuple) -> None:
    before, after = values(toy, row[0]), values(toy, row[2])
    for layer, expected in ((2, row[4]), (3, row[5])):
        for i in range(3):
            assert bool(sign_changed(before[layer], after[layer], [i])) == (i in expected), (layer, i)
            assert bool(sign_kept(before[layer], after[layer], [i])) == (i not in expected), (layer, i)
        assert bool(layer_kept(before[layer], after[layer])) == (not expected)


@pytest.mark.parametrize(
    ("u", "expected"), [(1.0, True), (0.0, True), (-0.0, True), (-1e-320, False), (-1.0, False), (1e-320, True)]
)
def test_sign_is_that_of_u_with_zero_positive(u: float, expected: bool) -> None:
    layer = layer_values(torch.tensor([[u]], dtype=torch.float64))
    assert bool(sign(layer)) == expected == (reference.sign(u) == 1) == (reference.sign(u, "sigmoid") == 1)


def test_sign_is_read_from_u_and_never_from_v() -> None:
    u = torch.tensor([[-1.0, 0.0]])
    assert sign(LayerValues(u, torch.zeros(1, 2), (2,))).tolist() == [[False, True]]
    assert sign(LayerValues(-u, torch.tensor([[-7.0, -7.0]]), (2,))).tolist() == [[True, True]]


def test_mixed_feature_is_neither_changed_nor_kept() -> None:
    before, after = (layer_values(torch.tensor([u])) for u in ([1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]))
    assert not sign_changed(before, after, [0, 1])
    assert not sign_kept(before, after, [0, 1])
    assert not changed_alone(before, after, [0, 1])
    assert changed_alone(before, after, [0])
    assert changes(before, after).tolist() == [[True, False, False]]


@st.composite
def two_layers(draw: st.DrawFn) -> tuple[list[list[float]], list[list[float]], tuple[int, ...]]:
    """u of one layer for two batches (of equal size, or one of them of one input), and a feature."""
    size = draw(st.integers(1, 5))
    n1, n2 = draw(st.sampled_from([(1, 1), (3, 3), (1, 4), (4, 1)]))
    row = st.lists(VALUES, min_size=size, max_size=size)
    u1, u2 = (draw(st.lists(row, min_size=n, max_size=n)) for n in (n1, n2))
    return u1, u2, draw(features(size))


def _rest(u: Sequence[float], feature: Sequence[int]) -> list[int]:
    return [j for j in range(len(u)) if j not in feature]


RELATIONS: list[tuple[Relation, Callable[[Sequence[float], Sequence[float], Sequence[int]], bool]]] = [
    (sign_changed, reference.sc),
    (sign_kept, reference.nsc),
    (lambda a, b, _: layer_kept(a, b), lambda a, b, _: reference.nsc(a, b, range(len(a)))),
    (changed_alone, lambda a, b, f: reference.sc(a, b, f) and reference.nsc(a, b, _rest(a, f))),
]


@pytest.mark.parametrize(("relation", "slow"), RELATIONS, ids=["sc", "nsc", "layer_kept", "changed_alone"])
@given(drawn=two_layers())
def test_relation_equals_its_slow_reference(relation: Relation, slow: Callable[..., bool], drawn: tuple) -> None:
    u1, u2, feature = drawn
    got = relation(*(layer_values(torch.tensor(u, dtype=torch.float64)) for u in (u1, u2)), feature)
    n = max(len(u1), len(u2))
    expected = [slow(u1[b % len(u1)], u2[b % len(u2)], feature) for b in range(n)]
    assert got.dtype == torch.bool
    assert got.tolist() == expected


@given(drawn=two_layers(), most=st.integers(1, 6))
def test_few_changed_means_that_some_feature_of_so_many_changed_alone(drawn: tuple, most: int) -> None:
    u1, u2, _ = drawn
    got = few_changed(*(layer_values(torch.tensor(u, dtype=torch.float64)) for u in (u1, u2)), most)
    assert got.dtype == torch.bool
    assert got.tolist() == [
        reference.free((u1[b % len(u1)], u2[b % len(u2)]), most) for b in range(max(len(u1), len(u2)))
    ]


@given(drawn=two_layers())
def test_relations_are_symmetric_and_exclude_each_other(drawn: tuple) -> None:
    before, after = (layer_values(torch.tensor(u, dtype=torch.float64)) for u in drawn[:2])
    changed, kept = sign_changed(before, after, drawn[2]), sign_kept(before, after, drawn[2])
    assert torch.equal(changed, sign_changed(after, before, drawn[2]))
    assert torch.equal(kept, sign_kept(after, before, drawn[2]))
    assert not (changed & kept).any()
    assert not (changed_alone(before, after, drawn[2]) & ~changed).any()
