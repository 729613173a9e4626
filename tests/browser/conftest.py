"""A running app and a headless Chromium for tests that do what a visitor does."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, ViewportSize, expect, sync_playwright

ROOT = Path(__file__).parents[2]
PATIENCE = 120_000
"""Milliseconds for what a page does by itself; a busy machine draws a first page in more than twenty seconds."""
WORKED = 200_000
"""Milliseconds that what a worker does may take on a busy machine."""
expect.set_options(timeout=PATIENCE)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("dark", "light")
VIEWPORT = ViewportSize(width=1300, height=1000)
CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass(frozen=True)
class App:
    """A server of its own, with its own folder of campaigns."""

    url: str
    home: Path
    process: subprocess.Popen[bytes]


def chromium() -> str:
    """The browser's path; without one the test is skipped, but in CI it fails."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")  # the first draws no window
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("expected Chromium in CI; got none; install Debian's package chromium")
        pytest.skip("no Chromium on this machine; install the package chromium-headless-shell to run the browser tests")
    return path


def start_app(home: Path, root: Path = ROOT, *, options: Sequence[str] = (), **environment: str) -> App:
    """Starts `streamlit run app.py` in ``root`` as the README does, on a free port; campaigns go to ``home``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    command += options
    process = subprocess.Popen(
        command, cwd=root, env={**os.environ, "DNNCOV_HOME": str(home), **environment}, stdout=subprocess.DEVNULL
    )
    app = App(f"http://localhost:{port}", home, process)
    deadline = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{app.url}/_stcore/health", timeout=1):
                return app
        except OSError:
            time.sleep(0.1)
    process.kill()
    raise TimeoutError(f"the app did not answer within {PATIENCE / 1000:.0f} s")


def stop_app(app: App) -> None:
    """Stops the server and waits for it."""
    app.process.terminate()
    app.process.wait(PATIENCE / 1000)


def faults(page: Page) -> list[str]:
    """What goes wrong in the browser from now on: errors of scripts, and what the console calls an error.

    Streamlit asks for its own files beside a page's address first, and then at the root; that is no fault.
    """
    found: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error" and "/_stcore/" not in message.location["url"]:
            found.append(message.text)

    page.on("console", heard)
    page.on("pageerror", lambda error: found.append(str(error)))
    return found


def visit(page: Page, app: App, address: str) -> None:
    """Opens an address; within the app as the browser's own buttons do, without loading everything again."""
    if page.url.startswith(app.url):
        page.evaluate(GO, f"/{address}")
    else:
        page.goto(f"{app.url}/{address}")
    settle(page)


def settle(page: Page) -> None:
    """Waits until the page is drawn, its script has run to its end, and nothing has changed for a while.

    A second run may follow the first, once the browser has said its theme and address. A page that follows a worker
    changes all the time: after a few seconds it is enough that no script runs.
    """
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.evaluate(QUIET)


def in_both_schemes(page: Page) -> Iterator[str]:
    """Shows what is open as it is, light or dark, and then the other way."""
    schemes = SCHEMES if page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") else SCHEMES[::-1]
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        settle(page)
        shade = page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
        lightness = sum(int(n) for n in re.findall(r"\d+", shade)[:3]) / 3
        assert (lightness > 128) == (scheme == "light")
        yield scheme


AT_REST = """addEventListener('DOMContentLoaded', () => {
    const style = document.createElement('style')
    style.textContent = '*, ::before, ::after { animation: none !important; transition: none !important }'
    document.head.append(style)
})"""
"""Nothing moves while a page waits for the server: each picture of a movement is drawn by the processor here."""
GO = """(address) => new Promise((resolve) => {
    const app = document.querySelector('[data-testid=stApp]')
    const observer = new MutationObserver(() => { observer.disconnect(); resolve() })
    observer.observe(app, {attributeFilter: ['data-test-script-state']})
    History.prototype.pushState.call(history, {}, '', address)
    dispatchEvent(new PopStateEvent('popstate'))
    setTimeout(resolve, 5000)
})"""
"""Makes a new entry in the browser's history, and resolves when the page's script has begun to run.

A run may be too short to be seen, so it resolves after 5 s at the latest.
"""
QUIET = """() => new Promise((resolve) => {
    const app = document.querySelector('[data-testid=stApp]')
    const ready = () => app.dataset.testScriptState === 'notRunning'
    const still = () => ready() && !document.querySelector('[data-testid=stSkeleton]')
    let timer
    const wait = () => { clearTimeout(timer); timer = setTimeout(() => still() ? end() : wait(), 400) }
    const observer = new MutationObserver(wait)
    const end = () => { observer.disconnect(); clearTimeout(timer); resolve() }
    observer.observe(document.body, {subtree: true, childList: true, attributes: true, characterData: true})
    wait()
    const enough = () => still() ? end() : setTimeout(enough, 50)
    setTimeout(enough, 3000)
    setTimeout(end, 30000)
})"""
"""Resolves when nothing on the page has changed for 400 ms and its script is not running; after 3 s, when it is not.

After 30 s it resolves in any case, and what is expected of the page says what is wrong.
"""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """One server for all modules of this process: it has loaded PyTorch, and the browser knows its files."""
    running = start_app(tmp_path_factory.mktemp("home"))
    yield running
    stop_app(running)


@pytest.fixture(scope="module")
def app(server: App, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app that nobody has used yet; what a module's tests leave is moved away for the next module."""
    yield server
    used = tmp_path_factory.mktemp("used")
    for each in server.home.iterdir():
        each.rename(used / each.name)


@pytest.fixture(scope="session")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """The browser's profile: one that has seen the app before shows its pages sooner.

    What a visitor has chosen is in the tab's session, and in no profile. Pages move at once where they may. An
    empty tab keeps the window open: with each new window Chromium loads pages of its own, those of its address bar.
    """
    opened = browser.new_context(viewport=VIEWPORT, reduced_motion="reduce")
    opened.set_default_timeout(PATIENCE)
    opened.add_init_script(AT_REST)
    opened.new_page()
    yield opened
    opened.close()


@pytest.fixture
def context(profile: BrowserContext) -> Iterator[BrowserContext]:
    """The profile, for tests with several tabs, which are closed at the end."""
    others = list(profile.pages)
    yield profile
    for page in profile.pages:
        if page not in others:
            page.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A new tab."""
    return context.new_page()


@pytest.fixture(scope="module")
def tab(profile: BrowserContext) -> Iterator[Page]:
    """A tab of a module's own, for tests that only look."""
    opened = profile.new_page()
    yield opened
    opened.close()
