"""Which campaigns the page Compare shows: a menu of several, which its address keeps, and what follows them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from urllib.parse import unquote

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import campaigns, open_campaign
from dnncov_core.entries.kinds import named_apart
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.states import how_far
from dnncov_core.records import State
from pages.shared import address
from pages.shared.campaigns import COMPARED, label, stop_without, to_compare
from pages.shared.campaigns import PARAMETER as RUN_PARAMETER
from pages.shared.frame import page_of
from pages.shared.jobs import badge, follow, is_active
from pages.shared.links import link
from pages.shared.words import plain

AT_ONCE = 12
"""How many of the newest campaigns one click chooses."""
EVERY_SECONDS = 5.0
_MENU = "compared-campaigns"

Show = Callable[[dict[str, CampaignStore]], None]
"""Shows campaigns, open, by names that tell them apart."""


def choose_several() -> list[str]:
    """A menu of campaigns, and the ids of those chosen; stops the page where there is none to choose."""
    files = campaigns()
    known = list(files)
    if not known:
        stop_without("then compare it with others here.")
    names = list(dict.fromkeys(unquote(name) for name in address.asked().get(COMPARED, "").split(",") if name))
    chosen = [name for name in names if name in known]
    st.multiselect(
        "Campaigns to compare",
        known,
        format_func=lambda each: label(each, files),
        placeholder="Choose two or more",
        help="In the order in which they are chosen. This page's address names them, so that you can share it.",
        **address.bound(_MENU, chosen, lambda key: _choose(st.session_state[key])),
    )
    for name in names:
        if name not in known:
            st.warning(f"There is no campaign {plain(name[:80])} here. Choose from the list.", icon=":material/help:")
    _choose(chosen)
    if not chosen:
        newest = known[:AT_ONCE]
        st.caption("Tables and figures of several campaigns appear here beside each other, and what they differ in.")
        words = f"Choose the newest {len(newest)}" if len(newest) > 1 else "Choose the only one"
        st.button(words, icon=":material/playlist_add:", on_click=_choose, args=(newest,))
        st.stop()
    return chosen


def _choose(ids: list[str]) -> None:
    address.say(to_compare(ids) if ids else {})


def follow_all(ids: list[str], show: Show) -> None:
    """Calls ``show`` with the campaigns that can be read, now, and every so often while one of them is at work.

    Call it once a page, at top level: see `follow`.
    """

    def show_and_look() -> bool:
        with ExitStack() as opened:
            stores = _opened(ids, opened)
            if stores:
                _unfinished(stores)
                show(stores)
            return any(map(is_active, stores.values()))

    def active() -> bool:
        with ExitStack() as opened:
            return any(map(is_active, _opened(ids, opened, quiet=True).values()))

    follow(show_and_look, changing=active, every_seconds=EVERY_SECONDS)


def _unfinished(stores: dict[str, CampaignStore]) -> None:
    """A line for each campaign whose numbers are not its last: its state, how far it is, and where to go on with it."""
    for name, store in stores.items():
        if store.state() is State.FINISHED:
            continue
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            badge(store.state())
            st.caption(
                f"**{plain(name)}**: {how_far(store.state(), store.counts.progress())} {plain(store.worker.message())}",
                width="stretch",
            )
            link(page_of("run"), "Open on Run", ":material/play_circle:", {RUN_PARAMETER: store.path.stem})


def _opened(ids: list[str], opened: ExitStack, *, quiet: bool = False) -> dict[str, CampaignStore]:
    """Campaigns at one moment, by names that tell them apart; one that cannot be read leaves a message."""
    stores = {}
    for each in ids:
        try:
            store = opened.enter_context(open_campaign(each))
            opened.enter_context(store.at_one_moment())
            store.spec(), store.card(), store.counts.layers()
        except DnncovError as error:
            if not quiet:
                st.warning(f"Left out: {plain(each)}. {plain(str(error))}", icon=":material/broken_image:")
            continue
        stores[each] = store
    return named_apart(stores.values())
