"""One palette: that of figures, of Streamlit's own charts, and of the pages' own style sheet."""

import re
import tomllib
from pathlib import Path

from dnncov_core.figures.style import SEQUENCE, VERMILLION, YELLOW, see_through

ROOT = Path(__file__).parents[2]


def test_streamlit_has_the_colours_of_figures() -> None:
    settings = tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8"))
    assert settings["theme"]["chartCategoricalColors"] == [*SEQUENCE, YELLOW]


def test_changed_signs_have_the_vermillion_of_figures() -> None:
    sheet = (ROOT / "assets/app.css").read_text(encoding="utf-8")
    found = re.search(r"\.signs \.changed \{\s*border: 2px solid (#\w+);\s*background: (rgba\([^)]*\));", sheet)
    assert found is not None
    assert found.groups() == (VERMILLION.lower(), see_through(VERMILLION, 0.14))
