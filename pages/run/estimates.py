"""The estimate of a new campaign's work."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.estimate import ATTEMPTS_PER_CONDITION, Estimate, estimate, seconds_per_condition
from dnncov_core.campaign.library import campaigns, open_campaign
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DnncovError
from dnncov_core.figures.style import layer_pair
from dnncov_core.generators import GENERATORS
from dnncov_core.phrases.numbers import roughly
from dnncov_core.records import NetworkCard
from pages.shared.words import table

MOST_LOOKED_AT = 20
"""Earlier campaigns, newest first, whose speed is looked at."""


def available(spec: CampaignSpec, work: Estimate) -> str:
    """How many test conditions there are; with top weights an upper bound, since the weights are not known yet."""
    return f"{'' if spec.top_weights is None else 'at most '}{work.available:,}"


def estimated(spec: CampaignSpec, card: NetworkCard) -> Estimate:
    """The work, with the speed of earlier campaigns where there are some."""
    return estimate(card, spec, _speed(spec.for_network(card)))


@st.cache_data(ttl=30, max_entries=200, show_spinner=False)
def _speed(spec: CampaignSpec) -> float | None:
    stores = []
    for campaign_id in list(campaigns())[:MOST_LOOKED_AT]:
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
                f"{work.conditions:,} of {available(spec, work)}",
                help="Of all pairs in the chosen layers.",
            )
            st.metric("Attempts, at most", f"{work.most_attempts:,}", help="Test conditions × seeds per pair.")
            st.metric("Time, roughly", roughly(work.seconds))
        st.caption(
            "The time comes from earlier campaigns of this network and criterion that searched alike on this machine."
            if work.measured
            else "No earlier campaign of this kind: the time assumes"
            f" {generator.seconds_per_attempt:g} s an attempt and"
            f" {ATTEMPTS_PER_CONDITION} attempts a condition."
        )
        if generator.by_gradients:
            rows = [(layer_pair(size.edge), f"{size.pairs:,}") for size in work.programmes]
            table(("Layer pair", "Feature pairs"), rows)
        else:
            _programmes(work)


def _programmes(work: Estimate) -> None:
    table(
        ("Layer pair", "Feature pairs", "Paper's variables", "Paper's constraints"),
        [
            (layer_pair(size.edge), f"{size.pairs:,}", size.variables or "–", size.constraints or "–")
            for size in work.programmes
        ],
    )
    st.caption(
        "Size of the paper's linear programme for a neuron pair: inputs + neurons of layers 2..k + decision neuron"
        " + distance variables; 4 × inputs + 2 × neurons constraints. The generator lp needs fewer of both. An"
        " attempt solves one programme, or a few where a value function has alternatives or rounding asks for a"
        " larger margin."
    )
