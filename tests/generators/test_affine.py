"""The affine maps of a fixed pattern reproduce u wherever the pattern holds, and the pooling rows say where it does."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dnncov_core.activations import capture
from dnncov_core.errors import NetworkError
from dnncov_core.generators.affine import INPUT, AffineExtractor, AffineMap, AffineNetwork
from dnncov_core.generators.pattern import Pattern, pattern_of, pieces_by_layer
from dnncov_core.networks import Network
from tests.networks_for_tests import PIECEWISE, piecewise, random_mlp


@pytest.fixture(scope="module", params=PIECEWISE)
def network(request: pytest.FixtureRequest) -> Network:
    return piecewise(request.param)


def hidden(network: Network) -> range:
    return range(2, network.depth)


def extract(network: Network, x: Tensor) -> tuple[Pattern, AffineNetwork]:
    extractor = AffineExtractor(network)
    pattern = pattern_of(pieces_by_layer(network), capture(network, x), hidden(network), None)
    return pattern, extractor.maps(x, pattern, network.depth)


def evaluate(affine: AffineMap, values: Mapping[int, np.ndarray]) -> np.ndarray:
    result = affine.constant.copy()
    for source, matrix in affine.matrices.items():
        result += matrix @ values[source]
    return result


def by_maps(network: Network, pattern: Pattern, affine: AffineNetwork, x: Tensor) -> dict[int, np.ndarray]:
    """u of every layer by the maps alone; under INPUT, the input; v of layers under their negative number."""
    v, u = {INPUT: x.numpy().ravel()}, {}
    for k in range(2, network.depth + 1):
        u[k] = evaluate(affine.layers[k], v)
        if k < network.depth:
            v[k] = pattern.slopes(k) * u[k] + pattern.intercepts(k)
    return u


def stays(network: Network, pattern: Pattern, affine: AffineNetwork, x: Tensor) -> bool:
    """Whether x is on the pattern: the same pieces, and each pooling's winners."""
    values = capture(network, x)
    here = pattern_of(pattern.pieces, values, hidden(network), None)
    v = {INPUT: x.numpy().ravel(), **{k: values[k].v[0].numpy() for k in hidden(network)}}
    pooled = [(evaluate(rows.values, v), rows) for rows in affine.pools]
    same = all(np.array_equal(here.on[k], pattern.on[k]) for k in hidden(network))
    return same and all((entries[rows.winners] >= entries[rows.others]).all() for entries, rows in pooled)


def test_maps_reproduce_u_on_the_pattern(network: Network) -> None:
    generator = torch.Generator().manual_seed(1)
    compared = 0
    for _ in range(6):
        x1 = torch.rand(1, *network.input_shape, dtype=torch.float64, generator=generator)
        pattern, affine = extract(network, x1)
        assert stays(network, pattern, affine, x1)
        for scale in (0.0, 1e-4, 1e-2, 0.1, 0.3, 0.3):
            x = x1 + scale * torch.randn(x1.shape, dtype=torch.float64, generator=generator)
            if stays(network, pattern, affine, x):
                compared += 1
                values = capture(network, x)
                for k, u in by_maps(network, pattern, affine, x).items():
                    np.testing.assert_allclose(u, values[k].u[0].numpy(), rtol=1e-9, atol=1e-9)
    assert compared >= 14


def test_maps_depend_on_direct_sources_only(network: Network) -> None:
    _, affine = extract(network, torch.rand(1, *network.input_shape, dtype=torch.float64))
    for _, decision in network.edges:
        assert set(affine.layers[decision].matrices) <= {INPUT, *(c for c, d in network.edges if d == decision)}


def test_pooling_rows_are_all_other_entries_of_each_window() -> None:
    network = Network(
        nn.Sequential(nn.Conv2d(1, 1, 1), nn.ReLU(), nn.MaxPool2d(3, 2, 1), nn.Flatten(), nn.Linear(6, 2)).double(),
        (1, 3, 5),
    )
    _, affine = extract(network, torch.rand(1, 1, 3, 5, dtype=torch.float64))
    (rows,) = affine.pools
    windows = [range(max(0, r), min(3, r + 3)) for r in (-1, 1)], [range(max(0, c), min(5, c + 3)) for c in (-1, 1, 3)]
    expected = [{y * 5 + x for y in ys for x in xs} for ys in windows[0] for xs in windows[1]]
    assert len(rows.winners) == sum(len(window) - 1 for window in expected)
    place = 0
    for window in expected:
        n = len(window) - 1
        winners, others = set(rows.winners[place : place + n].tolist()), rows.others[place : place + n].tolist()
        assert len(winners) == 1
        assert sorted([*winners, *others]) == sorted(window)
        place += n


@functools.cache
def one_neuron(activation: str) -> Network:
    chosen = {"ReLU()": nn.ReLU(), "ReLU6()": nn.ReLU6()}.get(activation, nn.LeakyReLU(0.25))
    return Network(nn.Sequential(nn.Flatten(), chosen, nn.Linear(1, 1)).double(), (1,), (-9.0, 9.0))


@pytest.mark.parametrize(
    ("activation", "u", "flip", "slope", "v"),
    [
        # u of x1, whether its sign is flipped, then the slope, and v at u = 7 by that slope
        (nn.ReLU(), -1.0, False, 0.0, 0.0),
        (nn.ReLU(), 0.0, False, 1.0, 7.0),
        (nn.ReLU(), -0.0, False, 1.0, 7.0),
        (nn.ReLU(), 2.0, True, 0.0, 0.0),
        (nn.ReLU(), -2.0, True, 1.0, 7.0),
        (nn.ReLU6(), 5.0, False, 1.0, 7.0),
        (nn.ReLU6(), 6.5, False, 0.0, 6.0),
        (nn.ReLU6(), 6.5, True, 0.0, 0.0),
        (nn.ReLU6(), -6.5, True, 1.0, 7.0),
        (nn.LeakyReLU(0.25), -1.0, False, 0.25, 1.75),
        (nn.LeakyReLU(0.25), 1.0, True, 0.25, 1.75),
    ],
)
def test_pieces(activation: nn.Module, u: float, flip: bool, slope: float, v: float) -> None:
    network = one_neuron(repr(activation))
    values = capture(network, torch.tensor([[u]], dtype=torch.float64))
    pattern = pattern_of(pieces_by_layer(network), values, [2], (2, [0]) if flip else None)
    assert pattern.slopes(2).tolist() == [slope]
    assert (pattern.slopes(2) * 7 + pattern.intercepts(2)).tolist() == [v]
    assert {k: chosen.tolist() for k, chosen in pattern.flipped.items()} == ({2: [0]} if flip else {})


@pytest.mark.parametrize("activation", [nn.Sigmoid(), nn.Tanh(), nn.GELU(), nn.ELU(), nn.SiLU()])
def test_activation_that_is_not_piecewise_linear_is_refused_by_its_kind(activation: nn.Module) -> None:
    network = Network(nn.Sequential(nn.Linear(2, 2), activation, nn.Linear(2, 2)), (2,))
    with pytest.raises(NetworkError, match=f"piecewise-linear.*got {type(activation).__name__.lower()};"):
        pieces_by_layer(network)


def test_maps_are_those_of_float64_whatever_the_networks_precision() -> None:
    module = random_mlp((3, 4, 2), dtype=torch.float32)
    _, affine = extract(Network(module, (3,)), torch.rand(1, 3))
    weight = module[1].weight.detach().double().numpy()
    assert np.array_equal(affine.layers[2].matrices[INPUT], weight)


@pytest.mark.parametrize(
    ("u", "winner"),
    [
        # u of a window of two, of which the first changes its sign: just above 0 or off
        ((-1.0, 0.5), 1),
        ((-1.0, -0.5), 0),
        ((1.0, 0.5), 1),
        ((1.0, 0.0), 0),
    ],
)
def test_neuron_that_changes_its_sign_sits_just_beside_zero_for_its_pooling(
    u: tuple[float, float], winner: int
) -> None:
    network = pooled_pair()
    extractor, x = AffineExtractor(network), torch.tensor(u, dtype=torch.float64).reshape(1, 1, 1, 2)
    pattern = pattern_of(pieces_by_layer(network), capture(network, x), [2], (2, [0]))
    (rows,) = extractor.maps(x, pattern, 3).pools
    assert rows.winners.tolist() == [winner]


@functools.cache
def pooled_pair() -> Network:
    module = nn.Sequential(nn.ReLU(), nn.MaxPool2d((1, 2)), nn.Flatten(), nn.Linear(1, 1))
    return Network(module.double(), (1, 1, 2), (-2.0, 2.0))
