"""From a number to the test pair behind it, in a headless Chromium: clicks, links, and permanent addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import TestPair
from tests import builders, runs
from tests.browser.conftest import VIEWPORT, App, in_both_schemes, settle, visit
from tests.browser.test_accessibility import serious

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def made(app: App) -> Iterator[App]:
    folder = app.home / "campaigns"
    folder.mkdir(parents=True, exist_ok=True)
    builders.campaign(folder / "made.dnncov", found=15, exhausted=3, adversarial=6).close()
    runs.finished(folder / "toy.dnncov", runs.toy_spec())
    return app


def pairs(app: App, only: PairFilter, name: str = "made") -> list[TestPair]:
    with CampaignStore(Path(app.home / "campaigns" / f"{name}.dnncov")) as store:
        return store.pairs.page(only, order="nearest")


def click(page: Page, key: str, mark: str, place: int) -> None:
    """Clicks on a bar or a point of a figure, as a pointer does: Plotly listens above what it has drawn."""
    page.set_viewport_size({"width": 1300, "height": 2000})
    shown = page.locator(f".st-key-{key}")
    expect(shown.locator(".main-svg").first).to_be_visible()
    settle(page)
    page.wait_for_timeout(1500)  # the plot takes its size, and its colours once the browser has said its theme
    box = shown.locator(mark).nth(place).bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_a_bar_of_coverage_leads_to_its_layer_pair_on_gaps(made: App, tab: Page) -> None:
    visit(tab, made, "layers?campaign=made")
    click(tab, "coverage", ".bars .point path", 1)
    tab.wait_for_url(re.compile(r"/gaps\?campaign=made&condition=\d+"))
    expect(tab.get_by_role("combobox", name=re.compile("Layer pair")).first).to_have_value(re.compile("^3 → 4"))
    tab.get_by_role("link", name="Test pairs of layers 3 → 4: 5").click()
    tab.wait_for_url("**/examples?campaign=made&layers=3-4")
    expect(tab.get_by_text("1 to 5 of 5 test pairs")).to_be_visible()


def test_a_bar_of_adversarial_pairs_leads_to_these(made: App, tab: Page) -> None:
    visit(tab, made, "layers?campaign=made")
    click(tab, "adversarial", ".bars .point path", 2)
    tab.wait_for_url("**/examples?campaign=made&layers=4-5&only=adversarial")
    expect(tab.get_by_text("1 to 2 of 2 test pairs")).to_be_visible()


def test_a_point_of_a_layers_distance_leads_to_its_pairs(made: App, tab: Page) -> None:
    visit(tab, made, "distances?campaign=made")
    click(tab, "by-layer", ".scatterlayer .trace:nth-child(2) .points path.point", 0)
    tab.wait_for_url("**/examples?campaign=made&layers=2-3&only=adversarial")
    nearest = pairs(made, PairFilter(edge=(2, 3), adversarial=True))
    expect(tab.get_by_role("link", name=re.compile("Open pair")).first).to_have_text(
        re.compile(f"Open pair {nearest[0].target.ordinal}$")
    )


def test_a_step_of_the_curve_leads_to_its_pair_and_its_address_stays(
    made: App, tab: Page, context: BrowserContext
) -> None:
    expected = pairs(made, PairFilter(adversarial=True))
    visit(tab, made, "distances?campaign=made")
    click(tab, "curve", ".scatterlayer .points path.point", 3)
    ordinal = expected[3].target.ordinal
    tab.wait_for_url(f"**/examples?campaign=made&pair={ordinal}&only=adversarial")
    expect(tab.get_by_text("Pair 4 of 6: adversarial, nearest first")).to_be_visible()
    tab.get_by_role("link", name="Next", exact=True).click()
    tab.wait_for_url(f"**/examples?campaign=made&pair={expected[4].target.ordinal}&only=adversarial")
    tab.go_back()
    tab.wait_for_url(f"**pair={ordinal}&**")
    expect(tab.get_by_text(f"Test condition {ordinal}, seed")).to_be_visible()
    other = context.new_page()
    other.goto(tab.url)
    expect(other.get_by_text(f"Test condition {ordinal}, seed")).to_be_visible()
    other.get_by_role("link", name="All test pairs").click()
    other.wait_for_url("**/examples?campaign=made&only=adversarial")
    expect(other.get_by_text("1 to 6 of 6 test pairs")).to_be_visible()


def test_the_same_by_keyboard(made: App, tab: Page) -> None:
    expected = pairs(made, PairFilter(adversarial=True))
    visit(tab, made, "distances?campaign=made")
    number = tab.get_by_role("spinbutton", name=re.compile("Adversarial pair number"))
    number.fill("2")
    number.press("Enter")
    link = tab.get_by_role("link", name=re.compile(f"Open pair {expected[1].target.ordinal}$"))
    link.focus()
    link.press("Enter")
    tab.wait_for_url(f"**pair={expected[1].target.ordinal}&**")


def test_one_pair_says_why_it_covers_and_can_be_read_by_all(made: App, tab: Page) -> None:
    pair = pairs(made, PairFilter(), "toy")[0]
    visit(tab, made, f"examples?campaign=toy&pair={pair.target.ordinal}")
    for scheme in in_both_schemes(tab):
        tab.set_viewport_size(VIEWPORT)
        expect(tab.get_by_text("All hold: covered, on a fresh pass of the network.")).to_be_visible()
        expect(tab.get_by_role("img", name=re.compile("^Signs of layer"))).to_have_count(2)
        settle(tab)
        assert serious(tab, scheme) == []
        tab.set_viewport_size({"width": 480, "height": 900})
        main = tab.get_by_test_id("stMain")
        assert main.evaluate("each => each.scrollWidth - each.clientWidth") <= 0
