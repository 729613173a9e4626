"""Networks and data in menus: which there are, what is known of them, and how one's own get there."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from types import MappingProxyType

import streamlit as st

from dnncov_core.data import EMBEDDED_DATA
from dnncov_core.networks.pretrained import PRETRAINED, whereabouts
from dnncov_core.phrases.networks import quantity_names, structure_words
from dnncov_core.records import NetworkCard
from dnncov_core.registry import data_names, default_data, described, networks
from dnncov_core.registry.file import registered
from pages.shared.fields import place_of
from pages.shared.page_registry import link
from pages.shared.words import plain, table

ENTRIES = """[[network]]
name = "my-network"
file = "my-network.pt2"    # of torch.export, or an .onnx file; or:
# factory = "package.module:factory"
data = "my-photos"         # where the menu of data begins

[[data]]
name = "my-photos"
path = "photos"            # a folder with a subfolder a class

[[data]]
name = "my-arrays"
path = "my-arrays.npz"     # images (N, H, W, C), labels (N); or a .csv or .parquet file with a column label
"""
"""A registry to begin with, to be copied."""


def network_menu(key: str) -> tuple[str, NetworkCard | None]:
    """A menu of networks below what cannot be offered: a name, and its card if it is known before loading."""
    _say_left_out()
    known = networks()
    names = own_first(known, registered().networks)
    name = st.selectbox(
        "Network",
        names,
        index=place_of("mnist-n1", names),
        key=key,
        persist_state="session",
        help="Your own networks and those that the person who runs this app registered, then embedded ones, and"
        " ImageNet networks of torchvision.",
    )
    return name, known[name]


def _say_left_out() -> None:
    """A line for each registered network and data set that cannot be offered, and why."""
    for problem in registered().problems:
        what = "Left out of the menus" if problem.kind else "All registered names are left out of the menus"
        st.warning(f"{what}: {plain(str(problem.error))}", icon=":material/playlist_remove:")


def own_first(names: Iterable[str], own: Container[str]) -> list[str]:
    """Names for a menu: those that are the user's own stand before those that come with the program."""
    return sorted(names, key=lambda name: name not in own)


def fitting(card: NetworkCard | None) -> list[str]:
    """Data that the network can read, as far as that is known before loading: registered data are always offered."""
    names = own_first(data_names(), registered().data)
    if card is None:
        return names
    return [name for name in names if name not in EMBEDDED_DATA or EMBEDDED_DATA[name].shape == card.input_shape]


def data_menu(
    label: str,
    network: str,
    card: NetworkCard | None,
    *,
    key: str,
    words: str,
    command: str,
    others: Mapping[str, str] = MappingProxyType({}),
    of_others: str = "",
    beside: str = "",
) -> str | None:
    """A menu of the data that a network can read, and below it what is known of those chosen.

    Args:
        label: of the menu.
        network: its name.
        card: what is known of it before loading.
        key: of the menu, with the network's name.
        words: the menu's help.
        command: of dnncov, which says what to do where the menu has nothing; see `say_no_data`, also for ``beside``.
        others: what else can be chosen, by the names that the menu shows.
        of_others: is said of these.

    Returns:
        What is chosen; None where there is nothing to choose.
    """
    offered = [*fitting(card), *others]
    if not offered:
        say_no_data(network, command, beside=beside)
        return None
    chosen = st.selectbox(
        label,
        offered,
        index=place_of(default_data(network), offered),
        format_func=lambda each: others.get(each, each),
        key=f"{key}-{network}",
        persist_state="session",
        help=words,
    )
    st.caption(plain(of_others if chosen in others else described(chosen, () if card is None else card.classes)))
    return chosen


def say_no_data(network: str, command: str, *, beside: str = "") -> None:
    """Says that no data fit a network, and what to do; ``beside`` says what else there is not."""
    typed = command.replace("NETWORK", network).replace("DATA", "FOLDER")
    st.warning(
        f"No data here have the input shape of {plain(network)}{beside}. Register a folder of photos, or an .npz,"
        " .csv or .parquet file"
        f" (README: Your own networks in the app), or use the command: {plain(typed)}.",
        icon=":material/image_not_supported:",
    )


def say_no_labels(data: str) -> None:
    """Says that no campaign can start from data without labels, and where labels come from."""
    words = f"A campaign starts from inputs whose labels are known, and {plain(data)} has none."
    st.info(f"{words} Bring can take the network's own decisions as labels.", icon=":material/label_off:")
    link("bring", "Get labels on Bring")


def network_card(card: NetworkCard | None) -> None:
    """What is known of the network, with its layers by the paper's numbering."""
    if card is None:
        st.info(
            "This network's layers are read when the campaign starts. Until then there is no estimate. The command"
            " `dnncov networks NAME` shows them, and the range in which a search changes inputs that are vectors."
        )
        return
    if card.description:
        st.caption(plain(card.description + (f"; {whereabouts(card.name)}" if card.name in PRETRAINED else "")))
    accuracy = "not measured" if card.accuracy is None else f"{100 * card.accuracy:.2f} %"
    with st.grid(3, min_column_width=130):
        st.metric("Accuracy", accuracy, help=f"Measured on {plain(card.accuracy_on or 'no data')}.")
        st.metric("Parameters", f"{card.parameters:,}")
        if card.quantities:
            st.metric("Outputs", f"{len(card.quantities)}", help=plain(quantity_names(card)))
        else:
            st.metric("Classes", f"{len(card.classes)}", help=plain(", ".join(card.classes[:100])))
    with st.expander(f"{len(card.layers)} layers, of which layer 1 is the input and has no test conditions"):
        if words := structure_words(card):
            st.caption(plain(words))
        table(
            ("Layer k", "Name", "Kind", "Neurons", "Shape"),
            [
                (layer.index, layer.name, layer.kind, f"{layer.neurons:,}", " × ".join(map(str, layer.shape)))
                for layer in card.layers
            ],
        )


def your_own(command: str, *, labelled: bool) -> None:
    """A button whose note says where to drop a network and data, how to register them, and what ``command`` takes."""
    with st.popover("Your own network or inputs", icon=":material/add:", type="tertiary"):
        st.markdown("Drop your files, and they are checked and get into the menus:")
        link("bring", "Bring your own")
        st.markdown(
            "Or whoever runs this app writes them into the file `registry.toml` in the folder `~/.dnncov` (or"
            " `$DNNCOV_HOME`; or into the file that `$DNNCOV_REGISTRY` names). Paths are relative to that file. The"
            " menus have them as soon as this page runs again."
        )
        st.code(ENTRIES, language="toml")
        if not labelled:
            st.caption(
                "What is measured needs no labels: `images` alone, a table without the column `label`, or a"
                " folder of images without subfolders."
            )
        st.markdown(
            "The command takes names, files (`.pt2`, `.onnx`; `.npz`, `.csv`, `.parquet`) and folders as they are:"
        )
        st.code(command, language="sh")
