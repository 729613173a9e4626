"""What a new campaign will be: its parameters checked, its work in a line, and the button that starts it."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.estimate import Estimate
from dnncov_core.campaign.library import start
from dnncov_core.campaign.parameters import by_label
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DnncovError
from dnncov_core.generators import GENERATORS
from dnncov_core.phrases.numbers import roughly
from dnncov_core.records import NetworkCard
from dnncov_core.statistics import title_of
from pages.run.estimates import available, estimated
from pages.shared.campaigns import watch_next
from pages.shared.fields import SAID, Fields


def checked(fields: Fields, card: NetworkCard | None) -> CampaignSpec | None:
    """The specification, or None after a message in place; what the network refuses is known with its card."""
    if fields["data"] is None or SAID in fields:
        return None
    try:
        spec = CampaignSpec(**fields)
        if card is not None:
            spec.feature_pairs(card)
            GENERATORS[spec.for_network(card).generator].check(spec.objective)
        return spec
    except DnncovError as error:
        st.error(by_label(error), icon=":material/error:")
        return None


def start_bar(spec: CampaignSpec | None, card: NetworkCard | None) -> None:
    """One line of what will happen, and the button."""
    words, button = st.columns([5, 1], vertical_alignment="center")
    words.markdown(_in_words(spec, card))
    pressed = button.button(
        "Start campaign", type="primary", icon=":material/play_arrow:", width="stretch", disabled=spec is None
    )
    if pressed and spec is not None:
        _start(spec)


def _start(spec: CampaignSpec) -> None:
    try:
        watch_next(start(spec))
    except DnncovError as error:
        st.error(str(error), icon=":material/error:")
    else:
        st.rerun()


def _in_words(spec: CampaignSpec | None, card: NetworkCard | None) -> str:
    if spec is None:
        return ":gray[Not ready to start.]"
    if card is None:
        return f"**{title_of(spec)}**"
    work = estimated(spec, card)
    return (
        f"**{title_of(spec)}** · {_asked(spec, work)} · at most {work.most_attempts:,} attempts"
        f" · about {roughly(work.seconds)}"
    )


def _asked(spec: CampaignSpec, work: Estimate) -> str:
    if work.conditions < work.available:
        return f"{work.conditions:,} sampled test conditions (of {available(spec, work)})"
    fewer = f" ({spec.pairs:,} asked for)" if spec.pairs is not None and spec.pairs > work.available else ""
    return f"all {available(spec, work)} test conditions{fewer}"
