"""The strongest connections, against weight matrices and against coefficients found one unit at a time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from dnncov_core import connections
from dnncov_core.connections import strongest_connections
from dnncov_core.networks.network import Network
from tests.networks_for_tests import Fn, mlp_of, piecewise, seeded


def ranked(weights: np.ndarray, most: int) -> list[list[int]]:
    """By plain sorting, from weights ``(s_k, s_l)``."""
    n_units, n_neurons = weights.shape
    found = []
    for j in range(n_neurons):
        connected = [i for i in range(n_units) if weights[i, j] != 0]
        best = sorted(connected, key=lambda i: (-abs(weights[i, j]), i))[:most]
        found.append(best + [-1] * (min(most, n_units) - len(best)))
    return found


NUMBERS = st.sampled_from([-2.0, -1.0, 0.0, 1.0, 3.0])


@given(
    weights=st.lists(st.lists(NUMBERS, min_size=5, max_size=5), min_size=3, max_size=3),
    most=st.integers(1, 7),
)
def test_the_largest_weights_of_a_dense_layer_with_ties_and_zeros(weights: list[list[float]], most: int) -> None:
    second = np.array(weights).T
    network = dense([np.ones((2, 5)), second, np.eye(3)])
    assert strongest_connections(network, (2, 3), most).tolist() == ranked(second, most)


NETWORKS: dict[tuple[int, ...], Network] = {}


def dense(weights: list[np.ndarray]) -> Network:
    """One network a shape, whose weights are replaced, since exporting takes long."""
    sizes = tuple(n for weight in weights for n in weight.shape)
    if sizes not in NETWORKS:
        NETWORKS[sizes] = Network(mlp_of(weights), (weights[0].shape[0],))
    network = NETWORKS[sizes]
    matrices = iter(weights)
    network._state = {node: torch.from_numpy(next(matrices).T.copy()) for node in network._state}
    return network


class Convolutions:
    """A network between whose layers 2 and 3 lies something, and that something alone, ``(batch, *shape)`` to u."""

    def __init__(self, between: nn.Module, shape: tuple[int, ...]) -> None:
        self.between = seeded(lambda: between).double()
        self.shape = shape
        outputs = self.between(torch.zeros(1, *shape).double()).numel()
        module = nn.Sequential(nn.ReLU(), self.between, nn.ReLU(), nn.Flatten(), nn.Linear(outputs, 2)).double()
        self.network = Network(module, shape)

    def coefficients(self) -> np.ndarray:
        """``(s_2, s_3)``, from one unit changed at a time; without max pooling."""
        base = torch.zeros(1, *self.shape).double()
        columns = []
        for place in np.ndindex(*self.shape):
            x = base.clone()
            x[(0, *place)] = 1.0
            columns.append((self.between(x) - self.between(base)).flatten().detach().numpy())
        return np.array(columns)


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(2, 2, 3, padding=1, bias=False), nn.BatchNorm2d(2))

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) + x


AFFINE = {
    "strided convolution": (nn.Conv2d(2, 3, 3, stride=2, padding=1), (2, 5, 6)),
    "batch norm and residual": (Residual(), (2, 3, 4)),
    "average pooling": (nn.Sequential(nn.AvgPool2d(2), nn.Conv2d(2, 2, 2)), (2, 4, 6)),
    "groups, dilation": (nn.Conv2d(2, 4, 2, dilation=2, groups=2), (2, 4, 5)),
    "global average": (nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 4)), (3, 2, 2)),
    "transposed, cut and joined": (
        Fn(lambda m, x: torch.cat([m[0](x[:, :1]).transpose(2, 3), x.transpose(2, 3) / 3], dim=1), nn.Conv2d(1, 1, 1)),
        (2, 2, 3),
    ),
}


@pytest.mark.parametrize("name", AFFINE)
@pytest.mark.parametrize("most", [1, 4, 1000])
def test_coefficients_found_one_unit_at_a_time(name: str, most: int) -> None:
    made = Convolutions(*AFFINE[name])
    coefficients = made.coefficients()
    found = strongest_connections(made.network, (2, 3), most)
    assert found.shape == (coefficients.shape[1], min(most, coefficients.shape[0]))
    assert_strongest(found, coefficients)


def assert_strongest(found: np.ndarray, coefficients: np.ndarray) -> None:
    """The named units are the strongest, up to what rounding makes of equal weights; the rest has no connection."""
    sizes = np.abs(coefficients)
    sizes[sizes < 1e-12] = 0
    for j, units in enumerate(found.tolist()):
        named = [i for i in units if i >= 0]
        assert len(set(named)) == len(named) == min(len(units), np.count_nonzero(sizes[:, j]))
        assert units == named + [-1] * (len(units) - len(named))
        np.testing.assert_allclose(sizes[named, j], np.sort(sizes[:, j])[::-1][: len(named)], rtol=1e-9)


def windows(length: int, kernel: int, stride: int, padding: int, dilation: int, n: int) -> list[list[int | None]]:
    """Entries of each pooling window along one axis, None in the padding."""
    places = [[w * stride - padding + p * dilation for p in range(kernel)] for w in range(n)]
    return [[y if 0 <= y < length else None for y in window] for window in places]


POOLS = {
    "without overlap": {"kernel_size": 2},
    "overlapping, padded": {"kernel_size": 3, "stride": 2, "padding": 1},
    "dilated, ceil": {"kernel_size": 2, "stride": 2, "dilation": 2, "ceil_mode": True},
}


def passed(pool: nn.MaxPool2d, position: tuple[int, int], x: Tensor) -> Tensor:
    """What a pooling gives if every window passes this position, entry by entry."""
    made = pool(x)
    geometry = (pool.kernel_size, pool.stride, pool.padding, pool.dilation)
    rows = windows(x.shape[2], *geometry, made.shape[2])
    columns = windows(x.shape[3], *geometry, made.shape[3])
    result = torch.zeros_like(made)
    for r, c in itertools.product(range(made.shape[2]), range(made.shape[3])):
        y, z = rows[r][position[0]], columns[c][position[1]]
        if y is not None and z is not None:
            result[:, :, r, c] = x[:, :, y, z]
    return result


@pytest.mark.parametrize("order", ["pooling first", "convolution first"])
@pytest.mark.parametrize("name", POOLS)
def test_max_pooling_between_takes_the_largest_coefficient_of_its_outcomes(name: str, order: str) -> None:
    pool, convolution = nn.MaxPool2d(**POOLS[name]), nn.Conv2d(2, 3, 2)  # type: ignore[arg-type]
    parts = [pool, convolution] if order == "pooling first" else [convolution, pool]
    made = Convolutions(nn.Sequential(*parts), (2, 5, 6))
    sizes = []
    for position in itertools.product(range(pool.kernel_size), repeat=2):
        made.between = nn.Sequential(
            *[Fn(lambda _, x, p=position: passed(pool, p, x)) if part is pool else part for part in parts]
        )
        sizes.append(np.abs(made.coefficients()))
    expected = np.max(sizes, axis=0)
    assert_strongest(strongest_connections(made.network, (2, 3), 3), expected)
    everything = strongest_connections(made.network, (2, 3), 1000)
    assert [sorted(i for i in units if i >= 0) for units in everything.tolist()] == [
        np.flatnonzero(column > 1e-12).tolist() for column in expected.T
    ]


def test_two_poolings_one_after_the_other() -> None:
    """Each of 16 units is passed by one outcome, with the only weight of each output."""
    module = nn.Sequential(nn.ReLU(), nn.MaxPool2d(2), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(1, 2))
    found = strongest_connections(Network(module, (1, 4, 4)), (2, 3), 99)
    assert found.tolist() == [list(range(16))] * 2


@pytest.mark.parametrize("name", ["residual and cat", "branches with pooling"])
def test_every_edge_of_branched_networks_has_connections(name: str) -> None:
    network = piecewise(name)
    for edge in network.edges:
        found = strongest_connections(network, edge, 2)
        assert found.shape == (network.layers[edge[1] - 1].neurons, 2)
        assert (found[:, 0] >= 0).all()


def test_connections_lead_through_what_is_detached_for_training() -> None:
    module = Fn(lambda m, x: m[1](m[0](x).relu().detach()), nn.Linear(2, 3), nn.Linear(3, 2))
    assert (strongest_connections(Network(module, (2,)), (2, 3), 3) >= 0).all()


def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    network = Convolutions(*AFFINE["strided convolution"]).network
    whole = strongest_connections(network, (2, 3), 5)
    monkeypatch.setattr(connections, "MOST_NUMBERS", 200)
    np.testing.assert_array_equal(strongest_connections(network, (2, 3), 5), whole)
