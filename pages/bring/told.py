"""In step 1, what the network's file does not say: a TOML file, or a form with the same fields."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from dnncov_core.brought.told import DECISION, FIELDS, as_typed, receive_told, tell, told
from dnncov_core.errors import DnncovError
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import say_error

DECISIONS = {
    "": "the largest score, or a threshold for one output",
    "max": "the largest score",
    "min": "the smallest score",
    "threshold": "an output above the threshold",
}
HOW = (
    "All of it is optional; several names or numbers have commas between. Names, units and ranges belong to the first"
    " axis of an input: to name the five numbers of an input of 1 × 1 × 5, give it the shape 5."
)
_PLACE, _ROUND = "told", "told-round"


def told_form(draft_id: str, go_on: Callable[[str], object]) -> None:
    """The form, filled with what is known.

    Args:
        draft_id: the draft.
        go_on: what follows once something was taken over.
    """
    try:
        fields = told(draft_id)
    except DnncovError as error:
        say_error(error)
        return
    known, turn = as_typed(fields), st.session_state.setdefault(_ROUND, 0)
    label = f"What the file does not say{f': {len(fields)} given' if fields else ''}"
    with st.expander(label, icon=":material/edit_note:", key=f"told-{turn}"):
        st.caption(HOW)
        say_refusal(_PLACE)
        dropped = st.file_uploader("Drop a .toml file that says it", ["toml"], key=f"drop-told-{turn}")
        with st.form(f"told-form-{turn}", border=False), st.grid(2, min_column_width=200):
            typed = {name: _field(name, known[name], turn) for name in FIELDS}
            pressed = st.form_submit_button("Take over", icon=":material/check:", key="take-told")
    if dropped is not None:
        _take(draft_id, go_on, receive_told, dropped)
    elif pressed:
        _take(draft_id, go_on, tell, typed)


def _field(name: str, known: str, turn: int) -> str:
    field, key = FIELDS[name], f"told-{name}-{turn}"
    if name == DECISION:
        first = [*DECISIONS].index(known) if known in DECISIONS else 0
        return st.selectbox(field.label, DECISIONS, index=first, format_func=DECISIONS.__getitem__, key=key)
    return st.text_input(field.label, known, placeholder=field.example, max_chars=20_000, key=key)


def _take(draft_id: str, go_on: Callable[[str], object], action: Callable[..., None], given: object) -> None:
    def act() -> None:
        action(draft_id, given)
        go_on(draft_id)

    attempt(_PLACE, act)
    st.session_state[_ROUND] += 1
    st.rerun()
