"""Names, notes, deletion and the trash."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.entries.kinds import MOST_LETTERS, Note, write_note
from dnncov_core.entries.rows import EntryRow
from dnncov_core.entries.trash import name_of, trashed
from pages.shared.deletion import delete_button, delete_for_good, put_back, say_deleted, size_words
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import plain

MOST_SHOWN = 50
"""Entries of the trash that are listed."""

PLACE = "entries"
"""Where it is said why a click was refused."""


def menu(row: EntryRow) -> None:
    """A button beside an entry: its name and note, and its deletion."""
    key = f"{row.kind}-{row.id}"
    with st.popover(
        f"Menu of {plain(row.name)}",
        icon=":material/more_vert:",
        type="tertiary",
        help="Name, note, delete",
        key=f"menu-{key}",
    ):
        name, note = f"name-{key}", f"note-{key}"

        def save() -> None:
            attempt(PLACE, write_note, row.kind, row.id, Note(st.session_state[name], st.session_state[note]))

        st.text_input("Name", row.note.name, max_chars=MOST_LETTERS["name"], key=name, placeholder=row.title)
        st.text_area("Note", row.note.text, max_chars=MOST_LETTERS["text"], key=note, height=100)
        st.caption(f"Kept in a file beside the {row.kind}; its own file stays as it is.")
        st.button("Save", icon=":material/save:", key=f"save-{key}", on_click=save)
        delete([row], key=f"delete-{key}")


def delete(rows: Sequence[EntryRow], *, key: str) -> None:
    """The button that deletes entries; none of them may have a worker at it."""
    what = [(row.kind, row.id, row.name) for row in rows]
    delete_button(what, key=key, place=PLACE, busy=any(row.busy for row in rows))


def say_what_happened() -> None:
    """What was just deleted, with its undoing; or what went wrong."""
    say_refusal(PLACE)
    say_deleted(PLACE)


def trash() -> None:
    """The deleted entries, which can be restored; nothing where there are none."""
    deleted = trashed()
    if not deleted:
        return
    with st.expander(f"Trash ({len(deleted):,})", icon=":material/delete:"):
        st.caption("Files in the folder `trash` of the user's folder, which stay there until you empty it.")
        for entry in deleted[:MOST_SHOWN]:
            name = name_of(entry)
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(
                    f"{plain(name)} :gray[{entry.kind} {plain(entry.id)}, {size_words(entry.size)}]", width="stretch"
                )
                what = [(entry.kind, entry.id, name)]
                key = f"restore-{entry.kind}-{entry.id}"
                st.button(
                    "Restore",
                    icon=":material/restore_from_trash:",
                    key=key,
                    on_click=attempt,
                    args=(PLACE, put_back, what),
                )
        if len(deleted) > MOST_SHOWN:
            st.caption(f"And {len(deleted) - MOST_SHOWN:,} older ones.")
        with st.popover("Empty the trash", icon=":material/delete_forever:"):
            size = size_words(sum(entry.size for entry in deleted))
            st.markdown(f"{len(deleted):,} deleted entries, {size}: no way back.")
            st.button(
                "Delete for good", type="primary", key="empty-trash", on_click=attempt, args=(PLACE, delete_for_good)
            )
