"""The network's drawing: every neuron, weight and sign change, covered pairs, and the same in words."""

from __future__ import annotations

from typing import Any

import pytest

from dnncov_core.features import FeaturePair
from dnncov_core.figures.neurons import neurons_in_words, plot_neurons
from dnncov_core.playground.network_view import NetworkView
from dnncov_core.playground.setting import EXAMPLES, Setting
from dnncov_core.playground.two_inputs import TwoInputs, two_inputs

SETTING = EXAMPLES["ss"].setting


@pytest.fixture(scope="module")
def inputs() -> TwoInputs:
    return two_inputs(SETTING.x1, SETTING.x2)


def covered(inputs: TwoInputs, setting: Setting) -> list[FeaturePair]:
    return [pair for pair in inputs.pairs() if inputs.covers(setting.method, pair)]


def drawn(inputs: TwoInputs) -> Any:
    return plot_neurons(NetworkView(SETTING, inputs, tuple(covered(inputs, SETTING))))


def named(figure: Any, name: str) -> Any:
    (trace,) = (trace for trace in figure.data if trace.name == name)
    return trace


def test_every_neuron_has_u_for_both_inputs(inputs: TwoInputs) -> None:
    figure = drawn(inputs)
    kept, changed = named(figure, "sign kept"), named(figure, "sign changed: sc")
    assert set(changed.text) == {
        "<b>n2,1</b><br>0.4<br>−1",
        "<b>n3,1</b><br>0.8<br>−14",
        "<b>n3,3</b><br>−0.4<br>8",
    }
    assert {"<b>n2,2</b><br>0<br>2", "<b>n4,1</b><br>−0.4<br>−4"} <= set(kept.text)
    assert len(kept.text) + len(changed.text) == 8
    assert "<b>n2,3</b>, sign kept<br>x1: u = −0.1, v = 0<br>x2: u = −1, v = 0" in kept.hovertext
    assert "<b>input 1</b><br>0.1<br>0" in {text for trace in figure.data if trace.text for text in trace.text}


def test_a_changed_sign_is_marked_by_more_than_colour(inputs: TwoInputs) -> None:
    figure = drawn(inputs)
    changed, kept = named(figure, "sign changed: sc"), named(figure, "sign kept")
    assert changed.marker.color != kept.marker.color
    (marks,) = (trace for trace in figure.data if trace.text and set(trace.text) == {"<b>sc</b>"})
    assert list(zip(marks.x, marks.y, strict=True)) == list(zip(changed.x, changed.y, strict=True))


def test_every_weight_stands_alone_at_its_connection(inputs: TwoInputs) -> None:
    (weights,) = (trace for trace in drawn(inputs).data if trace.mode == "text")
    places = list(zip(weights.x, weights.y, strict=True))
    assert len(places) == 2 * 3 + 3 * 3 + 3 * 2
    for n, (x, y) in enumerate(places):
        assert all(x != other or abs(y - at) > 0.19 for other, at in places[:n])
    assert "input 2 → n2,2<br>weight −2" in weights.hovertext
    assert "n2,3 → n3,2<br>weight −5" in weights.hovertext
    assert sum("covered" in text for text in weights.hovertext) == 2
    assert {"<b>2</b>", "<b>−1</b>"} <= set(weights.text)


def test_covered_pairs_of_neurons_are_thick_lines(inputs: TwoInputs) -> None:
    line = named(drawn(inputs), "covered pair")
    starts = {(line.x[at], line.y[at]) for at in range(0, len(line.x), 6)}
    ends = {(line.x[at + 4], line.y[at + 4]) for at in range(0, len(line.x), 6)}
    assert starts == {(2, 0)}
    assert ends == {(3, 0), (3, 2)}


def test_the_pair_looked_at_has_rings(inputs: TwoInputs) -> None:
    figure = plot_neurons(NetworkView(EXAMPLES["vs"].setting, inputs, ()))
    ring = named(figure, "looked at")
    assert list(zip(ring.x, ring.y, strict=True)) == [(2, 0), (2, 1), (3, 2)]
    assert not named(figure, "covered pair").showlegend


def test_words_say_the_same(inputs: TwoInputs) -> None:
    text = neurons_in_words(NetworkView(SETTING, inputs, tuple(covered(inputs, SETTING))))
    assert "n2,1: 0.4 to −1, sign changed" in text
    assert "n2,2: 0 to 2;" in text
    assert text.count("sign changed") == 3
    assert "Covered pairs of neurons: {n2,1} → {n3,1}; {n2,1} → {n3,3}." in text
    assert "Covered pairs of neurons: none." in neurons_in_words(NetworkView(SETTING, inputs, ()))
