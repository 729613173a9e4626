"""The four covering methods in a minute: what a test condition is, a picture and a formula for each, and the paper."""

from __future__ import annotations

import streamlit as st

from dnncov_core import paper
from dnncov_core.criteria import CRITERIA
from dnncov_core.phrases.definitions import legend
from pages.shared.formula import in_lines
from pages.shared.page_registry import link
from pages.shared.words import linked

WHAT = (
    "A **test pair** is two inputs, a seed x1 and a generated x2. It covers a **test condition** if, from x1 to x2, one"
    " neuron of layer k (the *condition*) changes and, with it, one neuron of layer k+1 (the *decision*). Coverage is"
    " how many of a network's test conditions have such a pair. Each covering method says which change is meant:"
    " of **sign** (u crosses 0) or of **value**."
)
PAPER = (
    f"The criteria and their formulas are those of *{paper.TITLE}*, by {paper.AUTHORS}"
    f" ([arXiv:{paper.ARXIV}](https://arxiv.org/abs/{paper.ARXIV}))."
)


def criteria_in_a_minute() -> None:
    """What a test condition is, and a picture, a formula and an example for each covering method."""
    from dnncov_core.export.exhibits import exhibit  # with Plotly, which is loaded where the figures are shown alone
    from dnncov_core.export.playground import of_method
    from pages.shared.charts import chart

    st.markdown(linked(WHAT))
    with st.grid("auto", min_column_width=250):
        for key, method in CRITERIA.items():
            with st.container(border=True, height="stretch", gap="xsmall"):
                alt = f"{method.title}: which neurons change"
                chart(exhibit("method", method, of_method(method)), key=f"method-{key}", alt=alt)
                st.latex(in_lines(method.formula))
                words = (
                    f"Two inputs of the paper's example network between which a feature pair is {key.upper()}-covered."
                )
                link("playground", "Example", {"example": key}, words=words)
    st.caption(f"± a change of sign, Δ a change of value, hollow circles of layer k: no change of sign. {legend()}")
    st.markdown(PAPER)
