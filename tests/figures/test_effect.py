"""The waterfall of a decision neuron: its bars add up, the condition feature's is the last, words say the same."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dnncov_core.effect import DecisionChange
from dnncov_core.export.captions import effect as caption
from dnncov_core.export.sheets import effect as sheet
from dnncov_core.features import FeaturePair
from dnncov_core.figures.effect import LINE, MOST, EffectView, plot_effect
from dnncov_core.partitions import Feature
from dnncov_core.records import Effect
from tests.builders import card

PAIR = FeaturePair(Feature(3, (14,)), Feature(4, (8, 9)))
CARRIED = ([0.5, 7.0], [-0.25, 0.0], [0.125, 0.0])
"""What neurons 5, 2 and 0 carry of the u of neurons 8 and 9."""


def decision_change(
    u1: Sequence[float],
    *,
    carried: Sequence[Sequence[float]],
    condition: Sequence[float],
    rest: Sequence[float],
    alone: Sequence[float],
) -> DecisionChange:
    """Why u of decision neurons changes from ``u1``: what other neurons, the condition feature and the rest carry."""
    numbers = (5, 2, 0, 1, 3, 4, 6, 7)[: len(carried)]
    others = np.array(carried)
    put_back = np.array(u1) + others.sum(axis=0) + rest
    return DecisionChange(np.array(u1), np.array(alone), put_back, put_back + condition, numbers, others)


def view(
    *, place: int = 0, carried: Any = CARRIED, condition: tuple[float, float] = (1.0, -8.0), alone: float = 0.5
) -> EffectView:
    change = decision_change((-0.5, 1.0), carried=carried, condition=condition, rest=(0.0625, 0.0), alone=(alone, -7.0))
    return EffectView(PAIR, change, Effect(True, True, 0.7), place)


def bars(figure: Any) -> dict[str, list[tuple[float, float]]]:
    """Where the bars of each kind begin and end, in their order."""
    found = [trace for trace in figure.data if trace.type == "bar"]
    return {trace.name: [(start, start + y) for start, y in zip(trace.base, trace.y, strict=True)] for trace in found}


def test_bars_lead_from_x1_over_u_with_the_condition_put_back_to_x2() -> None:
    figure = plot_effect(view())
    assert list(figure.layout.xaxis.categoryarray) == [
        "x1",
        "5",
        "2",
        "0",
        "rest",
        "◆ put back",
        "◆ 14",
        "x2",
        "◆ alone",
    ]
    assert bars(figure) == {
        "u": [(0, -0.5), (0, -0.0625), (0, 0.9375), (0, 0.5)],
        "other neurons": [(-0.5, 0.0), (0.0, -0.25), (-0.25, -0.125)],
        "all the rest": [(-0.125, -0.0625)],
        "condition feature": [(-0.0625, 0.9375)],
    }
    (line,) = figure.layout.shapes
    assert (line.y0, line.y1, line.yref) == (0, 0, "y")
    low, high = figure.layout.yaxis.range
    assert low < -0.5
    assert high > 0.9375


def test_each_neuron_of_the_decision_has_its_own_bars() -> None:
    second = view(place=1)
    assert second.u == (1.0, -7.0, 8.0, 0.0)
    assert [step.name for step in second.steps] == ["x1", "5", "2", "0", "◆ put back", "◆ 14", "x2", "◆ alone"]
    assert second.decision == "neuron 9 of layer 4"


def test_neurons_that_carry_least_are_in_the_rest() -> None:
    many = view(carried=[[0.5 - at / 20, 0.0] for at in range(8)])
    steps = many.steps
    assert [step.kind for step in steps].count("other neurons") == MOST
    assert sum(step.height for step in steps[1:-4]) == pytest.approx(many.u[2] - many.u[0])
    assert steps[-4].height == many.u[2]


def labels_of(shown: EffectView) -> Any:
    (labels,) = (trace for trace in plot_effect(shown).data if trace.type == "scatter" and trace.mode == "text")
    return labels


def test_labels_of_neighbours_do_not_meet_in_a_narrow_window() -> None:
    """Bars are 24 pixels apart there, a line of text is 12 pixels high, and a character 6.5 pixels wide."""
    change = decision_change(
        (-0.136, 1.0),
        carried=[[0.04, 0.0], [0.03, 0.0], [-0.027, 0.0], [0.02, 0.0]],
        condition=(0.0013, -8.0),
        rest=(0.072088, 0.0),
        alone=(-0.135, -7.0),
    )
    shown = EffectView(PAIR, change, Effect(True, False, 0.01))
    labels = labels_of(shown)
    tall = LINE * (max(shown.u) - min(shown.u))
    boxes = []
    for place, (text, low) in enumerate(zip(labels.text, labels.y, strict=True)):
        lines = text.replace("<b>", "").replace("</b>", "").split("<br>")
        half = 6.5 * max(map(len, lines)) / 2
        boxes.append((24 * place - half, 24 * place + half, low, low + len(lines) * tall))
    assert len(boxes) == 10
    for one, other in itertools.combinations(boxes, 2):
        apart = one[1] <= other[0] or other[1] <= one[0]
        assert apart or one[3] <= other[2] + 1e-12 or other[3] <= one[2] + 1e-12


def test_signs_are_said_and_not_only_coloured() -> None:
    labels = labels_of(view())
    assert (labels.text[0], labels.y[0]) == ("<b>−0.5</b><br>sign −", 0)
    assert plot_effect(view()).layout.yaxis.title.text == "u, pre-activation (no unit)"
    hovered = {text for trace in plot_effect(view()).data for text in trace.hovertext or ()}
    assert {"x1: −0.5", "2: −0.25", "◆ 14: 1"} <= hovered
    assert labels.text[1:5] == ("+0.5", "−0.25", "+0.12", "+0.062")
    assert labels.text[-2:] == ("<b>0.938</b><br>sign +", "<b>0.5</b><br>sign +")


def test_caption_and_columns_have_the_numbers_of_the_figure() -> None:
    told = caption(view())
    assert told.summary == (
        "u of neuron 8 of layer 4 goes from −0.5 at x1 to 0.9375 at x2, and the condition's change is needed and"
        " sufficient."
    )
    assert told.details == (
        "Each bar is what goes away where one neuron of layer 3, or the condition feature (14), is put back to its"
        " activation at x1 (5: 0.5; 2: −0.25; 0: 0.125; rest: 0.0625; ◆ 14: 1)."
        " With the condition put back u is −0.0625, with its change alone 0.5.",
        "It carries 70 % of the decision's change of u.",
    )
    rows = [row[1:3] + row[4:] for row in sheet(view()).rows]
    assert rows[0] == ("u", "x1", -0.5, None)
    assert rows[5:] == [
        ("u", "put back", -0.0625, None),
        ("condition feature", "14", None, 1.0),
        ("u", "x2", 0.9375, None),
        ("u", "alone", 0.5, None),
    ]


def test_neurons_of_convolutions_are_named_by_place() -> None:
    layers = card().layers
    shaped = [replace(each, neurons=24, shape=(2, 3, 4)) if each.index == 3 else each for each in layers]
    shown = replace(view(), card=replace(card(), layers=tuple(shaped)))
    place = "channel 1, row 0, column 2"
    assert shown.condition == f"{place} (neuron 14)"
    assert [step.name for step in shown.steps if step.kind == "condition feature"] == [f"◆ {place} (neuron 14)"]
    axis = plot_effect(shown).layout.xaxis
    assert axis.tickvals[1:4] == tuple(f"channel 0, {words}" for words in (
        "row 1, column 1 (neuron 5)", "row 0, column 2 (neuron 2)", "row 0, column 0 (neuron 0)"
    ))  # fmt: skip
    assert axis.ticktext[1] == "channel 0<br>row 1<br>column 1"
    assert axis.ticktext[6] == "◆ channel 1<br>row 0<br>column 2"
    assert f"the condition feature ({place} (neuron 14))" in caption(shown).details[0]
    pair = replace(PAIR, condition=Feature(3, (0, 14)))
    other = "channel 0, row 0, column 0 (neuron 0)"
    assert replace(shown, pair=pair).condition == f"{other}; {place} (neuron 14)"


def test_a_larger_condition_feature_is_counted() -> None:
    large = EffectView(FeaturePair(Feature(3, (1, 2, 3)), PAIR.decision), view().change, Effect(False, False, None))
    assert large.condition == "3 neurons"
    assert np.isfinite(large.u).all()
