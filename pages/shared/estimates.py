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
from dnncov_core.campaign.trial import trials
from dnncov_core.errors import DnncovError
from dnncov_core.phrases.numbers import about
from dnncov_core.records import NetworkCard
from dnncov_core.registry import inputs_of

MOST_LOOKED_AT = 20
"""Earlier campaigns, and short runs, newest first, whose speed is looked at."""


def estimated(spec: CampaignSpec, card: NetworkCard) -> Estimate:
    """The work, with its time where there are such campaigns or short runs."""
    newest = [*campaigns().values()][:MOST_LOOKED_AT] + trials()[:MOST_LOOKED_AT]
    return estimate(card, spec, _speed(spec.for_network(card), list(map(str, newest))), inputs_of(spec.data))


def time_of(work: Estimate) -> str:
    """How long it takes, in words."""
    return "time not known yet" if work.seconds is None else about(work.seconds)


@st.cache_data(ttl=30, max_entries=200, show_spinner=False)
def _speed(spec: CampaignSpec, files: list[str]) -> Speed | None:
    with ExitStack() as stack:
        stores = []
        for file in files:
            with suppress(DnncovError):  # a damaged file is no source of speeds; the list of campaigns says so
                stores.append(stack.enter_context(CampaignStore(Path(file))))
        return speed_of(stores, spec)
