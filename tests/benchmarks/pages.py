"""How long each page takes in a browser, with a campaign of 100,000 test pairs.

python -m tests.benchmarks.pages [--pairs N] [--rounds N] [--keep FOLDER]

The campaign's file is written without a search: random inputs, distances and verdicts. A page is ready when its last
figure, picture or table stands and Streamlit's sign that it is running is gone.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from playwright.sync_api import Page, sync_playwright
from torch import nn

from dnncov_core import Network
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.campaign.versions import versions
from dnncov_core.features import FeaturePairs
from dnncov_core.records import Attempt, Outcome, SeedReport, State, Target, TargetResult, TestPair
from tests.browser.conftest import CHROMIUM_ARGUMENTS, chromium, start_app, stop_app

SIZES = (784, 200, 250, 200, 10)
CAMPAIGN = "20260101-000000-large0"
PAGES = {
    "Overview": "/",
    "Run": f"/run?campaign={CAMPAIGN}",
    "Layers": f"/layers?campaign={CAMPAIGN}",
    "Distances": f"/distances?campaign={CAMPAIGN}",
    "Examples": f"/examples?campaign={CAMPAIGN}",
    "Gaps": f"/gaps?campaign={CAMPAIGN}",
}
READY = """() => {
    const main = document.querySelector('[data-testid="stMain"]');
    const app = document.querySelector('[data-testid="stApp"]');
    return main && app.dataset.testScriptState === "notRunning" && !main.querySelector('[data-testid="stSkeleton"]')
        && main.querySelectorAll('h1').length > 0
        && [...main.querySelectorAll('[data-testid="stPlotlyChart"]')].every((each) => each.querySelector('svg'));
}"""


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
        store.claim()
        for start in range(0, len(targets), 2000):
            store.record(list(_results(targets[start : start + 2000], start)))
        store.leave(State.FINISHED)


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


def seconds(page: Page, url: str) -> float:
    """Until a page is ready."""
    start = time.perf_counter()
    page.goto(url)
    page.wait_for_function(READY, timeout=120_000)
    return time.perf_counter() - start


def main() -> None:
    """Prints a line for each page: the first visit, and the median of the others."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", type=Path, help="folder that keeps the campaign's file for the next time")
    asked = parser.parse_args()
    home = (asked.keep or Path(tempfile.mkdtemp())).resolve()
    file = home / "campaigns" / f"{CAMPAIGN}.dnncov"
    if not file.exists():
        write(file, asked.pairs)
    app = start_app(home)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGUMENTS)
            page = browser.new_page(viewport={"width": 1300, "height": 1000})
            print(f"{asked.pairs:,} test conditions, {file.stat().st_size / 1e6:.0f} MB")
            for name, address in PAGES.items():
                first, *others = [seconds(page, app.url + address) for _ in range(1 + asked.rounds)]
                print(f"{name:10} first {first:.2f} s, then {statistics.median(others):.2f} s", flush=True)
            browser.close()
    finally:
        stop_app(app)


if __name__ == "__main__":
    main()
