"""The finished example on the Overview, apart from the user's own entries: what it found, and a button to hide it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.example import FOLDER, ID
from dnncov_core.preferences import prefer, preferences
from pages.shared.entry_rows import read_row
from pages.shared.lists import link_to, result_links, results
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import plain

_PLACE = "example"


def finished_example() -> None:
    """The example's results with links to the pages that show them; where it is hidden, a button brings it back."""
    say_refusal(_PLACE)
    if not preferences().example:
        _button("Show the finished example", "visibility", shown=True)
        return
    campaign, measurement = (read_row(kind, ID, FOLDER / ID) for kind in ("campaign", "measurement"))
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.badge("Example", icon=":material/school:", color="violet")
            st.markdown(f"**Nothing to wait for: a finished campaign** on {plain(campaign.network)}", width="stretch")
            _button("Hide", "visibility_off", shown=False)
        st.markdown(results(campaign)[0] if results(campaign) else plain(campaign.error))
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            link_to(campaign, label="Run", width="content")
            result_links(ID, icons=True)
            link_to(measurement, label="Measure", width="content")


def _button(label: str, icon: str, *, shown: bool) -> None:
    st.button(
        label,
        icon=f":material/{icon}:",
        type="tertiary",
        key="example-shown",
        on_click=attempt,
        args=(_PLACE, partial(prefer, example=shown)),
        help="The example comes with the app; its pages need no run. Hidden, it is in no list and no menu.",
    )
