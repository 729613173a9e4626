"""Structural similarity against a slow reference, and the features that it takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from dnncov_core.criteria.ssim import SSIM
from dnncov_core.errors import SpecificationError
from tests import reference
from tests.networks_for_tests import layer_values


@pytest.mark.parametrize(("height", "width"), [(9, 8), (7, 7), (3, 12), (1, 1)])
@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_function_equals_its_slow_reference(height: int, width: int, offset: float) -> None:
    rng = np.random.default_rng(height)
    a, b = (rng.normal(size=(2, height, width)).astype(np.float32) + np.float32(offset) for _ in range(2))
    expected = np.mean([reference.ssim(p.astype(float), q.astype(float)) for p, q in zip(a, b, strict=True)])
    before, after = (layer_values(torch.from_numpy(m.reshape(1, -1)), m.shape) for m in (a, b))
    neurons = range(2 * height * width)
    assert SSIM(d=float(expected) + 1e-3)(before, after, neurons)
    assert not SSIM(d=float(expected) - 1e-3)(before, after, neurons)


def test_similarity_of_equal_maps_is_one_and_batches_of_one_meet_all() -> None:
    u = torch.arange(36.0).repeat(3, 1)
    one, three = (layer_values(values, (4, 3, 3)) for values in (u[:1], u))
    for before, after in ((one, three), (three, one)):
        assert SSIM(1.0)(before, after, range(9)).tolist() == [True] * 3
        assert SSIM(0.999)(before, after, range(9)).tolist() == [False] * 3


def test_function_takes_any_whole_maps_and_nothing_else() -> None:
    values = layer_values(torch.rand(1, 36), (4, 3, 3))
    assert SSIM(1.0)(values, values, [*range(9), *range(18, 27)])
    for neurons in (range(8), range(1, 10), [0]):
        with pytest.raises(SpecificationError, match="feature maps"):
            SSIM()(values, values, neurons)
    flat = layer_values(torch.rand(1, 36), (36,))
    with pytest.raises(SpecificationError, match="feature maps"):
        SSIM()(flat, flat, range(9))


def test_maps_with_channels_last_are_those_of_the_layer_with_its_axes_moved() -> None:
    first, last = ([layer_values(u) for u in us] for us in _both_orders())
    for channel in range(4):
        ours = SSIM().similarity(*(replace(values, shape=(9, 8, 4)) for values in last), range(channel, 288, 4))
        theirs = range(72 * channel, 72 * channel + 72)
        torch.testing.assert_close(ours, SSIM().similarity(*(replace(v, shape=(4, 9, 8)) for v in first), theirs))


def _both_orders() -> tuple[list[Tensor], list[Tensor]]:
    maps = torch.rand(2, 2, 4, 9, 8, generator=torch.Generator().manual_seed(0)).double()
    return list(maps.flatten(2)), list(maps.permute(0, 1, 3, 4, 2).flatten(2))


def test_function_is_not_linear_and_says_so() -> None:
    with pytest.raises(SpecificationError, match="linear"):
        SSIM().alternatives(layer_values(torch.ones(1, 1)), [0])
