"""Network and data: what a new campaign tests."""

from __future__ import annotations

import streamlit as st

from dnncov_core.records import NetworkCard
from dnncov_core.registry import data_names, default_data, described
from pages.shared.fields import Fields, place_of
from pages.shared.network import fitting, network_menu, your_own
from pages.shared.words import plain


def network_choice() -> tuple[Fields, NetworkCard | None]:
    """Network and data, and the network's card, if it is known before loading."""
    name, card = network_menu("network")
    names = fitting(list(data_names()), card)
    if not names:
        _say_no_data(name)
        your_own("dnncov run NETWORK --data DATA", labelled=True)
        return {"network": name, "data": None}, card
    chosen = st.selectbox(
        "Data",
        names,
        index=place_of(default_data(name), names),
        key=f"data-{name}",
        persist_state="session",
        help="Labelled inputs. Those that the network classifies correctly serve as seeds, x1.",
    )
    st.caption(plain(described(chosen)))
    your_own("dnncov run NETWORK --data DATA", labelled=True)
    return {"network": name, "data": chosen}, card


def _say_no_data(name: str) -> None:
    """Says that nothing here fits, and what to do."""
    st.warning(
        f"No data here have the input shape of {name}. Register a folder of photos or an .npz file (README: Your own"
        f" networks in the app), or use the command: dnncov run {name} --data FOLDER.",
        icon=":material/image_not_supported:",
    )
