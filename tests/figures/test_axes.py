from __future__ import annotations

from itertools import pairwise

import pytest

from dnncov_core.figures.axes import BELOW_TALL_TICKS, MOST_TICKS, even_ticks, log_ticks, name_layers, plain_number
from dnncov_core.figures.style import new_figure
from dnncov_core.statistics.grouping import By, Place


def places(n: int) -> list[Place]:
    return [Place((k,), k + 1, (f"relu{k}",), f"relu{k + 1}") for k in range(2, n + 2)]


@pytest.mark.parametrize("n", [1, 26, 50])
def test_up_to_fifty_layers_have_a_tick_each(n: int) -> None:
    figure = new_figure(title="", x="", y="")
    name_layers(figure, places(n), By.DECISION_LAYER)
    assert list(figure.layout.xaxis.ticktext) == [str(k) for k in range(3, n + 3)]
    assert figure.layout.xaxis.tickangle == 0


def test_more_layers_have_evenly_spaced_ticks() -> None:
    figure = new_figure(title="", x="", y="")
    name_layers(figure, places(121), By.DECISION_LAYER)
    ticks = list(map(int, figure.layout.xaxis.tickvals))
    assert len(ticks) <= MOST_TICKS
    assert {b - a for a, b in pairwise(ticks)} == {3}


def test_many_layer_pairs_have_their_ticks_turned() -> None:
    few, many = (new_figure(title="", x="", y="") for _ in range(2))
    name_layers(few, places(4), By.LAYER_PAIR)
    name_layers(many, places(30), By.LAYER_PAIR)
    assert (few.layout.xaxis.tickangle, many.layout.xaxis.tickangle) == (0, -90)
    assert many.layout.legend.y == BELOW_TALL_TICKS


@pytest.mark.parametrize("high", [1e-7, 0.0031, 0.4, 1.0, 7.3, 255.0, 4e4])
def test_even_ticks_are_few_and_end_below_the_highest(high: float) -> None:
    ticks = even_ticks(high)
    assert 5 <= len(ticks) <= 11
    assert ticks[0] == 0
    assert high - ticks[1] <= ticks[-1] * (1 + 1e-6) <= high * (1 + 1e-5)


@pytest.mark.parametrize(("low", "high"), [(1e-5, 0.3), (0.011, 0.09), (0.011, 0.0195), (0.4, 0.45)])
def test_logarithmic_ticks_are_within_and_without_exponents(low: float, high: float) -> None:
    ticks = log_ticks(low, high)
    assert len(ticks) >= 2
    assert all(low <= tick <= high for tick in ticks)
    assert not any("e" in plain_number(tick) for tick in ticks)
