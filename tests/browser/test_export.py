"""Export as a visitor uses it: one figure in every format, and a page as a ZIP file."""

from __future__ import annotations

import html
import io
import json
import zipfile
from pathlib import Path

import pyarrow.parquet
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.entries.kinds import named_apart
from dnncov_core.export.exhibits import Exhibit, comparison_exhibits
from dnncov_core.export.formats import FORMATS, WIDTHS
from tests.browser.conftest import WORKED, App, settle, visit
from tests.browser.test_compare_overview import made

pytestmark = pytest.mark.browser

IDS = ("one", "two")


@pytest.fixture(scope="module")
def exhibits(app: App) -> dict[str, Exhibit]:
    """What the page Compare has of two campaigns, by kind."""
    paths = [made(app, name, network) for name, network in zip(IDS, ("mnist-n8", "mnist-n9"), strict=True)]
    return {each.name: each for each in comparison_exhibits(named_apart([CampaignStore(path) for path in paths]))}


@pytest.fixture
def compared(app: App, tab: Page, exhibits: dict[str, Exhibit]) -> Page:
    """The page Compare with these campaigns."""
    visit(tab, app, f"compare?campaigns={','.join(IDS)}")
    expect(tab.get_by_role("button", name="Export this page")).to_be_visible(timeout=WORKED)
    return tab


def opened(page: Page, key: str, label: str) -> Locator:
    """What a button opens that is the only one in its place."""
    page.locator(f".st-key-{key}").get_by_role("button", name=label).first.click()
    body = page.get_by_test_id("stPopoverBody")
    expect(body).to_be_visible()
    settle(page)
    return body


def downloaded(page: Page, button: Locator) -> tuple[str, bytes]:
    with page.expect_download(timeout=WORKED) as waiting:
        button.click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def is_right(content: bytes, form: str, shown: Exhibit) -> bool:
    """Whether a file of one format holds this figure's caption, or its table."""
    caption = str(shown.caption())
    if form == "csv":
        return content == FORMATS["csv"].write(shown, 0.0)
    if form == "parquet":
        return pyarrow.parquet.read_table(io.BytesIO(content)).schema.metadata[b"caption"].decode() == caption
    if form == "png":
        return str(Image.open(io.BytesIO(content)).info["Description"]) == caption
    if form == "pdf":
        return content == FORMATS["pdf"].write(shown, WIDTHS["page"])
    if form == "json":
        return str(json.loads(content)["caption"]) == caption
    return caption in html.unescape(content.decode())


def test_a_figure_in_every_format(compared: Page, exhibits: dict[str, Exhibit]) -> None:
    shown = exhibits["main-coverage"]
    body = opened(compared, "export-main-coverage", "Export")
    body.get_by_text("Page, 180 mm").click()
    settle(compared)
    for form in FORMATS:
        button = body.get_by_role("button", name=FORMATS[form].title, exact=True)
        name, content = downloaded(compared, button)
        assert name == f"{shown.provenance.id}-main-coverage.{form}"
        assert is_right(content, form, shown), form
        if form == "png":
            assert Image.open(io.BytesIO(content)).size[0] == pytest.approx(180 / 25.4 * 300, abs=1)
    expect(compared.get_by_test_id("stException")).to_have_count(0)


def test_a_page_as_one_file(compared: Page, exhibits: dict[str, Exhibit]) -> None:
    body = opened(compared, "export-page-compare", "Export this page")
    name, content = downloaded(compared, body.get_by_role("button", name="Download ZIP"))
    assert name == f"{exhibits['main-table'].provenance.id}-compare.zip"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        figures = ("main-coverage", "main-adversarial", "distance-curves-Linf-bands", "layerwise-covered", "lp-cost")
        assert set(archive.namelist()) == {
            *(f"{stem}.{form}" for stem in figures for form in ("svg", "pdf", "png", "csv")),
            *(f"{stem}.csv" for stem in ("main-table", "differences")),
            *("CAPTION.md", "provenance.json"),
        }
        assert archive.read("main-table.csv") == FORMATS["csv"].write(exhibits["main-table"], 0.0)
        known = json.loads(archive.read("provenance.json"))["provenance"]
        assert [each["id"] for each in known["campaigns"]] == list(IDS)
        assert str(exhibits["main-coverage"].caption()) in archive.read("CAPTION.md").decode()
