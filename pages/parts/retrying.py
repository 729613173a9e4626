"""Test conditions that were exhausted or failed, tried again with larger budgets."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.budgets import RETRIED
from dnncov_core.campaign.library import is_proving, try_again
from dnncov_core.campaign.retry import by_passes
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.errors import DnncovError
from pages.parts.results import is_active
from pages.parts.words import plain

_TOLD = "retry-told"


def retrying(store: CampaignStore) -> None:
    """New budgets, and the button that starts a worker with them; words where it cannot start."""
    spec, seeds = store.spec(), store.seed_report()
    n = sum(number for outcome, number in store.outcomes().items() if outcome.value in RETRIED)
    pool = 0 if seeds is None else len(seeds.rows)
    keys = [
        f"retry-{name}-{store.path.stem}-{old}" for name, old in (("seeds", spec.max_seeds), ("passes", spec.passes))
    ]
    busy = is_active(store) or is_proving(store)
    with st.container(border=True, height="stretch"):
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.number_input(
                "Seeds a condition, at most",
                value=min(max(pool, spec.max_seeds), 2 * spec.max_seeds),
                step=1,
                key=keys[0],
                width=200,
                help=f"{spec.max_seeds:,} until now, which count among them; the pool has {pool:,}.",
            )
            if by_passes(spec):
                st.number_input(
                    "Passes a condition, at most",
                    value=2 * spec.passes,
                    step=1,
                    key=keys[1],
                    width=200,
                    help=f"Forward and backward passes of gradient search; {spec.passes:,} until now.",
                )
            st.button(
                "Try again with more seeds",
                icon=":material/replay:",
                disabled=busy or not n,
                key="retry",
                on_click=_retry,
                args=(store.path.stem, keys),
                help="Conditions that were exhausted or failed. What is covered stays, and so do earlier attempts.",
            )
        st.caption(_words(n, busy=busy, all_tried=not by_passes(spec) and spec.max_seeds >= pool))
        if told := st.session_state.pop(_TOLD, ""):
            st.error(plain(told), icon=":material/error:")


def _words(n: int, *, busy: bool, all_tried: bool) -> str:
    if busy:
        return "Something is at this campaign: wait for it, or cancel it first."
    if not n:
        return "No test condition was exhausted or failed."
    return "Every seed of the pool was tried already." if all_tried else "The worker goes on from there; Run shows it."


def _retry(campaign_id: str, keys: list[str]) -> None:
    seeds, passes = map(st.session_state.get, keys)
    try:
        try_again(campaign_id, seeds and int(seeds), passes and int(passes))
    except DnncovError as error:
        st.session_state[_TOLD] = str(error)
