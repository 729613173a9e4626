"""How much work a campaign will be, by what this machine's earlier campaigns and short runs took."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path

import streamlit as st

from dnncov_core.campaign.estimate import Estimate, estimate
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import campaigns
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.speed import Speed, speed_of
from dnncov_core.campaign.trial import CONDITIONS, MOST_SECONDS, trials, try_out
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.numbers import about
from dnncov_core.records import NetworkCard
from dnncov_core.registry import inputs_of
from dnncov_core.types import IntArray
from pages.shared.words import say_error

MOST_LOOKED_AT = 20
"""Earlier campaigns, and short runs, newest first, whose speed is looked at."""


def estimated(spec: CampaignSpec, card: NetworkCard) -> Estimate:
    """The work, with its time where there are such campaigns or short runs."""
    newest = [*campaigns().values()][:MOST_LOOKED_AT] + trials()[:MOST_LOOKED_AT]
    return estimate(card, spec, _speed(spec.for_network(card), list(map(str, newest))), inputs_of(spec.data))


def time_of(work: Estimate) -> str:
    """How long it takes, in words."""
    return "time not known yet" if work.seconds is None else about(work.seconds)


def short_run(spec: CampaignSpec, listed: IntArray | None = None) -> None:
    """The button that finds out the time of a campaign, of these feature pairs, whose kind was not run here yet."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        pressed = st.button("Find out by a short run", icon=":material/timer:", key="trial")
        st.caption(
            f"No campaign of this kind was run on this machine yet. A short run tries up to {CONDITIONS} of the test"
            f" conditions, for at most {MOST_SECONDS:.0f} s; it is not kept as a campaign.",
            width="stretch",
        )
    if pressed:
        bar = st.progress(0.0, text="Trying some of the test conditions …")
        if failed := try_out(spec, bar.progress, listed):
            say_error(failed)
            return
        st.rerun()


@st.cache_data(ttl=30, max_entries=200, show_spinner=False)
def _speed(spec: CampaignSpec, files: list[str]) -> Speed | None:
    with ExitStack() as stack:
        stores = []
        for file in files:
            with suppress(DnncovError):  # a damaged file is no source of speeds; the list of campaigns says so
                stores.append(stack.enter_context(CampaignStore(Path(file))))
        return speed_of(stores, spec)
