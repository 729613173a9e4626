"""A new measurement: its parameters checked, and the button that starts it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dnncov_core.errors import DnncovError
from dnncov_core.records import NetworkCard
from dnncov_core.suites.criterion_names import key_of
from dnncov_core.suites.library import start
from dnncov_core.suites.remarks import headline, same_inputs
from dnncov_core.suites.spec import MeasurementSpec
from pages.shared.campaigns import MEASUREMENT
from pages.shared.fields import Fields
from pages.shared.job_buttons import start_job
from pages.shared.words import plain, say_error

MOST_PAIRS = 5_000_000
"""Feature pairs of a network beyond which no witnesses are written: a suite may cover most of them."""


def checked(
    fields: Fields, card: NetworkCard | None, *, by_reference: DeltaGenerator, by_criteria: DeltaGenerator
) -> MeasurementSpec | None:
    """The specification, or None after a message below the menu that it is about."""
    if fields["suite"] is None or not fields["criteria"]:
        return None  # said there
    spec = MeasurementSpec(**fields)
    try:
        criteria = replace(spec, reference=spec.reference or "some").asked()
        if card is not None:
            spec.pairs(card)
    except DnncovError as error:
        with by_criteria:
            say_error(error)
        return None
    lacking = dict.fromkeys(
        key_of(criterion.text).upper() for criterion in criteria if criterion.by_reference and spec.reference is None
    )
    if lacking:
        words = f"Choose reference data: {', '.join(lacking)} cannot be measured without."
        with by_reference:
            say_error(words)
        return None
    if spec.suite == spec.reference and (words := same_inputs(criterion.text for criterion in criteria)):
        by_reference.warning(words, icon=":material/warning:")
    if spec.used() != spec:
        by_reference.caption("Reference data are left out: none of the chosen criteria needs them.")
    return spec


def measure_bar(spec: MeasurementSpec | None, card: NetworkCard | None) -> None:
    """One line of what will happen, whether witnesses are kept, and the button."""
    words, toggle, button = st.columns([3.4, 1.8, 1.2], vertical_alignment="center")
    words.markdown(
        f"**{plain(headline(spec))}** · {plain(spec.criteria.replace(',', ', '))}"
        if spec
        else ":gray[Not ready to measure.]"
    )
    many = card is not None and spec is not None and len(spec.pairs(card)) > MOST_PAIRS
    witnesses = toggle.toggle(
        "Keep witnesses",
        key="witnesses",
        persist_state="session",
        disabled=many,
        help="Writes for each test condition that is met which inputs meet it, a row each, to be downloaded as CSV."
        + (f" Not for networks of more than {MOST_PAIRS:,} feature pairs; use dnncov measure." if many else ""),
    )
    icon = ":material/straighten:"
    pressed = button.button("Measure", type="primary", icon=icon, width="stretch", disabled=spec is None)
    if pressed and spec is not None:
        start_job(MEASUREMENT, partial(start, spec, witnesses=witnesses and not many))
