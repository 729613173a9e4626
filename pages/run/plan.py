"""What a new campaign will be: its parameters checked, its work estimated, and the button that starts it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.campaign.estimate import ATTEMPTS_PER_CONDITION, Estimate, estimate, seconds_per_condition
from dnncov_core.campaign.library import campaigns, open_campaign, start
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DnncovError
from dnncov_core.figures.style import layer_pair
from dnncov_core.generators import GENERATORS
from dnncov_core.phrases.coverage import feature_pairs_known, planned
from dnncov_core.phrases.numbers import about, counted, roughly
from dnncov_core.records import NetworkCard
from dnncov_core.statistics.settings import title_of
from pages.shared.campaigns import CAMPAIGN
from pages.shared.fields import Entered
from pages.shared.job_buttons import start_job
from pages.shared.words import plain, say_error, table

SIZES = (
    "Size of the paper's linear programme for a neuron pair: inputs + neurons of layers 2..k + decision neuron"
    " + distance variables; 4 × inputs + 2 × neurons constraints. The generator lp needs fewer of both. An"
    " attempt solves one programme, or a few where a value function has alternatives or rounding asks for a"
    " larger margin."
)
MOST_LOOKED_AT = 20
"""Earlier campaigns, newest first, whose speed is looked at."""


def checked(entered: Entered, card: NetworkCard | None) -> CampaignSpec | None:
    """The specification, or None after a message in place; what the network refuses is known with its card."""
    if entered["data"] is None or entered.refused:
        return None
    try:
        spec = CampaignSpec(**entered.fields)
        if card is not None:
            spec.feature_pairs(card)
            GENERATORS[spec.for_network(card).generator].check(spec.objective)
        return spec
    except DnncovError as error:
        say_error(error)
        return None


def start_bar(spec: CampaignSpec | None, card: NetworkCard | None) -> None:
    """One line of what will happen, and the button."""
    words, button = st.columns([5, 1], vertical_alignment="center")
    words.markdown(_in_words(spec, card))
    icon = ":material/play_arrow:"
    pressed = button.button("Start campaign", type="primary", icon=icon, width="stretch", disabled=spec is None)
    if pressed and spec is not None:
        start_job(CAMPAIGN, partial(start, spec))


def _in_words(spec: CampaignSpec | None, card: NetworkCard | None) -> str:
    if spec is None:
        return ":gray[Not ready to start.]"
    if card is None:
        return f"**{plain(title_of(spec))}**"
    work = estimated(spec, card)
    return (
        f"**{plain(title_of(spec))}** · {planned(spec, work.conditions, work.available)}"
        f" · at most {counted(work.most_attempts, 'attempt')} · {about(work.seconds)}"
    )


def estimated(spec: CampaignSpec, card: NetworkCard) -> Estimate:
    """The work, with the speed of earlier campaigns where there are some."""
    newest = [(campaign_id, str(path)) for campaign_id, path in campaigns().items()][:MOST_LOOKED_AT]
    return estimate(card, spec, _speed(spec.for_network(card), newest))


@st.cache_data(ttl=30, max_entries=200, show_spinner=False)
def _speed(spec: CampaignSpec, newest: list[tuple[str, str]]) -> float | None:
    stores = []
    for campaign_id, _ in newest:
        try:
            stores.append(open_campaign(campaign_id))
        except DnncovError:
            continue  # a damaged file is no source of speeds; the list of campaigns says so
    try:
        return seconds_per_condition(stores, spec)
    finally:
        for store in stores:
            store.close()


def estimate_details(spec: CampaignSpec | None, card: NetworkCard | None) -> None:
    """The estimate, with what it rests on."""
    if spec is None or card is None:
        return
    work, generator = estimated(spec, card), GENERATORS[spec.for_network(card).generator]
    with st.expander("Estimate of the work", icon=":material/calculate:"):
        with st.grid(3, min_column_width=170):
            st.metric(
                "Test conditions",
                f"{work.conditions:,} of {feature_pairs_known(spec, work.available)}",
                help="Of all pairs in the chosen layers.",
            )
            each = "Test conditions × seeds per condition, with those beyond."
            st.metric("Attempts, at most", f"{work.most_attempts:,}", help=each)
            st.metric("Time, roughly", roughly(work.seconds))
        st.caption(
            "The time comes from earlier campaigns of this network and criterion that searched alike on this machine."
            if work.measured
            else "No earlier campaign of this kind: the time assumes"
            f" {generator.seconds_per_attempt:g} s an attempt and"
            f" {ATTEMPTS_PER_CONDITION} attempts a condition."
        )
        heads = ("Layer pair", "Feature pairs", "Paper's variables", "Paper's constraints")
        rows = [
            (layer_pair(size.edge), f"{size.pairs:,}", size.variables or "–", size.constraints or "–")
            for size in work.programmes
        ]
        if generator.by_gradients:
            table(heads[:2], [row[:2] for row in rows])
            return
        table(heads, rows)
        st.caption(SIZES)
