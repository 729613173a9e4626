"""Where the adversarial pairs are: their share by layer pair, over two denominators."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dnncov_core.figures.style import (
    ADVERSARIAL,
    LAYER_PAIR_AXIS,
    MOST_LABELS,
    SKY,
    bar_marker,
    layer_pair,
    new_figure,
)
from dnncov_core.ratios import Ratio
from dnncov_core.statistics import AdversarialTable


def plot_adversarial(table: AdversarialTable, *, source: str = "") -> go.Figure:
    """Two bars a layer pair; ``customdata`` holds condition layer, decision layer, adversarial pairs, denominator.

    Args:
        table: what is drawn.
        source: network, criterion and campaign, as a second line of the title.
    """
    figure = new_figure(
        title="Adversarial pairs by layer pair",
        x=LAYER_PAIR_AXIS,
        y="Share (%)",
        source=source,
        empty="" if table.total.of_pairs.total else "No test pair yet",
    )
    if not table.total.of_pairs.total:
        return figure
    own = [row.of_pairs for row in table.rows]
    overall = [row.of_adversarial for row in table.rows]
    figure.add_trace(_bars(table, own, "of the layer pair's own test pairs", bar_marker(ADVERSARIAL)))
    figure.add_trace(_bars(table, overall, "of all adversarial pairs (the paper's reading)", bar_marker(SKY, "/")))
    figure.update_layout(barmode="group", bargap=0.2, bargroupgap=0.06)
    highest = max((100 * ratio.n / ratio.total for ratio in (*own, *overall) if ratio.total), default=0.0)
    figure.update_yaxes(range=[0, 1.18 * highest or 1])
    figure.update_xaxes(type="category")
    return figure


def _bars(table: AdversarialTable, ratios: Sequence[Ratio], name: str, marker: dict[str, object]) -> go.Bar:
    labelled = len(ratios) <= MOST_LABELS // 2
    return go.Bar(
        name=name,
        x=[layer_pair(row.edge) for row in table.rows if row.edge],
        y=[None if ratio.value is None else 100 * ratio.value for ratio in ratios],
        customdata=[[*(row.edge or ()), ratio.n, ratio.total] for row, ratio in zip(table.rows, ratios, strict=True)],
        text=[f"{ratio.percent}<br>{ratio.counts}" for ratio in ratios] if labelled else None,
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 12},
        marker=marker,
        hovertemplate=f"%{{x}}<br>%{{y:.2f}} % (%{{customdata[2]:,}} of %{{customdata[3]:,}})<br>{name}<extra></extra>",
    )
