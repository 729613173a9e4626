"""Heat maps: a colour for each cell, and the bar that says what colours mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colorbar import Colorbar
from matplotlib.colors import LinearSegmentedColormap, Normalize

from dnncov_core.export.drawing.axes import points
from dnncov_core.export.drawing.properties import NotDrawnError, Properties
from dnncov_core.export.drawing.translation import colour

APART = 0.02
"""The gap between plot and colour bar, as a share of the plot's width."""
COLOURS = 1020
"""How many a scale has; a multiple of 6, so that steps lie between two of them."""


def draw_cells(axes: Axes, said: Properties, size: float) -> None:
    """Draws a heat map with its colour bar."""
    z = np.array([[math.nan if value is None else value for value in row] for row in said.take("z")], np.float64)
    edges = [_edges(said, letter, n) for letter, n in (("x", z.shape[1]), ("y", z.shape[0]))]
    gaps = {said.take(f"{letter}gap", 0) for letter in "xy"}
    if len(gaps) > 1:
        raise NotDrawnError(f"{said.place}: xgap and ygap differ")
    shades = _scale(said.take("colorscale"))
    limits = Normalize(said.number("zmin", 0), said.number("zmax", 1))
    cells = PolyCollection(
        [_corners(edges, i, j) for i, j in np.argwhere(np.isfinite(z))], cmap=shades, norm=limits, zorder=1
    )
    cells.set_array(z[np.isfinite(z)])
    gap = points(gaps.pop())
    cells.set(edgecolor="white", linewidth=gap) if gap else cells.set(linewidth=0, antialiased=False)
    axes.add_collection(cells)
    bar = said.group("colorbar")
    if said.take("showscale", True):
        _bar(axes, bar, ScalarMappable(limits, shades), size)
    said.leave("type", "text", "name", "showlegend")
    said.done()


def _edges(said: Properties, letter: str, n: int) -> Any:
    first, step = said.number(f"{letter}0", 0), said.number(f"d{letter}", 1)
    return first - step / 2 + step * np.arange(n + 1)


def _corners(edges: Sequence[Any], i: int, j: int) -> list[tuple[float, float]]:
    (left, right), (low, high) = edges[0][j : j + 2], edges[1][i : i + 2]
    return [(left, low), (right, low), (right, high), (left, high)]


def _scale(stops: Sequence[Sequence[Any]]) -> LinearSegmentedColormap:
    return LinearSegmentedColormap.from_list("", [(float(at), colour(shade)) for at, shade in stops], N=COLOURS)


def _bar(axes: Axes, said: Properties, shown: ScalarMappable, size: float) -> None:
    title, thickness = said.group("title"), points(said.number("thickness", 30))
    said.leave("outlinewidth")
    width = thickness / 300
    place = axes.inset_axes((1 + APART, 0.0, width, 1.0))
    bar = Colorbar(place, shown)
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0, pad=2)
    if title.take("side") != "right":
        raise NotDrawnError(f"{title.place}.side")
    bar.set_label(title.take("text"), rotation=-90, labelpad=3 + size)
