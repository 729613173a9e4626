"""A figure on a page, with text that is as dark or light as the page's own."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

TEXT = {"light": "#1F2630", "dark": "#E6EAF0"}
"""The colour of text by theme, as `.streamlit/config.toml` has it."""


def chart(figure: go.Figure, *, key: str, alt: str) -> None:
    """Shows a figure; ``alt`` says what it is to those who cannot see it."""
    colour = TEXT.get(theme())
    if colour is not None:
        figure.update_layout(font_color=colour, title_subtitle_font_color=colour)
        for update in (figure.update_xaxes, figure.update_yaxes):
            update(tickfont_color=colour, title_font_color=colour)
    st.plotly_chart(figure, key=key, alt=alt)


def theme() -> str:
    """ "light" or "dark"; empty while the browser has not said it."""
    return st.context.theme.type or ""
