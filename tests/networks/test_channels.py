"""Which layers have their channels last: those behind linear layers, unless their axes are moved afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from dnncov_core.networks.network import Network
from tests.networks_for_tests import Fn

IMAGE, TOKENS, SERIES, VECTOR = (3, 4, 5), (7, 5), (3, 8), (5,)
CASES: dict[str, tuple[tuple[int, ...], nn.Module, Callable[[Any, Tensor], Tensor], bool]] = {
    # input shape, the layer, forward up to u, whether the channels are last
    "convolution": (IMAGE, nn.Conv2d(3, 4, 3), lambda m, x: m(x), False),
    "convolution of a series": (SERIES, nn.Conv1d(3, 4, 3), lambda m, x: m(x), False),
    "linear of a vector": (VECTOR, nn.Linear(5, 6), lambda m, x: m(x), False),
    "linear of tokens": (TOKENS, nn.Linear(5, 6), lambda m, x: m(x), True),
    "matmul": (TOKENS, nn.Linear(5, 6), lambda m, x: x @ m.weight.T + 1, True),
    "linear of an image with channels last": (IMAGE, nn.Linear(3, 6), lambda m, x: m(x.permute(0, 2, 3, 1)), True),
    "moved back": (IMAGE, nn.Linear(3, 6), lambda m, x: m(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2), False),
    "transposed": (TOKENS, nn.Linear(5, 6), lambda m, x: m(x).transpose(1, 2), False),
    "convolution moved": (IMAGE, nn.Conv2d(3, 4, 3), lambda m, x: m(x).movedim(1, -1), True),
    "places in a row": (IMAGE, nn.Conv2d(3, 4, 3), lambda m, x: m(x).flatten(2).transpose(1, 2), True),
    "rows of places": (IMAGE, nn.Linear(3, 6), lambda m, x: m(x.permute(0, 2, 3, 1)).reshape(-1, 20, 6), True),
    "normalised": (TOKENS, nn.Sequential(nn.Linear(5, 6), nn.LayerNorm(6)), lambda m, x: 2 * m(x), True),
    "axes unknown": (TOKENS, nn.Linear(5, 6), lambda m, x: m(x).reshape(-1, 14, 3), False),
    "no layer before": (TOKENS, nn.Identity(), lambda m, x: x - 0.5, False),
}


@pytest.mark.parametrize("name", CASES)
def test_whether_channels_are_last(name: str) -> None:
    shape, layer, before, last = CASES[name]
    with torch.no_grad():
        width = before(layer, torch.zeros(1, *shape)).numel()
    module = Fn(lambda m, x: m[1](before(m[0], x).relu().flatten(1)), layer, nn.Linear(width, 2))
    assert [each.channels_last for each in Network(module, shape).layers] == [False, last, False]
