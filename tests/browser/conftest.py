"""A running app and a headless Chromium for tests that do what a visitor does."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

ROOT = Path(__file__).parents[2]
expect.set_options(timeout=20_000)
"""Milliseconds; a busy machine draws a page in more than the usual five seconds."""
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
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("expected Chromium in CI; got none; install Debian's package chromium")
        pytest.skip("no Chromium on this machine; install the package chromium to run the browser tests")
    return path


def start_app(home: Path, root: Path = ROOT, **environment: str) -> App:
    """Starts `streamlit run app.py` in ``root`` as the README does, on a free port; campaigns go to ``home``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    process = subprocess.Popen(
        command, cwd=root, env={**os.environ, "DNNCOV_HOME": str(home), **environment}, stdout=subprocess.DEVNULL
    )
    app = App(f"http://localhost:{port}", home, process)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{app.url}/_stcore/health", timeout=1):
                return app
        except OSError:
            time.sleep(0.1)
    process.kill()
    raise TimeoutError("the app did not answer within 60 s")


def stop_app(app: App) -> None:
    """Stops the server and waits for it."""
    app.process.terminate()
    app.process.wait(30)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium()
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=CHROMIUM_ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def app(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    running = start_app(tmp_path_factory.mktemp("home"))
    yield running
    stop_app(running)


@pytest.fixture(scope="module")
def empty(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """An app that nobody has used yet."""
    running = start_app(tmp_path_factory.mktemp("empty"))
    yield running
    stop_app(running)


@pytest.fixture
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    scheme = getattr(request, "param", "light")
    opened = browser.new_context(color_scheme=scheme, viewport={"width": 1300, "height": 1000})
    opened.set_default_timeout(30_000)
    yield opened
    opened.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()
