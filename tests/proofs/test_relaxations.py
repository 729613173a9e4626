from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from dnncov_core.errors import NetworkError
from dnncov_core.proofs.relaxations import Interval, check_activation, lines, values

FUNCTIONS = {
    "relu": nn.ReLU(),
    "leaky_relu": nn.LeakyReLU(0.3),
    "relu6": nn.ReLU6(),
    "sigmoid": nn.Sigmoid(),
    "tanh": nn.Tanh(),
    "elu": nn.ELU(1.7),
    "gelu": nn.GELU(),
    "silu": nn.SiLU(),
}
EPS = {dtype: torch.finfo(dtype).eps for dtype in (torch.float32, torch.float64)}


@pytest.mark.parametrize("dtype", EPS, ids=str)
@pytest.mark.parametrize("kind", FUNCTIONS)
@given(low=st.floats(-9, 9, width=32), width=st.sampled_from([0.0, 1e-6, 0.25, 1.0, 7.0, 20.0]))
def test_every_value_lies_within_its_bounds_and_between_its_lines(
    kind: str, dtype: torch.dtype, low: float, width: float
) -> None:
    function, u = FUNCTIONS[kind], Interval(*torch.tensor([[low], [low + width]], dtype=torch.float64))
    points = torch.linspace(low, low + width, 401, dtype=torch.float64).to(dtype)
    points = torch.cat([points, torch.tensor([0.0, 6.0, -0.75, -1.2784645], dtype=dtype)])
    points = points[(points.double() >= u.low) & (points.double() <= u.high)]
    v, x = function(points).double(), points.double()
    bounds, two = values(kind, function, u, EPS[dtype]), lines(kind, function, u, EPS[dtype])
    assert bool(((bounds.low <= v) & (v <= bounds.high)).all())
    assert bool((two.lower_slope * x + two.lower <= v + 1e-13).all())
    assert bool((v <= two.upper_slope * x + two.upper + 1e-13).all())


def test_the_lines_of_an_open_relu() -> None:
    u = Interval(torch.tensor([-1.0, -3.0, 1.0, -2.0]).double(), torch.tensor([3.0, 1.0, 2.0, -1.0]).double())
    two = lines("relu", torch.relu, u, 0.0)
    torch.testing.assert_close(two.lower_slope, torch.tensor([1.0, 0.0, 1.0, 0.0]).double())
    torch.testing.assert_close(two.upper_slope, torch.tensor([0.75, 0.25, 1.0, 0.0]).double())
    torch.testing.assert_close(two.upper, torch.tensor([0.75, 0.75, 0.0, 0.0]).double(), atol=1e-12, rtol=0)


def test_an_unknown_activation_is_refused_by_name() -> None:
    with pytest.raises(NetworkError, match=r"expected activations among relu.* for proofs; got mish"):
        check_activation("mish")
