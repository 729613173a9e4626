"""A visitor without a mouse: a campaign is started, cancelled and exported, and what has the focus is seen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import App, settle, visit

pytestmark = pytest.mark.browser

MOST_STEPS = 120
FOCUSED = """() => {
    const focused = document.activeElement, style = getComputedStyle(focused)
    const marked = style.outlineStyle !== 'none' || style.boxShadow !== 'none'
    return marked ? '' : focused.outerHTML.slice(0, 200)
}"""
"""What has the focus, unless it is marked by an outline or a shadow."""


def go(page: Page, target: Locator, key: str = "Tab") -> int:
    """Presses a key until this has the focus, which is marked; returns how often."""
    for n in range(MOST_STEPS):
        page.keyboard.press(key)
        if target.count() and target.first.evaluate("(each) => each === document.activeElement"):
            assert page.evaluate(FOCUSED) == ""
            return n + 1
    pytest.fail(f"expected {target} among {MOST_STEPS} stops; got others")


def test_from_a_new_campaign_to_a_file(app: App, page: Page) -> None:
    page.goto(f"{app.url}/run")
    settle(page)
    go(page, page.get_by_role("link", name="Run"))
    go(page, page.get_by_role("button", name="Start campaign"))
    page.keyboard.press("Enter")
    page.wait_for_url("**campaign=**")
    go(page, page.get_by_role("button", name="Cancel", exact=True))
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Resume", exact=True)).to_be_visible()
    go(page, page.get_by_role("link", name="Layers").first, "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Layers")
    settle(page)
    go(page, page.get_by_role("button", name="Export", exact=True))
    page.keyboard.press("Enter")
    body = page.get_by_test_id("stPopoverBody")
    go(page, body.get_by_role("button", name="PDF"))
    with page.expect_download() as file:
        page.keyboard.press("Enter")
    assert file.value.suggested_filename.endswith(".pdf")


def test_from_layers_to_the_file_of_one_pair_in_under_25_presses(app: App, page: Page) -> None:
    """By the links that skip to places of a page, with the example that comes with the app."""

    def enter(name: str) -> int:
        page.keyboard.press("Enter")
        page.wait_for_url(name)
        settle(page)
        return 1

    def skip(place: str, to: Locator) -> int:
        expect(to).to_be_visible()
        presses = go(page, page.get_by_role("link", name=f"Skip to {place}"))
        page.keyboard.press("Enter")
        expect(to).to_be_focused()
        return presses + 1

    visit(page, app, "layers?campaign=example-digits")
    presses = skip("test pairs", page.get_by_role("link", name=re.compile("^Test pairs"))) + enter("**/examples?**")
    presses += skip("test pairs", page.get_by_role("link", name=re.compile("^Open pair")).first) + enter("**pair=**")
    presses += skip("export", page.locator(".st-key-export-pair button").first)
    page.keyboard.press("Enter")
    npz = page.get_by_test_id("stPopoverBody").get_by_role("button", name="NPZ")
    expect(npz).to_be_visible()
    presses += 1 + go(page, npz)
    with page.expect_download() as file:
        page.keyboard.press("Enter")
    assert file.value.suggested_filename.endswith(".npz")
    assert presses + 1 < 25
