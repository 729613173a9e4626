"""Series are drawn channel by channel, each with x1 and x2, and those that moved most where there are many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dnncov_core.figures.series import MOST_CHANNELS, channels, plot_series
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


def test_each_channel_has_x1_and_x2_on_an_axis_of_its_own() -> None:
    pair, network = of(2)
    figure = plot_series(pair, network)
    assert [(line.name, line.yaxis) for line in figure.data] == [("x1", "y"), ("x2", "y"), ("x1", "y2"), ("x2", "y2")]
    for line, wanted in zip(figure.data, (pair.x1[0], pair.x2[0], pair.x1[1], pair.x2[1]), strict=True):
        np.testing.assert_array_equal(line.y, wanted)
        assert list(line.x) == [0, 1, 2, 3, 4]
    assert figure.layout.yaxis.title.text == "&lt;i&gt;c0 (mV)"
    assert figure.layout.yaxis2.title.text == "&lt;i&gt;c1"
    assert figure.layout.yaxis.domain[0] > figure.layout.yaxis2.domain[1]
    assert figure.layout.xaxis.anchor == "y2"


def test_of_many_channels_those_that_moved_most_are_drawn() -> None:
    pair, network = of(9)
    moved = int(np.flatnonzero(np.abs(pair.x2 - pair.x1).max(axis=1))[0])
    assert len(channels(pair, network)) == MOST_CHANNELS
    assert moved in channels(pair, network)
    assert channels(pair, network) == sorted(channels(pair, network))
    assert len(plot_series(pair, network).data) == 2 * MOST_CHANNELS
