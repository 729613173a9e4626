"""Marks on the cells of figures of gaps: the look of each status, and what is said where a cell is pointed at.

What is open is strong, and what is covered is muted, on a light and on a dark page; each status has a mark, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from dnncov_core.campaign.file.conditions import Status
from dnncov_core.figures.style import BLUE, GREEN, ORANGE, PURPLE, Look, see_through
from dnncov_core.statistics.gaps import counted_as
from dnncov_core.types import FloatArray, IntArray

NOT_ASKED = "rgba(138, 143, 152, 0.10)"
"""The colour of cells that the campaign does not ask about."""
STRONG = "#DC267F"
"""The colour of what is open: three times as light or as dark as `MUTED`, and as a light or a dark page."""
MUTED = see_through(BLUE, 0.25)
"""The colour of what is covered."""


STATUS_LOOKS: Mapping[Status, Look] = {
    Status.COVERED: Look(MUTED, symbol="square", name="covered", line=BLUE),
    Status.WITHOUT_EFFECT: Look(
        see_through(BLUE, 0.4), symbol="triangle-up", name="covered, without effect", line=BLUE
    ),
    Status.PROVED_INFEASIBLE: Look(see_through(GREEN, 0.3), symbol="square-x", name="proved infeasible", line=GREEN),
    Status.JUSTIFIED: Look(see_through(ORANGE, 0.4), symbol="square-cross", name="justified", line=ORANGE),
    Status.EXHAUSTED: Look(STRONG, symbol="diamond", name="budget exhausted", line="#FFFFFF"),
    Status.ERROR: Look(PURPLE, symbol="circle-dot", name="error"),
    Status.PENDING: Look(see_through(STRONG, 0.6), symbol="circle", name="not tried yet", line="#FFFFFF"),
}
"""In the order of `Status`."""


def small(values: FloatArray | IntArray) -> NDArray[Any]:
    """Numbers from 0 in the smallest type that holds them, since a figure sends their bytes."""
    if (values % 1).any():
        return values.astype(np.float32)
    most = int(values.max(initial=0))
    return values.astype(np.min_scalar_type(most) if most < 1 << 32 else np.float64)


def place_template(places: Iterable[str], n: int) -> str:
    """A neuron's place in a hover, its numbers being columns from number ``n``.

    >>> place_template(["channel", "row"], 2)
    'channel %{customdata[2]}, row %{customdata[3]}'
    """
    return ", ".join(f"{name} %{{customdata[{n + k}]}}" for k, name in enumerate(places))


def to_point_at(
    middles: Mapping[str, object],
    counts: IntArray,
    head: str,
    columns: Sequence[IntArray],
    *,
    asked: bool,
    size: float,
    tiny: bool,
) -> Iterator[go.Scatter]:
    """Unseen marks on cells, to be pointed at and clicked, since cells of a heat map cannot be.

    There is one trace for all cells in which the same statuses occur, so that its text is sent once.

    Args:
        middles: x and y of the cells.
        counts: test conditions of each status in each cell, ``(statuses, cells)``.
        head: the first line of what is said, in which ``%{customdata[i]}`` is column number i.
        columns: numbers of each cell; with ``asked`` the last two are test conditions and feature pairs.
        asked: whether cells stand for several feature pairs, so that counts are said.
        size: of the marks, in pixels.
        tiny: whether marks are so near that they need not be elements of the page.
    """
    names, there = status_names(counts), counts > 0
    for occurs in np.unique(there, axis=1).T:
        cells = (there == occurs[:, None]).all(axis=0)
        lines, numbers = [head], [column[cells] for column in columns]
        if asked:
            lines.append(f"%{{customdata[{len(numbers) - 2}]:,}} of %{{customdata[{len(numbers) - 1}]:,}} asked")
        for at in np.flatnonzero(occurs).tolist():
            lines.append(f"{names[at]}: %{{customdata[{len(numbers)}]:,}}" if asked else names[at])
            numbers += [counts[at, cells]] * asked
        yield go.Scatter(
            mode="markers",
            **{letter: np.asarray(values)[cells] for letter, values in middles.items()},
            customdata=small(np.stack(numbers, axis=1)) if numbers else None,
            hovertemplate="<br>".join(lines) + "<extra></extra>",
            marker={"symbol": "square", "size": size, "opacity": 0, "maxdisplayed": 1 if tiny else 0},
            selected={"marker": {"opacity": 0}},
            unselected={"marker": {"opacity": 0}},
            showlegend=False,
        )


def status_names(counts: IntArray) -> list[str]:
    """What each status is called, in the order of `Status`: covered is so with effect where others are without it."""
    beside = bool(counted_as(counts, (Status.WITHOUT_EFFECT,)).any())
    return [f"{look.name}{', with effect' * (beside and at is Status.COVERED)}" for at, look in STATUS_LOOKS.items()]


def mark(places: Mapping[str, object], look: Look, size: float) -> go.Scatter:
    """Marks of one look at these places, and their entry of the legend."""
    line = min(1.0, size / 6)
    return go.Scatter(
        name=look.name,
        mode="markers",
        **places,
        marker={
            "symbol": look.symbol,
            "size": size - line,
            "color": look.line if look.symbol.endswith("open") else look.colour,
            "line": {"color": look.line, "width": line},
        },
        unselected={"marker": {"opacity": 1}},
        hoverinfo="skip",
    )


def framed(middle: Mapping[str, object], size: float, colour: str) -> go.Scatter:
    """A frame around a mark of this size: what is shown below."""
    return go.Scatter(
        name="shown below",
        mode="markers",
        **middle,
        marker={"symbol": "square-open", "size": size + 7, "color": colour, "line": {"width": 3}},
        unselected={"marker": {"opacity": 1}},
        cliponaxis=False,
        hoverinfo="skip",
    )
