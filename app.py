"""DNN Coverage Explorer: the frame around its pages. `streamlit run app.py` starts it."""

from __future__ import annotations

import streamlit as st

from dnncov_core.resources import ASSETS
from pages.parts import frame

st.set_page_config(page_title="DNN Coverage Explorer", page_icon=str(ASSETS / "icon.svg"), layout="wide")
st.html(f"<style>{(ASSETS / 'app.css').read_text(encoding='utf-8')}</style>")
st.logo(str(ASSETS / ("logo-dark.svg" if frame.theme() == "dark" else "logo.svg")), size="large")

page = st.navigation(
    [
        st.Page("pages/overview.py", title="Overview", icon=":material/home:", default=True),
        st.Page("pages/run.py", title="Run", icon=":material/play_circle:"),
        st.Page("pages/measure.py", title="Measure", icon=":material/straighten:"),
        st.Page("pages/layers.py", title="Layers", icon=":material/layers:"),
        st.Page("pages/distances.py", title="Distances", icon=":material/show_chart:"),
        st.Page("pages/examples.py", title="Examples", icon=":material/image_search:"),
        st.Page("pages/gaps.py", title="Gaps", icon=":material/grid_on:"),
        st.Page("pages/compare.py", title="Compare", icon=":material/compare_arrows:"),
        st.Page("pages/playground.py", title="Playground", icon=":material/scatter_plot:"),
    ],
    position="top",
)
with frame.around(page.url_path):
    page.run()
