"""Network and data: what a new campaign tests."""

from __future__ import annotations

import streamlit as st

from dnncov_core.data import EMBEDDED_DATA
from dnncov_core.networks.pretrained import PRETRAINED, whereabouts
from dnncov_core.records import NetworkCard
from dnncov_core.registry import data_names, default_data, described, networks
from dnncov_core.registry.file import registered
from dnncov_pages.shared.fields import Fields, place_of
from dnncov_pages.shared.own import your_own
from dnncov_pages.shared.words import plain, table


def network_choice() -> tuple[Fields, NetworkCard | None]:
    """Network and data, and the network's card, if it is known before loading."""
    say_left_out()
    known = networks()
    name = st.selectbox(
        "Network",
        list(known),
        index=place_of("mnist-n1", list(known)),
        key="network",
        persist_state="session",
        help="Embedded networks, ImageNet networks of torchvision, and those that the person who runs this app"
        " registered.",
    )
    names = fitting(list(data_names()), known[name])
    if not names:
        _say_no_data(name)
        your_own("dnncov run NETWORK --data DATA", labelled=True)
        return {"network": name, "data": None}, known[name]
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
    return {"network": name, "data": chosen}, known[name]


def say_left_out() -> None:
    """A line for each registered network and data set that cannot be offered, and why."""
    for problem in registered().problems:
        what = "Left out of the menus" if problem.kind else "All registered names are left out of the menus"
        st.warning(f"{what}: {plain(str(problem.error))}", icon=":material/playlist_remove:")


def _say_no_data(name: str) -> None:
    """Says that nothing here fits, and what to do."""
    st.warning(
        f"No data here have the input shape of {name}. Register a folder of photos or an .npz file (README: Your own"
        f" networks in the app), or use the command: dnncov run {name} --data FOLDER.",
        icon=":material/image_not_supported:",
    )


def fitting(names: list[str], card: NetworkCard | None) -> list[str]:
    """Data that the network can read, as far as that is known before loading: registered data are always offered."""
    if card is None:
        return names
    return [name for name in names if name not in EMBEDDED_DATA or EMBEDDED_DATA[name].shape == card.input_shape]


def network_card(card: NetworkCard | None) -> None:
    """What is known of the network, with its layers by the paper's numbering."""
    if card is None:
        st.info("This network's layers are read when the campaign starts. Until then there is no estimate.")
        return
    if card.description:
        st.caption(card.description + (f"; {whereabouts(card.name)}" if card.name in PRETRAINED else ""))
    accuracy = "not measured" if card.accuracy is None else f"{100 * card.accuracy:.2f} %"
    with st.grid(3, min_column_width=130):
        st.metric("Accuracy", accuracy, help=f"Measured on {card.accuracy_on or 'no data'}.")
        st.metric("Parameters", f"{card.parameters:,}")
        st.metric("Classes", f"{len(card.classes)}", help=", ".join(card.classes[:100]))
    with st.expander(f"{len(card.layers)} layers"):
        table(
            ("Layer k", "Name", "Kind", "Neurons", "Shape"),
            [
                (layer.index, layer.name, layer.kind, f"{layer.neurons:,}", " × ".join(map(str, layer.shape)))
                for layer in card.layers
            ],
        )
