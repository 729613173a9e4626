"""Coverage by layer: one bar for all test conditions of a row, split by how they ended."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dnncov_core.figures.axes import LAYERS, condition_layers, layer_hover, layer_tick, name_layers
from dnncov_core.figures.style import MOST_LABELS, OUTCOME_LOOKS, YELLOW, bar_marker, new_figure
from dnncov_core.ratios import Ratio
from dnncov_core.records import Outcome
from dnncov_core.statistics import TARGET_OUTCOMES, CoverageRow, CoverageTable, Place

ABOVE_MARKS = 104
"""Per cent at which words stand above a bar, and above the mark of what holds at 8 bits."""


def plot_coverage(table: CoverageTable, *, source: str = "") -> go.Figure:
    """Stacked bars of shares; ``customdata`` holds condition layers, decision layer, count, total.

    Args:
        table: what is drawn.
        source: network, criterion and campaign, as a second line of the title.
    """
    figure = new_figure(
        title=f"{table.criterion} coverage by {table.by.value}",
        x=LAYERS[table.by],
        y=f"Share of {'sampled ' if _is_sample(table.total) else ''}test conditions (%)",
        source=source,
        empty="" if table.total.covered.total else "No test condition yet",
    )
    if not table.total.covered.total:
        return figure
    for outcome in TARGET_OUTCOMES:
        if outcome is Outcome.FOUND or table.total.count(outcome):
            figure.add_trace(_outcome_bars(table, outcome))
    if table.total.holds_8bit.total:
        figure.add_trace(_survivors(table))
    if len(table.rows) <= MOST_LABELS:
        figure.add_trace(_labels(table))
    figure.update_layout(barmode="stack")
    figure.update_yaxes(range=[0, 126 if _is_sample(table.total) else 120], tickvals=[0, 20, 40, 60, 80, 100])
    name_layers(figure, _places(table), table.by)
    return figure


def _is_sample(row: CoverageRow) -> bool:
    return row.covered.total < row.available


def _places(table: CoverageTable) -> list[Place]:
    return [row.place for row in table.rows if row.place]


def _names(table: CoverageTable) -> list[str]:
    return [layer_tick(place, table.by) for place in _places(table)]


def _hovers(table: CoverageTable) -> list[str]:
    return [layer_hover(place, table.by) for place in _places(table)]


def _data(table: CoverageTable, counts: Sequence[Ratio]) -> list[list[object]]:
    return [
        [condition_layers(place), place.decision_layer, ratio.n, ratio.total]
        for place, ratio in zip(_places(table), counts, strict=True)
    ]


def _share(n: int, total: int) -> float:
    return 100 * n / total if total else 0.0


def _outcome_bars(table: CoverageTable, outcome: Outcome) -> go.Bar:
    look = OUTCOME_LOOKS[outcome]
    return go.Bar(
        name=look.name,
        x=_names(table),
        y=[_share(row.count(outcome), row.covered.total) for row in table.rows],
        customdata=_data(table, [Ratio(row.count(outcome), row.covered.total) for row in table.rows]),
        hovertext=_hovers(table),
        marker=bar_marker(look.colour, look.hatching),
        hovertemplate=f"%{{hovertext}}<br>{look.name}: %{{y:.2f}} % (%{{customdata[2]:,}} of %{{customdata[3]:,}})"
        "<extra></extra>",
    )


def _survivors(table: CoverageTable) -> go.Scatter:
    return go.Scatter(
        name="covered, and holds after rounding to 8 bits",
        mode="markers",
        cliponaxis=False,
        x=_names(table),
        y=[_share(row.holds_8bit.n, row.covered.total) if row.holds_8bit.total else None for row in table.rows],
        customdata=_data(table, [row.holds_8bit for row in table.rows]),
        hovertext=_hovers(table),
        marker={"symbol": "diamond", "size": 11, "color": YELLOW, "line": {"color": "#000000", "width": 1.5}},
        hovertemplate="%{hovertext}<br>holds after rounding to 8 bits:"
        " %{customdata[2]:,} of %{customdata[3]:,} witnesses<extra></extra>",
    )


def _label(row: CoverageRow) -> str:
    if not row.covered.total:
        return f"not sampled<br>(of {row.available:,})"
    of = f"<br>(of {row.available:,})" if _is_sample(row) else ""
    return f"<b>{row.covered.percent}</b><br>{row.covered.counts}{of}"


def _labels(table: CoverageTable) -> go.Scatter:
    return go.Scatter(
        mode="text",
        x=_names(table),
        y=[ABOVE_MARKS if row.covered.total else 0 for row in table.rows],
        text=[_label(row) for row in table.rows],
        customdata=_data(table, [row.covered for row in table.rows]),
        textposition="top center",
        hoverinfo="skip",
        showlegend=False,
        cliponaxis=False,
    )
