"""Several campaigns layer by layer, as grouped bars: the paper's figure of SS coverage by layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from dnncov_core.figures.axes import LAYERS, at_layers, layer_tick, name_layers
from dnncov_core.figures.style import (
    HEIGHT,
    INK,
    Look,
    as_text,
    bar_marker,
    ends_of,
    in_per_cent,
    interval_hover,
    look_of,
    new_figure,
    overlaid,
    see_through,
    whiskers,
    with_left_out,
)
from dnncov_core.statistics.grouping import Place
from dnncov_core.statistics.layerwise import LayerSeries, LayerwiseTable


@dataclass(frozen=True)
class LayerShare:
    """A share that can be drawn by layer.

    ``intervals`` says whether intervals mean anything for it, ``meaning`` what is counted of what, ``subject`` and
    ``noun`` what a sentence calls the share and what is counted.
    """

    title: str
    axis: str
    intervals: bool
    meaning: str
    subject: str
    noun: str


SHARES: Mapping[str, LayerShare] = {
    "covered": LayerShare(
        "Coverage",
        "Test conditions with a witness (%)",
        True,
        "test conditions with a replayable witness, of all test conditions of the layers",
        "Coverage",
        "test conditions",
    ),
    "with_effect": LayerShare(
        "Coverage with effect",
        "Test conditions covered, with effect (%)",
        True,
        "test conditions whose witness shows the effect that the campaign asks for, else that the condition's change is"
        " needed, of all test conditions of the layers",
        "Coverage with effect",
        "test conditions",
    ),
    "of_pairs": LayerShare(
        "AE rate",
        "Adversarial, of the layers' own test pairs (%)",
        True,
        "adversarial test pairs, of the layers' own test pairs",
        "The AE rate",
        "test pairs",
    ),
    "of_adversarial": LayerShare(
        "Share of all adversarial",
        "Of the campaign's adversarial pairs (%)",
        False,
        "adversarial test pairs of the layers, of all adversarial pairs of the campaign",
        "The share of all adversarial pairs",
        "adversarial pairs",
    ),
}
"""By the field of `LayerSeries`; the first and the last are the paper's figure."""


def plot_layerwise(
    table_and_share: tuple[LayerwiseTable, str],
    *,
    chosen: Sequence[str] = (),
    order: Sequence[str] = (),
    source: str = "",
) -> go.Figure:
    """A bar for each campaign and row, with a 95 % interval where its row is a random sample; of a share of `SHARES`.

    Where samples of several layer pairs are one row, coverage is what they say of all, by the sizes of the layer pairs.

    ``customdata`` holds condition layers, decision layer, n, total.
    """
    table, share = table_and_share
    known = [series for series in table.series if any(ratio.total for ratio in getattr(series, share))]
    drawn = overlaid(known, chosen)
    figure = new_figure(
        title=f"{SHARES[share].title} by {table.by.value}",
        x=LAYERS[table.by],
        y=SHARES[share].axis,
        source=with_left_out(source, len(drawn), len(known)),
        empty="" if drawn else "Nothing to count yet",
    )
    if not drawn:
        return figure
    for place, series in enumerate(drawn):
        figure.add_trace(_bars(table, series, share, look_of(series.name, order, place)))
    rows = {place: None for series in drawn for place in series.places}
    by_tick: dict[str, Place] = {layer_tick(place, table.by): place for place in rows}
    places = sorted(by_tick.values(), key=lambda place: (place.decision_layer, place.condition_layers))
    figure.update_layout(barmode="group", bargap=0.22, bargroupgap=0.08, showlegend=True)
    figure.update_layout(height=HEIGHT + 14 * len(drawn))
    name_layers(figure, places, table.by)
    ticks = [layer_tick(place, table.by) for place in places]
    figure.update_xaxes(categoryorder="array", categoryarray=ticks)
    figure.update_yaxes(range=[0, 104] if share in ("covered", "with_effect") else None, rangemode="tozero")
    return figure


def _bars(table: LayerwiseTable, series: LayerSeries, share: str, look: Look) -> go.Bar:
    ratios = getattr(series, share)
    estimates = series.of_all(share) if SHARES[share].intervals else [None] * len(ratios)
    shares = [
        100 * estimate.share if estimate else percent
        for percent, estimate in zip(in_per_cent(ratios), estimates, strict=True)
    ]
    intervals = [None if estimate is None else estimate.interval for estimate in estimates]
    ends = ends_of(shares, intervals)
    where = at_layers(series.places, table.by, ratios)
    where["hovertext"] = [
        hover + (f"<br>{interval_hover(interval)}" if interval else "")
        for hover, interval in zip(where["hovertext"], intervals, strict=True)
    ]
    light = see_through(look.colour, 0.55)  # so that whiskers are legible on it
    return go.Bar(
        name=as_text(series.name),
        y=shares,
        **where,
        error_y={**whiskers(shares, ends, INK, thickness=2.5, width=5), "visible": any(intervals)},
        marker=bar_marker(look.colour, look.hatching) | ({} if look.hatching else {"color": light}),
        hovertemplate=f"<b>{as_text(series.name)}</b><br>%{{hovertext}}<br>%{{y:.1f}} % (%{{customdata[2]:,}} of"
        " %{customdata[3]:,})<extra></extra>",
    )
