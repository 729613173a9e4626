"""The effect of a condition feature: how u of a decision neuron gets from x1 to x2, neuron by neuron of layer k."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dnncov_core.features import FeaturePair
from dnncov_core.figures.axes import BELOW_TALL_TICKS
from dnncov_core.figures.style import GREY, ORANGE, PURPLE, SKY, bar_marker, new_figure
from dnncov_core.phrases.neurons import has_places, neuron_name, neuron_words, place_words
from dnncov_core.phrases.numbers import MINUS, short
from dnncov_core.records import Effect, NetworkCard

if TYPE_CHECKING:
    from dnncov_core.effect import DecisionChange

MOST = 4
"""Neurons beside the condition feature that have a bar of their own."""
SHORT = 2
"""A condition feature of so many neurons is named by them; of a larger one it is said how many they are."""
LINE = 0.12
"""The height of a line of text, as a share of the whole way that u goes."""
CHARACTER = 0.28
"""The width of a character, as a share of the way from bar to bar in a window of 390 pixels."""
NEGLIGIBLE = 1e-6
"""A rest of less than this share of the largest u is rounding."""
LOOKS = {"u": (GREY, ""), "other neurons": (SKY, ""), "all the rest": (SKY, "/"), "condition feature": (ORANGE, "")}
"""Colour and hatching by what a bar stands for."""


@dataclass(frozen=True)
class EffectView:
    """One decision neuron of a pair of inputs, with names for the neurons.

    Attributes:
        pair: the feature pair; a free condition feature has the neurons that changed their sign.
        change: how u of the decision feature's neurons changes.
        effect: the effect of the condition feature on the whole decision feature.
        place: which of the decision feature's neurons it is, from 0.
        name: of a neuron, from its layer and its 0-based number.
        card: that of the network, by which neurons are named; None where ``name`` does.
    """

    pair: FeaturePair
    change: DecisionChange
    effect: Effect
    place: int = 0
    name: Callable[[int, int], str] = lambda layer, neuron: str(neuron)
    card: NetworkCard | None = None

    @property
    def decision(self) -> str:
        """The decision neuron in words."""
        layer, neuron = self.pair.decision.layer, self.pair.decision.neurons[self.place]
        named = f"neuron {self.name(layer, neuron)}"
        return f"{named if self.card is None else neuron_name(self.card.layer(layer), neuron)} of layer {layer}"

    @property
    def condition(self) -> str:
        """The condition feature in few words."""
        layer, neurons = self.pair.condition.layer, self.pair.condition.neurons
        if self.card is not None and place_words(self.card.layer(layer), neurons):
            return neuron_words(self.card.layer(layer), neurons)
        return "; ".join(self.called(layer, i) for i in neurons) if len(neurons) <= SHORT else f"{len(neurons)} neurons"

    def called(self, layer: int, neuron: int) -> str:
        """A neuron by its place, or where it has none by its name."""
        if self.card is None or not has_places(self.card.layer(layer)):
            return self.name(layer, neuron)
        return neuron_words(self.card.layer(layer), (neuron,))

    @property
    def u(self) -> tuple[float, float, float, float]:
        """u at x1, with the condition's change alone, with the condition put back, and at x2."""
        change = self.change
        at_x1, alone, put_back, at_x2 = (
            float(u[self.place]) for u in (change.u1, change.alone, change.put_back, change.u2)
        )
        return at_x1, alone, put_back, at_x2

    @property
    def steps(self) -> list[Step]:
        """From x1 over the neurons that carry most to the condition put back, and to x2; then its change alone."""
        at_x1, alone, put_back, at_x2 = self.u
        bars = [
            ("other neurons", self.called(self.pair.condition.layer, neuron), float(each[self.place]))
            for neuron, each in zip(self.change.neurons[:MOST], self.change.others, strict=False)
        ]
        rest = put_back - at_x1 - sum(each for *_, each in bars)
        if abs(rest) > NEGLIGIBLE * max(map(abs, self.u)):
            bars.append(("all the rest", "rest", rest))
        steps, level = [Step("u", "x1", 0.0, at_x1)], at_x1
        for kind, name, each in bars:
            steps.append(Step(kind, name, level, each))
            level += each
        return [
            *steps,
            Step("u", "◆ put back", 0.0, put_back),
            Step("condition feature", f"◆ {self.condition}", put_back, at_x2 - put_back),
            Step("u", "x2", 0.0, at_x2),
            Step("u", "◆ alone", 0.0, alone),
        ]


@dataclass(frozen=True)
class Step:
    """One bar: what it stands for, a key of `LOOKS`, its name, where it begins, and how far it goes."""

    kind: str
    name: str
    start: float
    height: float

    @property
    def tick(self) -> str:
        """Its name at the axis, a line for each part of a place, which needs no number beside it.

        >>> Step("", "◆ channel 4, row 11, column 26 (neuron 1226)", 0.0, 1.0).tick
        '◆ channel 4<br>row 11<br>column 26'
        """
        return re.sub(r", (?=[a-z]+ )", "<br>", self.name.partition(" (")[0])

    @property
    def label(self) -> str:
        """What stands above it: u with its sign in words, or what a neuron carries in the digits that have room."""
        if self.kind != "u":
            return f"{self.height:+.2g}".replace("-", MINUS)
        return f"<b>{self.height:.3g}</b><br>sign {sign_of(self.height)}".replace("-", MINUS)


def sign_of(u: float) -> str:
    """The sign of a u: + for u ≥ 0."""
    return "+" if u >= 0 else MINUS


def plot_effect(view: EffectView, *, source: str = "") -> go.Figure:
    """A waterfall from u at x1 to u at x2, with the condition put back before the last step; and its change alone."""
    figure = new_figure(
        title=f"How u of {view.decision} changes",
        x=f"Neurons of layer {view.pair.condition.layer} (◆ condition feature)",
        y="u, pre-activation (no unit)",
        source=source,
    )
    steps = view.steps
    for kind in LOOKS:
        if bars := [step for step in steps if step.kind == kind]:
            figure.add_trace(_bars(kind, bars))
    ends = [0.0, *(end for step in steps for end in (step.start, step.start + step.height))]
    way = max(ends) - min(ends) or 1.0
    labels = _labels(steps, LINE * way)
    figure.add_trace(labels)
    line = {"color": PURPLE, "width": 2, "dash": "dash"}
    figure.add_shape(type="line", xref="paper", yref="y", x0=0, x1=1, y0=0, y1=0, line=line)
    figure.add_trace(go.Scatter(name="u = 0, where the sign changes", mode="lines", x=[None], y=[None], line=line))
    names = [step.name for step in steps]
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=names, tickvals=names)
    figure.update_xaxes(ticktext=[step.tick for step in steps])
    figure.update_yaxes(range=[min(ends) - 0.06 * way, max(labels.y) + 2 * LINE * way])  # with room for labels
    figure.update_layout(barmode="stack", legend_y=BELOW_TALL_TICKS)
    return figure


def _bars(kind: str, bars: Sequence[Step]) -> go.Bar:
    return go.Bar(
        name=kind,
        x=[step.name for step in bars],
        y=[step.height for step in bars],
        base=[step.start for step in bars],
        marker=bar_marker(*LOOKS[kind]),
        hovertext=[f"{step.name}: {short(step.height)}" for step in bars],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _labels(steps: Sequence[Step], line: float) -> go.Scatter:
    return go.Scatter(
        mode="text",
        x=[step.name for step in steps],
        y=_heights(steps, line),
        text=[step.label for step in steps],
        textfont={"size": 12},
        textposition="top center",
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
    )


def _heights(steps: Sequence[Step], line: float) -> list[float]:
    """Where labels begin: above their bars, or above the labels to the left that they would meet in narrow windows.

    >>> _heights([Step("u", "x1", 0.0, 8.0), Step("other neurons", "1", 8.0, -2.0), Step("u", "x2", 0.0, 6.0)], 1.0)
    [8.0, 10.0, 6.0]
    """
    placed: list[tuple[float, float, float, float]] = []  # the lower and the upper edge, the left and the right one
    heights = []
    for place, step in enumerate(steps):
        lines = re.sub("</?b>", "", step.label).split("<br>")
        half = CHARACTER * max(map(len, lines)) / 2
        height, tall, left, right = step.start + max(0.0, step.height), len(lines) * line, place - half, place + half
        for low, high, start, end in sorted(placed):
            if start < right and left < end and low < height + tall and height < high:
                height = high
        placed.append((height, height + tall, left, right))
        heights.append(height)
    return heights
