"""Series are drawn channel by channel, each with x1 and x2, and those that moved most where there are many."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np

from dnncov_core.figures.series import MOST_CHANNELS, channels, lines_of_series
from dnncov_core.records import NetworkCard, Target, TestPair
from tests.builders import card, made_pair


def of(n_channels: int, time: int = 5) -> tuple[TestPair, NetworkCard]:
    network = replace(
        card(input_shape=(n_channels, time), bounds=(-2.0, 7.0)),
        ranges=tuple((-2.0, 5.0 + n) for n in range(n_channels)),
        features=tuple(f"<i>c{n}" for n in range(n_channels)),
        units=("mV", *[""] * (n_channels - 1)),
    )
    return made_pair(Target(0, 2, (0,), 3, (0,)), adversarial=True, shape=(n_channels, time), box=network.box), network


def test_each_channel_has_x1_and_x2_on_an_axis_of_its_own_and_all_differences_share_one() -> None:
    pair, network = of(2)
    figure = lines_of_series(pair, network)
    assert [(line.name, line.yaxis) for line in figure.data] == [
        *((name, axis) for axis in ("y", "y2") for name in ("x1", "x2")),
        *((f"&lt;i&gt;c{n}, x2 − x1", "y3") for n in (0, 1)),
    ]
    shares = [100 * (pair.x2[n] - pair.x1[n]) / (7 + n) for n in (0, 1)]
    for line, wanted in zip(figure.data, (pair.x1[0], pair.x2[0], pair.x1[1], pair.x2[1], *shares), strict=True):
        np.testing.assert_allclose(line.y, wanted, atol=1e-12)
        assert list(line.x) == [0, 1, 2, 3, 4]
    assert [each.text for each in figure.layout.annotations] == [
        "&lt;i&gt;c0 (mV)",
        "&lt;i&gt;c1",
        "x2 − x1 (% of the range)",
    ]
    axes = figure.layout.yaxis, figure.layout.yaxis2, figure.layout.yaxis3
    assert all(above.domain[0] > below.domain[1] for above, below in itertools.pairwise(axes))
    assert figure.layout.xaxis.anchor == "y3"


def test_of_many_channels_those_that_moved_most_are_drawn() -> None:
    pair, network = of(9)
    moved = int(np.flatnonzero(np.abs(pair.x2 - pair.x1).max(axis=1))[0])
    assert len(channels(pair, network)) == MOST_CHANNELS
    assert moved in channels(pair, network)
    assert channels(pair, network) == sorted(channels(pair, network))
    assert len(lines_of_series(pair, network).data) == 3 * MOST_CHANNELS
