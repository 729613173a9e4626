"""The panel of orders on Measure: what it starts, and what it shows of the result."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dnncov_core import workers
from dnncov_core.selection.library import open_selection
from tests.command import call
from tests.pages.looking import app, words

PATH = "pages/measure/page.py"


@pytest.fixture
def page(folder: Path) -> AppTest:
    stem = folder.parent / "measurements" / "one"
    stem.parent.mkdir()
    assert (
        call("measure", "toy", "--suite", "toy", "--criteria", "ss,n,mn:2", "--reference=toy", f"--out={stem}.json")
        == 0
    )
    test = app()
    test.query_params["measurement"] = "one"
    return test.switch_page(PATH).run()


def test_from_the_button_to_the_inputs(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's command runs in this process."""
    asked: list[str] = []

    def start(command: str, file: Path, *options: str) -> None:
        asked.extend(options)
        assert call(command, *options) == 0

    monkeypatch.setattr(workers, "start", start)
    assert page.selectbox("order-by").options == [
        "SS",
        "N",
        "SS, effect needed",
        "DeepGini",
        "Margin",
        "Entropy",
        "Random",
    ]
    page.multiselect("orders-beside").select("deepgini")
    page.number_input("order-budget").set_value(3)
    page.button("order-inputs").click().run()
    assert not page.exception
    assert {"--by=ss,deepgini", "--criterion=ss", "--budget=3", "--pool=toy"} <= {*asked}
    made = open_selection(next(iter(page.session_state["ordered"].values())))
    text = words(page)
    assert "The first 3 inputs of 6, by SS" in text
    assert f"the first {made.first.first_round} inputs cover all that the pool covers" in text
    assert {"selected.csv", "selected.npz"} <= {
        each.proto.id.rpartition("-")[2] for each in page.get("download_button")
    }
