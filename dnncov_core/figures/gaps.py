"""Where the gaps are: the test conditions of one layer pair by condition and decision feature."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from dnncov_core.campaign.file.conditions import Status
from dnncov_core.figures.style import (
    BLUE,
    CLEAR,
    FAINT,
    GREEN,
    GREY,
    HEIGHT,
    ORANGE,
    PURPLE,
    Look,
    layer_pair,
    new_figure,
    see_through,
)
from dnncov_core.phrases.numbers import out_of
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.gaps import GapMatrix
from dnncov_core.types import BoolArray, IntArray

MOST_HEIGHT = 760
"""The height of a matrix with many rows, in pixels."""
AROUND = 190
"""The part of that height that is around the plot."""
NARROW, BAR = 370, 80
"""Width of the plot in a window of 480 pixels, and what the colour bar takes of it."""
NOT_ASKED = "rgba(138, 143, 152, 0.10)"
"""The colour of cells that the campaign does not ask about."""
SHOWN = "#D81B60"
"""The colour of the frame around the cell that is shown."""
FEW = 24
"""Up to this many features every one has a tick, and cells have gaps between them."""
SMALL = 40
"""With more rows and more columns than this, any place in a cell is within the distance at which Plotly finds its mark,
so that unseen marks need not be elements of the page."""
PALE = see_through(BLUE, 0.4)
"""The colour of what is covered without effect: nearer to the background, light or dark, than what is covered."""
SHARE_COLOURS = ((0.0, ORANGE), (0.5, "#A9B4B6"), (1.0, BLUE))
"""Colours of the share that is covered: darker where more is, so that it can be read without colour."""


STATUS_LOOKS: Mapping[Status, Look] = {
    Status.COVERED: Look(BLUE, symbol="square", name="covered", line=CLEAR),
    Status.WITHOUT_EFFECT: Look(PALE, symbol="triangle-up", name="covered, without effect", line=BLUE),
    Status.PROVED_INFEASIBLE: Look(GREEN, symbol="square-x", name="proved infeasible"),
    Status.JUSTIFIED: Look(ORANGE, symbol="square-cross", name="justified"),
    Status.EXHAUSTED: Look(GREY, symbol="diamond", name="budget exhausted"),
    Status.ERROR: Look(PURPLE, symbol="circle-dot", name="error"),
    Status.PENDING: Look(FAINT, symbol="circle-open", name="not tried yet", line=GREY),
}
"""In the order of `Status`."""


def plot_gaps(matrix: GapMatrix | None, *, source: str = "", shown: tuple[int, int] | None = None) -> go.Figure:
    """A heat map with a mark on each cell that is not covered; of blocks, the share that is covered.

    Args:
        shown: places of the condition and the decision feature of the test condition that is shown beside it.
    """
    if matrix is None or not matrix.asked.any():
        return new_figure(title="Gaps", x="Decision neuron", y="Condition neuron", source=source, empty="Nothing here")
    k, layer = matrix.edge
    kind = "neuron" if matrix.single else "feature"
    figure = new_figure(
        title=f"Test conditions of layers {layer_pair(matrix.edge)}",
        x=f"Decision {kind} of layer {layer} (number)",
        y=f"Condition {kind} of layer {k} (number)",
        source=source,
    )
    figure.add_trace(_shares(matrix) if matrix.aggregated else _cells(matrix))
    for trace in _marks(matrix):
        figure.add_trace(trace)
    if not matrix.asked.all():
        look = Look(NOT_ASKED, symbol="square", name="not asked", line=GREY)
        figure.add_trace(_mark(matrix, matrix.asked == 0, look, look.name, drawn=False))
    if shown is not None:
        figure.add_trace(_shown(matrix, shown))
    figure.add_trace(_to_point_at(matrix))
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
    """The share of each block's test conditions that is covered, in per cent."""
    covered, asked = matrix.covered, matrix.asked
    z = np.divide(100 * covered, asked, out=np.full(covered.shape, np.nan), where=asked > 0)
    bar = {"title": {"text": "Covered, of those asked about (%)", "side": "right"}, "thickness": 14, "outlinewidth": 0}
    return _heatmap(matrix, z, colorscale=SHARE_COLOURS, zmin=0, zmax=100, colorbar=bar)


def _heatmap(matrix: GapMatrix, z: np.ndarray[tuple[int, ...], np.dtype[np.float64]], **looks: object) -> go.Heatmap:
    rows, columns = matrix.block
    gap = 1 if max(matrix.shape) <= FEW else 0
    return go.Heatmap(
        z=z,
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
    rows, columns = matrix.block
    return {"x": j * columns + (columns - 1) / 2, "y": i * rows + (rows - 1) / 2}


def _to_point_at(matrix: GapMatrix) -> go.Scatter:
    """Unseen marks on the cells that are asked, to be pointed at and clicked, since cells of a heat map cannot be.

    ``customdata`` are the places of a cell's first condition and decision feature.
    """
    rows, columns = matrix.block
    i, j = np.nonzero(matrix.asked)
    size, small = MOST_HEIGHT / max(matrix.asked.shape), min(matrix.asked.shape) > SMALL
    return go.Scatter(
        mode="markers",
        **_middles(matrix, i, j),
        customdata=np.stack([i * rows, j * columns], axis=1).astype(object),  # browsers make objects of rows of numbers
        text=_hovers(matrix, i, j),
        hovertemplate="%{text}<extra></extra>",
        marker={"symbol": "square", "size": size, "opacity": 0, "maxdisplayed": 1 if small else 0},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        showlegend=False,
    )


def _shown(matrix: GapMatrix, place: tuple[int, int]) -> go.Scatter:
    """A frame around the cell of the test condition that is shown."""
    cell = [np.array([at // size]) for at, size in zip(place, matrix.block, strict=True)]
    return go.Scatter(
        name="shown below",
        mode="markers",
        **_middles(matrix, *cell),
        marker={"symbol": "square-open", "size": _mark_size(matrix) + 6, "color": SHOWN, "line": {"width": 2.5}},
        unselected={"marker": {"opacity": 1}},
        hoverinfo="skip",
    )


def _hovers(matrix: GapMatrix, i: IntArray, j: IntArray) -> list[str]:
    """The hover texts of the cells in these rows and columns."""
    (k, layer), kind = matrix.edge, "neuron" if matrix.single else "feature"
    heads, tails = ([_span(*matrix.span(axis, at)) for at in range(n)] for axis, n in enumerate(matrix.asked.shape))
    kinds, which = np.unique(matrix.counts[:, i, j], axis=1, return_inverse=True)
    said = [_said(_names(matrix), counts, aggregated=matrix.aggregated) for counts in kinds.T.tolist()]
    return [
        f"<b>Layer {k}, {kind} {heads[row]} → layer {layer}, {kind} {tails[column]}</b>"
        f"<br>{said[at]}{_asked_of(matrix, row, column)}"
        for row, column, at in zip(i.tolist(), j.tolist(), which.ravel().tolist(), strict=True)
    ]


def _asked_of(matrix: GapMatrix, row: int, column: int) -> str:
    """How many of a block's feature pairs the campaign asks about, which the block's colour stands for."""
    if not matrix.aggregated:
        return ""
    (top, bottom), (left, right) = matrix.span(0, row), matrix.span(1, column)
    pairs = Ratio(int(matrix.asked[row, column]), (bottom - top + 1) * (right - left + 1))
    return f"<br>asked about: {out_of(pairs, 'feature pair')}"


def _names(matrix: GapMatrix) -> list[str]:
    """What each status is called, in the order of `Status`: covered is so with effect where others are without it."""
    beside = any(matrix.counts[at].any() for at, status in enumerate(STATUS_LOOKS) if status is Status.WITHOUT_EFFECT)
    return [f"{look.name}{', with effect' * (beside and at is Status.COVERED)}" for at, look in STATUS_LOOKS.items()]


def _said(names: Sequence[str], counts: Sequence[int], *, aggregated: bool) -> str:
    """How many test conditions of a cell have each status, in the order of `Status`; of one, its status."""
    looks = [(name, n) for name, n in zip(names, counts, strict=True) if n]
    if not aggregated:
        return looks[0][0]
    return "<br>".join(f"{name}: {Ratio(n, sum(counts)).display()}" for name, n in looks)


def _span(first: int, last: int) -> str:
    """The numbers of the features in one block.

    >>> _span(8, 10), _span(3, 3)
    ('8 to 10', '3')
    """
    return str(first) if first == last else f"{first} to {last}"


def _marks(matrix: GapMatrix) -> Iterator[go.Scatter]:
    """A mark on the cells of each status that occurs, and its entry of the legend.

    Of blocks only those are marked that are wholly proved infeasible.
    """
    for at, (status, look) in enumerate(STATUS_LOOKS.items()):
        counts = matrix.counts[at]
        if matrix.aggregated:
            whole = (counts == matrix.asked) & (counts > 0)
            if status is Status.PROVED_INFEASIBLE and whole.any():
                yield _mark(matrix, whole, look, "all proved infeasible")
        elif counts.any():
            yield _mark(matrix, counts > 0, look, _names(matrix)[at], drawn=status is not Status.COVERED)


def _mark(matrix: GapMatrix, where: BoolArray, look: Look, name: str, *, drawn: bool = True) -> go.Scatter:
    size = _mark_size(matrix)
    line = min(1.0, size / 6)
    return go.Scatter(
        name=name,
        mode="markers",
        **(_middles(matrix, *np.nonzero(where)) if drawn else {"x": [None], "y": [None]}),
        marker={
            "symbol": look.symbol,
            "size": size - line,
            "color": look.line if look.symbol.endswith("open") else look.colour,
            "line": {"color": look.line, "width": line},
        },
        unselected={"marker": {"opacity": 1}},
        hoverinfo="skip",
    )


def _mark_size(matrix: GapMatrix) -> float:
    """The size of a mark with its line, in pixels: two thirds of a cell in a narrow window, so that none overlap."""
    rows, columns = matrix.asked.shape
    width = NARROW - BAR * matrix.aggregated
    return float(np.clip(0.65 * min((_height(matrix) - AROUND) / rows, width / columns), 2, 12))


def _height(matrix: GapMatrix) -> int:
    return int(np.clip(AROUND + 16 * matrix.asked.shape[0], HEIGHT, MOST_HEIGHT))


def _size(figure: go.Figure, matrix: GapMatrix) -> None:
    rows, columns = matrix.shape
    figure.update_layout(
        height=_height(matrix),
        plot_bgcolor=NOT_ASKED,
        legend={"itemsizing": "constant", "y": -90 / (_height(matrix) - AROUND)},
    )
    figure.update_xaxes(range=[-0.5, columns - 0.5], tickformat=",d", dtick=1 if columns <= FEW else None)
    figure.update_yaxes(range=[rows - 0.5, -0.5], tickformat=",d", dtick=1 if rows <= FEW else None, showgrid=False)
