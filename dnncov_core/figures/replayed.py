"""What became of a campaign's test conditions on another network: a bar for each layer pair, and changed labels."""

from __future__ import annotations

import plotly.graph_objects as go

from dnncov_core.figures.axes import LAYERS, at_layers, name_layers
from dnncov_core.figures.coverage import marks_at
from dnncov_core.figures.style import COVERED, GREY, ORANGE, SKY, YELLOW, Look, bar_marker, in_per_cent, new_figure
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.grouping import LayerTable
from dnncov_core.statistics.replayed import FATES, ReplayedRow

LOOKS = {
    "own": Look(COVERED),
    "shared": Look(SKY),
    "gained": Look(COVERED, hatching="."),
    "lost": Look(ORANGE, hatching="/"),
    "apart": Look(GREY, hatching="x"),
}
"""How the bars of `FATES` look."""


def plot_replayed(table: LayerTable[ReplayedRow], *, source: str = "") -> go.Figure:
    """Stacked bars of shares; ``customdata`` holds condition layers, decision layer, count, total."""
    figure = new_figure(
        title="Test conditions on the other network",
        x=LAYERS[table.by],
        y="Share of test conditions (%)",
        source=source,
        empty="" if table.rows else "No test condition yet",
    )
    if not table.rows:
        return figure
    for name, words in FATES.items():
        ratios = [Ratio(row.counts[name], row.asked) for row in table.rows]
        if any(ratio.n for ratio in ratios):
            hover = f"%{{hovertext}}<br>{words}: %{{customdata[2]:,}} of %{{customdata[3]:,}}<extra></extra>"
            figure.add_bar(
                name=words,
                y=in_per_cent(ratios),
                **at_layers(table.places, table.by, ratios),
                marker=bar_marker(LOOKS[name].colour, LOOKS[name].hatching),
                hovertemplate=hover,
            )
    labels = [Ratio(row.counts["x2"], row.counts["pairs"]) for row in table.rows]
    where = at_layers(table.places, table.by, labels)
    figure.add_trace(marks_at(in_per_cent(labels), "pairs whose x2 is judged otherwise", "diamond", YELLOW, **where))
    figure.update_layout(barmode="stack")
    figure.update_yaxes(range=[0, 104])
    name_layers(figure, table.places, table.by)
    return figure
