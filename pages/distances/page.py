"""Distances: how far the generated inputs are from their seeds."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.phrases.adversarial import why_so_few
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table
from dnncov_core.statistics.distances import distance_curve, distance_table
from dnncov_core.statistics.outputs import HEADS, output_table
from pages.shared import address
from pages.shared.campaign_state import standing, what_was_run
from pages.shared.campaigns import CAMPAIGN, chosen_campaign, to_compare
from pages.shared.charts import chart, logarithmic, places_for_two
from pages.shared.downloads import export_page
from pages.shared.evidence import evidence_pack
from pages.shared.jobs import follow_campaign, is_active
from pages.shared.layer_tables import distances_table, grouping
from pages.shared.links import follow_click, layer_links, nth_nearest, on_click, to_pairs, to_step
from pages.shared.page_registry import link
from pages.shared.words import page_help, table


def show(store: CampaignStore) -> None:
    """Curve, distances by layer, and the table that the latter draws."""
    follow_click()
    counted, provenance = counts_by_layer(store), of_campaign(store)
    standing(store)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):  # a longer time left wraps no line
        by, log = grouping(counted), logarithmic()
        words = "Compare with other campaigns: other networks, other criteria, features of other sizes"
        link("compare", "Compare", to_compare([provenance.id]), words=words)
    own, layers = distance_curve(store, provenance.source), distance_table(store, by)
    curve = exhibit("distance-curve", [own], provenance, log=log, bands=True)
    left, right = places_for_two(len(layers.rows))
    with left:
        chart(
            curve,
            key="curve",
            alt="Step curve: accumulated share of adversarial pairs by distance; a click on a step leads to its pair",
            on_select=on_click("curve", partial(to_step, provenance.id)),
            hint="A click on a step shows the adversarial pair at it.",
        )
        nth_nearest(store, own.total)
        if not is_active(store) and (few := why_so_few(store.spec(), own.total)):  # else more may still come
            st.caption(few)
    with right:
        points = chart(
            exhibit("layer-distances", layers, provenance, log=log),
            key="by-layer",
            alt=f"Points: distances by {by.value}; a click leads to these pairs",
            on_select=on_click("by-layer", partial(to_pairs, provenance.id, counted)),
            hint="A click on a point shows its test pairs, nearest first.",
        )
        layer_links(store, counted, by)
    distances_table(layers)
    if outputs := output_table(store):
        st.subheader("Outputs", anchor=False)
        st.caption("How far each output moves, up or down, in its unit, from x1 to x2 of the test pairs.")
        table(HEADS, [row.cells for row in outputs])
    export_page("distances", provenance, lambda: [curve, points])
    what_was_run(store, coverage_table(store).total)


campaign = chosen_campaign("Distances", "How small the changes are that turn a seed x1 into a generated input x2.")
address.say({CAMPAIGN: campaign})
follow_campaign(campaign, show)
evidence_pack("campaign", [campaign])
page_help("distances")
