"""What was brought and has a name: listed with its size, renamed, deleted."""

from __future__ import annotations

import streamlit as st

from dnncov_core.brought.adoption import taken
from dnncov_core.brought.limits import room
from dnncov_core.registry.brought import FOLDERS, Brought, brought, check_name, rename
from pages.shared.deletion import delete_button, say_deleted, size_words
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import plain

_PLACE = "library"


def library() -> None:
    """Everything with a name, networks first."""
    st.subheader("Your networks and data", anchor=False)
    say_refusal(_PLACE)
    say_deleted(_PLACE)
    found = [each for kind in FOLDERS for each in brought(kind).values()]
    if not found:
        st.caption("None yet. What you bring is listed here, and can be renamed and deleted.")
    for each in found:
        _row(each)
    st.caption(
        f"They lie in the folder “brought” of the user's folder, with room for {room() / 1e9:.1f} GB more. What is"
        " deleted goes to the trash, which the page Overview empties."
    )


def _row(each: Brought) -> None:
    icon = "hub" if each.kind == "network" else "dataset"
    with st.container(border=True, horizontal=True, vertical_alignment="center", gap="small"):
        said = f":material/{icon}: **{plain(each.name)}** :gray[{each.kind}, {size_words(each.size)}]"
        st.markdown(f"{said}  \n:small[{plain(each.about.description)}]", width="stretch")
        key = f"{each.kind}-{each.name}"
        with st.popover("", icon=":material/more_vert:", type="tertiary", help="Rename or delete", key=f"file-{key}"):
            st.text_input("Name", each.name, max_chars=80, key=f"new-{key}")
            st.caption("Campaigns and measurements find it by its earlier name, too.")
            new = st.session_state.get(f"new-{key}", each.name)
            args = (_PLACE, _rename, each, new)
            st.button("Rename", icon=":material/edit:", key=f"rename-{key}", on_click=attempt, args=args)
            delete_button([(each.kind, each.name, each.name)], key=f"delete-{key}", place=_PLACE)


def _rename(each: Brought, new: str) -> None:
    new = new.strip()
    if new != each.name:
        others = {name: entry for name, entry in taken(each.kind).items() if name not in each.about.earlier}
        check_name(each.kind, new, others)
        rename(each.kind, each.name, new)
