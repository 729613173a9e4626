"""One style for every figure: colours that colour-blind people can tell apart, each with a second cue, and units.

Backgrounds are transparent and text takes its colour from the template, so that a page's light or dark theme shows
through. Colours are those of Okabe and Ito (2008), "Color Universal Design".
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import plotly.graph_objects as go

from dnncov_core.distances import NORM_NAMES
from dnncov_core.phrases.numbers import from_to
from dnncov_core.ratios import Ratio
from dnncov_core.records import Outcome
from dnncov_core.statistics.distances import UNITS, Unit
from dnncov_core.types import Edge, Norm

BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, YELLOW, GREY = "#56B4E9", "#CC79A7", "#F0E442", "#8A8F98"
INK, DARK = "#3A3F47", "#1F2630"
"""The colours of text, and of what stands on a bright colour."""
FAINT = "rgba(138, 143, 152, 0.28)"
CLEAR = "rgba(0, 0, 0, 0)"

COVERED, ADVERSARIAL = BLUE, VERMILLION
"""Covered is always blue and adversarial always vermillion, in every figure."""

SEQUENCE = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
HATCHINGS = ("", "/", "x", ".", "\\", "-")
SYMBOLS = ("circle", "square", "diamond", "cross", "x", "triangle-up")
"""Colour, dash of lines, hatching of bars and symbol of points of the first, second, ... campaign of a comparison."""

MOST_DRAWN = 8
"""Campaigns over each other in one figure: with more of them nobody finds one again. Tables have all."""

MOST_LABELS = 12
"""Bars beyond this number carry no text; their hover still does."""

HEIGHT = 452
"""The height of a figure, in pixels."""

TEMPLATE = go.layout.Template(
    layout={
        "font": {"family": "Source Sans, Source Sans 3, Helvetica, Arial, sans-serif", "size": 14, "color": INK},
        "title": {
            "font": {"size": 18},
            "subtitle": {"font": {"size": 12}},
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"t": 20},
        },
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "colorway": SEQUENCE,
        "hoverlabel": {"align": "left"},
        "margin": {"l": 64, "r": 16, "t": 84, "b": 56},
        "bargap": 0.35,
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": -0.24, "yanchor": "top", "traceorder": "normal"},
        "xaxis": {"showgrid": False, "linecolor": FAINT, "zeroline": False, "automargin": True},
        "yaxis": {"gridcolor": FAINT, "zeroline": False, "automargin": True},
    }
)


class HasName(Protocol):
    """A series, a curve or a cell that belongs to one campaign."""

    @property
    def name(self) -> str:
        """What the campaign is called."""


@dataclass(frozen=True)
class Look:
    """How an outcome, an answer or a campaign appears: its colour, and what tells it apart without colour.

    ``line`` is the colour around a symbol on a coloured cell.
    """

    colour: str
    dash: str = "solid"
    hatching: str = ""
    symbol: str = "circle"
    name: str = ""
    line: str = "#111111"


def campaign_look(place: int) -> Look:
    """The look of the campaign at a place, from 0; the first 36 look all different.

    >>> campaign_look(6).colour == campaign_look(0).colour, campaign_look(6).dash == campaign_look(0).dash
    (True, False)
    """
    n = len(SEQUENCE)
    second = (place + place // n) % n
    return Look(SEQUENCE[place % n], DASHES[second], HATCHINGS[second], SYMBOLS[second])


def look_of(name: str, order: Sequence[str], place: int) -> Look:
    """The look of a campaign by its place in the ``order`` of all that are compared; by ``place`` if it has none."""
    return campaign_look(order.index(name) if name in order else place)


Named = TypeVar("Named", bound=HasName)


def overlaid(series: Sequence[Named], chosen: Sequence[str] = ()) -> list[Named]:
    """The campaigns that are drawn over each other: the first `MOST_DRAWN`, or those that are chosen by their names."""
    return [each for each in series if not chosen or each.name in chosen][:MOST_DRAWN]


def with_left_out(source: str, n_drawn: int, n: int) -> str:
    """A figure's second line, which says so if some campaigns are left out.

    >>> with_left_out("data mnist", 8, 20), with_left_out("data mnist", 3, 3)
    ('data mnist · 8 of 20 drawn', 'data mnist')
    """
    return source if n_drawn == n else " · ".join(filter(None, [source, f"{n_drawn} of {n} drawn"]))


def as_text(name: str) -> str:
    """A name from outside as a figure shows it: its signs are no tags.

    >>> as_text("a <b> & c")
    'a &lt;b&gt; &amp; c'
    """
    return html.escape(name, quote=False)


def see_through(colour: str, opacity: float) -> str:
    """A colour that lets what is behind it be seen.

    >>> see_through("#0072B2", 0.15)
    'rgba(0, 114, 178, 0.15)'
    """
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"


OUTCOME_LOOKS: Mapping[Outcome, Look] = {
    Outcome.FOUND: Look(COVERED, name="covered"),
    Outcome.EXHAUSTED: Look(GREY, hatching="/", name="budget exhausted"),
    Outcome.PROVED_INFEASIBLE: Look(GREEN, hatching="x", name="proved infeasible"),
    Outcome.ERROR: Look(PURPLE, hatching=".", name="error"),
    Outcome.PENDING: Look(FAINT, name="not tried yet"),
}


def bar_marker(colour: str, hatching: str = "") -> dict[str, object]:
    """A bar's marker: plain, or hatched on nothing."""
    line = {"color": colour, "width": 1}
    if not hatching:
        return {"color": colour, "line": line}
    pattern = {
        "shape": hatching,
        "fillmode": "replace",
        "fgcolor": colour,
        "bgcolor": CLEAR,
        "size": 7,
        "solidity": 0.4,
    }
    return {"color": colour, "line": line, "pattern": pattern}


def in_per_cent(ratios: Sequence[Ratio]) -> list[float | None]:
    """Shares in per cent; None where nothing was counted."""
    return [None if ratio.value is None else 100 * ratio.value for ratio in ratios]


def ends_of(
    values: Sequence[float | None], intervals: Sequence[tuple[float, float] | None]
) -> list[tuple[float, float]]:
    """The ends of intervals of shares, in per cent; both are the value where there is no interval."""
    return [
        (100 * interval[0], 100 * interval[1]) if interval else (value or 0.0, value or 0.0)
        for value, interval in zip(values, intervals, strict=True)
    ]


def interval_hover(interval: tuple[float, float] | None) -> str:
    """The ends of an interval of shares, which are fractions, in a hover text.

    >>> interval_hover((0.1, 0.25)), interval_hover(None)
    ('95 % interval 10.0 % to 25.0 %', 'no simple random sample: no interval')
    """
    if interval is None:
        return "no simple random sample: no interval"
    return f"95 % interval {from_to(interval)}"


def whiskers(
    values: Sequence[float | None],
    ends: Sequence[tuple[float, float]],
    colour: str,
    *,
    thickness: float = 1.5,
    width: float = 4,
) -> dict[str, object]:
    """Error bars from values, None where there is none, to the ends of their intervals, in the unit of the axis.

    ``thickness`` of the lines, and ``width``, half that of their caps, are in pixels.
    """
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - (value or 0.0) for value, (_, high) in zip(values, ends, strict=True)],
        "arrayminus": [(value or 0.0) - low for value, (low, _) in zip(values, ends, strict=True)],
        "color": colour,
        "thickness": thickness,
        "width": width,
    }


def layer_pair(edge: Edge) -> str:
    """A layer pair's name on axes and in menus.

    >>> layer_pair((2, 3))
    '2 → 3'
    """
    return f"{edge[0]} → {edge[1]}"


def modules_in_words(conditions: Iterable[str], decision: str) -> str:
    """What the network's own program calls the layers of a layer pair; a bare number is said to be a module's.

    >>> modules_in_words(["2", "block.relu"], "4")
    'module 2, block.relu → module 4'
    """
    *before, last = (f"module {name}" if name.isdecimal() else name for name in (*conditions, decision))
    return f"{', '.join(before)} → {last}"


def distance_axis(norm: Norm, unit: Unit) -> str:
    """A distance axis with its unit."""
    return f"{NORM_NAMES[norm]} distance ({UNITS[unit]})"


def in_grey_levels(norm: Norm, unit: Unit) -> bool:
    """Whether a distance is that of one value of one pixel, so that it can be read in grey levels."""
    return unit == "pixels" and norm == "inf"


def new_figure(*, title: str, x: str, y: str, source: str = "", empty: str = "") -> go.Figure:
    """A figure with its axes named; ``empty`` is what it says instead of data where there is none.

    ``source`` comes from outside, and is shown as it is.
    """
    heading = {"text": title} | ({"subtitle": {"text": as_text(source)}} if source else {})
    axes = {"xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}}
    figure = go.Figure(layout={"template": TEMPLATE, "title": heading, "height": HEIGHT, **axes})
    if empty:
        figure.update_xaxes(showticklabels=False)
        figure.update_yaxes(showticklabels=False, showgrid=False)
        say(figure, empty)
    return figure


def say(figure: go.Figure, text: str) -> None:
    """Words in the middle of a plot."""
    figure.add_annotation(text=text, showarrow=False, x=0.5, y=0.5, xref="paper", yref="paper", font_size=15)
