"""Which criterion of a finished measurement is shown."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.suites.measurement_file import MeasuredCriterion
from pages.shared.words import plain


def criterion_menu(
    label: str, criteria: Sequence[MeasuredCriterion], *, key: str, words: str | None = None
) -> MeasuredCriterion:
    """Which of the criteria of a measurement is shown; its ``key`` holds for these criteria."""
    by_text = {each.text: each for each in criteria}
    chosen = st.segmented_control(
        label,
        list(by_text),
        format_func=lambda text: plain(by_text[text].name),
        default=next(iter(by_text)),
        required=True,
        key=f"{key}-{','.join(by_text)}",
        help=words,
    )
    return by_text[chosen]
