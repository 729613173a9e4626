"""Figures on paper hold the numbers, words and looks of those on the screen."""

from __future__ import annotations

import functools
import html
import math
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import matplotlib
import numpy as np
import plotly.graph_objects as go
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgba
from matplotlib.patches import FancyArrowPatch, Polygon, Rectangle
from matplotlib.text import Annotation

from dnncov_core import figures
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.export.catalogue import EXHIBITS
from dnncov_core.export.drawing.draw import drawn, settings
from dnncov_core.export.drawing.properties import NotDrawnError
from dnncov_core.export.drawing.translation import colour
from dnncov_core.figures.distances import plot_distance_curve, plot_layer_distances
from dnncov_core.figures.style import new_figure
from dnncov_core.statistics.distances import distance_curve, distance_table
from tests.builders import campaign
from tests.export import made

WIDTHS = (88.0, 180.0)


def on_paper(figure: go.Figure, width: float = 88.0) -> Any:
    with settings():
        return drawn(figure, width=width)


@functools.cache
def figure_of(name: str) -> go.Figure:
    """A figure as it is on the screen, made once: look only."""
    return made.figures()[name].figure()


@functools.cache
def paper_of(name: str, width: float = 88.0) -> Any:
    """The same on paper, made once: look only."""
    with settings():
        paper = drawn(figure_of(name), width=width)
        paper.draw_without_rendering()
    return paper


def places(figure: go.Figure) -> dict[str, int]:
    """Categories of the x axis in their order."""
    names = [x for trace in figure.data if trace.type != "heatmap" for x in trace.x if isinstance(x, str)]
    return {name: at for at, name in enumerate(dict.fromkeys(names))}


def known(values: Any) -> list[float]:
    return [float(value) for value in values if value is not None]


def bars_of(axes: Axes) -> list[Rectangle]:
    return [patch for container in axes.containers if hasattr(container, "patches") for patch in container.patches]


def words_of(paper: Any) -> str:
    return "\n".join(text.get_text() for text in paper.findobj(matplotlib.text.Text))


def test_every_figure_of_the_package_is_exported() -> None:
    modules = [import_module(f"{figures.__name__}.{each.name}") for each in iter_modules(figures.__path__)]
    plots = {getattr(each, name) for each in modules for name in dir(each) if name.startswith("plot_")}
    exported = {kind.plot for kind in EXHIBITS.values() if kind.plot is not None}
    assert exported == plots
    assert {each.name for each in made.exhibits().values()} == set(EXHIBITS)
    assert sorted(made.figures()) == made.FIGURES


@pytest.mark.parametrize("name", made.FIGURES)
def test_bars_have_the_heights_of_those_on_the_screen(name: str) -> None:
    figure = figure_of(name)
    traces = [trace for trace in figure.data if trace.type == "bar"]
    heights = [y for trace in traces for y in known(trace.y)]
    drawn_bars = bars_of(paper_of(name).axes[0])
    assert [bar.get_height() for bar in drawn_bars] == pytest.approx(heights)
    at = places(figure)
    for trace, bar in zip([t for t in traces for y in t.y if y is not None], drawn_bars, strict=True):
        hatched = bool(trace.marker.pattern.shape)
        assert (bar.get_hatch() is not None) == hatched
        assert bar.get_edgecolor() == pytest.approx(colour(trace.marker.line.color))
        if not hatched:
            assert bar.get_facecolor() == pytest.approx(colour(trace.marker.color))
        middle = bar.get_x() + bar.get_width() / 2
        assert 0 <= round(middle) < len(at)
        assert abs(middle - round(middle)) < 0.5


def test_stacked_bars_stand_on_each_other() -> None:
    bars = bars_of(paper_of("few-coverage").axes[0])
    tops = {round(bar.get_x(), 6): 0.0 for bar in bars}
    for bar in bars:
        assert bar.get_y() == pytest.approx(tops[round(bar.get_x(), 6)])
        tops[round(bar.get_x(), 6)] += bar.get_height()
    assert list(tops.values()) == pytest.approx([100.0] * 3)


def scatters(figure: go.Figure) -> list[Any]:
    """Traces of points and lines that are seen."""
    traces = [t for t in figure.data if t.type == "scatter" and t.mode != "text" and t.marker.symbol != "arrow"]
    traces = [t for t in traces if t.mode != "markers" or t.marker.opacity != 0]  # what is only there to be clicked
    return [t for t in traces if t.fill is None and not (t.mode == "lines" and t.line.width == 0)]


def along(figure: go.Figure, letter: str, values: Any) -> list[float]:
    """Places on an axis; categories have 0, 1, 2, ... in the order that the figure says."""
    order = list(figure.layout[f"{letter}axis"].categoryarray or ())
    named = [x for t in figure.data if t.type != "heatmap" for x in t[letter] if isinstance(x, str)]
    places = {name: float(at) for at, name in enumerate(dict.fromkeys([*order, *named]))}
    return [math.nan if v is None else places[v] if isinstance(v, str) else float(v) for v in values]


@pytest.mark.parametrize("name", made.FIGURES)
def test_points_and_lines_are_those_on_the_screen(name: str) -> None:
    """By the axis along which nothing is moved to make room for others."""
    figure = figure_of(name)
    axes = paper_of(name).axes[0]
    letter = "x" if any(t.orientation == "h" for t in figure.data if t.type == "scatter") else "y"
    lines = [line.get_ydata() if letter == "y" else line.get_xdata() for line in axes.lines]
    drawn_at = {round(float(at), 9) for line in lines for at in line if not math.isnan(float(at))}
    wanted = [at for t in scatters(figure) for at in along(figure, letter, t[letter]) if not math.isnan(at)]
    assert {round(at, 9) for at in wanted} <= drawn_at
    error = f"error_{letter}"
    bars = [t for t in figure.data if t.type in ("scatter", "bar") and t[error].array is not None]
    ends = [
        (at - low, at + high)
        for t in bars
        if t[error].visible is not False
        for at, low, high in zip(t[letter], t[error].arrayminus or t[error].array, t[error].array, strict=True)
        if at is not None and high is not None
    ]
    spans = [s for c in axes.collections if isinstance(c, LineCollection) for s in c.get_segments()]
    which = "xy".index(letter)
    drawn_ends = sorted((float(s[0][which]), float(s[1][which])) for s in spans)
    np.testing.assert_allclose(np.array(drawn_ends), np.array(sorted(ends)), atol=1e-9)
    arrows = [p for p in axes.patches if isinstance(p, FancyArrowPatch)]
    assert len(arrows) == sum(t.marker.symbol == "arrow" for t in figure.data if t.type == "scatter")


@pytest.mark.parametrize("name", [name for name in made.FIGURES if "curve" in name])
def test_curves_go_through_the_same_points(name: str) -> None:
    figure = figure_of(name)
    lines = [line for line in paper_of(name).axes[0].lines if len(line.get_xdata())]
    marks = [line for line in lines if line.get_linestyle() == "None"]
    lines = [line for line in lines if line.get_linestyle() != "None"]
    traces = [t for t in figure.data if t.mode in ("lines", "lines+markers") and t.x[0] is not None]
    assert len(lines) == len(traces) + len(figure.layout.shapes)
    for line, trace in zip(lines, traces, strict=False):
        assert list(line.get_xdata()) == pytest.approx(list(trace.x))
        assert list(line.get_ydata()) == pytest.approx(list(trace.y))
        assert to_rgba(line.get_color()) == pytest.approx(colour(trace.line.color))
        assert line.get_drawstyle() == ("steps-post" if trace.line.shape == "hv" else "default")
        assert line.is_dashed() == (trace.line.dash not in (None, "solid"))
    marked = [t for t in traces if "markers" in t.mode]
    assert len(marks) == len(marked)
    for mark, trace in zip(marks, marked, strict=True):
        assert 0 < len(mark.get_xdata()) <= trace.marker.maxdisplayed
        points = set(zip(trace.x, trace.y, strict=True))
        assert set(zip(mark.get_xdata(), mark.get_ydata(), strict=True)) <= points


@pytest.mark.parametrize("name", ["several-bands", "several-log"])
def test_bands_are_those_on_the_screen(name: str) -> None:
    figure = figure_of(name)
    bands = [c for c in paper_of(name).axes[0].collections if isinstance(c, PolyCollection)]
    lower = [t for t in figure.data if t.fill == "tonexty"]
    upper = [t for t in figure.data if t.type == "scatter" and (t.name or "").startswith("upper end")]
    assert len(bands) == len(lower) == len(upper) > 0
    for band, low, high in zip(bands, lower, upper, strict=True):
        corners = band.get_paths()[0].vertices
        assert {round(y, 9) for _, y in corners} == {round(y, 9) for y in (*low.y, *high.y)}
        assert corners[:, 0].min() == pytest.approx(min(low.x))
        assert corners[:, 0].max() == pytest.approx(max(low.x))
        assert band.get_facecolor()[0] == pytest.approx(colour(low.fillcolor))


def test_regions_are_those_on_the_screen() -> None:
    figure = figure_of("ss-plane")
    shapes = [p for p in paper_of("ss-plane").axes[0].patches if isinstance(p, Polygon)]
    filled = [t for t in figure.data if t.fill == "toself"]
    assert len(shapes) == len(filled) == 12
    for shape, trace in zip(shapes, filled, strict=True):
        assert {tuple(corner) for corner in shape.get_xy()} == set(zip(trace.x, trace.y, strict=True))
        assert shape.get_facecolor() == pytest.approx(colour(trace.fillcolor))
    box = paper_of("ss-plane").axes[0].get_window_extent()
    assert box.width == pytest.approx(box.height, rel=1e-3)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", made.FIGURES)
def test_no_word_is_too_small_to_be_read(name: str, width: float) -> None:
    sizes = {t.get_fontsize() for t in paper_of(name, width).findobj(matplotlib.text.Text) if t.get_text()}
    assert min(sizes) >= 6.5


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("plot", "letter"), [(plot_distance_curve, "x"), (plot_layer_distances, "y")])
def test_lines_across_the_plot_are_where_they_are_on_the_screen(
    tmp_path: Path, plot: Callable[..., go.Figure], letter: str, log: bool
) -> None:
    spec = CampaignSpec("mnist-n1", "mnist", bound=0.045)
    with campaign(tmp_path / "a.dnncov", spec=spec) as store:
        table = [distance_curve(store, "one")] if letter == "x" else distance_table(store)
    figure = plot(table, log=log)
    assert 0.045 in {shape[f"{letter}0"] for shape in figure.layout.shapes}
    with settings():
        axes = drawn(figure, width=120).axes[0]
    across = [line for line in axes.lines if list(line.get_ydata() if letter == "x" else line.get_xdata()) == [0, 1]]
    for line, shape in zip(across, figure.layout.shapes, strict=True):
        ends = line.get_xdata() if letter == "x" else line.get_ydata()
        assert list(ends) == [shape[f"{letter}0"]] * 2
        assert to_rgba(line.get_color()) == pytest.approx(colour(shape.line.color))
        assert line.is_dashed()
    assert "bound b = 0.045 (11.4" in words_of(axes.figure)


def test_other_shapes_are_refused_by_name() -> None:
    figure = new_figure(title="t", x="x", y="y")
    figure.add_shape(type="rect", x0=0, x1=1, y0=0, y1=1)
    with settings(), pytest.raises(NotDrawnError, match="shape 0"):
        drawn(figure, width=120)


@pytest.mark.parametrize("name", [name for name in made.FIGURES if "gaps" in name or name == "blocks"])
def test_cells_have_the_values_and_colours_of_those_on_the_screen(name: str) -> None:
    figure = figure_of(name)
    maps = [trace for trace in figure.data if trace.type == "heatmap"]
    axes = paper_of(name).axes[0]
    cells = [c for c in axes.collections if isinstance(c, PolyCollection)]
    assert len(cells) == len(maps)
    for drawn_map, trace in zip(cells, maps, strict=True):
        z = [value for row in trace.z for value in row if value is not None and not math.isnan(value)]
        assert drawn_map.get_array().tolist() == pytest.approx(z)
        shades = {float(v): drawn_map.to_rgba(v) for v in z}
        scale = dict(zip([s[0] for s in trace.colorscale], [s[1] for s in trace.colorscale], strict=False))
        for value, shade in shades.items():
            share = (value - trace.zmin) / (trace.zmax - trace.zmin)
            if share in scale and name == "blocks":
                assert shade == pytest.approx(colour(scale[share]), abs=0.01)
        assert axes.get_ylim() == tuple(figure.layout.yaxis.range)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", made.FIGURES)
def test_every_word_is_there(name: str, width: float) -> None:
    figure = figure_of(name)
    paper = paper_of(name, width)
    text = " ".join(words_of(paper).split())
    layout = figure.layout
    wanted = [layout.title.text, layout.title.subtitle.text, layout.xaxis.title.text, layout.yaxis.title.text]
    wanted += [annotation.text for annotation in layout.annotations]
    wanted += [layout[name].title.text for name in ("xaxis2", "yaxis2") if name in layout]
    traces = [t for t in figure.data if t.showlegend is not False and layout.showlegend is not False]
    wanted += [html.unescape(trace.name) for trace in traces if len(traces) > 1 and trace.name]
    wanted += [
        html.unescape(y.replace("<br>", " ")) for t in traces if t.type == "scatter" for y in t.y if isinstance(y, str)
    ]
    for words in wanted:
        assert "".join((words or "").split()) in "".join(text.split())
    labels = [t.get_text() for t in paper.findobj(Annotation)]
    for trace in figure.data:
        if trace.text and (trace.type == "bar" or "text" in (trace.mode or "")):
            for each in trace.text:
                for line in each.replace("<b>", "").replace("</b>", "").split("<br>"):
                    assert any(line in label for label in labels), line


def labels_of(axis: Any, *, shown: bool) -> list[Any]:
    """The tick labels within the range of an axis that is seen, or the others."""
    low, high = sorted(axis.get_view_interval())
    ticks = [tick for tick in axis.get_major_ticks() if axis.get_visible() or not shown]
    return [
        label
        for tick in ticks
        for label in (tick.label1, tick.label2)
        if label.get_text() and (low <= tick.get_loc() <= high and label.get_visible()) == shown
    ]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", made.FIGURES)
def test_nothing_leaves_the_paper_or_lies_on_other_words(name: str, width: float) -> None:
    """Measured as it is drawn: hinting makes text narrower."""
    with settings():
        paper = paper_of(name, width)
        renderer = paper.canvas.get_renderer()
        axes = [axis for each in paper.axes for axis in (each.xaxis, each.yaxis)]
        outside = {label for axis in axes for label in labels_of(axis, shown=False)}
        ticks = [tick for axis in axes if not axis.get_visible() for tick in axis.get_major_ticks()]
        outside |= {label for tick in ticks for label in (tick.label1, tick.label2)}
        shown = [t for t in paper.findobj(matplotlib.text.Text) if t.get_text() and t not in outside]
        boxes = [text.get_window_extent(renderer) for text in shown]
        whole = paper.bbox
        for text, box in zip(shown, boxes, strict=True):
            inside = (
                whole.x0 - 1 <= box.x0 and box.x1 <= whole.x1 + 1 and whole.y0 - 1 <= box.y0 and box.y1 <= whole.y1 + 1
            )
            assert inside, text.get_text()
        for axis in axes:
            ticks = [label.get_window_extent(renderer) for label in labels_of(axis, shown=True)]
            for one, other in pairwise(ticks):
                assert not one.overlaps(other), [label.get_text() for label in axis.get_ticklabels()]
        titles = [text.get_window_extent(renderer) for text in paper.texts]
        plots = [text for text in shown if text.axes is not None]
        for text in plots:
            assert not any(title.overlaps(text.get_window_extent(renderer)) for title in titles), text.get_text()


@pytest.mark.parametrize("name", ["curves", "curve-log", "few-layer-distances", "distances-log"])
def test_second_axes_are_tied_to_the_first(name: str) -> None:
    figure = figure_of(name)
    first, second = paper_of(name).axes
    letter = "x" if "xaxis2" in figure.layout else "y"
    limits = [getattr(axes, f"get_{letter}lim")() for axes in (first, second)]
    assert limits[0] == pytest.approx(limits[1])
    own = getattr(figure.layout, f"{letter}axis2")
    ticks = getattr(second, f"get_{letter}ticks")()
    assert list(ticks) == pytest.approx(list(own.tickvals))
    assert [t.get_text() for t in getattr(second, f"get_{letter}ticklabels")()] == list(own.ticktext)
    assert getattr(first, f"get_{letter}scale")() == ("log" if "log" in name else "linear")


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f.add_trace(go.Pie(values=[1])),
        lambda f: f.add_trace(go.Scatter(x=["2 → 3"], y=[1], mode="markers", marker={"symbol": "star"})),
        lambda f: f.add_trace(go.Scatter(x=["2 → 3"], y=[1], mode="markers", marker={"opacity": 0.4})),
        lambda f: f.add_trace(go.Scatter(x=["2 → 3"], y=[1], mode="lines", line={"color": "#000000"}, fill="tozeroy")),
        lambda f: f.add_trace(go.Bar(x=["2 → 3"], y=[1], offset=[2], marker={"color": "#000000"})),
        lambda f: f.add_trace(go.Bar(x=["2 → 3"], y=[1], marker={"color": "#000000", "pattern": {"shape": "+"}})),
        lambda f: f.add_trace(go.Scatter(x=["2 → 3"], y=[1], mode="lines")),
        lambda f: f.add_shape(type="line", x0=0, x1=1, y0=0, y1=1),
        lambda f: f.update_layout(barmode="relative"),
        lambda f: f.update_yaxes(tickprefix="about "),
        lambda f: f.update_xaxes(tickangle=30),
        lambda f: f.update_layout(title_text="<i>slanted</i>", annotations=[{"text": "x", "x": 0, "y": 0}]),
        lambda f: f.data[0].update(x=["elsewhere"], xaxis="x2"),
    ],
)
def test_what_is_not_known_is_refused(change: Any) -> None:
    figure = made.figures()["few-coverage"].figure()
    on_paper(figure)
    change(figure)
    with pytest.raises(NotDrawnError):
        on_paper(figure)


def test_signs_of_mathematics_are_words() -> None:
    paper = on_paper(new_figure(title="$x_1$ and $y$", x="a_b", y="50 $"))
    assert {"$x_1$ and $y$", "a_b", "50 $"} <= set(words_of(paper).split("\n"))


def test_settings_of_this_machine_do_not_matter_and_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = figure_of("few-coverage")
    before = [bar.get_bbox().bounds for bar in bars_of(on_paper(figure).axes[0])]
    monkeypatch.setitem(matplotlib.rcParams, "font.size", 40)
    paper = on_paper(figure)
    assert [bar.get_bbox().bounds for bar in bars_of(paper.axes[0])] == before
    assert matplotlib.rcParams["font.size"] == 40
