"""How long each page takes in a browser, with a campaign of 100,000 test pairs and three of a tenth of that.

python -m tests.benchmarks.pages [--pairs N] [--rounds N] [--starts N] [--keep FOLDER] [--against FOLDER]

The campaigns' files are written without a search: random inputs, distances and verdicts. A page is ready when its last
figure, picture or table stands and Streamlit's sign that it is running is gone. The first visit is that of a server and
a browser that have just started. "Streamlit alone" is a page with a title, "Empty home" the Overview before there is
anything. With ``--against`` another working copy of this repository is measured too, and visits take turns.

Seconds on the clock depend on what else a machine does; those of processors, of the server's process and of the
browser's thread that runs the page, hardly do.
"""

from __future__ import annotations

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np
import torch
from playwright.sync_api import Browser, WebSocket, sync_playwright
from torch import nn

from dnncov_core import Network
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.features import FeaturePairs
from dnncov_core.records import Attempt, Outcome, SeedReport, State, Target, TargetResult, TestPair
from dnncov_core.resources import versions
from tests.browser.conftest import CHROMIUM_ARGUMENTS, ROOT, App, chromium, start_app, stop_app

SIZES = (784, 200, 250, 200, 10)
CAMPAIGN = "20260101-000000-large0"
OTHERS = tuple(f"20260101-00000{place}-small{place}" for place in (1, 2, 3))
BARE = "import streamlit as st\nst.title('Nothing else')\n"
APART = "import sys\nsys.path[:] = [place for place in sys.path if place != {!r}]\n"
"""What keeps this working copy, where it is installed, out of servers of another one: a folder of the other that is no
package, without ``__init__.py``, would give way to the one of the same name here."""


@dataclass(frozen=True)
class Visited:
    """A page: its address, and whether it is that of an app without campaigns, or of no app of ours at all."""

    address: str
    home: str = "full"


PAGES: Mapping[str, Visited] = {
    "Streamlit alone": Visited("/", "bare"),
    "Empty home": Visited("/", "empty"),
    "Overview": Visited("/"),
    "Run": Visited(f"/run?campaign={CAMPAIGN}"),
    "Measure": Visited("/measure"),
    "Layers": Visited(f"/layers?campaign={CAMPAIGN}"),
    "Distances": Visited(f"/distances?campaign={CAMPAIGN}"),
    "Examples": Visited(f"/examples?campaign={CAMPAIGN}"),
    "Gaps": Visited(f"/gaps?campaign={CAMPAIGN}"),
    "Compare, one": Visited(f"/compare?campaigns={CAMPAIGN}"),
    "Compare, four": Visited(f"/compare?campaigns={','.join((CAMPAIGN, *OTHERS))}"),
    "Playground": Visited("/playground"),
}
MENU = ("Overview", "Run", "Distances", "Examples", "Gaps", "Layers", "Playground", "Measure")
READY = """() => {
    const main = document.querySelector('[data-testid="stMain"]');
    const app = document.querySelector('[data-testid="stApp"]');
    return main && app.dataset.testScriptState === "notRunning" && !main.querySelector('[data-testid="stSkeleton"]')
        && main.querySelectorAll('h1').length > 0
        && [...main.querySelectorAll('[data-testid="stPlotlyChart"]')].every((each) => each.querySelector('svg'));
}"""

HEADED = "name => document.querySelector('[data-testid=\"stMain\"] h1')?.textContent.trim() === name"


def network() -> Network:
    """A network with 102,000 feature pairs."""
    torch.manual_seed(0)
    parts: list[nn.Module] = [nn.Flatten()]
    for before, after in itertools.pairwise(SIZES):
        parts += [nn.Linear(before, after), nn.ReLU()]
    return Network(nn.Sequential(*parts[:-1]), (1, 28, 28))


def write(path: Path, n: int) -> None:
    """A finished campaign of n test conditions, of which nine in ten are covered."""
    built = network()
    pairs = FeaturePairs(built.layers, built.edges)
    spec = CampaignSpec(network="tests.benchmarks.pages:network", data="mnist", criterion="ss", generator="lp")
    targets = [pairs[i].target(i) for i in range(min(n, len(pairs)))]
    path.parent.mkdir(parents=True, exist_ok=True)
    with CampaignStore.create(path, spec, versions()) as store:
        store.prepare(spec, built.card("wide"), "0" * 64, SeedReport(np.arange(4959), 5000, 41), targets)
        store.worker.claim()
        for start in range(0, len(targets), 2000):
            store.record(list(_results(targets[start : start + 2000], start)))
        store.worker.leave(State.FINISHED)


def _results(targets: list[Target], seed: int) -> Iterator[TargetResult]:
    rng = np.random.default_rng(seed)
    x1 = rng.integers(0, 256, (1, 28, 28)) / 255.0
    for target in targets:
        found, size = rng.random() < 0.9, float(rng.lognormal(-5, 1))
        attempt = Attempt(int(rng.integers(4959)), Outcome.FOUND if found else Outcome.INFEASIBLE_HERE, 0.01)
        outcome = Outcome.FOUND if found else Outcome.EXHAUSTED
        pair = TestPair(
            *(target, attempt.seed, x1, (x1 + size).clip(0, 1), 3, int(rng.integers(10)), 0.9, 0.8),
            *(size, 3 * size, 9 * size, size, bool(rng.random() < 0.1), True, bool(rng.random() < 0.3), 1e-4),
        )
        yield TargetResult(target, outcome, (attempt,), pair if found else None, 0.01)


@dataclass(frozen=True)
class Visit:
    """What one visit took in seconds, by the clock and of processors, and what the browser got."""

    clock: float
    server: float
    browser: float
    received: int
    elements: int


@dataclass
class Times:
    """Visits of a page in one working copy: the first of each server, and later ones."""

    first: list[Visit] = field(default_factory=list)
    then: list[Visit] = field(default_factory=list)


class Visitor:
    """A browser's page that goes to addresses of one server."""

    def __init__(self, browser: Browser, app: App) -> None:
        context = browser.new_context(viewport={"width": 1300, "height": 1000})
        self._page, self._app, self._received = context.new_page(), app, 0
        self._page.on("websocket", self._listen)
        self._tools = context.new_cdp_session(self._page)
        self._tools.send("Performance.enable", {"timeDomain": "threadTicks"})

    def _listen(self, socket: WebSocket) -> None:
        def add(payload: str | bytes) -> None:
            self._received += len(payload)

        socket.on("framereceived", add)

    def visit(self, address: str) -> Visit:
        """Goes to an address and waits until the page is ready."""
        self._received, server, start = 0, self._server(), time.perf_counter()
        self._page.goto(self._app.url + address)
        self._page.wait_for_function(READY, timeout=120_000)
        clock = time.perf_counter() - start
        metrics = self._tools.send("Performance.getMetrics")["metrics"]  # they begin anew with each document
        (browser,) = (each["value"] for each in metrics if each["name"] == "TaskDuration")
        elements = self._page.evaluate("document.querySelectorAll('*').length")
        return Visit(clock, self._server() - server, browser, self._received, elements)

    def click(self, name: str) -> float:
        """Seconds by the clock from a click in the menu until the page of this name is ready."""
        start = time.perf_counter()
        self._page.get_by_role("link", name=name, exact=True).first.click()
        self._page.wait_for_function(HEADED, arg=name, timeout=120_000)
        self._page.wait_for_function(READY, timeout=120_000)
        return time.perf_counter() - start

    def _server(self) -> float:
        """Seconds that the server's process has used until now (Linux)."""
        fields = Path(f"/proc/{self._app.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def started(browser: Browser, root: Path, homes: Mapping[str, Path], home: str) -> Iterator[Visitor]:
    """A server of its own, and a visitor that has seen nothing yet."""
    code = os.pathsep.join(map(str, (root, homes[home].parent)))
    app = start_app(homes[home], root=homes["bare"] if home == "bare" else root, PYTHONPATH=code)
    try:
        yield Visitor(browser, app)
    finally:
        stop_app(app)


def measure(
    browser: Browser, copies: Sequence[tuple[Path, Mapping[str, Path]]], visited: Visited, asked: argparse.Namespace
) -> list[Times]:
    """A page in each working copy, which take turns."""
    found = [Times() for _ in copies]
    for start in range(asked.starts):
        with ExitStack() as stack:
            visitors = []
            for (root, homes), times in zip(copies, found, strict=True):
                visitors.append(stack.enter_context(started(browser, root, homes, visited.home)))
                times.first.append(visitors[-1].visit(visited.address))
            rounds = asked.rounds if start == asked.starts - 1 else 0
            for _, (visitor, times) in itertools.product(range(rounds), zip(visitors, found, strict=True)):
                times.then.append(visitor.visit(visited.address))
    return found


def homes_of(root: Path, folder: Path, n: int) -> dict[str, Path]:
    """The folders of a working copy: its files are its own, as another version cannot read them."""
    homes = {name: folder / name for name in ("full", "empty", "bare")}
    for home in homes.values():
        home.mkdir(parents=True, exist_ok=True)
    (homes["bare"] / "app.py").write_text(BARE)
    if root != ROOT:
        (folder / "sitecustomize.py").write_text(APART.format(str(ROOT)))
    for stem, pairs in ((CAMPAIGN, n), *((other, n // 10) for other in OTHERS)):
        path = homes["full"] / "campaigns" / f"{stem}.dnncov"
        if not path.exists():
            script = f"import pathlib, tests.benchmarks.pages as t; t.write(pathlib.Path({str(path)!r}), {pairs})"
            environment = {**os.environ, "PYTHONPATH": str(root)}
            subprocess.run([sys.executable, "-c", script], cwd=root, env=environment, check=True)
    return homes


def line(name: str, found: Sequence[Times]) -> str:
    """One page as a row: the clock of the first visit and of later ones, processors likewise, and what was sent.

    Of two working copies, each cell has the other one first; the last cell has the ratios on the clock.
    """
    cells = [
        "{:.2f}, {:.2f}".format(*(median(each.clock for each in visits) for visits in (t.first, t.then)))
        for t in reversed(found)
    ]
    processors = [
        "; ".join(
            f"{median(each.server for each in visits):.2f} + {median(each.browser for each in visits):.2f}"
            for visits in (t.first, t.then)
        )
        for t in reversed(found)
    ]
    sent = [f"{t.then[-1].received / 1000:,.0f} kB, {t.then[-1].elements:,}" for t in reversed(found)]
    row = [name, " → ".join(cells), " → ".join(processors), " → ".join(sent)]
    if len(found) == 2:
        pairs = [zip(getattr(found[0], kind), getattr(found[1], kind), strict=True) for kind in ("first", "then")]
        row.append(", ".join(f"{median(mine.clock / other.clock for mine, other in pair):.2f}" for pair in pairs))
    return f"| {' | '.join(row)} |"


def main() -> None:
    """Prints a line for each page: the first visit, and the median of the others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5, help="visits after the first")
    parser.add_argument("--starts", type=int, default=1, help="servers whose first visit is measured")
    parser.add_argument("--keep", type=Path, help="folder that keeps the campaigns for the next time")
    parser.add_argument("--against", type=Path, help="another working copy")
    parser.add_argument("--pages", nargs="+", choices=list(PAGES), default=list(PAGES))
    asked = parser.parse_args()
    keep = (asked.keep or Path(tempfile.mkdtemp())).resolve()
    roots = [ROOT, *([] if asked.against is None else [asked.against.resolve()])]
    copies = [
        (root, homes_of(root, keep / name, asked.pairs)) for root, name in zip(roots, ("this", "other"), strict=False)
    ]
    size = (copies[0][1]["full"] / "campaigns" / f"{CAMPAIGN}.dnncov").stat().st_size
    print(f"{asked.pairs:,} test conditions, {size / 1e6:.0f} MB")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGUMENTS)
        for name in asked.pages:
            print(line(name, measure(browser, copies, PAGES[name], asked)), flush=True)
        with started(browser, ROOT, copies[0][1], "full") as visitor:
            visitor.visit(PAGES["Layers"].address)
            turns = [{name: visitor.click(name) for name in MENU} for _ in range(1 + asked.rounds)]
        for name in MENU:
            first, *then = [turn[name] for turn in turns]
            print(f"by a click in the menu: {name} {first:.2f}, {median(then):.2f}", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
