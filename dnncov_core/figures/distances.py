"""Distances between seeds and generated inputs: accumulated, and where they lie by layer and by feature size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from dnncov_core.figures.axes import (
    BELOW_TALL_TICKS,
    GREY_LEVEL,
    LAYERS,
    add_grey_levels,
    condition_layers,
    distance_scale,
    draw_limits,
    layer_hover,
    layer_tick,
    limits,
    name_layers,
    reach,
)
from dnncov_core.figures.style import (
    ADVERSARIAL,
    COVERED,
    GREY,
    Look,
    as_text,
    distance_axis,
    in_grey_levels,
    look_of,
    new_figure,
    overlaid,
    see_through,
    whiskers,
    with_left_out,
)
from dnncov_core.statistics.distances import DistanceCurve, DistanceRow, LayerDistanceTable, Spread, shown
from dnncov_core.statistics.omegas import OmegaRow, OmegaTable

MARKS = 6
"""Marks on a curve, at most."""
MANY = 200
"""Steps that lie so close that Plotly finds one near wherever a curve is pointed at: more of them need no elements."""
END = 1.06
"""Curves go on beyond the largest distance by this factor, so that their last step is in sight."""
EVERY, ADVERSE = "all test pairs", "adversarial pairs"
"""What points are of, as their custom data say it at their end."""
OMEGA_AXIS = "ω: largest share of a layer's neurons in one feature (%)"


def plot_distance_curve(
    curves: Sequence[DistanceCurve],
    *,
    log: bool = False,
    bands: bool = False,
    chosen: Sequence[str] = (),
    order: Sequence[str] = (),
    source: str = "",
) -> go.Figure:
    """A step curve for each campaign: the share of its adversarial pairs within each distance.

    The curves have one norm; with ``bands`` each curve of a random sample has its 95 % band.
    """
    known = [curve for curve in curves if curve.total]
    drawn = overlaid(known, chosen)
    looks = [(curve, look_of(curve.name, order, place)) for place, curve in enumerate(drawn)]
    norm, unit = (curves[0].norm, curves[0].unit) if curves else ("inf", "pixels")
    figure = new_figure(
        title="Accumulated adversarial distance",
        x=distance_axis(norm, unit),
        y="Share of adversarial pairs (%)",
        source=with_left_out(source, len(drawn), len(known)),
        empty="" if drawn else "No adversarial pair",
    )
    if drawn:
        figure.update_yaxes(range=[0, 104], tickvals=[0, 20, 40, 60, 80, 100])
        beside = limits((curve.bound for curve in drawn), norm, unit)
        farthest = END * reach(max(curve.distances[-1] for curve in drawn), beside)
        if bands:
            for curve, look in looks:
                figure.add_traces(_band(curve, look, farthest, log=log))
        for curve, look in looks:
            name = (
                "" if curve.name == source else f"{as_text(curve.name)}: "
            )  # said below the title, it would be cut off
            figure.add_trace(_steps(curve, look, farthest, name=name, log=log, marked=len(drawn) > 1))
        nearest = _nearest(drawn, farthest) / END
        figure.update_xaxes(**distance_scale(nearest, farthest, log=log))
        figure.update_layout(showlegend=True)
        draw_limits(figure, "x", beside, nearest if log else 0.0, farthest)
        if bands and any(curve.band is not None for curve in drawn):
            figure.add_trace(_band_in_legend(looks[0][1] if len(drawn) == 1 else Look(GREY)))
        if len(drawn) == 1:
            figure.update_traces(hoverinfo="skip", hovertemplate=None)  # else the line is before the marks upon it
            figure.add_trace(_to_point_at(drawn[0]))
        if _on_grey_levels(drawn):
            add_grey_levels(figure, "x", nearest, farthest, log=log)
    return figure


def _on_grey_levels(curves: Sequence[DistanceCurve]) -> bool:
    return all(in_grey_levels(curve.norm, curve.unit) for curve in curves)


def _nearest(curves: Sequence[DistanceCurve], farthest: float) -> float:
    """Where a logarithmic axis begins."""
    nearest = min(curve.distances[0] for curve in curves) or farthest / 1000
    return min(nearest, GREY_LEVEL) if _on_grey_levels(curves) else nearest


def _band(curve: DistanceCurve, own: Look, farthest: float, *, log: bool) -> list[go.Scatter]:
    """The upper and the lower end of a curve's band, with the space between them filled; nothing without a band."""
    if curve.band is None:
        return []
    width, low = curve.band, _nearest([curve], farthest) / END if log else 0.0
    x, shares = [low, *curve.distances, farthest], [0.0, *curve.shares, 1.0]
    upper = [100 * min(1.0, share + width) for share in shares]
    lower = [100 * max(0.0, share - width) for share in shares]
    look = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "x": x}
    line = {"shape": "hv", "width": 0}
    fill, name = see_through(own.colour, 0.14), as_text(curve.name)
    return [
        go.Scatter(y=upper, line=line, name=f"upper end of the band of {name}", **look),
        go.Scatter(y=lower, line=line, fill="tonexty", fillcolor=fill, name=f"lower end of the band of {name}", **look),
    ]


def _band_in_legend(own: Look) -> go.Scatter:
    """Nothing but an entry of the legend."""
    marker = {"symbol": "square", "size": 14, "color": see_through(own.colour, 0.3)}
    return go.Scatter(name="95 % band for the whole curve", mode="markers", x=[None], y=[None], marker=marker)


def _steps(curve: DistanceCurve, look: Look, farthest: float, *, name: str, log: bool, marked: bool) -> go.Scatter:
    """The curve; beside others it has a few marks, that tell it apart where lines run together."""
    start = curve.distances[0] if log else 0.0
    marks = {"marker": {"symbol": look.symbol, "size": 9, "color": look.colour, "maxdisplayed": MARKS}}
    return go.Scatter(
        name=f"{name}{curve.total:,} of {curve.pairs:,} test pairs adversarial",
        mode="lines+markers" if marked else "lines",
        **(marks if marked else {}),
        x=[start, *curve.distances, farthest],
        y=[0.0, *(100 * share for share in curve.shares), 100.0],
        customdata=[0, *curve.counts, curve.total],
        line={
            "shape": "hv",
            "width": 2.5,
            "color": look.colour,
            "dash": look.dash,
        },
        hovertemplate="distance at most %{x:.4g}<br>"
        f"%{{y:.2f}} % (%{{customdata:,}} of {curve.total:,} adversarial pairs)<extra></extra>",
    )


def _to_point_at(curve: DistanceCurve) -> go.Scatter:
    """Unseen marks to be clicked, since lines alone cannot be; ``customdata`` are a step's count and distance."""
    return go.Scatter(
        mode="markers",
        x=curve.distances,
        y=[100 * share for share in curve.shares],
        customdata=[[n, distance] for n, distance in zip(curve.counts, curve.distances, strict=True)],
        marker={"size": 12, "opacity": 0, "maxdisplayed": 1 if len(curve.distances) > MANY else 0},
        selected={"marker": {"opacity": 0}},
        unselected={"marker": {"opacity": 0}},
        showlegend=False,
        hovertemplate="distance at most %{x:.4g}<br>"
        f"%{{y:.2f}} % (%{{customdata[0]:,}} of {curve.total:,} adversarial pairs)<extra></extra>",
    )


def plot_layer_distances(table: LayerDistanceTable, *, log: bool = False, source: str = "") -> go.Figure:
    """Where distances lie by layer, of all test pairs and of the adversarial ones.

    ``customdata`` holds condition layers, decision layer, number of pairs, middle and band in words, and of which.
    """
    drawn = [(place, row) for row in table.rows if row.pairs.n and (place := row.place)]
    places = [place for place, _ in drawn]
    figure = _figure(table, f"Distance by {table.by.value}", LAYERS[table.by], source)
    if not drawn:
        return figure
    points = {
        "x": [layer_tick(place, table.by) for place in places],
        "hovertext": [layer_hover(place, table.by) for place in places],
    }
    data = [[condition_layers(place), place.decision_layer] for place in places]
    _draw(figure, [row for _, row in drawn], points, data, shown(table.spreads).legend)
    _scale(figure, table, log=log)
    name_layers(figure, places, table.by)
    return figure


def plot_distance_by_omega(table: OmegaTable, *, log: bool = False, source: str = "") -> go.Figure:
    """Where distances lie by omega, a point for each campaign, as in the paper.

    ``customdata`` holds the campaign, omega, number of pairs, middle and band in words, and of which pairs.
    """
    drawn = [row for row in table.rows if row.pairs.n]
    figure = _figure(table, "Distance by feature size", OMEGA_AXIS, source)
    if not drawn:
        return figure
    campaigns = [row.campaign for row in drawn]
    hovers = [f"<b>ω = {_percent(row.omega)} %</b>, campaign {row.campaign}" for row in drawn]
    points, data = {"x": campaigns, "hovertext": hovers}, [[row.campaign, row.omega] for row in drawn]
    _draw(figure, drawn, points, data, shown(table.spreads).legend)
    _scale(figure, table, log=log)
    ticks = [f"{_percent(row.omega)}<br>adversarial: {row.of_pairs.counts}" for row in drawn]
    figure.update_xaxes(type="category", tickvals=campaigns, ticktext=ticks)
    figure.update_layout(legend_y=BELOW_TALL_TICKS)
    return figure


def _figure(table: LayerDistanceTable | OmegaTable, title: str, x: str, source: str) -> go.Figure:
    empty = "" if any(row.pairs.n for row in table.rows) else "No test pair yet"
    return new_figure(title=title, x=x, y=distance_axis(table.norm, table.unit), source=source, empty=empty)


def _percent(omega: float) -> str:
    return f"{100 * omega:.6g}"


def _draw(
    figure: go.Figure,
    rows: Sequence[DistanceRow | OmegaRow],
    points: Mapping[str, Sequence[str]],
    data: Sequence[Sequence[object]],
    legend: str,
) -> None:
    """A trace of all test pairs, and one of the adversarial ones, if there are any.

    ``points`` are the categories and hover texts of rows, ``data`` what identifies each, and ``legend`` says what a
    point and its bar are.
    """
    kinds = ((EVERY, COVERED, "circle", "pairs"), (ADVERSE, ADVERSARIAL, "diamond", "adversarial"))
    for name, colour, symbol, field in kinds:
        spreads: list[Spread] = [getattr(row, field) for row in rows]
        bands = [spread.band for spread in spreads]
        if any(spread.n for spread in spreads):
            figure.add_trace(
                go.Scatter(
                    name=f"{name}: {legend}",
                    mode="markers",
                    **points,
                    y=[band and band[1] for band in bands],
                    error_y=_error_bars(bands, colour),
                    customdata=[[*known, s.n, s.words, name] for known, s in zip(data, spreads, strict=True)],
                    marker={"color": colour, "symbol": symbol, "size": 11},
                    offsetgroup=name,
                    hovertemplate=f"%{{hovertext}}<br>{name}: %{{customdata[3]}} (n = %{{customdata[2]:,}})"
                    "<extra></extra>",
                )
            )
    figure.update_layout(scattermode="group", scattergap=0.6, showlegend=True)


def _error_bars(bands: Sequence[tuple[float, float, float] | None], colour: str) -> dict[str, object]:
    middles, ends = [band and band[1] for band in bands], [(band[0], band[2]) if band else (0.0, 0.0) for band in bands]
    return whiskers(middles, ends, colour)


def _scale(figure: go.Figure, table: LayerDistanceTable | OmegaTable, *, log: bool) -> None:
    """An axis that shows every band, in both units where the distance has two.

    It begins at 0; a logarithmic one at the lowest whisker that ends above 0, or a decade below its middle.
    """
    spreads = [spread for row in table.rows for spread in (row.pairs, row.adversarial)]
    bands = [spread.band for spread in spreads if spread.mean and spread.band]
    known = limits([table.bound], table.norm, table.unit)
    highest = 1.08 * reach(max((high for *_, high in bands), default=1.0), known)
    lowest = min((max(low, middle / 10) for low, middle, _ in bands if middle), default=highest / 1000) / 1.08
    figure.update_yaxes(**distance_scale(lowest, highest, log=log))
    draw_limits(figure, "y", known, lowest if log else 0.0, highest)
    if in_grey_levels(table.norm, table.unit):
        add_grey_levels(figure, "y", lowest, highest, log=log)
