"""Every page in every state of a campaign or measurement: what it says, what it offers, and that it stays in place."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from dnncov_core.preferences import FILE
from dnncov_core.records import State
from tests.browser import states
from tests.browser.conftest import App, faults, visit
from tests.browser.test_accessibility import look

pytestmark = pytest.mark.browser

RESULTS = ("layers", "distances", "examples", "gaps")
PATHS = ("", "run", "measure", *RESULTS, "compare", "playground", "help")
HEADINGS = {path: path.capitalize() or "Overview" for path in PATHS} | {"bring": "Bring your own", "replay": "Replay"}
STOPPED = (State.FAILED, State.CANCELLED, State.INTERRUPTED)
STATES = (State.WAITING, State.RUNNING, State.FINISHED, *STOPPED)
MEASURED = STATES[1:]
"""Of measurements; one that waits has no heartbeat, and counts as interrupted after ten seconds."""
SENTENCES = {
    State.WAITING: "Created; its worker is starting.",
    State.FAILED: "Resume tries again once its cause is gone; other settings need a new campaign.",
    State.CANCELLED: "Stopped on request.",
    State.INTERRUPTED: "The worker is gone.",
}
MEASURE_AGAIN = {
    State.FAILED: "Correct what it names, and measure again.",
    State.CANCELLED: "Measure again to see the result.",
    State.INTERRUPTED: "Measure again.",
}
BELOW = {
    "": "The covering methods in a minute",
    "run": "Campaigns",
    "measure": "Measurements",
    "layers": "How these numbers are computed",
    "distances": "How these numbers are computed",
    "examples": "How to read these pairs",
    "gaps": "How these numbers are computed",
    "compare": "How these numbers are computed",
}
"""What stands below all that changes."""

FIRST = {
    "": "Begin with an example",
    "run": "The first one appears here as soon as it is started",
    "measure": "Choose network, suite and criteria above, and press Measure",
    "bring": "As soon as both are there, the check begins",
    "playground": "is SS-covered",
    "help": "The way through the app.",
    "worth": "Seed faults first",
    **dict.fromkeys((*RESULTS, "compare", "replay"), "No campaign yet. Start one on the Run page"),
}
"""What a page says before there is anything."""

NEXT = {"": ("link", "New campaign"), "run": ("button", "Start campaign"), "measure": ("button", "Measure")}
NEXT["worth"] = ("link", "Go to Measure")
NEXT["bring"] = ("combobox", "Or take a network that is here")
"""What it offers then; all others a link to Run."""


@pytest.fixture(scope="module")
def heard(tab: Page) -> list[str]:
    return faults(tab)


@pytest.fixture(autouse=True)
def without_errors(heard: list[str]) -> Iterator[None]:
    """Whatever a test looks at, the browser says no error."""
    yield
    assert heard == []


@pytest.mark.parametrize("path", HEADINGS)
def test_before_there_is_anything_a_page_says_what_to_do(app: App, tab: Page, path: str) -> None:
    """These come first: the same app is filled afterwards. The visitor has hidden the finished example."""
    app.home.mkdir(exist_ok=True)
    (app.home / FILE).write_text('{"example": false}')
    shown(tab, app, path)
    expect(tab.get_by_text(FIRST[path]).first).to_be_visible()
    if path not in ("playground", "help"):
        role, name = NEXT.get(path, ("link", "Go to Run"))
        offered = tab.get_by_test_id("stMain").get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
        expect(offered).to_be_enabled()
        if role == "link":
            form = "run?new=form" if name == "New campaign" else "run"
            assert str(offered.get_attribute("href")).endswith(form)
    look(tab)


@pytest.fixture(scope="module")
def filled(app: App) -> Iterator[App]:
    """With a campaign and a measurement of each state; this process works on those that run."""
    for state in STATES:
        states.campaign(app.home, state)
    for state in MEASURED:
        states.measurement(app.home, state)
    with states.at_work(app.home, State.RUNNING.value, State.RUNNING.value):
        yield app


def address(path: str, state: State) -> str:
    if path == "compare":
        return f"{path}?campaigns={State.FINISHED.value},{state.value}"
    return f"{path}?{'measurement' if path == 'measure' else 'campaign'}={state.value}" if path else ""


def shown(page: Page, app: App, path: str, state: State | None = None) -> None:
    """Opens a page, which is whole."""
    visit(page, app, path if state is None else address(path, state))
    expect(page.get_by_role("heading", level=1)).to_have_text(HEADINGS[path])
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_text("Traceback")).to_have_count(0)


WATCH = """() => new Promise((resolve, reject) => {
    const app = document.querySelector('[data-testid=stApp]'), main = document.querySelector('[data-testid=stMain]')
    const headings = () => [...main.querySelectorAll('h1, h2, h3, summary')].map((mark) =>
        `${mark.innerText.split('\\n').pop()} ${Math.round(mark.getBoundingClientRect().top + main.scrollTop)}`).join()
    const watch = () => {
        window.places = new Set()
        window.texts = new Set()
        const look = () => { window.places.add(headings()); window.texts.add(main.textContent) }
        const observer = new MutationObserver(look), timer = setInterval(look, 50)
        observer.observe(main, {subtree: true, childList: true, characterData: true})
        window.watching = () => { observer.disconnect(); clearInterval(timer) }
        look()
    }
    let before, since
    const rest = (left) => {
        const now = headings()
        if (now !== before || document.querySelector('[data-testid=stSkeleton]')) { before = now; since = Date.now() }
        const rested = Date.now() - since > 1500
        if (rested && app.dataset.testScriptState === 'notRunning') { watch(); resolve() }
        else if (left) setTimeout(rest, 50, left - 1)
        else reject(Error(`headings do not rest: ${now}`))
    }
    rest(600)
})"""
"""Once headings have rested and no script runs, keeps where they are and what the page says, at each of its changes and
in between."""


@pytest.mark.parametrize("path", BELOW)
def test_numbers_move_and_nothing_else_does(filled: App, tab: Page, path: str) -> None:
    shown(tab, filled, path, State.RUNNING)
    expect(tab.get_by_test_id("stMain").get_by_text(BELOW[path], exact=True)).to_be_visible()
    tab.evaluate(WATCH)
    tab.wait_for_function("window.texts.size > 1")
    tab.wait_for_timeout(300)  # what comes with the number
    places = tab.evaluate("(window.watching(), [...window.places])")
    assert len(places) == 1, places
    assert f"{HEADINGS[path]} " in places[0]
    assert f"{BELOW[path]} " in places[0]


def badge(place: Locator, state: State) -> Locator:
    """The first word of a state that is shown there."""
    return place.locator(".stMarkdownBadge").first.filter(has_text=state.value.capitalize())


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.value)
@pytest.mark.parametrize("path", ["run", *RESULTS])
def test_a_campaign(filled: App, tab: Page, path: str, state: State) -> None:
    shown(tab, filled, path, state)
    main = tab.get_by_test_id("stMain")
    expect(badge(main, state)).to_be_visible()
    if state in SENTENCES:
        expect(main.get_by_text(SENTENCES[state]).first).to_be_visible()
    button = main.get_by_role("button", name=re.compile("^(Cancel|Resume)$"))
    expect(button).to_have_count(0 if state is State.FINISHED else 1)
    if state is not State.FINISHED:
        expect(button).to_have_text(re.compile("Resume$" if state in STOPPED else "Cancel$"))
        expect(button).to_be_enabled()
    expect(main.get_by_text(states.REASON)).to_have_count(int(state is State.FAILED))
    if state in STOPPED:
        expect(main.get_by_text(f"{states.COVERED + 2} of {states.TOTAL} test conditions done").first).to_be_visible()
    if state is State.RUNNING:
        expect(main.get_by_text(re.compile(f"[0-9]+ of {states.TOTAL} test conditions done")).first).to_be_visible()
        expect(main.get_by_text(re.compile(r"^~ \d+ (s|min)$|~ \d+ (s|min) left")).first).to_be_visible()
    if state is not State.WAITING:
        expect(found(main, path)).to_be_visible()


def found(main: Locator, path: str) -> Locator:
    """Something on this page that a campaign found, whatever became of its worker."""
    if path == "examples":
        return main.get_by_role("img").first
    if path == "distances":
        return main.locator(".js-plotly-plot .main-svg").first
    if path == "gaps":
        return main.get_by_test_id("stMetric").filter(has_text=re.compile(r"Covered.*[1-9][\d.]* %", re.S)).first
    return main.get_by_text(re.compile(r"^[1-9]\d* of \d+ sampled conditions .* ha(ve|s) a replayable witness")).first


@pytest.mark.parametrize("state", MEASURED, ids=lambda state: state.value)
def test_a_measurement(filled: App, tab: Page, state: State) -> None:
    shown(tab, filled, "measure", state)
    main = tab.get_by_test_id("stMain")
    expect(badge(main, state)).to_be_visible()
    if state in MEASURE_AGAIN:
        expect(main.get_by_text(MEASURE_AGAIN[state]).first).to_be_visible()
    button = "Cancel" if state is State.RUNNING else "Close"
    expect(main.get_by_role("button", name=button, exact=True)).to_be_enabled()
    expect(main.get_by_text(states.REASON)).to_have_count(int(state is State.FAILED))
    if state is State.RUNNING:
        expect(main.get_by_text(re.compile(r"[\d.]+ % of all work · .* so far · ~ .* left"))).to_be_visible()
    if state is State.FINISHED:
        expect(main.get_by_text("5,000 inputs").first).to_be_visible()


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.value)
def test_compare(filled: App, tab: Page, state: State) -> None:
    shown(tab, filled, "compare", state)
    main = tab.get_by_test_id("stMain")
    expect(main.get_by_role("link", name="Open on Run")).to_have_count(int(state is not State.FINISHED))
    if state is not State.FINISHED:
        expect(badge(main, state)).to_be_visible()
    if state in SENTENCES:
        expect(main.get_by_text(SENTENCES[state])).to_be_visible()
    expect(main.get_by_text(states.REASON)).to_have_count(int(state is State.FAILED))
    expect(main.locator(".js-plotly-plot .main-svg").first).to_be_visible()


def test_the_overview_has_all_states(filled: App, tab: Page) -> None:
    shown(tab, filled, "")
    for kind, page, made in (("campaign", "run", STATES), ("measurement", "measure", MEASURED)):
        for state in made:
            link = tab.locator(f"a[href*='{page}?{kind}={state.value}']")
            card = tab.get_by_test_id("stGridCell").filter(has=link)
            expect(badge(card, state)).to_be_visible()
