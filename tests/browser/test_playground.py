"""The Playground as a visitor uses it: an example, a click into the plane, keys, the address."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import FloatRect, Locator, Page, expect

from tests.browser.conftest import App, in_both_schemes

pytestmark = pytest.mark.browser

EXPECTED = {("x1", 1): "0", ("x1", 2): "-1", ("x2", 1): "0.1", ("x2", 2): "-0.1"}
"""The paper's example of SV."""

HALF = 1.2
"""Half the side of the square of the plane that is drawn."""


def opened(page: Page, app: App, query: str = "") -> None:
    page.goto(f"{app.url}/playground{query}")
    expect(page.get_by_role("heading", name="Playground", exact=True)).to_be_visible()
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()


def coordinate(page: Page, name: str, axis: int) -> Locator:
    return page.get_by_role("spinbutton", name=f"{name}, input {axis}")


def resting(page: Page, selector: str) -> FloatRect:
    """Where the first such element is, once it does not move any more."""
    element, before = page.locator(selector).first, None
    element.scroll_into_view_if_needed()
    for _ in range(40):
        box = element.bounding_box()
        if box is not None and box == before:
            return box
        before = box
        page.wait_for_timeout(500)
    raise AssertionError(f"{selector} does not come to rest")


def click_plane(page: Page, x: float, y: float) -> None:
    """A click where the plane has these coordinates."""
    box = resting(page, ".js-plotly-plot .nsewdrag")
    right = box["x"] + (x + HALF) / (2 * HALF) * box["width"]
    down = box["y"] + (HALF - y) / (2 * HALF) * box["height"]
    page.mouse.move(right - 3, down)
    page.mouse.move(right, down)
    expect(page.locator(".js-plotly-plot .hoverlayer .hovertext").first).to_be_visible()
    page.mouse.click(right, down)


def test_one_click_shows_an_example_and_its_address_keeps_it(app: App, page: Page) -> None:
    opened(page, app)
    expect(page.get_by_text("{n2,1} → {n3,1} is SS-covered")).to_be_visible()
    page.get_by_role("button", name="SV", exact=True).click()
    page.wait_for_url("**example=sv")
    for scheme in in_both_schemes(page):
        expect(page.get_by_text("{n2,1} → {n3,2} is SV-covered")).to_be_visible()
        expect(page.get_by_text("All hold: covered.")).to_be_visible()
        for (name, axis), value in EXPECTED.items():
            expect(coordinate(page, name, axis)).to_have_value(value)
        expect(page.get_by_test_id("stException")).to_have_count(0)
        if scheme == "light":
            page.reload()


def test_a_click_into_the_plane_moves_the_chosen_input(app: App, page: Page) -> None:
    opened(page, app)
    click_plane(page, -0.5, 0.3)
    page.wait_for_url(re.compile("x1=-0.5%2C0.3"))
    expect(page.get_by_text("is not SS-covered")).to_be_visible()
    page.locator(".st-key-play-placed").get_by_text("x2", exact=True).click()
    click_plane(page, 0.5, 0.3)
    page.wait_for_url(re.compile("x1=-0.5%2C0.3&x2=0.5%2C0.3"))
    expect(coordinate(page, "x2", 1)).to_have_value("0.5")
    page.reload()
    expect(coordinate(page, "x2", 2)).to_have_value("0.3")


def test_keys_move_an_input_and_going_back_returns(app: App, page: Page) -> None:
    opened(page, app, "?example=vs")
    expect(page.get_by_text("{n2,1, n2,2} → {n3,3} is VS-covered")).to_be_visible()
    field = coordinate(page, "x2", 2)
    field.focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_url(re.compile("x2=0.1%2C0.2"))
    expect(page.get_by_text("{n2,1, n2,2} → {n3,3} is not VS-covered")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("{n2,1, n2,2} → {n3,3} is VS-covered")).to_be_visible()
    expect(field).to_have_value("0.1")


def test_going_back_leaves_the_page(app: App, page: Page) -> None:
    page.goto(app.url)
    page.get_by_role("link", name="Playground").first.click()
    expect(page.get_by_text("{n2,1} → {n3,1} is SS-covered")).to_be_visible()
    page.get_by_role("button", name="VV", exact=True).first.click()
    page.wait_for_url("**example=vv")
    expect(page.get_by_text("{n2,1} → {n3,3} is VV-covered")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("{n2,1} → {n3,1} is SS-covered")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Overview", exact=True)).to_be_visible()


def test_a_bad_address_is_one_clear_line(app: App, page: Page) -> None:
    page.goto(f"{app.url}/playground?x1=here&x2=there")
    expect(page.get_by_test_id("stAlert")).to_contain_text("expected x1 as two numbers")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_text("{n2,1} → {n3,1} is SS-covered")).to_be_visible()
