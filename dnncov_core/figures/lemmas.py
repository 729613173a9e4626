"""The paper's diagram of criteria: which is weaker than which, with what a suite covers and says of each arrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap

import plotly.graph_objects as go

from dnncov_core.figures.style import CLEAR, COVERED, GREY, ORANGE, VERMILLION, Look, as_text, new_figure
from dnncov_core.suites.criterion_names import ENTRIES
from dnncov_core.suites.lemmas import Answer, Checked, check
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement

PLACES: Mapping[str, tuple[float, float]] = {
    "n": (0.5, -0.4),
    "tn": (1.5, 1.12),
    "mn": (2.5, 1.12),
    "nb": (3.5, 1.12),
    "ss": (0.0, 2.0),
    "vs": (1.0, 2.0),
    "vv": (2.0, 2.0),
    "sv": (3.0, 2.0),
    "s": (0.0, 3.15),
}
"""Where each criterion stands: weaker ones below."""

BESIDE = {
    "n": "bottom center",
    "tn": "bottom center",
    "mn": "bottom center",
    "nb": "bottom center",
    "ss": "middle left",
    "s": "middle right",
}
"""On which side of a criterion its value stands; above, if not here."""

NODE = 42
"""Diameter of a criterion, in pixels."""

HOVER = 48
"""Characters in a line of what hovering says, so that it fits beside its mark."""

UNMEASURED = "#6B7078"
"""Dark enough for white text, and opaque, so that arrows begin at its edge."""


ANSWER_LOOKS: Mapping[Answer, Look] = {
    Answer.HOLDS: Look(COVERED, "solid", symbol="circle"),
    Answer.FAILS: Look(VERMILLION, "dash", symbol="x"),
    Answer.OPEN: Look(ORANGE, "dashdot", symbol="diamond"),
    Answer.MISSING: Look(GREY, "dot", symbol="circle-open"),
}


def plot_relations(measurement: StoredMeasurement, *, source: str = "") -> go.Figure:
    """Criteria with their values, arrows from the weaker to the stronger; hover says what a lemma asks for."""
    figure = new_figure(title="Which criterion is weaker than which", x="", y="weaker → stronger", source=source)
    found = check(measurement)
    for answer in Answer:
        some = [each for each in found if each.answer is answer]
        if some:
            _arrows(figure, answer, some)
    figure.add_trace(_nodes(measurement))
    figure.add_trace(_values(measurement))
    figure.update_xaxes(visible=False, range=[-0.9, 3.9])
    figure.update_yaxes(showticklabels=False, showgrid=False, range=[-1.0, 3.5])
    figure.update_layout(legend_y=-0.06)
    return figure


def relations_in_words(measurement: StoredMeasurement) -> str:
    """The diagram in words, for those who cannot see it: each criterion with its value, each arrow with its answer."""
    values = "; ".join(f"{each.name}: {each.percent}" for each in measurement.criteria if each.key in PLACES)
    arrows = "; ".join(
        f"{each.relation.weaker.upper()} weaker than {each.relation.stronger.upper()}: {each.answer.value}"
        for each in check(measurement)
    )
    return f"Diagram of criteria. Coverage: {values}. {arrows}."


def _arrows(figure: go.Figure, answer: Answer, relations: Sequence[Checked]) -> None:
    look = ANSWER_LOOKS[answer]
    for each in relations:
        figure.add_trace(_arrow(look, each))
    middles = [_between(each) for each in relations]
    figure.add_trace(
        go.Scatter(
            name=answer.value,
            mode="markers",
            x=[x for x, _ in middles],
            y=[y for _, y in middles],
            marker={
                "symbol": look.symbol,
                "size": 10,
                "color": look.colour,
                "line": {"color": look.colour, "width": 2},
            },
            customdata=[[each.relation.weaker, each.relation.stronger] for each in relations],
            hovertext=[_hover(each) for each in relations],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    )


def _arrow(look: Look, checked: Checked) -> go.Scatter:
    start, end = PLACES[checked.relation.weaker], PLACES[checked.relation.stronger]
    return go.Scatter(
        mode="lines+markers",
        x=[start[0], end[0]],
        y=[start[1], end[1]],
        line={"color": look.colour, "dash": look.dash, "width": 2},
        marker={
            "symbol": "arrow",
            "size": [0, 14],
            "angleref": "previous",
            "standoff": [0, NODE / 2],
            "color": look.colour,
            "opacity": 1,
            "line": {"width": 0},
        },
        hoverinfo="skip",
        showlegend=False,
    )


def _between(checked: Checked) -> tuple[float, float]:
    """Where an arrow's mark is: nearer to its beginning, where arrows that cross are apart."""
    (x1, y1), (x2, y2) = (PLACES[key] for key in (checked.relation.weaker, checked.relation.stronger))
    return x1 + 0.4 * (x2 - x1), y1 + 0.4 * (y2 - y1)


def _hover(checked: Checked) -> str:
    relation = checked.relation
    head = f"<b>{relation.weaker.upper()} is weaker than {relation.stronger.upper()}</b>: {checked.answer.value}"
    return _lines(head, checked.why, *([f"The lemma holds {relation.condition}."] if relation.condition else []))


def _lines(head: str, *sentences: str) -> str:
    """A hover text, whose sentences are broken into lines that fit beside what is hovered over.

    >>> _lines("<b>S</b>", "a lower bound: the first 2,000 of 4,000 sign patterns compared")
    '<b>S</b><br>a lower bound: the first 2,000 of 4,000 sign<br>patterns compared'
    """
    return "<br>".join([head, *(as_text(line) for sentence in sentences for line in wrap(sentence, HOVER))])


def _nodes(measurement: StoredMeasurement) -> go.Scatter:
    measured = [measurement.criterion(key) is not None for key in PLACES]
    return go.Scatter(
        mode="markers+text",
        x=[x for x, _ in PLACES.values()],
        y=[y for _, y in PLACES.values()],
        text=[f"<b>{key.upper()}</b>" for key in PLACES],
        textfont={"color": "#FFFFFF"},
        marker={
            "size": NODE,
            "color": [COVERED if known else UNMEASURED for known in measured],
            "opacity": 1,
            "line": {"width": 0},
        },
        hovertext=[_node_hover(key, measurement) for key in PLACES],
        hovertemplate="%{hovertext}<extra></extra>",
        showlegend=False,
        cliponaxis=False,
    )


def _node_hover(key: str, measurement: StoredMeasurement) -> str:
    lines = [line for each in measurement.all_of(key) for line in _measured_lines(each)]
    return _lines(f"<b>{ENTRIES[key].title}</b>", *(lines or ["not measured"]))


def _measured_lines(measured: MeasuredCriterion) -> list[str]:
    counts = "" if measured.ratio is None else f" ({measured.ratio.counts})"
    asked = [f"asked as {measured.text}"] if measured.text != measured.key else []
    return [f"{measured.percent}{counts}", *asked, *(f"a lower bound: {bound}" for bound in measured.bounds)]


def _values(measurement: StoredMeasurement) -> go.Scatter:
    """What was measured, beside each criterion, where no arrow is."""
    known = {key: measured.percent for key in PLACES if (measured := measurement.criterion(key)) is not None}
    return go.Scatter(
        mode="markers+text",
        x=[PLACES[key][0] for key in known],
        y=[PLACES[key][1] for key in known],
        text=list(known.values()),
        textposition=[BESIDE.get(key, "top center") for key in known],
        marker={"size": NODE, "color": CLEAR},
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )
