"""Within a pattern, affine parts, pieces and pooling winners reproduce u, and the pooling rows say where it holds."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dnncov_core.activations import capture
from dnncov_core.affine_parts import INPUT, AffineParts
from dnncov_core.errors import NetworkError
from dnncov_core.generators.pattern import Pattern, Pooling, pattern_of, pieces_by_layer, poolings_of
from dnncov_core.networks.network import Network
from tests.networks_for_tests import PIECEWISE, piecewise, random_mlp


@pytest.fixture(scope="module", params=PIECEWISE)
def network(request: pytest.FixtureRequest) -> Network:
    return piecewise(request.param)


def hidden(network: Network) -> range:
    return range(2, network.depth)


def extract(network: Network, x: Tensor) -> tuple[Pattern, dict[str, Pooling]]:
    pattern = pattern_of(pieces_by_layer(network), capture(network, x), hidden(network), None)
    in_float64 = network.to(dtype=torch.float64)
    with torch.no_grad():
        return pattern, poolings_of(in_float64, x, pattern, network.depth)


def by_parts(network: Network, pattern: Pattern, poolings: Mapping[str, Pooling], x: Tensor) -> dict[int | str, Tensor]:
    """u of every layer and the input of every pooling, by the affine parts, pieces and winners alone."""
    parts = AffineParts(network)
    v, arriving = {INPUT: x.flatten()}, {}
    for stage in parts.stages[1:]:
        matrices = parts.matrix(stage)
        arriving[stage] = parts.constants[stage] + sum(matrix @ v[source] for source, matrix in matrices.items())
        if isinstance(stage, str):
            v[stage] = arriving[stage][torch.from_numpy(poolings[stage].inputs())]
        elif stage < network.depth:
            slopes, intercepts = map(torch.from_numpy, (pattern.slopes(stage), pattern.intercepts(stage)))
            v[stage] = slopes * arriving[stage] + intercepts
    return arriving


def stays(network: Network, pattern: Pattern, poolings: Mapping[str, Pooling], x: Tensor) -> bool:
    """Whether x is on the pattern: the same pieces, and each pooling's winners."""
    here = pattern_of(pattern.pieces, capture(network, x), hidden(network), None)
    entries = by_parts(network, pattern, poolings, x)
    rows = [(entries[name].numpy(), *pooling.window_pairs()) for name, pooling in poolings.items()]
    same = all(np.array_equal(here.on[k], pattern.on[k]) for k in hidden(network))
    return same and all((values[winners] >= values[others]).all() for values, winners, others in rows)


def test_maps_reproduce_u_on_the_pattern(network: Network) -> None:
    generator = torch.Generator().manual_seed(1)
    compared = 0
    for _ in range(6):
        x1 = torch.rand(1, *network.input_shape, dtype=torch.float64, generator=generator)
        pattern, poolings = extract(network, x1)
        assert stays(network, pattern, poolings, x1)
        for scale in (0.0, 1e-4, 1e-2, 0.1, 0.3, 0.3):
            x = x1 + scale * torch.randn(x1.shape, dtype=torch.float64, generator=generator)
            if stays(network, pattern, poolings, x):
                compared += 1
                values = capture(network, x)
                for k, u in by_parts(network, pattern, poolings, x).items():
                    if isinstance(k, int):
                        np.testing.assert_allclose(u.numpy(), values[k].u[0].numpy(), rtol=1e-9, atol=1e-9)
    assert compared >= 14


def test_parts_depend_on_direct_sources_only(network: Network) -> None:
    parts = AffineParts(network)
    for _, decision in network.edges:
        sources = set(parts.matrix(decision))
        sources |= {source for name in sources & set(parts.pools) for source in parts.matrix(name)}
        assert sources - set(parts.pools) <= {INPUT, *(c for c, d in network.edges if d == decision)}


def test_pooling_rows_are_all_other_entries_of_each_window() -> None:
    network = Network(
        nn.Sequential(nn.Conv2d(1, 1, 1), nn.ReLU(), nn.MaxPool2d(3, 2, 1), nn.Flatten(), nn.Linear(6, 2)).double(),
        (1, 3, 5),
    )
    _, poolings = extract(network, torch.rand(1, 1, 3, 5, dtype=torch.float64))
    (pooling,) = poolings.values()
    all_winners, all_others = pooling.window_pairs()
    windows = [range(max(0, r), min(3, r + 3)) for r in (-1, 1)], [range(max(0, c), min(5, c + 3)) for c in (-1, 1, 3)]
    expected = [{y * 5 + x for y in ys for x in xs} for ys in windows[0] for xs in windows[1]]
    assert len(all_winners) == sum(len(window) - 1 for window in expected)
    place = 0
    for window in expected:
        n = len(window) - 1
        winners, others = set(all_winners[place : place + n].tolist()), all_others[place : place + n].tolist()
        assert len(winners) == 1
        assert sorted([*winners, *others]) == sorted(window)
        place += n


@functools.cache
def one_neuron(activation: str) -> Network:
    chosen = {"ReLU()": nn.ReLU(), "ReLU6()": nn.ReLU6()}.get(activation, nn.LeakyReLU(0.25))
    return Network(nn.Sequential(nn.Flatten(), chosen, nn.Linear(1, 2)).double(), (1,), (-9.0, 9.0))


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
    with pytest.raises(NetworkError, match=f"piecewise-linear.*got {type(activation).__name__.lower()} in the"):
        pieces_by_layer(network)


def test_parts_are_those_of_float64_whatever_the_networks_precision() -> None:
    module = random_mlp((3, 4, 2), dtype=torch.float32)
    matrices = AffineParts(Network(module, (3,))).matrix(2)
    assert np.array_equal(matrices[INPUT].numpy(), module[1].weight.detach().double().numpy())


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
    x = torch.tensor(u, dtype=torch.float64).reshape(1, 1, 1, 2)
    pattern = pattern_of(pieces_by_layer(network), capture(network, x), [2], (2, [0]))
    (pooling,) = poolings_of(network, x, pattern, 3).values()
    assert pooling.inputs().tolist() == [winner]


@functools.cache
def pooled_pair() -> Network:
    module = nn.Sequential(nn.ReLU(), nn.MaxPool2d((1, 2)), nn.Flatten(), nn.Linear(1, 2))
    return Network(module.double(), (1, 1, 2), (-2.0, 2.0))
