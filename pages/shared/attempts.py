"""The attempts at one test condition, as a table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.phrases.conditions import attempt_words, cost_words
from dnncov_core.phrases.numbers import counted
from dnncov_core.records import Attempt


def attempts_table(attempts: Sequence[Attempt]) -> None:
    """The attempts at a test condition, in the order tried."""
    if not attempts:
        st.caption("No attempt of its own: not tried yet, proved before it was tried, or covered by another's witness.")
        return
    st.caption(f"{counted(len(attempts), 'attempt')}, in the order tried")
    st.dataframe(
        [_row(attempt) for attempt in attempts],
        hide_index=True,
        height=280 if len(attempts) > 7 else "content",
        alt="Attempts at this test condition",
    )


def _row(attempt: Attempt) -> dict[str, object]:
    return {
        "Seed": attempt.seed,
        "Outcome": attempt.outcome.value.replace("_", " "),
        "Cost": cost_words(attempt),
        "Seconds": f"{attempt.seconds:.2f}",
        "Message": attempt_words(attempt),
    }
