"""Why test conditions need no test pair, in somebody's words."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.campaign.file.conditions import COVERED, ConditionRecord, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.figures.gap_marks import STATUS_LOOKS
from dnncov_core.phrases.conditions import justification_words
from dnncov_core.phrases.numbers import counted
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import plain, say_error

WITHOUT_NEED = (*COVERED, Status.PROVED_INFEASIBLE)
"""Statuses of conditions that need no justification."""
MOST_SHOWN = 3
"""The most earlier reasons that are shown."""
_TOLD, _PLACE = "gaps-told", "justify"


def justify_form(store: CampaignStore, condition: ConditionRecord, selected: Sequence[int]) -> None:
    """A form for the selected rows of the table, or else for the condition shown below; its buttons say for which."""
    st.subheader("Justify", anchor=False)
    ordinals, n = list(selected) or [condition.target.ordinal], len(selected)
    rows = f"the {n:,} selected rows" if n > 1 else "the selected row"
    what = rows if selected else f"the condition shown below (ordinal {condition.target.ordinal})"
    asked = [each for each in map(store.conditions.one, selected) if each is not None] if selected else [condition]
    earlier = [each for each in asked if each.justification is not None]
    needless = [each.status for each in asked if each.status in WITHOUT_NEED]
    with st.form("justify", border=True):
        _earlier(earlier)
        st.text_area("Reason", key="justify-reason", help="Why these conditions need no test pair.", height=80)
        st.text_input(
            "Author",
            key="justify-author",
            help="Who says so, or who withdraws the reason. The file keeps it with the time, in UTC.",
        )
        if earlier:
            st.checkbox(f"Replace the reason{_of(len(earlier))}", key="justify-replace")
        with st.container(horizontal=True):
            for label, key, icon, disabled in (
                (f"Justify {what}", "justify", "edit_note", bool(needless)),
                (f"Withdraw the reason{_of(len(earlier))}", "withdraw", "undo", not earlier),
            ):
                st.form_submit_button(
                    label,
                    icon=f":material/{icon}:",
                    key=key,
                    disabled=disabled,
                    on_click=attempt,
                    args=(_PLACE, _submit, key, store.path.stem, ordinals, [each.target.ordinal for each in earlier]),
                )
        if needless and selected:
            st.caption(
                f"{len(needless):,} of {rows} need no reason ({STATUS_LOOKS[needless[0]].name}): leave them out."
            )
        elif needless:
            status = STATUS_LOOKS[condition.status].name
            st.caption(f"The condition shown below is {status} and needs no reason: select rows, or show another one.")


def _of(n: int) -> str:
    return f"s of {n:,} conditions" if n > 1 else " of 1 condition" if n else ""


def _earlier(earlier: Sequence[ConditionRecord]) -> None:
    """What was said before, so that nobody replaces it unread."""
    for each in earlier[:MOST_SHOWN]:
        assert each.justification is not None, "they are justified"
        said = justification_words(each.justification, each.refuted_by)
        st.markdown(f"Condition {each.target.ordinal} is justified already: {plain(said)}")
    if len(earlier) > MOST_SHOWN:
        st.caption(f"So are {len(earlier) - MOST_SHOWN:,} more of them.")


def _submit(action: str, campaign_id: str, ordinals: list[int], earlier: list[int]) -> None:
    """Stores or withdraws; ``earlier`` are those of the conditions that the form shows as justified."""
    state, replace = st.session_state, st.session_state.get("justify-replace", False)
    if action == "justify" and earlier and not replace:
        state[_TOLD] = (False, "Somebody has given a reason already: mark the box that replaces it, or withdraw it.")
        return
    reason, author = state["justify-reason"], state["justify-author"]
    with open_campaign(campaign_id) as store:
        if action == "withdraw":
            store.justifications.withdraw(earlier, author)
        else:
            replace = bool(earlier)  # and no reason that came since the form was drawn
            store.justifications.add(ordinals, reason=reason, author=author, replace=replace)
    done, n = ("Withdrawn", len(earlier)) if action == "withdraw" else ("Justified", len(ordinals))
    state[_TOLD] = (True, f"{done}: {counted(n, 'test condition')}.")
    state["justify-reason"], state["justify-replace"] = "", False


def say_what_came() -> None:
    """What came of the last click: why it was refused, or what was stored, once."""
    say_refusal(_PLACE)
    done, text = st.session_state.pop(_TOLD, (True, ""))
    if text and done:
        st.success(text, icon=":material/check:")
    elif text:
        say_error(text)
