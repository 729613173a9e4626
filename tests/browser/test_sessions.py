"""Several visitors at the same time: each sees what it opened and chose."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError
from tests import builders
from tests.browser.conftest import VIEWPORT, App, settle, visit
from tests.browser.watching import Watcher
from tests.suites.made import patterns, save

pytestmark = pytest.mark.browser

NAMES = {"first": "mnist-n8", "second": "mnist-n7"}
"""Networks of two campaigns, each in a session of its own."""

SAME = ("pairs", "covered", "adversarial", "outcomes", "layers", "attempts")
"""What `run --json` says of a campaign that does not depend on the time."""
FINISHED = "Finished]"
"""The badge of a finished campaign."""


@pytest.fixture(scope="module")
def filled(app: App) -> App:
    for name, network in NAMES.items():
        spec = CampaignSpec(network=network, data="mnist")
        builders.campaign(app.home / "campaigns" / f"{name}.dnncov", spec=spec, found=15, adversarial=6).close()
        save(app.home / "measurements" / f"{name}.json", patterns(len(name)))
    return app


@pytest.fixture(scope="module")
def two(browser: Browser, tab: Page) -> Iterator[dict[str, Page]]:
    """Two profiles of the browser, each with a tab."""
    other = browser.new_context(viewport=VIEWPORT)
    yield dict(zip(NAMES, (tab, other.new_page()), strict=True))
    other.close()


@pytest.mark.parametrize("path", ["run", "layers", "distances", "examples", "gaps", "compare", "measure"])
def test_each_of_two_sees_what_it_opened(filled: App, two: dict[str, Page], path: str) -> None:
    parameter = {"compare": "campaigns", "measure": "measurement"}.get(path, "campaign")
    for name, page in two.items():
        visit(page, filled, f"{path}?{parameter}={name}")
    for name, page in two.items():
        (other,) = set(NAMES) - {name}
        assert f"{parameter}={name}" in page.url
        main = page.get_by_test_id("stMain")
        expect(main).to_contain_text(NAMES[name] if path != "measure" else name)
        if path not in ("run", "measure"):  # these list everything
            assert f"campaign {other}" not in main.inner_text()
            assert NAMES[other] not in main.inner_text()


def test_choices_of_one_do_not_reach_the_other(filled: App, two: dict[str, Page]) -> None:
    first, second = two.values()
    for page in two.values():
        visit(page, filled, "examples?campaign=first")
    first.get_by_text("Adversarial · 6").click()
    first.wait_for_url("**only=adversarial**")
    expect(first.get_by_text("1 to 6 of 6 test pairs")).to_be_visible()
    second.reload()
    settle(second)
    expect(second.get_by_text("1 to 12 of 15 test pairs")).to_be_visible()
    assert "only=" not in second.url


def test_an_address_without_an_id_shows_nothing_of_another_session(filled: App, two: dict[str, Page]) -> None:
    first, second = two.values()
    visit(first, filled, "run?campaign=first")
    visit(first, filled, "compare?campaigns=first")
    visit(first, filled, "")
    first.get_by_role("textbox", name="Find").fill("mine alone")
    first.keyboard.press("Enter")
    expect(first.get_by_text("No campaigns or measurements match.")).to_be_visible()
    for path, untouched in (
        ("run", "New campaign"),
        ("measure", "New measurement"),
        ("compare", "appear here beside each other"),
        ("", "4 entries"),
    ):
        second.goto(f"{filled.url}/{path}")
        settle(second)
        main = second.get_by_test_id("stMain")
        expect(main.get_by_text(untouched).first).to_be_visible()
        expect(main.get_by_text("Shown above.")).to_have_count(0)
        assert "campaign=" not in second.url
        assert "mine alone" not in main.inner_text()


def _has_seen_the_end(watcher: Watcher, said: str) -> bool:
    """Whether a page has shown that the campaign is finished, and, where it says so, what it ``said`` to cover."""
    return watcher.has_seen(FINISHED) and (watcher.page not in ("run", "layers") or watcher.has_seen(said))


def test_twenty_who_watch_a_campaign_leave_it_as_it_is(filled: App, tmp_path: Path) -> None:
    alone = json.loads(_search(tmp_path / "alone.dnncov").communicate()[0])
    path = filled.home / "campaigns" / "watched.dnncov"
    path.parent.mkdir(exist_ok=True)
    worker = _search(path)
    while not _is_campaign(path):
        assert worker.poll() is None
        time.sleep(0.05)
    watchers = [Watcher(filled, ("run", "layers", "gaps", "distances")[i % 4], "campaign=watched") for i in range(20)]
    for each in watchers:
        each.open()
    watched = json.loads(worker.communicate()[0])
    assert worker.returncode == 0
    said = f"**{watched['covered']} of {watched['pairs']} sampled"
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline and not all(_has_seen_the_end(each, said) for each in watchers):
        time.sleep(0.2)
    for each in watchers:
        each.close()
    for name in SAME:
        assert watched[name] == alone[name]
    assert [each.faults for each in watchers] == [[]] * 20
    assert [each.page for each in watchers if each.runs < 2] == []
    assert [each.page for each in watchers if not _has_seen_the_end(each, said)] == []
    print(f"seconds of the worker: {alone['seconds']:.1f} alone, {watched['seconds']:.1f} watched")


def _is_campaign(path: Path) -> bool:
    """Whether the worker has made its file, to the last table."""
    try:
        CampaignStore(path).close()
    except CampaignError:
        return False
    return True


def _search(path: Path) -> subprocess.Popen[str]:
    command = ["run", "mnist-n1", "--pairs", "240", "--workers", "1", "--json", "--out", str(path)]
    environment = {**os.environ, "DNNCOV_HOME": str(path.parent.parent)}
    return subprocess.Popen(
        [sys.executable, "-m", "dnncov_core", *command],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
