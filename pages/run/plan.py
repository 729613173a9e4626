"""What a new campaign will be: its parameters checked, its work estimated, and the button that starts it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.campaign.estimate import Estimate
from dnncov_core.campaign.library import start
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.entries.kinds import MOST_LETTERS, Note, write_note
from dnncov_core.errors import DnncovError
from dnncov_core.figures.style import layer_pair
from dnncov_core.generators import GENERATORS
from dnncov_core.phrases.conditions import fewer_seeds
from dnncov_core.phrases.coverage import feature_pairs_known, planned
from dnncov_core.phrases.numbers import counted, roughly
from dnncov_core.records import NetworkCard
from dnncov_core.registry import inputs_of
from dnncov_core.statistics.settings import title_of
from pages.shared.campaigns import CAMPAIGN
from pages.shared.estimates import estimated, short_run, time_of
from pages.shared.fields import Entered
from pages.shared.job_buttons import start_job
from pages.shared.words import plain, say_error, table

SIZES = (
    "Size of the paper's linear programme for a neuron pair: inputs + neurons of layers 2..k + decision neuron"
    " + distance variables; 4 × inputs + 2 × neurons constraints. The generator lp needs fewer of both. An"
    " attempt solves one programme, or a few where a value function has alternatives or rounding asks for a"
    " larger margin."
)
MEASURED = (
    "The time comes from campaigns and short runs of this network and criterion that searched alike on this machine:"
    " loading, planning, the search and its baseline searches."
)


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


def start_bar(spec: CampaignSpec | None, card: NetworkCard | None, *, name_key: str) -> None:
    """One line of what will happen, the campaign's name, whose field has this key, and the button."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        own = st.text_input(
            "Name (optional)",
            key=name_key,
            persist_state="session",
            max_chars=MOST_LETTERS["name"],
            width=320,
            help="What the campaign is called in lists, menus and figures. It can be renamed later.",
        )
        icon = ":material/play_arrow:"
        pressed = st.button("Start campaign", type="primary", icon=icon, disabled=spec is None)
    st.markdown(_in_words(spec, card))
    if spec is not None and (fewer := fewer_seeds(spec, inputs_of(spec.data))):
        st.caption(fewer)
    if pressed and spec is not None:
        start_job(CAMPAIGN, partial(_start, spec, own or ""))


def _start(spec: CampaignSpec, own: str) -> str:
    campaign_id = start(spec)
    write_note(CAMPAIGN, campaign_id, Note(own))
    return campaign_id


def _in_words(spec: CampaignSpec | None, card: NetworkCard | None) -> str:
    if spec is None:
        return ":gray[Not ready to start.]"
    if card is None:
        return f"**{plain(title_of(spec))}**"
    work = estimated(spec, card)
    return (
        f"**{plain(title_of(spec))}** · {planned(spec, work.conditions, work.available)}"
        f" · at most {counted(work.most_attempts, 'attempt')} · {time_of(work)}"
    )


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
            each = "Test conditions × seeds per condition, with those beyond, but no more than there are."
            st.metric("Attempts, at most", f"{work.most_attempts:,}", help=each)
            st.metric("Time, roughly", "not known yet" if work.seconds is None else roughly(work.seconds))
        _basis(spec, work)
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


def _basis(spec: CampaignSpec, work: Estimate) -> None:
    """What the time comes from, or the button that finds it out."""
    if work.seconds is not None:
        st.caption(MEASURED)
        return
    short_run(spec)
