"""axe-core finds no serious fault on any page, and none is wider than a narrow window, light or dark.

Pages that have nothing to show are looked at in test_states.py.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, expect

from dnncov_core.record_files import write_record
from dnncov_core.suites import replays
from tests import builders, runs
from tests.browser.conftest import VIEWPORT, App, in_both_schemes, settle, visit
from tests.statistics.replays import replay
from tests.suites.made import baseline, covering, patterns, save

pytestmark = pytest.mark.browser

SERIOUS = ("serious", "critical")
EVERY_RULE = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21aa"]}
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
NARROW = ViewportSize(width=480, height=1000)
CAMPAIGN, OTHER, MEASUREMENT = "20261128-100000-aaaaaa", "20261128-100001-bbbbbb", "20261128-100002-cccccc"
FULL = (
    "",
    "measure",
    "worth",
    f"measure?measurement={MEASUREMENT}",
    f"compare?campaigns={CAMPAIGN},{OTHER}",
    f"replay?campaign={OTHER}&network=mnist-n1",
    f"examples?campaign={OTHER}",
    f"examples?campaign={OTHER}&pair=0",
    *(f"{path}?campaign={CAMPAIGN}" for path in ("run", "layers", "distances", "examples", "gaps")),
    *(f"{path}?campaign=example-digits" for path in ("layers", "gaps")),
)
TOO_WIDE = """() => {
    const main = document.querySelector('[data-testid=stMain]')
    const scrolled = [document.scrollingElement, main].filter((each) => each.scrollWidth > each.clientWidth)
    const figures = [...document.querySelectorAll('.js-plotly-plot')].filter((each) => {
        const {left, right} = each.getBoundingClientRect()
        return left < 0 || right > innerWidth
    })
    return [...scrolled, ...figures].map((each) => each.outerHTML.slice(0, 200))
}"""
"""What can be scrolled sideways, and figures that are not all within the window."""
CUT = """() => [...document.querySelectorAll('[data-testid=stMetricDelta] *')]
    .filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)
"""
"""Counts below numbers that are not read whole."""
FAINT = """() => {
    const light = (colour) => colour.match(/\\d+/g).slice(0, 3).reduce((sum, each) => sum + Number(each), 0) / 3
    const ground = light(getComputedStyle(document.querySelector('.stApp')).backgroundColor)
    const kinds = '.gtitle, .xtitle, .ytitle, .xtick text, .ytick text'
    return [...document.querySelectorAll(`.js-plotly-plot :is(${kinds})`)]
        .filter((each) => Math.abs(light(getComputedStyle(each).fill) - ground) < 100)
        .map((each) => each.textContent)
}"""
"""Titles and ticks of figures that are nearly as light or dark as the page."""


def serious(page: Page, scheme: str) -> list[str]:
    """What axe-core calls serious: rule, what is wrong, and where; only colours differ between light and dark."""
    rules = EVERY_RULE if scheme == "dark" else COLOURS
    found = Axe().run(page, options={"runOnly": rules, "resultTypes": ["violations"]})
    return [
        f"{each['id']}: {each['help']}: {node['html'][:200]}"
        for each in found.response["violations"]
        if each["impact"] in SERIOUS
        for node in each["nodes"]
    ]


def look(page: Page) -> None:
    """The title of the tab, and all checks of the page that is open: light and dark, wide and narrow."""
    room = urlsplit(page.url).path.strip("/") or "overview"
    expect(page).to_have_title(f"{room.capitalize()} · DNN Coverage Explorer")
    widths = [VIEWPORT, NARROW]
    for scheme in in_both_schemes(page):
        for width in widths:
            resize(page, width)
            expect(page.get_by_text("Traceback")).to_have_count(0)
            expect(page.get_by_test_id("stException")).to_have_count(0)
            if width is NARROW:
                assert page.evaluate(TOO_WIDE) == [], scheme
                assert page.evaluate(CUT) == [], scheme
            else:
                assert serious(page, scheme) == [], scheme
                assert page.evaluate(FAINT) == [], scheme
        widths.reverse()


def resize(page: Page, width: ViewportSize) -> None:
    if page.viewport_size != width:
        page.set_viewport_size(width)
        settle(page)


@pytest.fixture(scope="module")
def filled(app: App) -> App:
    """With a campaign of numbers, one of pictures, and a measurement."""
    folder = app.home / "campaigns"
    folder.mkdir(parents=True, exist_ok=True)
    runs.finished(folder / f"{CAMPAIGN}.dnncov", runs.toy_spec())
    with builders.campaign(folder / f"{OTHER}.dnncov", found=15, exhausted=3, adversarial=6) as store:
        found = app.home / "replays" / f"{replays.job_of(OTHER, 'mnist-n1').stem.name}.json"
        write_record(found, replay(store, missing=3))
    measured = (covering("ss", (10, 1386, 630)), baseline("n", (60, 22, 63)), patterns(400))
    save(app.home / "measurements" / f"{MEASUREMENT}.json", *measured)
    return app


@pytest.mark.parametrize("address", FULL)
def test_pages_with_something_to_show(filled: App, tab: Page, address: str) -> None:
    visit(tab, filled, address)
    if address.startswith(("layers", "distances")):
        expect(tab.get_by_test_id("stMain").locator(".js-plotly-plot .main-svg").first).to_be_visible()
    if address.startswith("examples"):
        expect(tab.get_by_test_id("stMain").get_by_role("img").first).to_be_visible()
    look(tab)
