"""Where in a layer covered and open decisions lie: a small heat map of rows by columns for each channel."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from dnncov_core.figures.gap_marks import MUTED, NOT_ASKED, STRONG, framed, mark, place_template, small, to_point_at
from dnncov_core.figures.style import BLUE, CLEAR, GREY, HEIGHT, INK, Look, layer_pair, new_figure, see_through
from dnncov_core.phrases.neurons import has_places, places_of
from dnncov_core.statistics.decision_map import DecisionMap, place_of, spread_out
from dnncov_core.types import IntArray

AROUND, MOST_HEIGHT, CELL = 190, 860, 12
"""Pixels around the plot, the height of the figure, and the side of a cell where there are few."""
MANY = 1600
"""With more cells than this, unseen marks need not be elements of the page."""
SPARSE = 0.2
"""Where fewer cells than this share of all are asked about, each has a mark, too."""
LOOKS = (
    Look(NOT_ASKED, symbol="square", name="not asked about", line=GREY),
    Look(MUTED, symbol="square", name="none open", line=BLUE),
    Look(see_through(STRONG, 0.6), symbol="triangle-up", name="some open", line="#FFFFFF"),
    Look(STRONG, symbol="diamond", name="all open", line="#FFFFFF"),
)
"""What becomes of a cell, by the test conditions that ask for its neurons."""


@dataclass(frozen=True)
class _Tiles:
    """Channels side by side: rows and columns of cells of one, and with its margins; how many a row, and in all."""

    size: tuple[int, int]
    step: tuple[int, int]
    across: int
    n: int

    @classmethod
    def of(cls, table: DecisionMap) -> _Tiles:
        rows, columns = (-(-size // table.block) for size in spread_out(table.layer)[1:])
        step, n = (rows + 2 + rows // 6, columns + 1 + columns // 8), len(table.channels)
        return cls((rows, columns), step, max(1, min(n, round(math.sqrt(2 * n * step[0] / step[1])))), n)

    @property
    def shape(self) -> tuple[int, int]:
        return -(-self.n // self.across) * self.step[0], min(self.n, self.across) * self.step[1]

    def corner(self, tile: IntArray) -> tuple[IntArray, IntArray]:
        """y and x of the first cell of tiles."""
        down, beside = divmod(tile, self.across)
        return (down + 1) * self.step[0] - self.size[0], beside * self.step[1]


def places(table: DecisionMap, cells: IntArray | None = None) -> tuple[IntArray, IntArray]:
    """y and x in the figure of cells, of all that are asked about if none are given."""
    channel, row, column = table.cells if cells is None else cells
    y, x = _Tiles.of(table).corner(np.searchsorted(table.channels, channel))
    return y + row // table.block, x + column // table.block


def plot_decisions(table: DecisionMap, *, source: str = "", shown: int | None = None, frame: str = INK) -> go.Figure:
    """Decision neurons by channel, row and column: strong where test conditions are open.

    Args:
        table: the decision neurons.
        source: what stands below the title.
        shown: the decision neuron of the test condition that is shown beside it.
        frame: the colour of the frame around that one.
    """
    empty = "" if table.channels.size else "Nothing here"
    title = f"Decision neurons of layers {layer_pair(table.edge)}"
    figure = new_figure(title=title, x=_below(table), y="", source=source, empty=empty)
    if empty:
        return figure
    tiles, n_open, layer = _Tiles.of(table), table.open, table.layer
    kinds = np.where(n_open == 0, 1, np.where(n_open < table.counts.sum(axis=0), 2, 3))
    figure.add_trace(_heat(table, kinds))
    height = int(np.clip(AROUND + tiles.shape[0] * CELL, HEIGHT, MOST_HEIGHT))
    size = float(np.clip(0.8 * (height - AROUND) / tiles.shape[0], 4, 9))
    for trace in _marks(table, kinds, size):
        figure.add_trace(trace)
    if has_places(layer):
        figure.add_trace(_numbers(table))
    if shown is not None:
        place = np.stack(place_of(layer, np.array([shown])))
        if place[0] in table.channels:
            figure.add_trace(framed(dict(zip("yx", places(table, place), strict=True)), size, frame))
    for trace in _to_point_at(table, size=1.5 * size):
        figure.add_trace(trace)
    figure.update_layout(height=height, legend={"itemsizing": "constant", "y": -70 / (height - AROUND)})
    figure.update_xaxes(range=[-0.5, tiles.shape[1] - 0.5], showticklabels=False, ticks="")
    figure.update_yaxes(range=[tiles.shape[0] - 0.5, -0.5], showticklabels=False, ticks="", showgrid=False)
    return figure


def _below(table: DecisionMap) -> str:
    """What stands below: what one small heat map is, and how many channels there are."""
    layer, n = table.layer, len(table.channels)
    _, rows, columns = spread_out(layer)
    if not has_places(layer):
        return f"Neurons of layer {layer.index}, in rows of {columns}"
    some = f"; {n} of {table.n_channels} channels, with most open ones" if n < table.n_channels else ""
    return f"Channels of layer {layer.index} by number, each {rows} × {columns} neurons{some}"


def _heat(table: DecisionMap, kinds: IntArray) -> go.Heatmap:
    """0 between the channels, and in them 1 more than the place in `LOOKS`."""
    tiles = _Tiles.of(table)
    z = np.zeros(tiles.shape, np.uint8)
    for top, left in zip(*tiles.corner(np.arange(tiles.n)), strict=True):
        z[top : top + tiles.size[0], left : left + tiles.size[1]] = 1
    z[places(table)] = kinds + 1
    colours = [CLEAR, *(look.colour for look in LOOKS)]
    steps = np.linspace(0, 1, len(colours) + 1)
    scale = [(edge, colour) for at, colour in enumerate(colours) for edge in (steps[at], steps[at + 1])]
    return go.Heatmap(z=z, colorscale=scale, zmin=-0.5, zmax=len(colours) - 0.5, showscale=False, hoverinfo="skip")


def _marks(table: DecisionMap, kinds: IntArray, size: float) -> Iterator[go.Scatter]:
    """The legend's entries, and where few cells are asked about a mark on each."""
    (y, x), tiles = places(table), _Tiles.of(table)
    n = tiles.n * math.prod(tiles.size)
    for kind, look in enumerate(LOOKS):
        there = kinds == kind
        if there.any() or (kind == 0 and len(y) < n):
            drawn = kind > 0 and len(y) < SPARSE * n
            yield mark({"y": y[there], "x": x[there]} if drawn else {"y": [None], "x": [None]}, look, size)


def _numbers(table: DecisionMap) -> go.Scatter:
    """The number of each channel, above it."""
    y, x = _Tiles.of(table).corner(np.arange(len(table.channels)))
    return go.Scatter(
        mode="text",
        y=y - 1,
        x=x,
        text=[str(channel) for channel in table.channels],
        textposition="middle right",
        textfont={"size": 12, "color": GREY},
        hoverinfo="skip",
        showlegend=False,
    )


def _to_point_at(table: DecisionMap, size: float) -> Iterator[go.Scatter]:
    """Unseen marks that say which neurons a cell stands for, and what became of the conditions that ask for them."""
    layer, (y, x), columns = table.layer, places(table), [table.neurons]
    words = "neuron %{customdata[0]}"
    if table.block > 1:
        channel, *firsts = table.cells
        lasts = [np.minimum(at + table.block, size) - 1 for at, size in zip(firsts, spread_out(layer)[1:], strict=True)]
        columns = [channel, firsts[0], lasts[0], firsts[1], lasts[1]]
        words = (
            "channel %{customdata[0]}, rows %{customdata[1]} to %{customdata[2]},"
            " columns %{customdata[3]} to %{customdata[4]}"
        )
    elif has_places(layer):
        found = places_of(layer, table.neurons)
        words, columns = f"{place_template(found, 1)} ({words})", [*columns, *found.values()]
    asked = bool((table.pairs > 1).any())
    columns += [table.counts.sum(axis=0), table.pairs] * asked
    head, middles = f"<b>Layer {layer.index}, {words}</b>", {"y": small(y), "x": small(x)}
    yield from to_point_at(middles, table.counts, head, columns, asked=asked, size=size, tiny=len(y) > MANY)
