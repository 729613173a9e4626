"""The app as a visitor uses it, in a headless Chromium: start, watch, cancel, resume, reload, look around."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import State
from tests import builders, runs
from tests.browser.conftest import WORKED, App, settle, start_app, stop_app, visit
from tests.suites.made import patterns, save

pytestmark = pytest.mark.browser

PAGES = {"run": "Run", "layers": "Layers", "distances": "Distances", "examples": "Examples", "gaps": "Gaps"}
DONE = "Every test condition has its outcome."
LONG = 79
"""Test conditions that one process works on for longer than a test waits; from 80 on there are several processes."""


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def start(page: Page, app: App, network: str, criterion: str = "SS", *, pairs: int | None = None) -> str:
    """Starts a campaign as a visitor would, on the usual sample or one of this size; returns its id."""
    visit(page, app, "run")
    choose_network_and_criterion(page, network, criterion)
    if pairs is not None:
        page.get_by_role("spinbutton", name="Sample size").fill(str(pairs))
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"{pairs} sampled test conditions").first).to_be_visible()
    return begin(page)


def choose_network_and_criterion(page: Page, network: str, criterion: str) -> None:
    choose(page, "Network", network)
    expect(page.get_by_text(f"{network} · SS").first).to_be_visible()
    if criterion != "SS":
        page.get_by_role("combobox", name="Criterion", exact=True).click()
        page.get_by_role("option", name=re.compile(criterion)).click()
        expect(page.get_by_text(f"{network} · {criterion}").first).to_be_visible()


def begin(page: Page) -> str:
    """Starts what the form says; returns the campaign's id, read from the address."""
    page.get_by_role("button", name="Start campaign").click()
    page.wait_for_url("**campaign=**")
    return page.url.rpartition("campaign=")[2]


def ends(page: Page, app: App, campaign: str, criterion: str) -> None:
    """The campaign of this criterion runs to its end; the page says what its file holds, also after a reload."""
    expect(page.get_by_text(DONE)).to_be_visible(timeout=WORKED)
    with store_of(app, campaign) as store:
        covered, total = store.counts.progress().covered, store.counts.progress().total
        assert (store.spec().criterion, store.spec().effect) == (criterion.lower(), "needed")
    words = f"{covered} of {total} test conditions have a replayable witness with the effect asked for."
    sentence = page.get_by_text(words)
    expect(sentence.first).to_be_visible()
    page.reload()
    expect(page.get_by_text(DONE)).to_be_visible()
    expect(sentence.first).to_be_visible()


def store_of(app: App, campaign: str) -> CampaignStore:
    return CampaignStore(app.home / "campaigns" / f"{campaign}.dnncov")


def wait_until(holds: Callable[[], bool], seconds: float = WORKED / 1000) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "timed out"
        time.sleep(0.1)


@pytest.fixture(scope="module")
def own(browser: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """A server that nobody has visited yet, and that may be killed."""
    running = start_app(tmp_path_factory.mktemp("own"))
    yield running
    stop_app(running)


def test_the_first_visit_of_all_may_be_to_any_page(own: App, page: Page) -> None:
    """Until a server has run `st.navigation`, it takes the files of ``pages/`` for all pages that there are."""
    page.goto(f"{own.url}/gaps")
    expect(page.get_by_role("heading", name="Gaps", exact=True)).to_be_visible()
    settle(page)
    assert page.get_by_role("dialog").count() == 0


def test_workers_end_with_their_server(own: App, page: Page) -> None:
    """This comes last of what visits this server."""
    campaign = start(page, own, "mnist-n9", pairs=LONG)
    with store_of(own, campaign) as store:
        wait_until(lambda: store.state() is State.RUNNING)
        pid = store.database.rows("SELECT pid FROM worker")[0][0]
        own.process.kill()
        own.process.wait()
        wait_until(lambda: store.state() is not State.RUNNING)
    wait_until(lambda: not Path(f"/proc/{pid}").exists() if os.path.isdir("/proc") else True)


def test_a_running_campaign_outlives_its_tab_and_is_cancelled_and_resumed(app: App, context: BrowserContext) -> None:
    path = app.home / "campaigns" / "long.dnncov"
    path.parent.mkdir(parents=True, exist_ok=True)
    with CampaignStore(runs.create(path, replace(runs.ENDLESS, pairs=LONG))) as store:
        store.worker.claim()
        store.worker.enter(State.CANCELLED)
        tab = context.new_page()
        visit(tab, app, "run?campaign=long")
        tab.get_by_role("button", name="Resume", exact=True).click()
        wait_until(lambda: store.state() is State.RUNNING)
        tab.close()
        done = store.counts.progress().done
        wait_until(lambda: store.counts.progress().done > done + 1)
        again = context.new_page()
        again.goto(f"{app.url}/?campaign=long")
        expect(again.get_by_role("button", name="Cancel", exact=True)).to_be_visible()
        again.get_by_role("link", name="Layers").first.click()
        expect(again.get_by_role("heading", name="Layers", exact=True)).to_be_visible()
        expect(again).to_have_url(re.compile("campaign=long"))
        visit(again, app, "run?campaign=long")
        again.get_by_role("button", name="Cancel", exact=True).click()
        wait_until(lambda: store.state() is State.CANCELLED)
        done = store.counts.progress().done
        again.get_by_role("button", name="Resume", exact=True).click()
        wait_until(lambda: store.counts.progress().done > done)
        again.get_by_role("button", name="Cancel", exact=True).click()
        wait_until(lambda: store.state() is State.CANCELLED)
    expect(again.get_by_role("button", name="Resume", exact=True)).to_be_visible()


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("campaign", ["nothing-here", "..%2F..%2Fetc%2Fpasswd"])
def test_an_unknown_id_is_said_in_place(app: App, tab: Page, path: str, campaign: str) -> None:
    visit(tab, app, f"{path}?campaign={campaign}")
    expect(tab.get_by_role("heading", name=PAGES[path], exact=True)).to_be_visible()
    expect(tab.get_by_test_id("stAlert").first).to_be_visible()
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    expect(tab.get_by_text("root:x:")).to_have_count(0)


def test_parameters_survive_a_change_of_pages_and_are_what_runs(app: App, page: Page) -> None:
    visit(page, app, "run")
    choose_network_and_criterion(page, "toy", "VS")
    page.get_by_role("link", name="Distances").first.click()
    expect(page.get_by_role("heading", name="Distances", exact=True)).to_be_visible()
    page.get_by_role("link", name="Run").first.click()
    expect(page.get_by_text("toy · VS").first).to_be_visible()
    ends(page, app, begin(page), "VS")


def test_two_visitors_with_two_campaigns(app: App, context: BrowserContext) -> None:
    first, second = context.new_page(), context.new_page()
    ids = [start(first, app, "toy", "SV"), start(second, app, "toy", "VV")]
    assert ids[0] != ids[1]
    for page, campaign, criterion in zip((first, second), ids, ("SV", "VV"), strict=True):
        ends(page, app, campaign, criterion)
        expect(page.get_by_role("heading", name=f"toy · {criterion}")).to_be_visible()


WATCH = """() => {
  window.seen = [];
  const main = document.querySelector('[data-testid=stMain]');
  const look = () => window.seen.push(main.innerText.split('New measurement')[0]);
  new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
}"""
"""Keeps the text above the form after each change of the page."""


def test_measure_a_suite(app: App, tab: Page) -> None:
    visit(tab, app, "measure")
    expect(tab.get_by_text("mnist-n1 · mnist").first).to_be_visible()
    tab.evaluate(WATCH)
    tab.get_by_role("button", name="Measure", exact=True).click()
    tab.wait_for_url("**measurement=**")
    expect(tab.get_by_text("5,000 inputs").first).to_be_visible(timeout=WORKED)
    seen = tab.evaluate("window.seen")
    assert [text for text in seen if any(state in text for state in ("Waiting", "Preparing", "Running"))]
    doing = ("worker is starting", "loads network and data", "is being written", "of all work")
    assert not [text for text in seen if "Finished" in text and any(words in text for words in doing)]
    main = tab.get_by_test_id("stMain")
    expect(main.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(main.locator(".js-plotly-plot").get_by_text("5,000 patterns").first).to_be_visible()
    expect(tab.get_by_role("button", name="Numbers (JSON)")).to_be_visible()
    expect(tab.get_by_test_id("stException")).to_have_count(0)
    tab.reload()
    expect(tab.get_by_text("5,000 inputs").first).to_be_visible()


def test_a_failed_campaign_says_why(app: App, tab: Page) -> None:
    path = app.home / "campaigns" / "failed.dnncov"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "expected clean accuracy clearly above chance; got 9.8%; check the preprocessing"
    builders.campaign(path, found=0, exhausted=0, pending=4, state=State.FAILED, message=text).close()
    visit(tab, app, "?campaign=failed")
    expect(tab.get_by_text(text)).to_be_visible()


def test_nobody_can_type_a_path_or_an_import(app: App, tab: Page) -> None:
    visit(tab, app, "run")
    tab.get_by_role("combobox", name="Network", exact=True).click()
    tab.keyboard.type("os:system")
    tab.keyboard.press("Enter")
    tab.keyboard.press("Escape")
    expect(tab.get_by_text("os:system ·")).to_have_count(0)
    names = [field.get_attribute("aria-label") for field in tab.get_by_role("textbox").all()]
    assert names == ["Name (optional)"]


def test_what_was_not_covered_is_justified_and_tried_again(app: App, tab: Page) -> None:
    path = app.home / "campaigns" / "poor.dnncov"
    path.parent.mkdir(parents=True, exist_ok=True)
    runs.finished(path, runs.toy_spec(seed_order="random", max_seeds=1))
    with CampaignStore(path) as store:
        before = store.counts.progress()
        visit(tab, app, "gaps?campaign=poor")
        tab.get_by_role("textbox", name="Reason").fill("no such input")
        tab.get_by_role("textbox", name="Author").fill("A. Engineer")
        tab.get_by_role("button", name="Justify the condition shown below").click()
        expect(tab.get_by_text("Justified: 1 test condition.")).to_be_visible()
        assert len(store.justifications.all()) == 1
        tab.get_by_role("button", name="Try again with more seeds").click()
        wait_until(lambda: bool(store.spec().retries) and store.state() is State.FINISHED)
        assert store.counts.progress().attempts > before.attempts
        assert store.counts.progress().covered >= before.covered
        expect(tab.get_by_text(re.compile("The last retry: [0-9]+ of [0-9]+ test conditions newly"))).to_be_visible()
        expect(tab.get_by_role("button", name="Prove what cannot be covered")).to_be_enabled()


def test_selected_rows_are_justified_and_withdrawn(app: App, page: Page) -> None:
    path = app.home / "campaigns" / "gaps.dnncov"
    path.parent.mkdir(parents=True, exist_ok=True)
    page.set_viewport_size({"width": 1300, "height": 2400})  # menus close when a click scrolls the page
    with builders.campaign(path, found=4, exhausted=6, pending=1, state=State.CANCELLED) as store:
        page.goto(f"{app.url}/gaps?campaign=gaps")
        page.get_by_role("combobox", name="Only outcomes").click()
        page.get_by_role("option", name="open: budget exhausted").click()
        page.keyboard.press("Escape")
        expect(page.get_by_text("1 to 6 of 6 test conditions")).to_be_visible()
        expect(page.get_by_role("button", name="Justify the condition shown below")).to_be_visible()
        shown = ordinals(page, 6)
        chosen = [shown[0], shown[2]]
        select_rows(page, 0, 2)
        page.get_by_role("textbox", name="Reason").fill("no such input")
        page.get_by_role("textbox", name="Author").fill("A. Engineer")
        page.get_by_role("button", name="Justify the 2 selected rows").click()
        expect(page.get_by_text("Justified: 2 test conditions.")).to_be_visible()
        assert [each.ordinal for each in store.justifications.all()] == chosen

        expect(page.get_by_text("1 to 4 of 4 test conditions")).to_be_visible()
        expect(page.get_by_role("button", name="Justify the condition shown below")).to_be_visible()
        expect(page.get_by_test_id("stMetric").filter(has_text="Justified")).to_contain_text("2")
        legend = matrix_of(page, store, chosen[0]).locator(".legendtext").get_by_text("justified", exact=True)
        expect(legend).to_be_visible()

        page.get_by_role("combobox", name="Only outcomes").click()
        page.get_by_role("option", name="justified").click()
        page.keyboard.press("Escape")
        cells = page.get_by_test_id("stDataFrame").first.locator("[role=gridcell]")
        expect(cells.filter(has_text="no such input (A. Engineer, ")).to_have_count(2)
        select_rows(page, *(at for at, ordinal in enumerate(ordinals(page, 6)) if ordinal in chosen))
        page.get_by_role("button", name="Withdraw the reasons of 2 conditions").click()
        expect(page.get_by_text("Withdrawn: 2 test conditions.")).to_be_visible()
        assert store.justifications.all() == []
        expect(legend).to_have_count(0)


def test_cells_and_rows_lead_to_their_condition(app: App, tab: Page) -> None:
    path = app.home / "campaigns" / "cells.dnncov"
    tab.set_viewport_size({"width": 1300, "height": 2400})
    with builders.campaign(path, found=4, exhausted=6, state=State.CANCELLED) as store:
        targets = [target for target in store.targets.all() if target.edge == (2, 3)]
    visit(tab, app, f"gaps?campaign=cells&condition={targets[0].ordinal}")
    for target in (targets[-1], targets[1]):
        cell = target.condition_neurons[0], target.decision_neurons[0]
        tab.mouse.click(*middle(tab, cell))
        tab.wait_for_url(f"**condition={target.ordinal}")
        expect(tab.get_by_text(f"ordinal {target.ordinal}", exact=True)).to_be_visible()
    tab.reload()
    expect(tab.get_by_text(f"ordinal {targets[1].ordinal}", exact=True)).to_be_visible()
    last = ordinals(tab, 6)[-1]
    select_rows(tab, 5)
    tab.wait_for_url(f"**condition={last}")
    expect(tab.get_by_text(f"ordinal {last}", exact=True)).to_be_visible()


def middle(page: Page, cell: tuple[int, int]) -> tuple[float, float]:
    """Where on the page the middle of a cell of the matrix is, once the matrix is drawn."""
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    page.wait_for_timeout(500)  # the plot takes its size
    x, y = page.evaluate(
        """([i, j]) => {
            const plot = document.querySelector(".js-plotly-plot"), box = plot.getBoundingClientRect()
            const {xaxis, yaxis} = plot._fullLayout
            return [box.left + xaxis._offset + xaxis.c2p(j), box.top + yaxis._offset + yaxis.c2p(i)]
        }""",
        cell,
    )
    return x, y


def ordinals(page: Page, n: int) -> list[int]:
    """What the first column of the table shows, once it has n rows."""
    cells = page.get_by_test_id("stDataFrame").first.locator("[role=gridcell][aria-colindex='1']")
    expect(cells).to_have_count(n)
    return [int(text.replace(",", "")) for text in cells.all_text_contents()]


def select_rows(page: Page, *places: int) -> None:
    """Clicks the boxes of rows, counted from 0, as a visitor would."""
    table = page.get_by_test_id("stDataFrame").first
    expect(page.locator(".js-plotly-plot .main-svg").first).to_be_visible()  # moves what is below
    for n, at in enumerate(places, start=1):
        table.click(position={"x": 15, "y": 35 * at + 52})
        rows = f"the {n} selected rows" if n > 1 else "the selected row"
        expect(page.get_by_role("button", name=f"Justify {rows}")).to_be_visible()


def matrix_of(page: Page, store: CampaignStore, ordinal: int) -> Locator:
    """Chooses the layer pair of a test condition, and gives its matrix."""
    condition = store.conditions.one(ordinal)
    assert condition is not None
    k, layer = condition.target.edge
    page.get_by_role("combobox", name="Layer pair", exact=True).click()
    page.get_by_role("option", name=f"{k} → {layer}").click()
    return page.get_by_label(f"Matrix: status of the test conditions of layers {k} → {layer},")


@pytest.mark.parametrize(
    ("path", "parameter", "shown"), [("measure", "measurement", "5,000 inputs"), ("run", "campaign", DONE)]
)
def test_an_entry_s_link_makes_the_address_its_own(app: App, tab: Page, path: str, parameter: str, shown: str) -> None:
    names = [f"{parameter}-{number}" for number in (1, 2)]
    for name in names:
        if parameter == "measurement":
            save(app.home / "measurements" / f"{name}.json", patterns(7))
        else:
            (app.home / "campaigns").mkdir(exist_ok=True)
            file = app.home / "campaigns" / f"{name}.dnncov"
            builders.campaign(file, found=2, exhausted=0, adversarial=1).close()
    visit(tab, app, path)
    for name in names:
        tab.locator(f"a[href*='{parameter}={name}']:visible").first.click()
        tab.wait_for_url(f"**/{path}?{parameter}={name}")
        expect(tab.get_by_text(shown).first).to_be_visible()
        settle(tab)
    tab.reload()
    expect(tab.get_by_text(f"{names[1]}").first).to_be_visible()
    settle(tab)
    tab.go_back()
    tab.wait_for_url(f"**/{path}?{parameter}={names[0]}")
    expect(tab.get_by_text("Shown above.")).to_be_visible()
    settle(tab)
    tab.go_back()
    tab.wait_for_url(f"**/{path}")
    expect(tab.get_by_text(shown)).to_have_count(0)
    expect(tab.get_by_text("Shown above.")).to_have_count(0)
