"""Playground: the paper's example network with two inputs to move, and which feature pairs they cover."""

from __future__ import annotations

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.playground import of_setting
from dnncov_core.figures.neurons import neurons_in_words
from dnncov_core.playground.network_view import network_view
from dnncov_core.playground.setting import Setting
from pages.playground import coverage, effect, inputs
from pages.playground.criterion import criterion, definition
from pages.playground.setting import arrive, current, remember
from pages.shared.captions import caption, details
from pages.shared.charts import chart
from pages.shared.downloads import export_page
from pages.shared.words import page_help, say_error

ABOUT = (
    "SS, VS, SV and VV differ in whether these are changes of sign or of value.",
    "Move the inputs of the paper's example network to see it.",
    "Neurons count from 1 here, as in the paper, and from 0 on other pages.",
)
"""What more is said at the beginning of the page."""


def chosen_setting() -> Setting | None:
    """What the widgets say, also written to the address; if that cannot be shown, a message in place."""
    try:
        setting = current()
    except DnncovError as error:
        say_error(error)
        return None
    remember(setting)
    return setting


def body(setting: Setting | None) -> None:
    """Examples and criterion, what is covered, both figures, and why; without a setting only what changes it."""
    left, right = st.columns(2, gap="medium")
    with left:
        inputs.examples(setting)
    with right:
        criterion()
    verdict = st.container(border=setting is not None)
    inputs.numbers()
    left, right = st.columns(2, gap="medium")
    definitions, why = (place.container(border=True, height="stretch") for place in st.columns(2, gap="medium"))
    with definitions:
        definition()
    with why:
        coverage.pair_choice()
    if setting is None:
        return
    view, provenance = network_view(setting), of_setting(setting)
    with verdict:
        coverage.verdict(view)
    with left:
        plane = inputs.plane_chart(setting, provenance)
    with right:
        neurons = chart(exhibit("neurons", view, provenance), key="play-neurons", alt=neurons_in_words(view))
    parts = exhibit("definition-parts", view, provenance)
    with why:
        coverage.reasons(view)
        caption(parts, "play-parts")
    why_changed = effect.effect_of_setting(view, provenance)
    left, right = st.columns(2, gap="medium")
    with left:
        coverage.values_table(view.inputs)
    with right:
        coverage.pairs_table(view)
    export_page("playground", provenance, lambda: [plane, neurons, parts, why_changed])


st.title("Playground", anchor=False)
st.caption(
    "Two inputs x1 and x2 cover a feature pair if a change of the condition feature in layer k, apart from the rest of"
    " its layer, comes with a change of the decision feature in layer k + 1."
)
details(ABOUT, key="play-about")
arrive()
body(chosen_setting())
page_help("playground", "How to read this page")
