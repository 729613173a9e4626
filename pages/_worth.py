"""Streamlit opens this file where a server's first visit is to /worth; it shows the whole app with that page."""

from pages.shared.frame import whole_app

whole_app()
