"""How far the generated adversarial inputs are from their seeds: the accumulated curve of one campaign or several."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dnncov_core.figures.axes import GREY_LEVEL, add_grey_levels, distance_scale
from dnncov_core.figures.limits import draw_limits, limits, reach
from dnncov_core.figures.style import (
    as_text,
    campaign_look,
    distance_axis,
    in_grey_levels,
    new_figure,
    overlaid,
    see_through,
    with_left_out,
)
from dnncov_core.statistics import DistanceCurve

MARKS = 6
"""Marks on a curve, at most."""
MANY = 200
"""Steps that lie so close that Plotly finds one near wherever a curve is pointed at: more of them need no elements."""
END = 1.06
"""Curves go on beyond the largest distance by this factor, so that their last step is in sight."""


def plot_distance_curve(
    curves: Sequence[DistanceCurve],
    *,
    log: bool = False,
    bands: bool = False,
    chosen: Sequence[str] = (),
    source: str = "",
) -> go.Figure:
    """A step curve for each campaign: the share of its adversarial pairs within each distance.

    Args:
        curves: the campaigns' tables, in one norm.
        log: whether the distance axis is logarithmic.
        bands: whether each curve of a random sample has its 95 % band.
        chosen: names of the campaigns that are drawn; empty for the first ones.
        source: what the title says of them, as its second line.
    """
    known = [curve for curve in curves if curve.total]
    drawn = overlaid(known, chosen)
    pixels = all(curve.pixels for curve in curves)
    figure = new_figure(
        title="Accumulated adversarial distance",
        x=distance_axis(curves[0].norm if curves else "inf", pixels=pixels),
        y="Share of adversarial pairs (%)",
        source=with_left_out(source, len(drawn), len(known)),
        empty="" if drawn else "No adversarial pair",
    )
    if drawn:
        figure.update_yaxes(range=[0, 104], tickvals=[0, 20, 40, 60, 80, 100])
        beside = limits((curve.bound for curve in drawn), drawn[0].norm, pixels=pixels)
        farthest = END * reach(max(curve.distances[-1] for curve in drawn), beside)
        if bands:
            for place, curve in enumerate(drawn):
                figure.add_traces(_band(curve, place, farthest, log=log))
        for place, curve in enumerate(drawn):
            figure.add_trace(_steps(curve, place, farthest, log=log, marked=len(drawn) > 1))
        nearest = _nearest(drawn, farthest) / END
        figure.update_xaxes(**distance_scale(nearest, farthest, log=log))
        figure.update_layout(showlegend=True)
        draw_limits(figure, "x", beside, nearest if log else 0.0, farthest)
        if len(drawn) == 1:
            figure.update_traces(hoverinfo="skip", hovertemplate=None)  # else the line is before the marks upon it
            figure.add_trace(_to_point_at(drawn[0]))
        if _on_grey_levels(drawn):
            add_grey_levels(figure, "x", nearest, farthest, log=log)
    return figure


def _on_grey_levels(curves: Sequence[DistanceCurve]) -> bool:
    return all(in_grey_levels(curve.norm, pixels=curve.pixels) for curve in curves)


def _nearest(curves: Sequence[DistanceCurve], farthest: float) -> float:
    """Where a logarithmic axis begins."""
    nearest = min(curve.distances[0] for curve in curves) or farthest / 1000
    return min(nearest, GREY_LEVEL) if _on_grey_levels(curves) else nearest


def _band(curve: DistanceCurve, place: int, farthest: float, *, log: bool) -> list[go.Scatter]:
    """The upper and the lower end of a curve's band, with the space between them filled; nothing without a band."""
    if curve.band is None:
        return []
    width, low = curve.band, _nearest([curve], farthest) / END if log else 0.0
    x, shares = [low, *curve.distances, farthest], [0.0, *curve.shares, 1.0]
    upper = [100 * min(1.0, share + width) for share in shares]
    lower = [100 * max(0.0, share - width) for share in shares]
    look = {"mode": "lines", "hoverinfo": "skip", "showlegend": False, "x": x}
    line = {"shape": "hv", "width": 0}
    fill, name = see_through(campaign_look(place).colour, 0.14), as_text(curve.name)
    return [
        go.Scatter(y=upper, line=line, name=f"upper end of the band of {name}", **look),
        go.Scatter(y=lower, line=line, fill="tonexty", fillcolor=fill, name=f"lower end of the band of {name}", **look),
    ]


def _steps(curve: DistanceCurve, place: int, farthest: float, *, log: bool, marked: bool) -> go.Scatter:
    """The curve; beside others it has a few marks, that tell it apart where lines run together."""
    start, look = curve.distances[0] if log else 0.0, campaign_look(place)
    marks = {"marker": {"symbol": look.symbol, "size": 9, "color": look.colour, "maxdisplayed": MARKS}}
    return go.Scatter(
        name=f"{as_text(curve.name)}: {curve.total:,} of {curve.pairs:,} test pairs adversarial",
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
