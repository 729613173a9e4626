"""A campaign for what a suite does not cover: how many of the list, how they are searched for, and the start."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dnncov_core.campaign.library import start
from dnncov_core.campaign.parameter_kinds import FormPart
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DnncovError
from dnncov_core.generators import GRIDS
from dnncov_core.records import NetworkCard
from dnncov_core.registry import data_names, default_data, lacks_labels, networks
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement
from dnncov_core.suites.open_conditions import campaign_for
from dnncov_core.types import IntArray
from pages.shared.campaigns import CAMPAIGN
from pages.shared.estimates import estimated, short_run, time_of
from pages.shared.fields import Entered, field, fields_of
from pages.shared.job_buttons import start_job
from pages.shared.network import say_no_data, say_no_labels
from pages.shared.words import plain, say_error

LONG = 3600.0
"""Seconds above which a sample is proposed, and all of the list is not what is offered first."""
COMMAND = "dnncov run NETWORK --data DATA --conditions FILE.csv"


def campaign_bar(
    found: StoredMeasurement, criterion: MeasuredCriterion, rows: IntArray, place: DeltaGenerator, *, begun: bool
) -> None:
    """The form of a campaign for some test conditions, and at ``place`` the button that starts it.

    ``begun`` says whether there is a campaign for them already.
    """
    network, card = found.spec.network, networks().get(found.spec.network)
    usual = default_data(network)
    known = [each for each in (found.spec.suite, usual) if each in data_names()]
    data = next((each for each in known if not lacks_labels(network, each)), None)
    if not known or network not in networks():
        say_no_data(network, COMMAND)
        return
    if data is None:
        say_no_labels(known[0])
        return
    entered = _form(card)
    if entered.refused or not len(rows):
        return
    with place:
        try:
            spec = campaign_for(found, criterion, listed=len(rows), data=data, **entered.fields)
        except DnncovError as error:
            say_error(error)
            return
        _start(spec, card, rows, begun=begun)


def _form(card: NetworkCard | None) -> Entered:
    with st.expander("How many, and how they are searched for", icon=":material/tune:"):
        how = st.segmented_control(
            "Test conditions",
            ["all", "sample"],
            default="all",
            required=True,
            format_func={"all": "All of the list", "sample": "A sample"}.__getitem__,
            key="missing-how",
        )
        with st.grid(2, min_column_width=200):
            drawn = Entered({"pairs": None}) if how == "all" else _field("pairs", card) | _field("sampling", card)
            effect = _field("effect", card)
            names = [name for name, row in PARAMETERS.items() if row.part is FormPart.SEARCH]
            own = {name: partial(_field, name, card) for name in names}
            return drawn | effect | fields_of(FormPart.SEARCH, effect, own)


def _field(name: str, card: NetworkCard | None) -> Entered:
    """The field of a parameter; x2 begins as an image that a file can hold where the network takes such."""
    images = name == "grid" and card is not None and GRIDS["8bit"].fits(card.box)
    row = PARAMETERS[name]
    return field(row, key=f"missing-{name}-{images}", first="8bit" if images else row.first)


def _start(spec: CampaignSpec, card: NetworkCard | None, rows: IntArray, *, begun: bool) -> None:
    n = min(spec.pairs or len(rows), len(rows))
    these = f"these {len(rows):,}" if n == len(rows) else f"{n:,} of these {len(rows):,}"
    asked = replace(spec, pairs=n)
    work = None if card is None else estimated(asked, card)
    is_long = work is not None and work.seconds is not None and work.seconds > LONG
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(
            f"Generate tests for {these}",
            type="secondary" if begun or is_long else "primary",
            icon=":material/play_arrow:",
            key="generate-missing",
        )
        time = "" if work is None else f", {time_of(work)}"
        more = "A sample takes less: choose it below." if is_long else "The page Run shows how it goes."
        words = f"Seeds: {plain(spec.data)}; x2: {GRIDS[spec.grid].title.lower()}{time}. {more}"
        st.caption(words, width="content")
    if work is not None and work.seconds is None:
        short_run(asked, rows)
    if pressed:
        start_job(CAMPAIGN, partial(start, spec, rows))
