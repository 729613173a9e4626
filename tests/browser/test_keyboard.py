"""A visitor without a mouse: a campaign is started, cancelled and exported, and what has the focus is seen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import App, settle

pytestmark = pytest.mark.browser

MOST_STEPS = 120
FOCUSED = """() => {
    const focused = document.activeElement, style = getComputedStyle(focused)
    const marked = style.outlineStyle !== 'none' || style.boxShadow !== 'none'
    return marked ? '' : focused.outerHTML.slice(0, 200)
}"""
"""What has the focus, unless it is marked by an outline or a shadow."""


def go(page: Page, target: Locator, key: str = "Tab") -> None:
    """Presses a key until this has the focus, which is marked."""
    for _ in range(MOST_STEPS):
        page.keyboard.press(key)
        if target.count() and target.first.evaluate("(each) => each === document.activeElement"):
            assert page.evaluate(FOCUSED) == ""
            return
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
