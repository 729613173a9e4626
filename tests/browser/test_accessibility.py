"""axe-core finds no serious fault on any page, light or dark, with and without something to show."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from tests import builders, runs
from tests.browser.conftest import App
from tests.suites.made import baseline, covering, patterns, save

pytestmark = pytest.mark.browser

SERIOUS = ("serious", "critical")
PAGES = {
    "run": "Run",
    "playground": "Playground",
    "layers": "Layers",
    "distances": "Distances",
    "examples": "Examples",
    "gaps": "Gaps",
}
OTHERS = (
    "measure?measurement=20261128-100002-cccccc",
    "compare?campaigns=20261128-100000-aaaaaa,20261128-100001-bbbbbb",
)


@pytest.fixture(scope="module")
def filled(app: App) -> App:
    """With a campaign and a measurement."""
    folder = app.home / "campaigns"
    folder.mkdir(parents=True, exist_ok=True)
    runs.finished(folder / "20261128-100000-aaaaaa.dnncov", runs.toy_spec())
    builders.campaign(folder / "20261128-100001-bbbbbb.dnncov", found=15, exhausted=3, adversarial=6).close()
    measured = (covering("ss", (10, 1386, 630)), baseline("n", (60, 22, 63)), patterns(400))
    save(app.home / "measurements" / "20261128-100002-cccccc.json", *measured)
    return app


def faults(page: Page) -> list[str]:
    """What axe-core calls serious: rule, what is wrong, and where."""
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21aa"]}})
    return [
        f"{each['id']}: {each['help']}: {node['html'][:200]}"
        for each in found.response["violations"]
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


def settle(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_timeout(1000)  # a second run may follow, once the browser has said its theme and address
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.wait_for_timeout(500)


@pytest.mark.parametrize("context", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("address", ["", *PAGES, "measure", *OTHERS])
def test_pages_with_something_to_show(filled: App, context: BrowserContext, address: str) -> None:
    page = context.new_page()
    named = "?campaign=20261128-100000-aaaaaa" if address in PAGES else ""
    page.goto(f"{filled.url}/{address}{named}")
    settle(page)
    assert faults(page) == []


@pytest.mark.parametrize("context", ["light", "dark"], indirect=True)
@pytest.mark.parametrize("address", ["", *PAGES, "measure", "compare"])
def test_pages_with_nothing(tmp_path: Path, context: BrowserContext, address: str, empty: App) -> None:
    page = context.new_page()
    page.goto(f"{empty.url}/{address}")
    settle(page)
    assert faults(page) == []
