"""The effect of a condition feature: how u of a decision neuron gets from x1 to x2, neuron by neuron of layer k."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from dnncov_core.features import FeaturePair
from dnncov_core.figures.axes import BELOW_TALL_TICKS
from dnncov_core.figures.style import DARK, GREY, ORANGE, PURPLE, SKY, bar_marker, new_figure
from dnncov_core.phrases.numbers import short
from dnncov_core.playground.names import MINUS
from dnncov_core.records import Effect

if TYPE_CHECKING:
    from dnncov_core.effect import DecisionChange

MOST = 5
"""Neurons beside the condition feature that have a bar of their own."""
SHORT = 2
"""A condition feature of so many neurons is named by them; of a larger one it is said how many they are."""
NEGLIGIBLE = 1e-6
"""A rest of less than this share of the largest u is rounding."""
MARK, ROOM = 0.04, 0.2
"""Half the height of a mark, and room for words above a bar, as shares of what is drawn."""
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
    """

    pair: FeaturePair
    change: DecisionChange
    effect: Effect
    place: int = 0
    name: Callable[[int, int], str] = lambda layer, neuron: str(neuron)

    @property
    def decision(self) -> str:
        """The decision neuron in words."""
        layer = self.pair.decision.layer
        return f"neuron {self.name(layer, self.pair.decision.neurons[self.place])} of layer {layer}"

    @property
    def condition(self) -> str:
        """The condition feature in few words."""
        layer, neurons = self.pair.condition.layer, self.pair.condition.neurons
        return ", ".join(self.name(layer, i) for i in neurons) if len(neurons) <= SHORT else f"{len(neurons)} neurons"

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
        """From x1 over the neurons that carry most to u with the condition put back, and with its bar to x2."""
        at_x1, _, put_back, at_x2 = self.u
        carried = self.change.contributions
        bars = [
            ("other neurons", self.name(self.pair.condition.layer, neuron), float(each[self.place]))
            for neuron, each in zip(carried.neurons[:MOST], carried.others, strict=False)
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
        ]


@dataclass(frozen=True)
class Step:
    """One bar: what it stands for, a key of `LOOKS`, its name, where it begins, and how far it goes."""

    kind: str
    name: str
    start: float
    height: float

    @property
    def label(self) -> str:
        """What stands above it: u with its sign in words, or what a neuron carries."""
        if self.kind != "u":
            return signed(self.height)
        return f"<b>{self.height:.3g}</b><br>sign {sign_of(self.height)}".replace("-", MINUS)

    @property
    def words(self) -> str:
        """The bar in words."""
        if self.kind == "u":
            return {"x1": "u at x1", "x2": "u at x2"}.get(self.name, "u with the condition put back")
        return f"carried by {self.name}" if self.kind != "all the rest" else "carried by all the rest"


def signed(value: float) -> str:
    """A change of u, always with its sign, in the two digits for which there is room.

    >>> signed(-0.251), signed(0.5)
    ('−0.25', '+0.5')
    """
    return f"{value:+.2g}".replace("-", MINUS)


def written_u(u: float) -> str:
    """A u with four digits.

    >>> written_u(-13.2)
    '−13.2'
    """
    return short(u).replace("-", MINUS)


def sign_of(u: float) -> str:
    """The sign of a u: + for u ≥ 0."""
    return "+" if u >= 0 else MINUS


def plot_effect(view: EffectView, *, source: str = "") -> go.Figure:
    """A waterfall from u at x1 to u at x2; the condition feature's bar is the last, after u with it put back."""
    figure = new_figure(
        title=f"Why {view.decision} changes",
        x=f"Neurons of layer {view.pair.condition.layer} (◆ condition feature)",
        y="u of the decision neuron (no unit)",
        source=source,
    )
    steps, alone = view.steps, view.u[1]
    for kind in LOOKS:
        if bars := [step for step in steps if step.kind == kind]:
            figure.add_trace(_bars(kind, bars))
    figure.add_trace(_labels(steps, alone))
    figure.add_trace(
        go.Scatter(
            name="the condition's change alone",
            mode="markers",
            x=[steps[0].name],
            y=[alone],
            marker={"symbol": "diamond", "size": 12, "color": ORANGE, "line": {"color": DARK, "width": 1.5}},
            hovertemplate=f"the condition's change alone: u = {short(alone)}<extra></extra>",
        )
    )
    line = {"color": PURPLE, "width": 2, "dash": "dash"}
    across = {"xref": "paper", "yref": "y", "x0": 0, "x1": 1, "y0": 0, "y1": 0}
    figure.add_shape(type="line", **across, line=line)
    figure.add_trace(go.Scatter(name="u = 0, where the sign changes", mode="lines", x=[None], y=[None], line=line))
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=[step.name for step in steps])
    low, high, room = _reach(steps, alone)
    figure.update_yaxes(range=[low - 0.06 * room, high + ROOM * room])
    figure.update_layout(barmode="stack", legend_y=BELOW_TALL_TICKS)
    return figure


def _bars(kind: str, bars: Sequence[Step]) -> go.Bar:
    return go.Bar(
        name=kind,
        x=[step.name for step in bars],
        y=[step.height for step in bars],
        base=[step.start for step in bars],
        marker=bar_marker(*LOOKS[kind]),
        hovertext=[f"{step.words}: {short(step.height)}" for step in bars],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _labels(steps: Sequence[Step], alone: float) -> go.Scatter:
    """Words above the bars; those of x1 are above the mark of the condition's change alone where it is in their way."""
    tops, texts = [max(0.0, step.height) + step.start for step in steps], [step.label for step in steps]
    if -MARK < (alone - tops[0]) / _reach(steps, alone)[2] < ROOM:
        tops[0], texts[0] = max(tops[0], alone), f"{texts[0]}<br> "
    return go.Scatter(
        mode="text",
        x=[step.name for step in steps],
        y=tops,
        text=texts,
        textfont={"size": 12},
        textposition="top center",
        cliponaxis=False,
        hoverinfo="skip",
        showlegend=False,
    )


def _reach(steps: Sequence[Step], alone: float) -> tuple[float, float, float]:
    """The lowest and the highest u that is drawn, 0 included, and how far these are from each other; 1 for no way."""
    ends = [0.0, alone, *(end for step in steps for end in (step.start, step.start + step.height))]
    return min(ends), max(ends), max(ends) - min(ends) or 1.0


def effect_in_words(view: EffectView) -> str:
    """The figure in words, for those who cannot see it."""
    bars = "; ".join(f"{step.words}: {short(step.height)}" for step in view.steps)
    return f"Waterfall of u of {view.decision}. {bars}. u with the condition's change alone: {short(view.u[1])}."
