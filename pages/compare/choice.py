"""Which campaigns the page Compare shows: a menu of several, which its address keeps, and what follows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from urllib.parse import unquote

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import campaigns, open_campaign, viewable
from dnncov_core.entries.kinds import named_apart
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.states import how_far
from dnncov_core.records import State
from pages.shared import address
from pages.shared.campaigns import CAMPAIGN, COMPARED, head, labels, readable, stop_without, to_compare
from pages.shared.jobs import badge, follow, is_active
from pages.shared.page_registry import link
from pages.shared.words import plain

AT_ONCE = 12
"""How many of the newest campaigns that can be read one click chooses."""
EVERY_SECONDS = 5.0
_MENU = "compared-campaigns"

Stores = dict[str, CampaignStore]
"""Campaigns, open at one moment, by names that tell them apart."""
Opened = tuple[Stores, dict[str, DnncovError]]
"""Campaigns, and why others are left out, by id."""


def choose_several() -> list[str]:
    """A menu of campaigns, and the ids of those chosen; stops the page where there is none to choose."""
    place = head("Compare", "Several campaigns beside each other; the page's address names them, in the order chosen.")
    files = viewable()
    known = list(files)
    if not known:
        stop_without("then compare it with others here.")
    names = list(dict.fromkeys(unquote(name) for name in address.parameters().get(COMPARED, "").split(",") if name))
    chosen = [name for name in names if name in known]
    place.multiselect(
        "Campaigns to compare",
        known,
        format_func=labels(files).__getitem__,
        placeholder="Choose two or more campaigns",
        label_visibility="collapsed",
        **address.bound(_MENU, chosen, lambda key: _choose(st.session_state[key])),
    )
    for name in names:
        if name not in known:
            st.warning(f"There is no campaign {plain(name[:80])} here. Choose from the list.", icon=":material/help:")
    _choose(chosen)
    if not chosen:
        newest = list(islice(readable(campaigns() or files, failed=False), AT_ONCE))
        st.caption("Tables and figures of several campaigns appear here beside each other, and what they differ in.")
        words = f"Choose the newest {len(newest)}" if len(newest) > 1 else "Choose the only one"
        if newest:
            left_out = "Campaigns that failed or cannot be read are left out."
            st.button(words, icon=":material/playlist_add:", help=left_out, on_click=_choose, args=(newest,))
        st.stop()
    return chosen


def _choose(ids: list[str]) -> None:
    address.say(to_compare(ids) if ids else {})


def follow_all(ids: list[str], show: Callable[[Stores], None]) -> None:
    """Calls ``show`` with the campaigns that can be read, now, and every so often while one of them is at work.

    Call it once a page, at top level: see `follow`.
    """

    def show_all(opened: Opened) -> None:
        stores, left_out = opened
        for campaign_id, error in left_out.items():
            st.warning(f"Left out: {plain(campaign_id)}. {plain(str(error))}", icon=":material/broken_image:")
        if stores:
            _unfinished(stores)
            show(stores)

    def at_work(opened: Opened) -> bool:
        return any(map(is_active, opened[0].values()))

    follow(partial(_opened, ids), show_all, changing=at_work, every_seconds=EVERY_SECONDS)


def _unfinished(stores: Stores) -> None:
    """A line for each campaign whose numbers are not its last: its state, how far it is, and where to go on with it."""
    for name, store in stores.items():
        if store.state() is State.FINISHED:
            continue
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            badge(store.state())
            st.caption(
                f"**{plain(name)}**: {how_far(store)} {plain(store.worker.message())}",
                width="stretch",
            )
            link("run", "Open on Run", {CAMPAIGN: store.path.stem})


@contextmanager
def _opened(ids: list[str]) -> Iterator[Opened]:
    stores, left_out = [], {}
    with ExitStack() as stack:
        for campaign_id in ids:
            try:
                store = stack.enter_context(open_campaign(campaign_id))
                stack.enter_context(store.at_one_moment())
                for ask in (store.spec, store.card, store.counts.layers):
                    ask()
            except DnncovError as error:
                left_out[campaign_id] = error
            else:
                stores.append(store)
        yield named_apart(stores), left_out
