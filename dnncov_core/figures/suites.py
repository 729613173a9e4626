"""Coverage of a suite by layer: one bar for the test conditions of a layer pair or layer, met and not met."""

from __future__ import annotations

import plotly.graph_objects as go

from dnncov_core.figures.axes import LAYERS, layer_hover, layer_tick, name_layers
from dnncov_core.figures.style import COVERED, FAINT, MOST_LABELS, bar_marker, new_figure
from dnncov_core.ratios import Ratio
from dnncov_core.statistics import By, Place
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer, StoredMeasurement

LAYER = "Layer"


def plot_suite_coverage(measurement: StoredMeasurement, measured: MeasuredCriterion, *, source: str = "") -> go.Figure:
    """Stacked bars of shares, met and not met; ``customdata`` holds count and total.

    Args:
        measurement: names the layers.
        measured: the criterion that is drawn.
        source: network and suite, as a second line of the title.
    """
    rows = [row for row in measured.rows if row.total]
    pairs = any(row.condition_layer is not None for row in rows)
    key = measured.key.upper()
    figure = new_figure(
        title=f"{key} coverage by {'layer pair' if pairs else 'layer'}{measured.name.removeprefix(key)}",
        x=LAYERS[By.LAYER_PAIR] if pairs else LAYER,
        y="Share of test conditions (%)" if pairs else "Share of neurons (%)",
        source=source,
        empty="" if rows else "No test condition",
    )
    if not rows:
        return figure
    places = [_place(row, measurement) for row in rows]
    by = By.LAYER_PAIR if pairs else By.DECISION_LAYER
    names, hovers = [layer_tick(place, by) for place in places], [_hover(place, by) for place in places]
    met = [row.ratio for row in rows]
    left = [Ratio(row.total - row.covered, row.total) for row in rows]
    bound = ["<br>a lower bound: " + row.bound if row.is_bound else "" for row in rows]
    figure.add_trace(_bars("covered", names, met, [f"{a}{b}" for a, b in zip(hovers, bound, strict=True)], COVERED))
    figure.add_trace(_bars("not covered", names, left, hovers, FAINT))
    if len(rows) <= MOST_LABELS:
        figure.add_trace(_labels(names, rows))
    figure.update_layout(barmode="stack")
    figure.update_yaxes(range=[0, 116], tickvals=[0, 20, 40, 60, 80, 100])
    name_layers(figure, places, by)
    return figure


def _place(row: MeasuredLayer, measurement: StoredMeasurement) -> Place:
    conditions = () if row.condition_layer is None else (row.condition_layer,)
    names = tuple(measurement.layers.get(k, "") for k in conditions)
    return Place(conditions, row.layer, names, measurement.layers.get(row.layer, ""))


def _hover(place: Place, by: By) -> str:
    if place.condition_layers:
        return layer_hover(place, by)
    return f"<b>Layer {place.decision_layer}</b>, module {place.decision_name}"


def _bars(name: str, names: list[str], counts: list[Ratio], hovers: list[str], colour: str) -> go.Bar:
    return go.Bar(
        name=name,
        x=names,
        y=[100 * (ratio.value or 0.0) for ratio in counts],
        customdata=[[ratio.n, ratio.total] for ratio in counts],
        hovertext=hovers,
        marker=bar_marker(colour),
        hovertemplate=f"%{{hovertext}}<br>{name}: %{{y:.2f}} % (%{{customdata[0]:,}} of %{{customdata[1]:,}})"
        "<extra></extra>",
    )


def _labels(names: list[str], rows: list[MeasuredLayer]) -> go.Scatter:
    return go.Scatter(
        mode="text",
        x=names,
        y=[100] * len(rows),
        text=[f"<b>{row.percent}</b><br>{row.ratio.counts}" for row in rows],
        textposition="top center",
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )
