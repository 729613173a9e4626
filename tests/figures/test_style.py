"""One palette: that of figures and that of Streamlit's own charts."""

import tomllib
from pathlib import Path

from dnncov_core.figures.style import SEQUENCE, YELLOW


def test_streamlit_has_the_colours_of_figures() -> None:
    settings = tomllib.loads((Path(__file__).parents[2] / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert settings["theme"]["chartCategoricalColors"] == [*SEQUENCE, YELLOW]
