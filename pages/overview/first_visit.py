"""Where a first visit begins: the covering methods in a minute, and examples that one click starts."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.criteria import CRITERIA
from dnncov_core.entries.ready_made import READY_MADE, start_ready_made
from pages.shared.formula import in_lines, legend
from pages.shared.job_buttons import start_job
from pages.shared.words import plain

WHAT = (
    "A **test pair** is two inputs, a seed x1 and a generated x2. It covers a **test condition** if, from x1 to x2, one"
    " neuron of layer k (the *condition*) changes and, with it, one neuron of layer k+1 (the *decision*). Coverage is"
    " how many of a network's test conditions have such a pair. Each covering method says which change is meant:"
    " of **sign** (u crosses 0) or of **value**."
)


def criteria_in_a_minute() -> None:
    """What a test condition is, and a picture and a formula for each covering method."""
    from dnncov_core.export.exhibits import exhibit  # with Plotly, which other parts of the Overview do without
    from dnncov_core.export.playground import of_method
    from pages.shared.charts import chart

    st.markdown(WHAT)
    with st.grid("auto", min_column_width=250):
        for key, method in CRITERIA.items():
            with st.container(border=True, height="stretch", gap="xsmall"):
                alt = f"{method.title}: which neurons change"
                chart(exhibit("method", method, of_method(method)), key=f"method-{key}", alt=alt)
                st.caption(method.words)
                st.latex(in_lines(method.formula))
    st.caption(f"± a change of sign, Δ a change of value, hollow circles of layer k: no change of sign. {legend()}")


def examples() -> None:
    """A button for each ready-made campaign or measurement."""
    with st.grid("auto", min_column_width=250):
        for key, ready in READY_MADE.items():
            with st.container(border=True, height="stretch", gap="xsmall"):
                st.markdown(f"**{plain(ready.title)}**")
                st.caption(plain(ready.words))
                if st.button("Start", icon=":material/play_arrow:", key=f"start-{key}", help=f"Starts a {ready.kind}."):
                    start_job(ready.kind, partial(start_ready_made, key))
