"""Each click makes one entry in the browser's history, and Back returns to what was shown before the click."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from dnncov_core.records import State
from tests import builders, runs
from tests.browser import states
from tests.browser.conftest import App, settle, visit
from tests.browser.test_app import middle, select_rows
from tests.browser.test_explore import click

pytestmark = pytest.mark.browser

Step = tuple[Callable[[Page], None], str]
"""What a visitor does, and the address after it; a star stands for an id that is made then."""


@pytest.fixture(scope="module")
def made(app: App) -> Iterator[App]:
    folder = app.home / "campaigns"
    folder.mkdir(parents=True, exist_ok=True)
    network = builders.card(hidden=(20, 20, 20))
    builders.campaign(folder / "made.dnncov", found=150, exhausted=3, adversarial=60, network=network).close()
    runs.finished(folder / "toy.dnncov", runs.toy_spec())
    states.measurement(app.home, State.FINISHED)
    return app


def link(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("link", name=re.compile(name)).first.click()


def option(menu: str, name: str) -> Callable[[Page], None]:
    def choose(page: Page) -> None:
        page.get_by_role("combobox", name=re.compile(menu)).first.click()
        page.get_by_role("option", name=re.compile(name)).first.click()

    return choose


def one_more(menu: str, name: str) -> Callable[[Page], None]:
    """Chooses an option of a menu that takes several, and closes it."""

    def choose(page: Page) -> None:
        option(menu, name)(page)
        page.keyboard.press("Escape")

    return choose


def find(words: str) -> Callable[[Page], None]:
    def type_in(page: Page) -> None:
        field = page.get_by_role("textbox", name="Find")
        field.fill(words)
        field.press("Enter")

    return type_in


def radio(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("radio", name=name).first.click()


def number(label: str, value: str) -> Callable[[Page], None]:
    def type_in(page: Page) -> None:
        field = page.get_by_role("spinbutton", name=re.compile(label)).first
        field.fill(value)
        field.press("Enter")

    return type_in


def button(name: str) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("button", name=re.compile(f"{name}$")).first.click()


def entry(kind: str, entry_id: str) -> Callable[[Page], None]:
    return lambda page: page.locator(f"a[href*='{kind}={entry_id}']:visible").first.click()


def go_to_gaps(page: Page) -> None:
    """Opens what Help says of the page Gaps, and goes there."""
    page.get_by_test_id("stExpander").get_by_text("Gaps", exact=True).click()
    page.get_by_role("link", name="Go to Gaps").click()


def walk(page: Page, app: App, start: str, *steps: Step) -> None:
    """Goes the steps, each of which must make one entry, and all the way back."""
    visit(page, app, start[1:])
    entries, addresses = length(page), [f"{app.url}{start}"]
    for do, address in steps:
        do(page)
        page.wait_for_url(f"{app.url}{address}")
        settle(page)
        addresses.append(page.url)
        assert length(page) == entries + len(addresses) - 1, address
    for address in reversed(addresses[:-1]):
        page.go_back()
        page.wait_for_url(address)
        settle(page)
        assert page.url == address
        expect(page.get_by_role("heading", level=1)).to_have_text(heading(address.removeprefix(app.url)))


def length(page: Page) -> int:
    """How many entries the browser's history has."""
    entries: int = page.evaluate("history.length")
    return entries


def heading(address: str) -> str:
    """The title of the page at an address."""
    room = re.split("[/?]", address)[1].capitalize() or "Overview"
    return "Bring your own" if room == "Bring" else room


def test_from_a_bar_to_a_pair_and_its_condition(made: App, tab: Page) -> None:
    gallery = "layers=3-4&only=adversarial"
    walk(
        tab,
        made,
        "/layers?campaign=made",
        (lambda page: click(page, "adversarial", ".bars .point path", 1), f"/examples?campaign=made&{gallery}"),
        (link("Open pair 400$"), f"/examples?campaign=made&pair=400&{gallery}"),
        (link("Next"), f"/examples?campaign=made&pair=401&{gallery}"),
        (link("Next"), f"/examples?campaign=made&pair=402&{gallery}"),
        (link("Its condition on Gaps"), "/gaps?campaign=made&condition=402"),
    )


def test_from_a_bar_to_the_matrix_and_the_pairs_of_its_layers(made: App, tab: Page) -> None:
    walk(
        tab,
        made,
        "/layers?campaign=made",
        (lambda page: click(page, "coverage", ".bars .point path", 1), "/gaps?campaign=made&condition=450"),
        (number("Ordinal", "405"), "/gaps?campaign=made&condition=405"),
        (link("Test pairs of layers 3 → 4"), "/examples?campaign=made&layers=3-4"),
    )


def test_filters_and_pages_of_the_gallery(made: App, tab: Page) -> None:
    walk(
        tab,
        made,
        "/examples?campaign=made",
        (
            lambda page: page.get_by_test_id("stPagination").get_by_role("button", name=re.compile("2")).click(),
            "/examples?campaign=made&page=2",
        ),
        (number("Neuron", "3"), "/examples?campaign=made&neuron=3"),
        (number("Seed", "0"), "/examples?campaign=made&seed=0&neuron=3"),
    )
    walk(
        tab,
        made,
        "/examples?campaign=made",
        (option("Layer pair", "2 → 3"), "/examples?campaign=made&layers=2-3"),
        (option("Order", "Farthest"), "/examples?campaign=made&layers=2-3&order=farthest"),
        (
            lambda page: page.get_by_text(re.compile("^Adversarial ·")).click(),
            "/examples?campaign=made&layers=2-3&only=adversarial&order=farthest",
        ),
        (option("^Campaign", "toy"), "/examples?campaign=toy&layers=2-3&only=adversarial&order=farthest"),
    )


def test_what_a_page_shows_of_its_campaign(made: App, tab: Page) -> None:
    """Filters, rows and axes, on pages whose figures and tables follow them."""
    walk(
        tab,
        made,
        "/gaps?campaign=made&condition=450",
        (option("Only layer pair", "2 → 3"), "/gaps?campaign=made&condition=450&list=2-3"),
        (link("Test pairs of layers 3 → 4"), "/examples?campaign=made&layers=3-4"),
    )
    walk(
        tab,
        made,
        "/distances?campaign=made",
        (radio("Log axis"), "/distances?campaign=made&axis=log"),
        (link("Open pair"), "/examples?campaign=made&pair=0&only=adversarial"),
    )


def test_what_the_overview_shows_of_all_entries(made: App, tab: Page) -> None:
    walk(
        tab,
        made,
        "/",
        (radio("Table"), "/?view=Table"),
        (find("toy"), "/?view=Table&find=toy"),
        (radio("Cards"), "/?find=toy"),
        (one_more("Criterion", "^N$"), "/?find=toy&criteria=N"),
        (button("Clear filters"), "/"),
        (one_more("State", "Finished"), "/?states=Finished"),
    )


def test_pages_of_the_menu(made: App, page: Page) -> None:
    walk(
        page,
        made,
        "/",
        (link("^Layers$"), "/layers?campaign=toy"),
        (link("^Gaps$"), "/gaps?campaign=toy&condition=9"),
        (link("^Playground$"), "/playground"),
        (link("^Run$"), "/run"),
        (entry("campaign", "made"), "/run?campaign=made"),
        (button("Close"), "/run"),
        (link("^Measure$"), "/measure"),
        (entry("measurement", "finished"), "/measure?measurement=finished"),
        (button("Close"), "/measure"),
        (link("^Help$"), "/help"),
        (go_to_gaps, "/gaps?campaign=made&condition=50"),
    )


def test_campaigns_to_compare_and_what_the_playground_shows(made: App, tab: Page) -> None:
    walk(
        tab,
        made,
        "/compare",
        (button("Choose the newest 2"), "/compare?campaigns=toy%2Cmade"),
        (radio("Log axis"), "/compare?campaigns=toy%2Cmade&axis=log"),
        (
            lambda page: page.get_by_role("button", name=re.compile("^Remove")).first.click(),
            "/compare?campaigns=made&axis=log",
        ),
        (one_more("Campaigns to compare", "^toy"), "/compare?campaigns=made%2Ctoy&axis=log"),
        (link("^Playground$"), "/playground"),
        (button("SV"), "/playground?example=sv"),
        (radio("VV"), "/playground?**criterion=vv**"),
    )


def test_back_to_the_first_view_of_gaps(made: App, tab: Page) -> None:
    visit(tab, made, "gaps?campaign=made")
    field = tab.get_by_role("spinbutton", name=re.compile("Ordinal")).first
    expect(field).to_have_value("50")
    number("Ordinal", "405")(tab)
    tab.wait_for_url("**&condition=405")
    tab.go_back()
    expect(field).to_have_value("50")


def test_every_way_to_a_condition_of_gaps(made: App, tab: Page) -> None:
    tab.set_viewport_size({"width": 1300, "height": 2400})
    walk(
        tab,
        made,
        "/gaps?campaign=made&condition=405",
        (lambda page: select_rows(page, 1), "/gaps?campaign=made&condition=450"),
        (lambda page: page.mouse.click(*middle(page, (2, 4))), "/gaps?campaign=made&condition=444"),
        (option("^Condition neuron", "^1$"), "/gaps?campaign=made&condition=420"),
        (option("^Decision neuron", "^2$"), "/gaps?campaign=made&condition=422"),
        (option("^Layer pair", "2 → 3"), "/gaps?campaign=made&condition=50"),
        (one_more("Only outcomes", "exhausted"), "/gaps?campaign=made&condition=50&outcomes=exhausted"),
    )


def test_what_one_brings(made: App, tab: Page) -> None:
    """What is chosen there makes no entries: Back leaves the page, and Forward finds all of it again."""
    visit(tab, made, "help")
    link("^Bring$")(tab)
    tab.wait_for_url("**/bring")
    before = tab.evaluate("history.length")
    option("Or take a network", "^mnist-n1$")(tab)
    tab.wait_for_url("**/bring?draft=*")
    option("Or take data", "^toy$")(tab)
    expect(tab.get_by_role("button", name="Another file")).to_be_visible()
    assert tab.evaluate("history.length") == before
    tab.go_back()
    tab.wait_for_url("**/help")
    tab.go_forward()
    for chosen in ("mnist-n1", "toy"):
        expect(tab.get_by_test_id("stMain").get_by_text(chosen, exact=True).first).to_be_visible()
    button("Start over")(tab)
    tab.wait_for_url("**/bring")
    assert tab.evaluate("history.length") == before


def test_a_copy_of_the_example_is_shown_and_stays_when_the_page_changes(made: App, tab: Page) -> None:
    """This comes last: from here on the app has one campaign more."""
    walk(
        tab,
        made,
        "/layers?campaign=example-digits",
        (button("Work on a copy"), "/layers?campaign=2*"),
        (link("^Distances$"), "/distances?campaign=2*"),
    )
