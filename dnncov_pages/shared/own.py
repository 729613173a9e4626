"""How networks and data of one's own get into the menus."""

from __future__ import annotations

import streamlit as st

ENTRIES = """[[network]]
name = "my-network"
file = "my-network.pt2"    # of torch.export; or:
# factory = "package.module:factory"
data = "my-photos"         # where the menu of data begins

[[data]]
name = "my-photos"
path = "photos"            # a folder with a subfolder a class

[[data]]
name = "my-arrays"
path = "my-arrays.npz"     # images (N, H, W, C), labels (N)
"""
"""A registry to begin with, to be copied."""


def your_own(command: str, *, labelled: bool) -> None:
    """A button whose note says how to register a network and data, and that the command takes them as they are.

    Args:
        command: the one that does here what the page does.
        labelled: whether the data need labels.
    """
    with st.popover("Your own network or inputs", icon=":material/add:", type="tertiary"):
        st.markdown(
            "Whoever runs this app writes them into the file `registry.toml` in the folder `~/.dnncov` (or"
            " `$DNNCOV_HOME`; or into the file that `$DNNCOV_REGISTRY` names). Paths are relative to that file. The"
            " menus have them as soon as this page runs again."
        )
        st.code(ENTRIES, language="toml")
        if not labelled:
            st.caption("What is measured needs no labels: `images` alone, or a folder of images without subfolders.")
        st.markdown("The command takes names, `.pt2` and `.npz` files and folders as they are:")
        st.code(command, language="sh")
