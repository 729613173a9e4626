"""Export beside each figure: what it offers, and that nothing is made before somebody asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export import formats
from dnncov_core.export.captions import BAND
from dnncov_core.export.exhibits import campaign_exhibits
from tests.builders import campaign
from tests.pages.looking import page

FIGURES = {"pages/layers/page.py": 3, "pages/distances/page.py": 2}
"""Pages with several figures, and how many they have at least."""


@pytest.fixture
def nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(*arguments: object, **options: object) -> None:
        raise AssertionError("drawn without being asked for")

    monkeypatch.setattr(formats, "_picture", drawn)


@pytest.mark.usefixtures("nothing_is_drawn")
@pytest.mark.parametrize(("path", "least"), FIGURES.items())
def test_each_figure_offers_every_format_and_its_caption(folder: Path, path: str, least: int) -> None:
    with campaign(folder / "one.dnncov", found=7) as store:
        told = [each.caption() for each in campaign_exhibits(store)]
        captions = {str(each): each.summary for each in told}
    test = page(path, "one")
    assert not test.exception
    labels = [button.label for button in test.get("download_button")]
    n = len(test.get("plotly_chart"))
    assert n >= least
    every = [form.title for form in formats.FORMATS.values()]
    assert labels == [*every * n, "Download ZIP"]
    shown = [code.value.replace(f" {BAND}", "") for code in test.code][: 2 * n]
    assert set(shown[1::2]) <= set(captions)
    assert shown[::2] == [captions[whole] for whole in shown[1::2]]
    assert len(set(shown)) == 2 * n
    widths = [each for each in test.segmented_control if each.label == "Width of pictures"]
    assert [each.value for each in widths] == ["column"] * (n + 1)


@pytest.mark.usefixtures("nothing_is_drawn")
def test_the_width_can_be_chosen(folder: Path) -> None:
    campaign(folder / "one.dnncov", found=7).close()
    test = page("pages/layers/page.py", "one")
    test.segmented_control(key="export-coverage-width").set_value("page").run()
    assert not test.exception
    assert test.segmented_control(key="export-coverage-width").value == "page"


def test_test_pairs_are_offered(folder: Path) -> None:
    campaign(folder / "one.dnncov", found=15).close()
    labels = [button.label for button in page("pages/examples/page.py", "one").get("download_button")]
    assert labels == ["PNG, the 12 shown (ZIP)", "NPZ, all 15"]


def test_gaps_offer_the_matrix_and_the_page(folder: Path) -> None:
    campaign(folder / "one.dnncov", found=7).close()
    labels = [button.label for button in page("pages/gaps/page.py", "one").get("download_button")]
    assert "SVG" in labels
    assert "Download ZIP" in labels
    with CampaignStore(folder / "one.dnncov") as store:
        assert {each.name for each in campaign_exhibits(store, ["gaps", "conditions"])} == {"gaps", "conditions"}
