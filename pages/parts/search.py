"""Search: how a new campaign looks for test pairs, with generator, seeds, oracle and machine."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.spec import DEVICES, CampaignSpec
from dnncov_core.distances import NORMS
from dnncov_core.figures.style import NORM_NAMES
from dnncov_core.generators import GENERATORS, GRIDS, SEED_ORDERS
from pages.parts.fields import Fields, marked, registered


def search_choice() -> Fields:
    """Generator, seeds and oracle; what hardly ever changes is folded away."""
    words = "How x2 is searched for. Whatever it proposes counts only if the network itself confirms it."
    generator = registered("Generator", GENERATORS, "generator", words=words)
    st.caption(GENERATORS[generator].words)
    order = registered("Order of seeds", SEED_ORDERS, "seed_order")
    grid = registered("Values that x2 may have", GRIDS, "grid")
    left, right = st.columns(2)
    with left:
        max_seeds = st.number_input(
            "Seeds per pair, at most",
            value=CampaignSpec.max_seeds,
            step=1,
            key="max_seeds",
            persist_state="session",
            help="After so many seeds without success, a test condition counts as exhausted.",
        )
        fields: Fields = {"generator": generator, "seed_order": order, "grid": grid}
        fields |= marked(max_seeds=int(max_seeds))
    with right:
        bound = st.number_input(
            "Bound b (distance)",
            value=None,
            step=0.05,
            format="%.4f",
            placeholder="No bound",
            key="bound",
            persist_state="session",
            help="A test pair with different labels is adversarial only if its distance is at most b. Empty: no bound"
            " on the distance.",
        )
        fields |= marked(bound=bound)
    fields["reuse"] = st.checkbox(
        "Reuse test pairs",
        key="reuse",
        persist_state="session",
        help="A test pair counts for every test condition that it covers: few test pairs and less time, but not each"
        " condition's own nearest. Rates and distances still count every condition.",
    )
    with st.expander("More settings"):
        return fields | _details()


def _details() -> Fields:
    left, right = st.columns(2)
    with left:
        fields = _seeds_and_distances()
    with right:
        return fields | _machine()


def _seeds_and_distances() -> Fields:
    seeds = st.number_input(
        "Pool of seeds (inputs)",
        value=None,
        step=1,
        placeholder="All correctly classified",
        key="seeds",
        persist_state="session",
        help="Only so many seeds, drawn by the random seed. Empty means every correctly classified input.",
    )
    fields = marked(seeds=None if seeds is None else int(seeds))
    norm = st.selectbox(
        "Norm of distances",
        list(NORMS),
        format_func=NORM_NAMES.__getitem__,
        key="norm",
        persist_state="session",
        help="The oracle's L^p distance between x1 and x2, in pixel space.",
    )
    margin = st.number_input(
        "Margin of strict inequalities",
        value=CampaignSpec.margin,
        format="%.1e",
        step=1e-4,
        key="margin",
        persist_state="session",
        help="How far from 0 each u stays whose sign is asked for, in units of u.",
    )
    return fields | {"norm": norm} | marked(margin=float(margin))


def _machine() -> Fields:
    device = st.selectbox(
        "Device",
        DEVICES,
        key="device",
        persist_state="session",
        help="Where the data are classified to find the seeds; auto takes a GPU if there is one. The rest is CPU work.",
    )
    random_seed = st.number_input(
        "Random seed",
        value=0,
        step=1,
        key="random_seed",
        persist_state="session",
        help="The same number gives the same campaign.",
    )
    return {"device": device} | marked(random_seed=int(random_seed))
