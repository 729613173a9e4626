"""A figure on a page, with text that is as dark or light as the page's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import pandas as pd  # noqa: F401  Plotly looks into it, even while another visitor's thread has it half loaded
import plotly.graph_objects as go
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dnncov_core.export.exhibits import Exhibit
from dnncov_core.figures.style import GREY, HEIGHT, INK, MOST_LABELS, TEMPLATE
from pages.shared import address
from pages.shared.captions import caption
from pages.shared.frame import theme

TEXT = {"light": "#10161E", "dark": "#E6EAF0"}
GROUND = {"light": "#F3F5F8", "dark": "#1D232C"}
"""The colour of text, and of what it stands on where that is not the page, as `.streamlit/config.toml` has them."""

TOOLBAR = 16
"""How much further down than on paper a title begins on a page, in pixels: below the toolbar."""


def chart(
    exhibit: Exhibit,
    *,
    key: str,
    alt: str,
    on_select: Callable[[], None] | None = None,
    hint: str = "",
    on_page: Mapping[str, object] = MappingProxyType({}),
    config: dict[str, Any] | None = None,
) -> Exhibit:
    """Shows a figure with its caption and export, and returns it.

    ``hint`` says below it where a click on it leads; options ``on_page`` hold on the page alone.
    """
    figure = below_toolbar(in_page_colours(exhibit.figure(**on_page)))
    config = {"modeBarButtonsToRemove": ["toImage"], **(config or {})}  # our own export says where numbers come from
    place = st.container(key=f"clickable-{key}") if on_select else st.container()
    place.plotly_chart(
        figure, key=key, alt=alt, on_select=on_select or "ignore", selection_mode="points", config=config
    )
    caption(exhibit, key, hint=hint)
    return exhibit


def in_page_colours(figure: go.Figure) -> go.Figure:
    """The figure itself, with text in the page's colour; set one by one, in half the time of Plotly's updates."""
    if colour := TEXT.get(theme()):
        layout = figure.layout
        layout.font.color = layout.title.subtitle.font.color = colour
        layout.hoverlabel = {"font": {"color": colour}, "bgcolor": GROUND[theme()], "bordercolor": GREY}
        for axis in (*figure.select_xaxes(), *figure.select_yaxes()):
            axis.tickfont.color = axis.title.font.color = colour
        for trace in figure.data:
            for whiskers in (trace[name] for name in ("error_x", "error_y") if name in trace):
                whiskers.color = colour if whiskers.color == INK else whiskers.color
            if "marker" in trace and trace.marker.color == INK:
                trace.marker.color = colour
    return figure


def below_toolbar(figure: go.Figure) -> go.Figure:
    """The figure itself, higher by the height of Plotly's toolbar, so that this lies above the title at any width."""
    usual, layout = TEMPLATE.layout, figure.layout
    layout.title.pad.t = usual.title.pad.t + TOOLBAR
    layout.margin.t = (usual.margin.t if layout.margin.t is None else layout.margin.t) + TOOLBAR
    layout.height = (layout.height or HEIGHT) + TOOLBAR
    return figure


def places_for_two(n_layers: int) -> Sequence[DeltaGenerator]:
    """Where two figures with so many layers go: beside each other, or below where these would be too narrow."""
    if n_layers <= MOST_LABELS:
        return st.columns(2, gap="medium")
    return st.container(), st.container()


def logarithmic() -> bool:
    """Whether distances are drawn on a logarithmic axis in all figures of a page: a choice."""
    scale = st.segmented_control(
        "Distance axis",
        ["linear", "log"],
        format_func={"linear": "Linear axis", "log": "Log axis"}.__getitem__,
        default="linear",
        required=True,
        label_visibility="collapsed",
        **address.view("scale", "axis", "linear", {"log": "log"}),
    )
    return bool(scale == "log")
