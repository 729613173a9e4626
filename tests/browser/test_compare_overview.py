"""Overview and Compare as a visitor uses them, in a headless Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from dnncov_core.campaign.spec import CampaignSpec
from tests import builders
from tests.browser.conftest import App, in_both_schemes, settle, visit
from tests.browser.test_app import ends

pytestmark = pytest.mark.browser


def made(app: App, name: str, network: str, **changes: object) -> Path:
    path = app.home / "campaigns" / f"{name}.dnncov"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        spec = CampaignSpec(network, "mnist", **{"effect": "none"} | changes)
        builders.campaign(path, spec=spec, found=15, exhausted=3, adversarial=6, solved=builders.costly).close()
    return path


def test_a_first_visit_ends_with_a_result_after_one_click(app: App, tab: Page) -> None:
    """This comes first: the same app is filled afterwards."""
    visit(tab, app, "")
    expect(tab.get_by_role("heading", name="Overview", exact=True)).to_be_visible()
    main = tab.get_by_test_id("stMain")
    main.get_by_text("The covering methods in a minute").click()
    expect(main.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(main.locator(".katex").first).to_be_visible()
    main.get_by_text("More examples to start with one click").click()
    tab.locator(".st-key-start-toy").get_by_role("button", name="Start").click()
    tab.wait_for_url("**/run?campaign=**")
    ends(tab, app, tab.url.rpartition("campaign=")[2], "SS")
    tab.get_by_role("link", name="Overview").first.click()
    expect(tab.get_by_text("1 entry")).to_be_visible()
    expect(tab.locator("a[href*='run?campaign=']:visible").first).to_be_visible()
    expect(tab.get_by_test_id("stException")).to_have_count(0)


def test_several_campaigns_are_compared_in_both_themes(app: App, tab: Page) -> None:
    made(app, "one", "mnist-n8")
    made(app, "two", "mnist-n9")
    made(app, "strong", "mnist-n8", top_weights=10)
    visit(tab, app, "compare?campaigns=one,two")
    main = tab.get_by_test_id("stMain")
    expect(main.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(main.get_by_role("table").first).to_contain_text("mnist-n9")
    tab.get_by_text("The paper's numbers beside").click()
    expect(main.get_by_role("table").first).to_contain_text("paper: 99.8")
    expect(tab.get_by_role("heading", name="All pairs against top weights")).to_have_count(0)
    tab.get_by_role("combobox", name="Campaigns to compare").click()
    tab.get_by_role("option", name=re.compile(r"SS\^w10")).click()
    tab.keyboard.press("Escape")
    tab.wait_for_url("**campaigns=one%2Ctwo%2Cstrong")
    expect(tab.get_by_role("heading", name="All pairs against top weights")).to_be_visible()
    expect(main.get_by_text("SS^w10").first).to_be_visible()
    settle(tab)
    tab.reload()
    for _ in in_both_schemes(tab):
        expect(tab.get_by_role("heading", name="All pairs against top weights")).to_be_visible()
        expect(main.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        expect(main.get_by_role("table").first).to_contain_text("mnist-n9")
        expect(tab.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize("asked", ["nothing-here", "..%2F..%2Fetc%2Fpasswd"])
def test_an_unknown_id_is_said_in_place(app: App, tab: Page, asked: str) -> None:
    made(app, "one", "mnist-n8")
    visit(tab, app, f"compare?campaigns=one,{asked}")
    expect(tab.get_by_text("There is no campaign")).to_be_visible()
    expect(tab.get_by_test_id("stMain").get_by_role("table").first).to_contain_text("mnist-n8")
    expect(tab.get_by_text("root:x:")).to_have_count(0)


def test_a_name_is_given_and_a_deletion_undone(app: App, page: Page) -> None:
    path = made(app, "mine", "mnist-n7")
    before = path.read_bytes()
    page.goto(app.url)
    page.get_by_role("textbox", name="Find").fill("mnist-n7")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 of ")).to_be_visible()
    card = page.get_by_test_id("stMain")
    card.get_by_test_id("stPopoverButton").first.click()
    page.get_by_role("textbox", name="Name").fill("for the safety case")
    page.keyboard.press("Tab")
    settle(page)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="for the safety case")).to_be_visible()
    settle(page)
    if not page.get_by_role("button", name="Delete", exact=True).is_visible():
        card.get_by_test_id("stPopoverButton").first.click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_text("In the trash: for the safety case")).to_be_visible()
    assert not path.exists()
    assert (app.home / "trash" / "campaigns" / "mine.dnncov").read_bytes() == before
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="for the safety case")).to_be_visible()
    assert path.read_bytes() == before
    expect(page.get_by_test_id("stException")).to_have_count(0)


def test_the_table_opens_what_is_selected(app: App, page: Page) -> None:
    made(app, "one", "mnist-n8")
    made(app, "two", "mnist-n9")
    page.goto(app.url)
    page.get_by_text("Table", exact=True).click()
    table = page.get_by_test_id("stDataFrame").first
    expect(table).to_be_visible()
    settle(page)
    for at, deletion in enumerate(("Delete", "Delete 2")):
        table.click(position={"x": 15, "y": 35 * at + 52})
        expect(page.get_by_role("button", name=deletion, exact=True)).to_be_visible()
    page.get_by_role("link", name="Compare 2 campaigns").click()
    page.wait_for_url("**/compare?campaigns=**")
    expect(page.get_by_role("heading", name="What differs")).to_be_visible()
    expect(page.get_by_test_id("stException")).to_have_count(0)
