"""Examples: the test pairs themselves, as a gallery and one by one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.export.provenance import of_campaign
from dnncov_core.phrases.glossary import GLOSSARY
from dnncov_core.records import LayerCounts, TestPair
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table
from pages.shared import address
from pages.shared.campaign_state import standing, what_was_run
from pages.shared.campaigns import PARAMETER, choose
from pages.shared.cards import layout, legend, pair_card
from pages.shared.downloads import export_pairs
from pages.shared.gallery import PARAMETERS, Gallery, change, filters, read, within
from pages.shared.jobs import follow_campaign
from pages.shared.links import PAIR, to_gallery, to_pair

READING = (
    "**Difference** is x2 - x1, amplified by the stated factor. In grey images **orange** is brighter in x2, **blue**"
    " is darker, and light grey is unchanged. In colour images each channel (red, green, blue) is lighter than middle"
    " grey where it increases, and darker where it decreases; unchanged pixels are middle grey.\n\n"
    "**Distances** are in pixel space, before any normalisation by the network: shares of the range from black to"
    " white, 255 grey levels of 8 bits. L∞ is the largest change of any value, L2 and L1 are over all values.\n\n"
    "**Pictures** are rounded to 8 bits to be shown; the stored pair is not.\n\n"
    "**Holds after rounding to 8 bits** says that the covering method still holds when x2 is rounded to 256 grey"
    " levels, not that its label still differs: the view of one pair asks the network for that.\n\n"
    "**One pair**: Open on a card shows it with the signs and values of its neurons. The page's address then names it,"
    " as it names the filters of the gallery."
)

st.title("Examples", anchor=False)
st.caption("Each test pair: the seed x1, the generated x2, and what differs.")


def show_gallery(store: CampaignStore, layers: Sequence[LayerCounts], gallery: Gallery) -> None:
    """Filters, and one page of cards, with how many there are."""
    filters(store, layers, gallery)
    card, n = store.card(), store.pairs.count(gallery.only)
    if card is None or n == 0:
        st.info("No test pair here yet. Widen the filter, or wait for the campaign to find some.")
        return
    per_page, columns = layout(card.input_shape)
    n_pages = -(-n // per_page)
    page = min(gallery.page, n_pages)
    first = (page - 1) * per_page
    pairs = store.pairs.page(gallery.only, order=gallery.order, limit=per_page, offset=first)
    st.caption(f"{first + 1:,} to {first + len(pairs):,} of {n:,} test pairs  \n{legend(card.input_shape)}")
    with st.grid(columns, min_column_width=340):
        for pair in pairs:
            pair_card(pair, card, to_pair(store.path.stem, pair.target.ordinal, gallery))
    if n_pages > 1:
        st.pagination(n_pages, **address.bound("examples-page", page, partial(change, "page")))
    export_pairs(of_campaign(store), card, pairs, of_all=store.pairs.count())


def known_pair(store: CampaignStore, named: str | None) -> TestPair | None:
    """The pair whose ordinal the address names; says so where there is none of this ordinal."""
    if named is None:
        return None
    ordinal = address.number(named)
    condition = None if ordinal is None else store.conditions.one(ordinal)
    pair = None if condition is None else store.pairs.of(condition.target)
    if pair is None:
        why = "this campaign asks about no such test condition" if condition is None else "it is not covered"
        st.warning(f"There is no test pair {named[:20]!r}: {why}. Here are all.", icon=":material/help:")
    return pair


named = st.query_params.get(PARAMETER)
campaign = choose(keeps=PARAMETERS)
follow_campaign(campaign, standing)
with open_campaign(campaign) as store, store.at_one_moment():
    layers = counts_by_layer(store)
    gallery = within(layers, read(address.parameters()))
    pair = known_pair(store, st.query_params.get(PAIR) if named in (None, campaign) else None)
    address.say(to_gallery(campaign, gallery) if pair is None else to_pair(campaign, pair.target.ordinal, gallery))
    if pair is None:
        show_gallery(store, layers, gallery)
    else:
        from pages.examples.pair import one_pair  # with PyTorch, which takes seconds at a server's first visit

        one_pair(store, pair, gallery)
    what_was_run(store, coverage_table(store).total)
    with st.expander("How to read these pairs", icon=":material/help:"):
        st.markdown(f"{GLOSSARY}\n\n{READING}")
