"""Deletion: what goes to the trash, and what was just deleted there, with its undoing."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.entries.trash import discard, empty_trash, restore
from pages.shared.refusals import attempt
from pages.shared.words import plain

Named = tuple[str, str, str]
"""The kind, the id and the name of something that can be deleted."""
_DELETED = "deleted"
"""Key of what was just deleted."""


def delete_button(what: Sequence[Named], *, key: str, place: str, busy: bool = False) -> None:
    """Moves something to the trash, which none of may have a worker at it; at ``place`` it is said why it cannot be."""
    words = "A worker is running: cancel it first."
    st.button(
        "Delete" if len(what) == 1 else f"Delete {len(what)}",
        icon=":material/delete:",
        key=key,
        disabled=busy,
        on_click=attempt,
        args=(place, _delete, what),
        help=words if busy else "Moves it to the trash, from which it can be restored.",
    )


def _delete(what: Sequence[Named]) -> None:
    gone = st.session_state[_DELETED] = list[Named]()
    for kind, entry_id, name in what:
        discard(kind, entry_id)
        gone.append((kind, entry_id, name))


def say_deleted(place: str) -> None:
    """What was just deleted, with its undoing."""
    deleted: Sequence[Named] = st.session_state.get(_DELETED, ())
    if not deleted:
        return
    names = ", ".join(plain(name) for _, _, name in deleted[:3]) + (" …" if len(deleted) > 3 else "")
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/delete: In the trash: **{names}**", width="stretch")
        st.button("Undo", icon=":material/undo:", key="undo", on_click=attempt, args=(place, put_back, deleted))


def put_back(deleted: Sequence[Named]) -> None:
    """Moves deleted things back."""
    st.session_state.pop(_DELETED, None)
    for kind, entry_id, _ in deleted:
        restore(kind, entry_id)


def delete_for_good() -> None:
    """Empties the trash."""
    st.session_state.pop(_DELETED, None)
    empty_trash()


def size_words(size: int) -> str:
    """How much room files take."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.0f} kB"
