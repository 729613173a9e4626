"""A Plotly figure on paper, and its bytes in each format."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any

import matplotlib
import plotly.graph_objects as go
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from dnncov_core.export.drawing import axes
from dnncov_core.export.drawing.bars import Bars
from dnncov_core.export.drawing.cells import draw_cells
from dnncov_core.export.drawing.labels import Labels
from dnncov_core.export.drawing.lines import Scatter, draw_shapes
from dnncov_core.export.drawing.page import LegendEntry, Page, legend
from dnncov_core.export.drawing.properties import NotDrawnError, Properties, traces_and_layout
from dnncov_core.export.drawing.text import FAMILY, POINTS, points_of_text
from dnncov_core.export.drawing.translation import colour

MILLIMETRE = 72 / 25.4
DPI = 300
"""Dots per inch of a PNG."""
ACROSS = 0.6
"""The share of a heat map's cell that its mark may have."""
SETTINGS: Mapping[str, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "dnncov",
    "pdf.fonttype": 42,
    "pdf.compression": 6,
    "text.parse_math": False,
    "text.hinting": "none",
    "hatch.linewidth": 0.6,
    "axes.formatter.useoffset": False,
    **{f"axes.spines.{side}": False for side in ("left", "right", "top", "bottom")},
    "path.simplify": False,
}
_LOCK = RLock()
"""Matplotlib's settings and fonts are shared by all threads, so one figure is drawn at a time."""


@contextmanager
def settings() -> Iterator[None]:
    """Matplotlib's own defaults and ours, whatever this machine's files say, in one thread at a time."""
    with _LOCK, matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(dict(SETTINGS))  # type: ignore[arg-type]
        yield


def picture_bytes(figure: go.Figure, form: str, *, width: float, metadata: Mapping[str, Any]) -> bytes:
    """A figure as "svg", "pdf" or "png" of `DPI`.

    Args:
        figure: of `dnncov_core.figures`.
        form: Matplotlib's name of the format.
        width: in millimetres.
        metadata: what Matplotlib writes into the file.
    """
    with settings():
        file = io.BytesIO()
        drawn(figure, width=width).savefig(file, format=form, dpi=DPI, metadata=dict(metadata))
    return file.getvalue()


def drawn(figure: go.Figure, *, width: float) -> Figure:
    """A figure on paper, ``width`` millimetres wide; call it within `settings`."""
    traces, layout = traces_and_layout(figure)
    words = layout["font"]
    shade, size = colour(words["color"]), points_of_text(words["size"])
    said: dict[str, Any] = {"font.family": FAMILY, "font.size": size}
    said |= dict.fromkeys(("text.color", "axes.labelcolor", "xtick.labelcolor", "ytick.labelcolor"), shade)
    matplotlib.rcParams.update(said)  # type: ignore[arg-type]
    return _Drawing(traces, layout, width * MILLIMETRE, size).finished()


class _Drawing:
    def __init__(
        self, traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], width: float, size: float
    ) -> None:
        self._traces = [trace for trace in traces if not (_only_an_axis(trace) or _only_to_click(trace))]
        self._layout = layout
        self._said, self._size = Properties(layout, "layout"), size
        self._axes = {letter: layout.get(f"{letter}axis", {}) for letter in "xy"}
        square = "scaleanchor" in self._axes["y"]
        self._page = Page(width, self._plot_height(), self._size, square=square)
        self._places = {letter: axes.Places(said, self._traces, letter) for letter, said in self._axes.items()}
        self._labels = Labels(self._page.axes)

    def _plot_height(self) -> float:
        margin = self._said.group("margin")
        around = margin.number("t", 0) + margin.number("b", 0)
        margin.leave("l", "r")
        return POINTS * (self._said.number("height", 450) - around)

    def finished(self) -> Figure:
        """Draws everything, and returns the figure."""
        self._page.axes.set_facecolor(colour(self._said.take("plot_bgcolor")))
        self._page.axes.set_axisbelow(True)
        for letter in "xy":
            axes.prepare(self._page.axes, letter, self._axes[letter], self._places[letter])
        heading, entries = self._heading(), self._draw_traces()
        self._annotations(self._said.take("annotations", []))
        draw_shapes(self._page.axes, self._said.take("shapes", []))
        self._finish_axes()
        self._said.leave("font", "paper_bgcolor", "colorway", "hoverlabel", "hovermode")
        made = self._legend(entries)
        self._said.done()
        self._page.set(heading, self._labels, made)
        return self._page.figure

    def _heading(self) -> list[tuple[str, float, bool]]:
        title = self._said.group("title")
        fonts, subtitle = title.group("font"), title.group("subtitle")
        size = POINTS * fonts.number("size", 17)
        title.leave("x", "xref", "xanchor", "y", "yref", "yanchor", "pad")
        parts = [(title.take("text", ""), size, True)]
        if below := subtitle.take("text", ""):
            parts.append((html.unescape(below), self._size, False))
        subtitle.leave("font")
        return parts

    def _draw_traces(self) -> list[LegendEntry]:
        n_bars = sum(trace["type"] == "bar" for trace in self._traces)
        bars = Bars(self._page.axes, self._places["x"], self._said, n_bars)
        scatter = Scatter(
            self._page.axes, (self._places["x"], self._places["y"]), self._labels, self._most_size(), self._shifts()
        )
        entries = []
        for at, trace in enumerate(self._traces):
            said = Properties(trace, f"trace {at} ({trace['type']})")
            if trace["type"] == "bar":
                shown: list[Artist] = [bars.draw(said, self._labels)]
            elif trace["type"] == "scatter":
                shown = scatter.draw(said)
            elif trace["type"] == "heatmap":
                draw_cells(self._page.axes, said, self._size)
                continue
            else:
                raise NotDrawnError(said.place)
            if trace.get("showlegend", True) and trace.get("name") and shown:
                entries.append(LegendEntry(trace["name"], shown))
        return entries

    def _shifts(self) -> list[float]:
        """How far each group of points stands from the middle of its place."""
        grouped = self._said.one_of("scattermode", {"group": True, "overlay": False}, "overlay")
        gap = self._said.number("scattergap", 0)
        n = len([trace for trace in self._traces if "offsetgroup" in trace])
        return [(at - (n - 1) / 2) * (1 - gap) / n if grouped else 0.0 for at in range(n)]

    def _most_size(self) -> float:
        """Points of a mark on a cell of a heat map."""
        cells = [Properties(trace, "z").take("z") for trace in self._traces if trace["type"] == "heatmap"]
        if not cells:
            return float("inf")
        rows, columns = len(cells[0]), len(cells[0][0])
        return ACROSS * min(self._page.plot_height / rows, 0.8 * self._page.inner_width / columns)

    def _annotations(self, found: Sequence[Mapping[str, Any]]) -> None:
        for at, each in enumerate(found):
            said = Properties(each, f"annotation {at}")
            words = said.group("font")
            size = points_of_text(words.number("size", 14))
            if said.take("showarrow", True) or {said.take("xref"), said.take("yref")} != {"paper"}:
                raise NotDrawnError(said.place)
            place = (said.number("x", 0), said.number("y", 0))
            across = self._page.axes.transAxes
            self._page.axes.text(*place, said.take("text"), transform=across, ha="center", fontsize=size)
            said.done()

    def _finish_axes(self) -> None:
        for letter in "xy":
            axes.finish(self._page.axes, letter, self._said.group(f"{letter}axis"), self._places[letter])
        for name in sorted(name for name in self._layout if re.fullmatch(r"[xy]axis\d+", name)):
            axes.second(self._page.axes, name[0], self._said.group(name), self._places[name[0]])

    def _legend(self, entries: Sequence[LegendEntry]) -> Any:
        said = self._said.group("legend")
        said.leave("orientation", "x", "xanchor", "y", "yanchor", "yref", "traceorder", "itemsizing")
        shown = self._said.take("showlegend", len(entries) > 1 or any(t["type"] == "heatmap" for t in self._traces))
        return legend(self._page.figure, entries if shown else [], self._page.inner_width, self._size)


def _only_to_click(trace: Mapping[str, Any]) -> bool:
    """Whether a trace has markers alone that nobody sees."""
    return trace.get("mode") == "markers" and trace.get("marker", {}).get("opacity") == 0


def _only_an_axis(trace: Mapping[str, Any]) -> bool:
    """Whether a trace has no points, and only brings a second axis into being.

    Raises:
        NotDrawnError: it has points on a second axis.
    """
    if trace.get("xaxis", "x") == "x" and trace.get("yaxis", "y") == "y":
        return False
    if list(trace["x"]) != [None] or list(trace["y"]) != [None]:
        raise NotDrawnError("points on a second axis")
    return True
