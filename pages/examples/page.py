"""Examples: the test pairs themselves, as a gallery and one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.export.provenance import of_campaign
from dnncov_core.phrases.inputs import searched_range
from dnncov_core.records import LayerCounts, TestPair
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table
from pages.shared import address
from pages.shared.campaign_state import standing, what_was_run
from pages.shared.campaigns import CAMPAIGN, chosen_campaign
from pages.shared.cards import layout, pair_card
from pages.shared.downloads import export_pairs
from pages.shared.evidence import evidence_pack
from pages.shared.frame import skip_to
from pages.shared.gallery import PARAMETERS, Gallery, bound, filters, read, within
from pages.shared.inputs import legend
from pages.shared.jobs import follow_campaign, is_active
from pages.shared.links import PAIR, to_gallery, to_pair
from pages.shared.words import page_help, plain

NO_PAIR = {True: "No test pair yet: the campaign searches for the first.", False: "This campaign has no test pair."}
"""Said where there is none, by whether the campaign is at work."""


def show_gallery(store: CampaignStore, layers: Sequence[LayerCounts], gallery: Gallery) -> None:
    """Filters, and one page of cards, with how many there are."""
    filters(store, layers, gallery)
    card, n = store.card(), store.pairs.count(gallery.only)
    if card is None or n == 0:
        st.info(NO_PAIR[is_active(store)] if not store.pairs.count() else "No test pair matches. Widen the filter.")
        return
    per_page, columns = layout(card)
    n_pages = -(-n // per_page)
    page = min(gallery.page, n_pages)
    first = (page - 1) * per_page
    pairs = store.pairs.page(gallery.only, order=gallery.order, limit=per_page, offset=first)
    about = legend(card) or plain(searched_range(card))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{first + 1:,} to {first + len(pairs):,} of {n:,} test pairs  \n{about}")
        export_pairs(of_campaign(store), card, pairs, of_all=store.pairs.count())
    with st.grid(columns, min_column_width=340, key=skip_to("test pairs")):
        for pair in pairs:
            pair_card(pair, card, to_pair(store.path.stem, pair.target.ordinal, gallery))
    if n_pages > 1:
        st.pagination(n_pages, **bound("examples-page", page, lambda gallery, n: replace(gallery, page=n)))


def known_pair(store: CampaignStore, named: str | None) -> TestPair | None:
    """The pair whose ordinal the address names; says so where there is none of this ordinal."""
    if named is None:
        return None
    ordinal = address.number(named)
    condition = None if ordinal is None else store.conditions.one(ordinal)
    pair = None if condition is None else store.pairs.of(condition.target)
    if pair is None:
        why = "this campaign asks about no such test condition" if condition is None else "it is not covered"
        st.warning(f"There is no test pair {plain(repr(named[:20]))}: {why}. Here are all.", icon=":material/help:")
    return pair


named = st.query_params.get(CAMPAIGN)
campaign = chosen_campaign(
    "Examples", "Each test pair: the seed x1, the generated x2, and what differs.", keeps=PARAMETERS
)
with open_campaign(campaign) as store, store.at_one_moment():
    layers = counts_by_layer(store)
    follow_campaign(campaign, standing)
    gallery = within(store, layers, read(address.parameters()))
    pair = known_pair(store, st.query_params.get(PAIR) if named in (None, campaign) else None)
    address.say(to_gallery(campaign, gallery) if pair is None else to_pair(campaign, pair.target.ordinal, gallery))
    if pair is None:
        show_gallery(store, layers, gallery)
    else:
        from pages.examples.pair import one_pair  # with PyTorch, which takes seconds at a server's first visit

        one_pair(store, pair, gallery)
    what_was_run(store, coverage_table(store).total)
    evidence_pack("campaign", [campaign])
    page_help("examples", "How to read these pairs")
