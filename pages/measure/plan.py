"""What a new measurement will be: its parameters checked, a line about it, and the button that starts it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dnncov_core.errors import DnncovError
from dnncov_core.features import FeaturePairs
from dnncov_core.records import NetworkCard
from dnncov_core.suites.criteria import key_of
from dnncov_core.suites.library import start
from dnncov_core.suites.remarks import SAME_INPUTS
from dnncov_core.suites.spec import MeasurementSpec
from pages.measure.progress import headline, show_next
from pages.shared.fields import Fields
from pages.shared.jobs import started
from pages.shared.words import plain

MOST_PAIRS = 5_000_000
"""Feature pairs of a network beyond which no witnesses are written: a suite may cover most of them."""


def checked(fields: Fields, *, by_reference: DeltaGenerator, by_criteria: DeltaGenerator) -> MeasurementSpec | None:
    """The specification, or None after a message below the menu that it is about."""
    if fields["suite"] is None or not fields["criteria"]:
        return None  # said there
    spec = MeasurementSpec(**fields)
    try:
        asked = replace(spec, reference=spec.reference or "some").asked()
    except DnncovError as error:
        by_criteria.error(plain(str(error)), icon=":material/error:")
        return None
    lacking = dict.fromkeys(key_of(each.text).upper() for each in asked if each.by_reference and spec.reference is None)
    if lacking:
        words = f"Choose reference data: {', '.join(lacking)} cannot be measured without."
        by_reference.error(words, icon=":material/error:")
        return None
    if spec.suite == spec.reference and any(each.by_reference for each in asked):
        by_reference.warning(SAME_INPUTS, icon=":material/warning:")
    if spec.used() != spec:
        by_reference.caption("Reference data are left out: none of the chosen criteria needs them.")
    return spec


def measure_bar(spec: MeasurementSpec | None, card: NetworkCard | None) -> None:
    """One line of what will happen, whether witnesses are kept, and the button."""
    words, toggle, button = st.columns([4, 1.4, 1], vertical_alignment="center")
    words.markdown(
        f"**{headline(spec)}** · {spec.criteria.replace(',', ', ')}" if spec else ":gray[Not ready to measure.]"
    )
    many = card is not None and len(FeaturePairs(card.layers, card.edges)) > MOST_PAIRS
    witnesses = toggle.toggle(
        "Keep witnesses",
        key="witnesses",
        persist_state="session",
        disabled=many,
        help="Writes for each test condition that is met which inputs meet it, a row each, to be downloaded as CSV."
        + (f" Not for networks of more than {MOST_PAIRS:,} feature pairs; use dnncov measure." if many else ""),
    )
    pressed = button.button(
        "Measure", type="primary", icon=":material/straighten:", width="stretch", disabled=spec is None
    )
    if pressed and spec is not None:
        measurement_id = started(partial(start, spec, witnesses=witnesses and not many))
        if measurement_id is not None:
            show_next(measurement_id)
            st.rerun()
