"""Distances: how far the generated inputs are from their seeds."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.library import campaigns, open_campaign
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.distances import written
from dnncov_core.errors import DnncovError
from dnncov_core.figures import plot_distance_curve, plot_layer_distances
from dnncov_core.figures.style import distance_axis, layer_pair
from dnncov_core.statistics import (
    DistanceCurve,
    LayerDistanceTable,
    Spread,
    coverage_table,
    distance_curve,
    distance_table,
)
from pages.parts import frame
from pages.parts.campaigns import choose, label
from pages.parts.charts import chart
from pages.parts.facts import GLOSSARY, source, what_was_run
from pages.parts.results import follow, hint_at_more_adversarial, standing
from pages.parts.words import plain

frame.require()
st.title("Distances", anchor=False)
st.caption("How small the changes are that turn a seed x1 into a generated input x2.")


def curve_of(campaign_id: str) -> DistanceCurve | None:
    """The curve of another campaign; None, with the reason in place, where it cannot be read."""
    try:
        with open_campaign(campaign_id) as other:
            return distance_curve(other, source(other))
    except DnncovError as error:
        st.warning(plain(str(error)))
        return None


def comparable(own: DistanceCurve, others: list[str]) -> list[DistanceCurve]:
    """The curves of other campaigns in the same norm and unit; the rest are named."""
    curves = [curve for campaign_id in others if (curve := curve_of(campaign_id))]
    same = [curve for curve in curves if (curve.norm, curve.pixels) == (own.norm, own.pixels)]
    for curve in curves:
        if curve not in same:
            st.caption(f"Left out, measured in another norm or unit: {plain(curve.name)}")
    return same


def spread_of(spread: Spread) -> str:
    """Mean ± deviation."""
    return "n/a" if spread.mean is None else f"{written(spread.mean)} ± {written(spread.std or 0.0)}"


def table_of(table: LayerDistanceTable) -> list[dict[str, object]]:
    """One row a layer pair."""
    unit = distance_axis(table.norm, pixels=table.pixels)
    return [
        {
            "Layer pair": layer_pair(row.edge),
            "Test pairs": row.pairs.n,
            f"{unit}, mean ± deviation": spread_of(row.pairs),
            "Adversarial pairs": row.adversarial.n,
            "Of adversarial pairs, mean ± deviation": spread_of(row.adversarial),
        }
        for row in table.rows
    ]


def show(store: CampaignStore) -> None:
    """Curve, distances by layer pair, and the table that the latter draws."""
    standing(store)
    own = distance_curve(store, source(store))
    figure = plot_distance_curve([own, *comparable(own, compared)], log=scale == "log", source=source(store))
    left, right = st.columns(2, gap="medium")
    with left:
        chart(figure, key="curve", alt="Step curve: accumulated share of adversarial pairs by distance")
        hint_at_more_adversarial(store.spec(), own.total)
    with right:
        layers = distance_table(store)
        chart(
            plot_layer_distances(layers, source=source(store)),
            key="by-layer",
            alt="Points: mean distance and deviation by layer pair",
        )
    st.dataframe(table_of(layers), hide_index=True, alt="Distances by layer pair")
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
    "Distance axis", ["linear", "log"], default="linear", required=True, key="scale", help="Scale of the curve's axis."
)
follow(campaign, show)
with st.expander("How these numbers are computed", icon=":material/help:"):
    st.markdown(
        GLOSSARY + "The **curve** shows, for each distance d, how many of the campaign's adversarial pairs have a"
        " distance of at most d. Test pairs that are not adversarial are not in it. A curve that stays low near 0 means"
        " that adversarial inputs are relatively far from their seeds.\n\n"
        "**Mean and deviation** are over the test pairs of one layer pair, the deviation as of a population. Distances"
        " are measured in pixel space, before any normalisation by the network, in the norm of the campaign.\n\n"
        "**One grey level** is 1/255. An input nearer than half of that to a seed of 8 bits is rounded back to the seed"
        " itself."
    )
