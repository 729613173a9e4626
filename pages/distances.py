"""Distances: how far the generated inputs are from their seeds."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.library import campaigns
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.figures.style import distance_axis
from dnncov_core.statistics import (
    LayerDistanceTable,
    counts_by_layer,
    coverage_table,
    distance_curve,
    distance_table,
)
from pages.parts import frame
from pages.parts.campaigns import choose, label
from pages.parts.charts import chart, places_for_two
from pages.parts.counts import spread
from pages.parts.curves import comparable
from pages.parts.exporting import export_page
from pages.parts.facts import GLOSSARY, source, what_was_run
from pages.parts.layers import GROUPED, grouping, layer_cells, layer_table
from pages.parts.omegas import distances_by_omega
from pages.parts.results import follow, hint_at_more_adversarial, standing

frame.require()
st.title("Distances", anchor=False)
st.caption("How small the changes are that turn a seed x1 into a generated input x2.")


def table_of(table: LayerDistanceTable) -> list[dict[str, object]]:
    """One row a layer pair or decision layer, and one for all of them."""
    unit = distance_axis(table.norm, pixels=table.pixels)
    return [
        {
            **layer_cells(row.place, table.by),
            "Test pairs": row.pairs.n,
            f"{unit}, mean ± deviation": spread(row.pairs),
            "Adversarial pairs": row.adversarial.n,
            "Of adversarial pairs, mean ± deviation": spread(row.adversarial),
        }
        for row in (*table.rows, table.total)
    ]


def show(store: CampaignStore) -> None:
    """Curve, distances by layer, the table that the latter draws, and distances by omega."""
    standing(store)
    by = grouping(counts_by_layer(store))
    own, layers = distance_curve(store, source(store)), distance_table(store, by)
    known, log = of_campaign(store), scale == "log"
    curves = exhibit("distance-curve", [own, *comparable(own, compared)], known, log=log)
    left, right = places_for_two(len(layers.rows))
    with left:
        chart(curves, key="curve", alt="Step curve: accumulated share of adversarial pairs by distance")
        hint_at_more_adversarial(store.spec(), own.total)
    with right:
        points = chart(
            exhibit("layer-distances", layers, known, log=log),
            key="by-layer",
            alt=f"Points: mean distance and deviation by {by.value}",
        )
    layer_table(table_of(layers), alt=f"Distances by {by.value}")
    omegas = distances_by_omega(store, list(campaigns()), log=log)
    export_page("distances", known, lambda: [curves, points, *omegas])
    what_was_run(store, coverage_table(store).total)


campaign = choose()
left, right = st.columns([3, 1], vertical_alignment="bottom")
compared = left.multiselect(
    "Compare the curve with",
    [campaign_id for campaign_id in campaigns() if campaign_id != campaign],
    format_func=label,
    placeholder="Other campaigns",
    key="compared",
    help="Their curves are drawn beside this one, if their distances are in the same norm and unit.",
)
scale = right.segmented_control(
    "Distance axis",
    ["linear", "log"],
    default="linear",
    required=True,
    key="scale",
    help="Scale of the distances in all figures of this page.",
)
follow(campaign, show)
with st.expander("How these numbers are computed", icon=":material/help:"):
    st.markdown(
        GLOSSARY + "The **curve** shows, for each distance d, how many of the campaign's adversarial pairs have a"
        " distance of at most d. Test pairs that are not adversarial are not in it. A curve that stays low near 0 means"
        " that adversarial inputs are relatively far from their seeds.\n\n"
        "**Mean and deviation** are over the test pairs of one row, the deviation as of a population; one larger"
        " than its mean ends at the axis. Distances are measured in pixel space, before any normalisation by the"
        " network, in the norm of the campaign.\n\n"
        + GROUPED
        + "**ω** is the largest share of a layer's neurons that one feature may have. Where features are free, any set"
        " of up to that size may be the condition feature.\n\n"
        "**One grey level** is 1/255. An input nearer than half of that to a seed of 8 bits is rounded back to the seed"
        " itself."
    )
