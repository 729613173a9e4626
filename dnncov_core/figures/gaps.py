"""Where the gaps are: the test conditions of one layer pair by condition and decision feature."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from dnncov_core.campaign.file.conditions import Status
from dnncov_core.figures.gap_marks import (
    MUTED,
    NOT_ASKED,
    STATUS_LOOKS,
    STRONG,
    framed,
    mark,
    place_template,
    small,
    status_names,
    to_point_at,
)
from dnncov_core.figures.style import (
    BLUE,
    GREY,
    HEIGHT,
    INK,
    Look,
    layer_pair,
    new_figure,
    see_through,
)
from dnncov_core.phrases.neurons import has_places, places_of
from dnncov_core.statistics.gaps import GapMatrix, counted_as
from dnncov_core.types import BoolArray, IntArray

MOST_HEIGHT = 760
"""The height of a matrix with many rows, in pixels."""
AROUND = 190
"""The part of that height that is around the plot."""
NARROW, BAR = 370, 80
"""Width of the plot in a window of 480 pixels, and what the colour bar takes of it."""
LEAST = 8
"""The least size of a mark on a block that is asked about in part, in pixels."""
FEW = 24
"""Up to this many features every one has a tick, and cells have gaps between them."""
SMALL = 40
"""With more rows and more columns than this, any place in a cell is within the distance at which Plotly finds its mark,
so that unseen marks need not be elements of the page."""
SHARE_COLOURS = ((0.0, MUTED), (0.001, see_through(STRONG, 0.45)), (1.0, STRONG))
"""Colours of the share that is open: any at all stands out from none."""


IN_PART = {
    True: Look(STRONG, symbol="diamond", name="asked in part, some open", line="#FFFFFF"),
    False: Look(MUTED, symbol="square", name="asked in part, none open", line=BLUE),
}
"""The look of blocks of which the campaign asks about some feature pairs alone, by whether any of these is open."""


def plot_gaps(
    matrix: GapMatrix | None, *, source: str = "", shown: tuple[int, int] | None = None, frame: str = INK
) -> go.Figure:
    """A heat map with a mark on each cell that is not covered; of blocks, the share that is open.

    A block of which only some feature pairs are asked about has a mark in place of a colour of its own.

    Args:
        matrix: the test conditions.
        source: what stands below the title.
        shown: places of the condition and the decision feature of the test condition that is shown beside it.
        frame: the colour of the frame around that one.
    """
    if matrix is None or not matrix.asked.any():
        return new_figure(title="Gaps", x="Decision neuron", y="Condition neuron", source=source, empty="Nothing here")
    k, layer = matrix.edge
    figure = new_figure(
        title=f"Test conditions of layers {layer_pair(matrix.edge)}",
        x=f"Decision {matrix.kinds[1]} of layer {layer} (number)",
        y=f"Condition {matrix.kinds[0]} of layer {k} (number)",
        source=source,
    )
    figure.add_trace(_shares(matrix) if matrix.aggregated else _cells(matrix))
    for trace in _marks(matrix):
        figure.add_trace(trace)
    if not matrix.asked.all():
        n, pairs = int(matrix.asked.sum()), math.prod(matrix.shape)
        name = f"not asked about: {pairs - n:,} of {pairs:,} feature pairs"
        look = Look(NOT_ASKED, symbol="square", name=name, line=GREY)
        figure.add_trace(_mark(matrix, matrix.asked == 0, look, drawn=False))
    if shown is not None:
        figure.add_trace(_shown(matrix, shown, frame))
    for trace in _to_point_at(matrix):
        figure.add_trace(trace)
    _size(figure, matrix)
    return figure


def _cells(matrix: GapMatrix) -> go.Heatmap:
    """One colour for each status."""
    steps = np.linspace(0, 1, len(Status) + 1)
    colours = [look.colour for look in STATUS_LOOKS.values()]
    scale = [(edge, colour) for at, colour in enumerate(colours) for edge in (steps[at], steps[at + 1])]
    z = np.where(matrix.asked > 0, matrix.counts.argmax(axis=0), np.nan)
    return _heatmap(matrix, z, colorscale=scale, zmin=-0.5, zmax=len(Status) - 0.5, showscale=False)


def _shares(matrix: GapMatrix) -> go.Heatmap:
    """The share of the test conditions that is open, in per cent, of each block that is wholly asked about."""
    whole = matrix.whole
    z = np.divide(100 * matrix.open, matrix.asked, out=np.full(whole.shape, np.nan), where=whole)
    bar = {"title": {"text": "Open, of those asked about (%)", "side": "right"}, "thickness": 14, "outlinewidth": 0}
    shown = {"colorbar": bar} if whole.any() else {"showscale": False}
    return _heatmap(matrix, z, colorscale=SHARE_COLOURS, zmin=0, zmax=100, **shown)


def _heatmap(matrix: GapMatrix, z: np.ndarray[tuple[int, ...], np.dtype[np.float64]], **looks: object) -> go.Heatmap:
    rows, columns = matrix.steps
    gap = 1 if max(matrix.shape) <= FEW else 0
    return go.Heatmap(
        z=z.astype(np.float32),
        y0=(rows - 1) / 2,
        dy=rows,
        x0=(columns - 1) / 2,
        dx=columns,
        hoverinfo="skip",
        xgap=gap,
        ygap=gap,
        **looks,
    )


def _middles(matrix: GapMatrix, i: IntArray, j: IntArray) -> dict[str, object]:
    """Where the middles of the cells in these rows and columns are."""
    rows, columns = matrix.steps
    x, y = j * columns + (columns - 1) / 2, i * rows + (rows - 1) / 2
    return {"x": small(x), "y": small(y)}


def _to_point_at(matrix: GapMatrix) -> Iterator[go.Scatter]:
    """Unseen marks on the cells that are asked about; their places are those of the cells' middles."""
    i, j = np.nonzero(matrix.asked)
    condition, columns = _named(matrix, 0, i, 0)
    decision, more = _named(matrix, 1, j, len(columns))
    columns += more
    head = f"<b>Layer {matrix.edge[0]}, {condition} → layer {matrix.edge[1]}, {decision}</b>"
    if matrix.aggregated:
        columns += [matrix.asked[i, j], matrix.pairs[i, j]]
    yield from to_point_at(
        _middles(matrix, i, j),
        matrix.counts[:, i, j],
        head,
        columns,
        asked=matrix.aggregated,
        size=MOST_HEIGHT / max(matrix.asked.shape),
        tiny=min(matrix.asked.shape) > SMALL,
    )


def _named(matrix: GapMatrix, axis: int, at: IntArray, n: int) -> tuple[str, list[IntArray]]:
    """What a hover calls the features of rows (axis 0) or columns, and the numbers in it, from column number ``n``."""
    kind, step, layer = matrix.kinds[axis], matrix.steps[axis], matrix.layers[axis]
    if step > 1:
        last = np.minimum((at + 1) * step, -(-matrix.shape[axis] * step // matrix.block[axis])) - 1
        return f"{kind}s %{{customdata[{n}]}} to %{{customdata[{n + 1}]}}", [at * step, last]
    number = f"%{{{'yx'[axis]}}}"
    if kind == "neuron" and has_places(layer):
        places = places_of(layer, at)
        return f"{place_template(places, n)} (neuron {number})", list(places.values())
    return f"{kind} {number}", []


def _shown(matrix: GapMatrix, place: tuple[int, int], colour: str) -> go.Scatter:
    """A frame around the cell of the test condition that is shown."""
    cell = [np.array([at // size]) for at, size in zip(place, matrix.block, strict=True)]
    return framed(_middles(matrix, *cell), _mark_size(matrix), colour)


def _marks(matrix: GapMatrix) -> Iterator[go.Scatter]:
    """A mark on the cells of each status that occurs, and its entry of the legend.

    Of blocks only those are marked that are asked about in part, or that are wholly proved infeasible.
    """
    if not matrix.aggregated:
        for at, (status, look) in enumerate(STATUS_LOOKS.items()):
            if (there := matrix.counts[at] > 0).any():
                named = replace(look, name=status_names(matrix.counts)[at])
                yield _mark(matrix, there, named, drawn=status is not Status.COVERED)
        return
    asked, all_proved = matrix.asked > 0, replace(STATUS_LOOKS[Status.PROVED_INFEASIBLE], name="all proved infeasible")
    proved = asked & (counted_as(matrix.counts, (Status.PROVED_INFEASIBLE,)) == matrix.asked)
    part = asked & ~matrix.whole & ~proved
    looks = ((part & ((matrix.open > 0) == some), look, LEAST) for some, look in IN_PART.items())
    for where, look, least in (*looks, (proved, all_proved, 2)):
        if where.any():
            yield _mark(matrix, where, look, least=least)


def _mark(matrix: GapMatrix, where: BoolArray, look: Look, *, drawn: bool = True, least: float = 2) -> go.Scatter:
    places = _middles(matrix, *np.nonzero(where)) if drawn else {"x": [None], "y": [None]}
    return mark(places, look, max(_mark_size(matrix), least))


def _mark_size(matrix: GapMatrix) -> float:
    """The size of a mark with its line, in pixels: two thirds of a cell in a narrow window, so that none overlap."""
    rows, columns = matrix.asked.shape
    width = NARROW - BAR * bool(matrix.aggregated and matrix.whole.any())
    return float(np.clip(0.65 * min((_height(matrix) - AROUND) / rows, width / columns), 2, 12))


def _height(matrix: GapMatrix) -> int:
    return int(np.clip(AROUND + 16 * matrix.asked.shape[0], HEIGHT, MOST_HEIGHT))


def _size(figure: go.Figure, matrix: GapMatrix) -> None:
    rows, columns = (n * step for n, step in zip(matrix.asked.shape, matrix.steps, strict=True))
    figure.update_layout(
        height=_height(matrix),
        plot_bgcolor=NOT_ASKED,
        legend={"itemsizing": "constant", "y": -90 / (_height(matrix) - AROUND)},
    )
    figure.update_xaxes(range=[-0.5, columns - 0.5], tickformat=",d", dtick=1 if columns <= FEW else None)
    figure.update_yaxes(range=[rows - 0.5, -0.5], tickformat=",d", dtick=1 if rows <= FEW else None, showgrid=False)
