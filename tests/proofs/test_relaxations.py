from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

from dnncov_core.errors import NetworkError
from dnncov_core.networks.network import Network
from dnncov_core.networks.operators import ACTIVATIONS, Activation
from dnncov_core.proofs.relaxations import Interval, check_activations, lines, values
from tests.networks_for_tests import Fn

FUNCTIONS: dict[str, tuple[Activation, Callable[[Tensor], Tensor]]] = {
    **{
        kind: (Activation(kind, ACTIVATIONS[kind]), function)
        for kind, function in {
            "relu": nn.ReLU(),
            "leaky_relu": nn.LeakyReLU(0.3),
            "rrelu": nn.RReLU(0.1, 0.4).eval(),
            "prelu": lambda u: torch.nn.functional.prelu(u, torch.tensor([-0.7], dtype=u.dtype)),
            "relu6": nn.ReLU6(),
            "hardsigmoid": nn.Hardsigmoid(),
            "sigmoid": nn.Sigmoid(),
            "log_sigmoid": nn.LogSigmoid(),
            "tanh": nn.Tanh(),
            "elu": nn.ELU(1.7),
            "selu": nn.SELU(),
            "celu": nn.CELU(0.6),
            "gelu": nn.GELU(),
            "silu": nn.SiLU(),
            "mish": nn.Mish(),
            "hardswish": nn.Hardswish(),
            "softplus": nn.Softplus(),
            "softsign": nn.Softsign(),
        }.items()
    },
    "steep prelu": (Activation("prelu", (0.0,)), lambda u: torch.where(u < 0, 3 * u, u)),
    "hardtanh": (Activation("hardtanh", (-1.0, 0.0, 1.0)), nn.Hardtanh()),
    "clamp": (Activation("clamp", (-0.3, 0.0, 0.7)), lambda u: u.clamp(-0.3, 0.7)),
    "clamp below": (Activation("clamp", (0.0,)), lambda u: u.clamp(max=0)),
}
"""What is known of an activation function, and the function."""
EPS = {dtype: torch.finfo(dtype).eps for dtype in (torch.float32, torch.float64)}


@pytest.mark.parametrize("dtype", EPS, ids=str)
@pytest.mark.parametrize("kind", FUNCTIONS)
@given(low=st.floats(-9, 9, width=32), width=st.sampled_from([0.0, 1e-6, 0.25, 1.0, 7.0, 20.0]))
def test_every_value_lies_within_its_bounds_and_between_its_lines(
    kind: str, dtype: torch.dtype, low: float, width: float
) -> None:
    (known, function), u = FUNCTIONS[kind], Interval(*torch.tensor([[low], [low + width]], dtype=torch.float64))
    points = torch.linspace(low, low + width, 401, dtype=torch.float64).to(dtype)
    points = torch.cat(
        [points, torch.tensor([0.0, 6.0, -0.75, -1.2784645, -1.1924, -1.5, 3.0, -0.3, 0.7], dtype=dtype)]
    )
    points = points[(points.double() >= u.low) & (points.double() <= u.high)]
    v, x = function(points).double(), points.double()
    bounds, two = values(known, function, u, EPS[dtype]), lines(known, function, u, EPS[dtype])
    assert bool(((bounds.low <= v) & (v <= bounds.high)).all())
    assert bool((two.lower_slope * x + two.lower <= v + 1e-13).all())
    assert bool((v <= two.upper_slope * x + two.upper + 1e-13).all())


def test_the_lines_of_an_open_relu() -> None:
    u = Interval(torch.tensor([-1.0, -3.0, 1.0, -2.0]).double(), torch.tensor([3.0, 1.0, 2.0, -1.0]).double())
    two = lines(FUNCTIONS["relu"][0], torch.relu, u, 0.0)
    torch.testing.assert_close(two.lower_slope, torch.tensor([1.0, 0.0, 1.0, 0.0]).double())
    torch.testing.assert_close(two.upper_slope, torch.tensor([0.75, 0.25, 1.0, 0.0]).double())
    torch.testing.assert_close(two.upper, torch.tensor([0.75, 0.75, 0.0, 0.0]).double(), atol=1e-12, rtol=0)


@pytest.mark.parametrize("kind", [kind for kind, (known, _) in FUNCTIONS.items() if known.breaks is not None])
@pytest.mark.parametrize(("low", "high"), [(-5.0, 2.0), (-0.5, 0.4), (-4.0, -0.1), (0.0, 7.0)])
def test_no_other_line_leaves_less_room_at_both_ends(kind: str, low: float, high: float) -> None:
    """Reference: the best of many slopes, each moved until the function's values lie on its one side."""
    (known, function), u = FUNCTIONS[kind], Interval(*torch.tensor([[low], [high]], dtype=torch.float64))
    inner = torch.tensor(known.breaks or (), dtype=torch.float64).clamp(low, high)
    x = torch.cat([torch.linspace(low, high, 200, dtype=torch.float64), inner])
    above = function(x) - torch.linspace(-4, 4, 4001, dtype=torch.float64)[:, None] * x
    two, ends = lines(known, function, u, 0.0), torch.tensor([low, high], dtype=torch.float64)
    v = function(ends)
    room_below = (v - two.lower_slope * ends - two.lower).sum()
    room_above = (two.upper_slope * ends + two.upper - v).sum()
    assert float(room_below) <= float((above[:, [0, 199]] - above.amin(1, keepdim=True)).sum(1).min()) + 1e-9
    assert float(room_above) <= float((above.amax(1, keepdim=True) - above[:, [0, 199]]).sum(1).min()) + 1e-9


def test_softplus_steps_down_where_it_becomes_u() -> None:
    """Just below 20 it is more than just above, by 2e-9."""
    u = Interval(*torch.tensor([[19.0], [20.0 + 1e-12]], dtype=torch.float64))
    assert float(values(*FUNCTIONS["softplus"], u, EPS[torch.float64]).high) >= float(
        nn.Softplus()(torch.tensor(20.0).double())
    )


REFUSED: dict[str, tuple[Callable[[Tensor], Tensor], str]] = {
    "sign": (torch.sign, "got sign"),
    "where": (lambda u: torch.where(u > 0, u, 0.1 * u - 1), "got where"),
    "threshold of softplus": (nn.Softplus(1.0, 1.0), "got softplus with another beta or threshold"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_activation_that_jumps_or_is_unknown_is_refused_by_name(name: str) -> None:
    function, named = REFUSED[name]
    network = Network(Fn(lambda m, x: m[1](function(m[0](x))), nn.Linear(2, 2), nn.Linear(2, 2)), (2,))
    with pytest.raises(
        NetworkError, match=rf"expected activations of linear pieces that meet, or .* for proofs; {named}"
    ):
        check_activations(network.graph)
