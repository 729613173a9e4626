"""Names, notes, deletion and the trash."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.entries.kinds import MOST_LETTERS, Note, write_note
from dnncov_core.entries.rows import EntryRow
from dnncov_core.entries.trash import discard, empty_trash, name_of, restore, trashed
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import plain

MOST_SHOWN = 50
"""Entries of the trash that are listed."""

_DELETED, PLACE = "deleted", "entries"
"""Keys: of what was just deleted, and of the place where it is said why a click was refused."""


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
        delete_button([row], key=f"delete-{key}")


def delete_button(rows: Sequence[EntryRow], *, key: str) -> None:
    """Moves entries to the trash; none of them may have a worker at it."""
    busy = any(row.busy for row in rows)
    st.button(
        "Delete" if len(rows) == 1 else f"Delete {len(rows)}",
        icon=":material/delete:",
        key=key,
        disabled=busy,
        on_click=attempt,
        args=(
            PLACE,
            _delete,
            [(row.kind, row.id, row.name) for row in rows],
        ),
        help="A worker is running: cancel it first."
        if busy
        else "Moves it to the trash, from which it can be restored.",
    )


def _delete(deleted: list[tuple[str, str, str]]) -> None:
    gone = st.session_state[_DELETED] = list[tuple[str, str, str]]()
    for kind, entry_id, name in deleted:
        discard(kind, entry_id)
        gone.append((kind, entry_id, name))


def _restore(deleted: list[tuple[str, str, str]]) -> None:
    st.session_state.pop(_DELETED, None)
    for kind, entry_id, _ in deleted:
        restore(kind, entry_id)


def _empty() -> None:
    st.session_state.pop(_DELETED, None)
    empty_trash()


def say_what_happened() -> None:
    """What was just deleted, with its undoing; or what went wrong."""
    say_refusal(PLACE)
    deleted = st.session_state.get(_DELETED)
    if not deleted:
        return
    names = ", ".join(plain(name) for _, _, name in deleted[:3]) + (" …" if len(deleted) > 3 else "")
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/delete: In the trash: **{names}**", width="stretch")
        st.button("Undo", icon=":material/undo:", key="undo", on_click=attempt, args=(PLACE, _restore, deleted))


def trash() -> None:
    """The deleted entries, which can be restored; nothing where there are none."""
    deleted = trashed()
    if not deleted:
        return
    with st.expander(f"Trash ({len(deleted):,})", icon=":material/delete:"):
        st.caption("Files in the folder `trash` of the user's folder. They stay there until you empty it.")
        for entry in deleted[:MOST_SHOWN]:
            name = name_of(entry)
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(
                    f"{plain(name)} :gray[{entry.kind} {plain(entry.id)}, {_size(entry.size)}]", width="stretch"
                )
                what = [(entry.kind, entry.id, name)]
                key = f"restore-{entry.kind}-{entry.id}"
                st.button(
                    "Restore",
                    icon=":material/restore_from_trash:",
                    key=key,
                    on_click=attempt,
                    args=(PLACE, _restore, what),
                )
        if len(deleted) > MOST_SHOWN:
            st.caption(f"And {len(deleted) - MOST_SHOWN:,} older ones.")
        with st.popover("Empty the trash", icon=":material/delete_forever:"):
            size = _size(sum(entry.size for entry in deleted))
            st.markdown(f"{len(deleted):,} deleted entries, {size}: no way back.")
            st.button("Delete for good", type="primary", key="empty-trash", on_click=attempt, args=(PLACE, _empty))


def _size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.0f} kB"
