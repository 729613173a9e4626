"""A figure whose points can be clicked, in the page's colours."""

from __future__ import annotations

from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from dnncov_pages.shared.charts import in_page_colours


def clickable(figure: go.Figure, *, key: str, alt: str, on_click: Callable[[float, float], None]) -> None:
    """Shows a figure; a click on one of its points calls ``on_click`` with the point's x and y.

    Args:
        figure: what is shown.
        key: of the element; its state has the selected points.
        alt: what it is to those who cannot see it.
        on_click: called before the page runs again.
    """

    def selected() -> None:
        points = st.session_state[key].selection.points
        if points:
            on_click(points[0]["x"], points[0]["y"])

    st.plotly_chart(
        in_page_colours(figure),
        key=key,
        alt=alt,
        on_select=selected,
        selection_mode="points",
        config={"displayModeBar": False},
    )
