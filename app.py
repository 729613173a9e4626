"""DNN Coverage Explorer: the frame around its pages. `streamlit run app.py` starts it."""

from __future__ import annotations

import streamlit as st

from dnncov_core.resources import ASSETS, share_cores
from pages.shared import frame, page_registry, uploads

share_cores()
# before the pages are named: else the browser fetches the icon of a page from elsewhere, for its tab
st.set_page_config(page_title="DNN Coverage Explorer", page_icon=str(ASSETS / "icon.svg"), layout="wide")
frame.refuse_other_origins()
uploads.allow_here()
scheme = f":root {{ color-scheme: {frame.theme() or 'light dark'} }}"  # popovers lie outside of what Streamlit colours
st.html(f"<style>{scheme} {(ASSETS / 'app.css').read_text(encoding='utf-8')}</style>")
st.html(f"<script>{(ASSETS / 'app.js').read_text(encoding='utf-8')}</script>", unsafe_allow_javascript=True)
st.logo(str(ASSETS / ("logo-dark.svg" if frame.theme() == "dark" else "logo.svg")), size="large")

page = st.navigation(
    [
        st.Page(
            page_registry.page_of(room),
            title=room.capitalize(),
            icon=f":material/{icon}:",
            url_path=room,
            default=room == "overview",
        )
        for room, icon in page_registry.PAGES.items()
    ],
    position="top",
)
st.set_page_config(page_title=f"{(page.url_path or 'overview').capitalize()} · DNN Coverage Explorer")
with frame.around(page.url_path):
    page.run()
