"""Files whose every text is an attack: pages show it as it is, and it neither styles, leads nor loads anything."""

from __future__ import annotations

import dataclasses
import json
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Request

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.records import Attempt, Outcome, State, TargetResult
from tests.browser.conftest import App, visit
from tests.builders import campaign, card, say
from tests.suites.made import baseline, covering, save

pytestmark = pytest.mark.browser

TEXT = (
    "<img src=https://evil.example/i.png> ![i](https://evil.example/i.png) [l](https://evil.example/l)"
    " https://evil.example/x www.evil.example a@evil.example **b** ~~s~~ `c` :red[r] $x$ :material/home: :streamlit:"
    " &lt;"
)
"""What Markdown would make of it: pictures, links, styles, a formula, an icon."""
ID, OTHER = (f"2026112{n}-100000 **b** www.evil.example a@evil.example _i_ $x$" for n in (7, 8))
"""Names of files, in which no slash can be."""
MADE_OF_IT = """() => {
    const leads = [...document.querySelectorAll('a')].filter((e) => !e.href.startsWith(location.origin))
    const shows = [...document.querySelectorAll('img')].filter((e) => !/^(data:|blob:)/.test(e.src)
        && new URL(e.src).origin !== location.origin)
    const styled = [...document.querySelectorAll('strong, em, del, code, .katex')]
        .filter((e) => ['b', 's', 'c', 'i', 'x'].includes(e.textContent.trim()))
    const within = [...document.querySelectorAll('[data-testid=stMarkdownContainer] img')]
    return [...leads, ...shows, ...styled, ...within].map((e) => e.parentElement.outerHTML.slice(0, 300))
}"""
"""Links and pictures that lead to another server, and what is styled, or a picture of Streamlit's own."""
WORDS = "() => document.body.textContent.replace(/\\s+/g, ' ')"


@pytest.fixture(scope="module")
def hostile(app: App) -> App:
    """An app whose folder has a campaign and a measurement full of it."""
    network = card()
    layers = tuple(dataclasses.replace(layer, name=TEXT) for layer in network.layers)
    network = dataclasses.replace(network, name=TEXT, dataset=TEXT, layers=layers, classes=(TEXT,) * 10)
    folder = app.home / "campaigns"
    for name, state in ((ID, State.FAILED), (OTHER, State.RUNNING)):
        path = folder / f"{name}.dnncov"
        spec = CampaignSpec(TEXT, TEXT)
        store = campaign(path, spec=spec, network=network, exhausted=4, state=state, message=TEXT)
        targets = store.targets.all()
        failed = Attempt(7, Outcome.ERROR, 0.1, message=TEXT)
        store.record([TargetResult(targets[7], Outcome.ERROR, (failed,), None, 0.1)])
        say(store, [targets[8].ordinal], TEXT, TEXT, TEXT)
        store.close()
        path.with_suffix(".note").write_text(json.dumps({"name": TEXT, "text": TEXT}))
    save(
        app.home / "measurements" / f"{ID}.json", covering("ss", (1, 2, 3), TEXT), baseline("n", (1, 2, 3)), suite=TEXT
    )
    return app


ADDRESSES = {
    "": TEXT,
    f"run?campaign={ID}": TEXT,
    f"measure?measurement={ID}": TEXT,
    f"gaps?campaign={ID}": TEXT,
    f"compare?campaigns={ID},{OTHER}": TEXT,
    f"examples?campaign={TEXT}": TEXT[:80],
}
"""Pages, and what is read there."""


@pytest.mark.parametrize("address", ADDRESSES)
def test_text_from_files_is_shown_as_it_is(hostile: App, tab: Page, address: str) -> None:
    asked: list[str] = []

    def hear(request: Request) -> None:
        asked.append(request.url)

    tab.on("request", hear)
    visit(tab, hostile, address.replace("&", "%26").replace("#", "%23"))
    tab.remove_listener("request", hear)
    assert tab.evaluate(MADE_OF_IT) == []
    assert ADDRESSES[address] in tab.evaluate(WORDS)
    assert {urlsplit(url).hostname for url in asked} <= {"localhost", None}
