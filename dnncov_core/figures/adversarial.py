"""Where the adversarial pairs are: their share by layer, over two denominators."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dnncov_core.figures.axes import LAYERS, condition_layers, layer_hover, layer_tick, name_layers
from dnncov_core.figures.style import ADVERSARIAL, MOST_LABELS, SKY, bar_marker, in_per_cent, new_figure, say
from dnncov_core.ratios import Ratio
from dnncov_core.statistics import AdversarialTable, Place


def plot_adversarial(table: AdversarialTable, *, source: str = "") -> go.Figure:
    """Two bars for each row; ``customdata`` holds condition layers, decision layer, adversarial pairs, denominator.

    Args:
        table: what is drawn.
        source: network, criterion and campaign, as a second line of the title.
    """
    figure = new_figure(
        title=f"Adversarial pairs by {table.by.value}",
        x=LAYERS[table.by],
        y="Share (%)",
        source=source,
        empty="" if table.total.of_pairs.total else "No test pair yet",
    )
    if not table.total.of_pairs.total:
        return figure
    own = [row.of_pairs for row in table.rows]
    overall = [row.of_adversarial for row in table.rows]
    figure.add_trace(_bars(table, own, f"of the {table.by.value}'s own test pairs", bar_marker(ADVERSARIAL)))
    figure.add_trace(_bars(table, overall, "of all adversarial pairs (the paper's reading)", bar_marker(SKY, "/")))
    figure.update_layout(barmode="group", bargap=0.2, bargroupgap=0.06)
    highest = max((100 * ratio.n / ratio.total for ratio in (*own, *overall) if ratio.total), default=0.0)
    figure.update_yaxes(range=[0, 1.18 * highest or 100])
    if not table.total.of_pairs.n:
        say(figure, f"None of {table.total.of_pairs.total:,} test pairs is adversarial")
    name_layers(figure, _places(table), table.by)
    return figure


def _places(table: AdversarialTable) -> list[Place]:
    return [row.place for row in table.rows if row.place]


def _bars(table: AdversarialTable, ratios: Sequence[Ratio], name: str, marker: dict[str, object]) -> go.Bar:
    labelled = len(ratios) <= MOST_LABELS // 2
    return go.Bar(
        name=name,
        x=[layer_tick(place, table.by) for place in _places(table)],
        y=in_per_cent(ratios),
        customdata=[
            [condition_layers(place), place.decision_layer, ratio.n, ratio.total]
            for place, ratio in zip(_places(table), ratios, strict=True)
        ],
        hovertext=[layer_hover(place, table.by) for place in _places(table)],
        text=[f"{ratio.percent}<br>{ratio.counts}" for ratio in ratios] if labelled else None,
        textposition="outside",
        cliponaxis=False,
        textfont={"size": 12},
        marker=marker,
        hovertemplate="%{hovertext}<br>%{y:.2f} % (%{customdata[2]:,} of %{customdata[3]:,})"
        f"<br>{name}<extra></extra>",
    )
