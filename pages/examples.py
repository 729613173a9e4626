"""Examples: the test pairs themselves."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.library import open_campaign
from dnncov_core.campaign.pairs import PairFilter
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.export.provenance import of_campaign
from dnncov_core.figures.style import layer_pair
from dnncov_core.statistics import coverage_table
from dnncov_core.types import Edge
from pages.parts import frame
from pages.parts.campaigns import choose
from pages.parts.cards import layout, legend, pair_card
from pages.parts.counts import adversarial_means
from pages.parts.exporting import export_pairs
from pages.parts.facts import GLOSSARY, what_was_run
from pages.parts.results import follow, standing

ORDERS = {"nearest": "Nearest first", "farthest": "Farthest first", "plan": "In the order of the plan"}
READING = (
    "**Difference** is x2 - x1, amplified by the stated factor. In grey images **orange** is brighter in x2, **blue**"
    " is darker, and light grey is unchanged. In colour images each channel (red, green, blue) is lighter than middle"
    " grey where it increases, and darker where it decreases; unchanged pixels are middle grey.\n\n"
    "**Distances** are in pixel space, before any normalisation by the network: shares of the range from black to"
    " white, 255 grey levels of 8 bits. L∞ is the largest change of any value, L2 and L1 are over all values.\n\n"
    "**Pictures** are rounded to 8 bits to be shown; the stored pair is not."
)

frame.require()
st.title("Examples", anchor=False)
st.caption("Each test pair: the seed x1, the generated x2, and what differs.")


def filters(store: CampaignStore) -> tuple[Edge | None, bool, str]:
    """Layer pair, only adversarial or not, order."""
    edges = [counts.edge for counts in store.layer_counts()]
    one, two, three = st.columns([2, 2, 2], vertical_alignment="bottom")
    edge = one.selectbox(
        "Layer pair",
        [None, *edges],
        format_func=lambda pair: layer_pair(pair) if pair else "All layer pairs",
        key="edge",
        persist_state="session",
        help="Condition layer → decision layer.",
    )
    order = two.selectbox(
        "Order",
        list(ORDERS),
        format_func=ORDERS.__getitem__,
        key="order",
        persist_state="session",
        help="By the distance between x1 and x2 in the campaign's norm.",
    )
    adversarial = three.toggle(
        "Only adversarial pairs",
        key="only_adversarial",
        persist_state="session",
        help=f"Pairs that are adversarial: {adversarial_means(store.spec())}.",
    )
    return edge, adversarial, order


def gallery(store: CampaignStore, edge: Edge | None, adversarial: bool, order: str) -> None:
    """One page of cards, with how many there are."""
    only = PairFilter(edge=edge, adversarial=adversarial)
    card, n = store.card(), store.count_test_pairs(only)
    if card is None or n == 0:
        st.info("No test pair here yet. Widen the filter, or wait for the campaign to find some.")
        return
    per_page, columns = layout(card.input_shape)
    n_pages = -(-n // per_page)
    key = f"page-{store.path.stem}-{edge}-{adversarial}-{order}"
    page = min(st.session_state.get(key, 1), n_pages)
    first = (page - 1) * per_page
    pairs = store.test_pairs(only, order=order, limit=per_page, offset=first)
    st.caption(f"{first + 1:,} to {first + len(pairs):,} of {n:,} test pairs  \n{legend(card.input_shape)}")
    with st.grid(columns, min_column_width=340):
        for pair in pairs:
            pair_card(pair, card)
    if n_pages > 1:
        st.pagination(n_pages, key=key)
    export_pairs(of_campaign(store), card, pairs, store.count_test_pairs())


with open_campaign(choose()) as store:
    follow(store.path.stem, standing)
    gallery(store, *filters(store))
    what_was_run(store, coverage_table(store).total)
    with st.expander("How to read these pairs", icon=":material/help:"):
        st.markdown(GLOSSARY + READING)
