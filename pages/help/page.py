"""Help: what this app is for, the words, the criteria by example, and how to read each page."""

from __future__ import annotations

import streamlit as st

from dnncov_core import paper
from dnncov_core.criteria import CRITERIA
from dnncov_core.phrases.glossary import SOURCES, WORDS
from dnncov_core.suites.criterion_names import ENTRIES
from dnncov_core.suites.remarks import facts
from pages.shared.criteria import criteria_in_a_minute
from pages.shared.formula import in_lines
from pages.shared.page_registry import PAGES, link
from pages.shared.words import has_help, help_text, plain

st.title("Help", anchor=False)
st.markdown(help_text("help"))

st.header("The words", anchor="words")
with st.grid("auto", min_column_width=280):
    for word, meaning in WORDS.items():
        with st.container(gap=None):
            st.markdown(f"##### {word.capitalize()}")
            st.markdown(f"{meaning[0].upper()}{meaning[1:]}.")

st.header("The four criteria by example", anchor="criteria")
criteria_in_a_minute()

st.header("The other criteria", anchor="other-criteria")
st.markdown("Measure counts these over the inputs of a suite, beside the four. The formulas are of one test condition.")
with st.grid("auto", min_column_width=280):
    for key, entry in ENTRIES.items():
        if key not in CRITERIA:
            with st.container(border=True, height="stretch", gap="xsmall"):
                st.markdown(f"##### {entry.title}")
                st.markdown(plain(entry.words))
                st.latex(in_lines(entry.formula))
                st.caption(plain(f"Source: {SOURCES.get(key, paper.TITLE)}. Here {facts(key)}."))

st.header("How to read each page", anchor="pages")
for room, icon in PAGES.items():
    if room != "help" and has_help(room):
        with st.expander(room.capitalize(), icon=f":material/{icon}:"):
            st.markdown(help_text(room, glossary=""))
            link(room, f"Go to {room.capitalize()}")
