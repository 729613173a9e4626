"""Step 4: names, and what is done with them first."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.brought.adoption import Adopted, adopt, suggested
from dnncov_core.brought.drafts import Draft
from dnncov_core.brought.first_campaign import first_campaign
from dnncov_core.brought.report import Choice, Report
from dnncov_core.campaign import library as campaigning
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.data.own_decisions import OWN
from dnncov_core.errors import DnncovError
from dnncov_core.generators import GRIDS
from dnncov_core.phrases.effect import EFFECT_MEANS
from dnncov_core.phrases.numbers import counted
from dnncov_core.suites import library as measuring
from dnncov_core.suites.spec import MeasurementSpec
from pages.shared.job_buttons import start_job
from pages.shared.words import plain, say_error

ADOPTED = "adopted"
"""Key of the names that were just put into the menus."""


def names_and_start(draft_id: str, draft: Draft, report: Report, number: int) -> None:
    """The names, and buttons: a first campaign, a measurement, or nothing yet."""
    choice = report.choices[number]
    names = {}
    with st.grid(2, min_column_width=240):
        for kind, part, file in (
            ("network", draft.network, choice.network_file),
            ("data", draft.data, choice.data_file),
        ):
            assert part is not None
            if part.file or file:
                label = "Name of the network" if kind == "network" else "Name of the data"
                own = kind == "data" and choice.own_decisions
                first, key = suggested(kind, part.name, ending=OWN * own), f"name-{kind}-{draft_id}{'-own' * own}"
                names[kind] = st.text_input(label, first, max_chars=80, key=key).strip()
            else:
                names[kind] = part.name
                st.markdown(f"**{plain(part.name)}** is in the menus already.")
    take = partial(adopt, draft_id, number, network_name=names["network"], data_name=names["data"])
    with st.container(horizontal=True, vertical_alignment="center"):
        has_seeds = report.labelled or choice.own_decisions or bool(choice.card.quantities)
        if st.button(
            "Start a first campaign",
            icon=":material/play_arrow:",
            type="primary",
            disabled=not has_seeds or choice.correct < report.least * choice.inputs,
            help=None if has_seeds else "Campaigns need labels: take the network's own decisions, or bring others.",
        ):
            start_job("campaign", lambda: campaigning.start(_campaign(take(), choice)))
        if st.button("Measure what the data cover", icon=":material/straighten:"):
            start_job("measurement", lambda: measuring.start(_measurement(take())))
        if st.button("Only put them into the menus", icon=":material/playlist_add:"):
            _only_take(take)
    asked = _words(first_campaign("", "", choice.card).for_network(choice.card))
    st.caption(
        f"{asked} The measurement says how much your data cover by the usual criteria, lists the missing tests, and"
        " generates them. From then on both names are in the menus of Run and Measure, and the command dnncov knows"
        " them."
    )


def _words(spec: CampaignSpec) -> str:
    """What the first campaign asks for: which test conditions, which x2, and which effect."""
    effect = EFFECT_MEANS.get(spec.effect)
    counts = f"only where {effect} (effect {spec.effect})" if effect else "by the paper's criterion alone (effect none)"
    return (
        f"The campaign looks for test pairs for {counted(spec.pairs or 0, 'test condition')} of SS, sampled evenly over"
        f" the layer pairs. x2 may have: {GRIDS[spec.grid].title[0].lower()}{GRIDS[spec.grid].title[1:]}. A pair counts"
        f" {counts}."
    )


def _campaign(names: Adopted, choice: Choice) -> CampaignSpec:
    return first_campaign(names.network, names.data, choice.card)


def _measurement(names: Adopted) -> MeasurementSpec:
    return MeasurementSpec(names.network, names.data)


def _only_take(take: partial[Adopted]) -> None:
    try:
        st.session_state[ADOPTED] = take()
    except DnncovError as error:
        say_error(error)
        return
    st.rerun()


def say_adopted() -> None:
    """That two names are in the menus now, said once."""
    names: Adopted | None = st.session_state.pop(ADOPTED, None)
    if names is not None:
        words = f"In the menus of Run and Measure: **{plain(names.network)}** and **{plain(names.data)}**."
        st.success(words, icon=":material/playlist_add_check:")
