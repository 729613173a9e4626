"""Hostile files dropped into the page Bring of a running app, by a browser.

    python -m tests.hostile.browser_uploads --files 300 [--first 0] [--processes 2]

The first files are one of each kind of `upload_kinds`, then come those of `uploads`. After each the page has to say one
line, or what it found; nothing may be left in the folder in which the app runs, no code may have run, and the process
of the check has to be gone five seconds later. At the end the app's own words must hold no traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import socket
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Error, FilePayload, Page, sync_playwright

from dnncov_core.brought import drafts
from tests.browser import conftest
from tests.browser.conftest import App
from tests.hostile import networks, onnx_files, uploads
from tests.hostile.trials import CANARY, _mebibytes
from tests.hostile.upload_kinds import KINDS
from tests.hostile.uploads import MEBIBYTES, NAMES, ONE_LINE, SECONDS

FOUND = re.compile(r"4 · Names, and a start|None of .+ to read the data helps")
PARTS = ("app.py", "pages", "assets")
ALLOWED = {".streamlit", "evil_module.py", *PARTS}
"""What lies in the folder in which the app runs: the last is one that attacks want to be imported."""
ERROR = "[data-testid=stAlertContentError]"
LARGEST = 45 * 2**20
"""Bytes that Playwright hands over under any name; a larger file keeps its own."""


@dataclass(frozen=True)
class File:
    """What is dropped: what is wrong with it, its name and content, what it is, and what it is dropped beside."""

    words: str
    name: str
    content: bytes
    kind: str
    other: str
    weights_of: str


@dataclass(frozen=True)
class Outcome:
    """How it ended, what is wrong with that, what the page said, seconds, and the memory of the check's process."""

    ended: str
    fault: str
    said: str
    seconds: float
    mebibytes: float


def file_of(number: int) -> File:
    """Hostile file ``number``."""
    rng = random.Random(number)
    with tempfile.TemporaryDirectory() as folder:
        made = uploads.case_of(number, Path(folder))
        kind = "data" if isinstance(made.network, str) else "network"
        path, other = (made.data, made.network) if kind == "data" else (made.network, made.data)
        # of two files only the network is hostile: whatever it is, the embedded digits are data for it
        other = other if isinstance(other, str) else "mnist"
        content = path.read_bytes() if isinstance(path, Path) else b""
        suffix = path.suffix if isinstance(path, Path) else ".npz"
    stem = f"{made.weights_of}-w" if made.weights_of else rng.choice(("mine", "mine", *NAMES))
    name = made.name or stem.replace("\0", "?") + suffix
    return File(made.words, name, content, kind, other, made.weights_of)


def dropped(page: Page, app: App, file: File) -> Outcome:
    """Drops a file beside what is here already, and waits until the page has said what it thinks of it."""
    begun, peak = time.monotonic(), 0.0
    draft_id = drafts.new_draft()
    drafts.choose(draft_id, "network" if file.kind == "data" else "data", drafts.Part(file.other))
    page.goto(f"{app.url}/bring?draft={draft_id}")
    conftest.settle(page)
    region = page.get_by_role("region", name=f"Drop your {file.kind}")
    with _given(file) as given:
        region.locator("input[type=file]").set_input_files(given)
        if file.weights_of:
            page.get_by_role("button", name="Take these weights").click()
        ended, said = "hang", ""
        while time.monotonic() - begun < SECONDS:
            peak = max([peak, *map(_mebibytes, _checks(draft_id))])
            ended, said = _said(page)
            if ended:
                break
            time.sleep(0.1)
    seconds = time.monotonic() - begun
    with suppress(Error):
        page.get_by_role("button", name="Only put them into the menus").click(timeout=300)
        ended = "taken"
        page.get_by_text("In the menus of Run and Measure:").or_(page.locator(ERROR)).first.wait_for()
    drafts.remove(draft_id)
    wrong = {
        "hang": ended in ("hang", ""),
        "traceback on the page": page.get_by_test_id("stException").count() > 0,
        "not one line": bool(said) and (ONE_LINE.fullmatch(said) is None or "Traceback" in said),
        "names a folder": "brought/drafts" in said or str(app.home) in said,
        "memory": peak > MEBIBYTES,
        "process left": _is_there(draft_id, 5.0),
    }
    fault = ", ".join(each for each, holds in wrong.items() if holds)
    return Outcome(ended, fault, said, seconds, peak)


@contextmanager
def _given(file: File) -> Iterator[FilePayload | Path]:
    """A file as Playwright takes it; a large one lies on the disk, with a name that it can have there."""
    if len(file.content) <= LARGEST:
        yield {"name": file.name, "mimeType": "application/octet-stream", "buffer": file.content}
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"large{Path(file.name).suffix}"
        path.write_bytes(file.content)
        yield path


def _said(page: Page) -> tuple[str, str]:
    """How it ended, empty while it goes on, and the error if there is one."""
    with suppress(Error):
        if page.get_by_text("files are not allowed").count():
            return "refused by the browser", ""
        errors = page.locator(ERROR)
        if errors.count():
            return "refused", errors.first.inner_text().strip().removeprefix("error").strip()
        if page.get_by_test_id("stException").count():
            return "raised", ""
        if FOUND.search(page.get_by_test_id("stMain").inner_text()):
            return "checked", ""
    return "", ""


def _checks(draft_id: str) -> list[int]:
    """The processes that check a draft."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if draft_id.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def _is_there(draft_id: str, seconds: float) -> bool:
    """Whether such a process is still there after so many seconds."""
    end = time.monotonic() + seconds
    while there := bool(_checks(draft_id)):
        if time.monotonic() > end:
            break
        time.sleep(0.1)
    return there


def closed_amid(app: App, cut: Callable[[str, bytes], None]) -> list[str]:
    """What lies in the user's folder after an upload that ended in its middle; nothing may."""
    before = _files(app.home)
    cut(app.url, b"x" * 2**24)
    time.sleep(2)
    return sorted(_files(app.home) - before)


def _files(home: Path) -> set[str]:
    return {str(path) for path in home.rglob("*") if path.is_file()}


def by_browser(url: str, content: bytes) -> None:
    """Closes the browser as soon as the file is on its way."""
    with _browser() as page, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.npz"
        path.write_bytes(content * 20)
        page.goto(f"{url}/bring")
        conftest.settle(page)
        with page.expect_request("**/_stcore/upload_file/**"):
            page.get_by_role("region", name="Drop your data").locator("input[type=file]").set_input_files(path)


def by_socket(url: str, content: bytes) -> None:
    """Posts half of a file to where the browser posts it, and hangs up."""
    with _browser() as page:
        page.goto(f"{url}/bring")
        conftest.settle(page)
        with page.expect_request("**/_stcore/upload_file/**") as asked:
            page.get_by_role("region", name="Drop your data").locator("input[type=file]").set_input_files(
                {"name": "a.npz", "mimeType": "application/zip", "buffer": b""}
            )
        place, headers = urlsplit(asked.value.url), asked.value.all_headers()
        body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="half.npz"\r\n\r\n' + content
        cookie = headers.get("cookie", "")
        said = (
            f"PUT {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: multipart/form-data; boundary=b\r\n"
            f"Cookie: {cookie}\r\nX-Xsrftoken: {headers.get('x-xsrftoken', '')}\r\n"
            f"Content-Length: {2 * len(body)}\r\n\r\n"
        )
        with socket.create_connection((place.hostname or "", place.port or 80)) as connection:
            connection.sendall(said.encode() + body)


@contextmanager
def _browser() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=conftest.chromium(), args=conftest.CHROMIUM_ARGUMENTS, timeout=90_000
        )
        yield browser.new_page(viewport=conftest.VIEWPORT)
        browser.close()


@contextmanager
def running(base: Path) -> Iterator[tuple[App, Path]]:
    """An app that runs in a folder of its own, and the file with what it says."""
    folder, log = base / "run", base / "app.log"
    shutil.copytree(conftest.ROOT / ".streamlit", folder / ".streamlit")
    for part in PARTS:
        (folder / part).symlink_to(conftest.ROOT / part)
    (base / "tmp").mkdir()
    os.environ.update(DNNCOV_HOME=str(base / "home"), TMPDIR=str(base / "tmp"), PYTHONPATH=str(conftest.ROOT))
    saved = os.dup(2)
    with log.open("wb") as file:
        os.dup2(file.fileno(), 2)
        try:
            app = conftest.start_app(base / "home", folder)
        finally:
            os.dup2(saved, 2)
    try:
        yield app, log
    finally:
        conftest.stop_app(app)


def _drop_all(app: App, numbers: range) -> list[Outcome]:
    outcomes = []
    with _browser() as page:
        for number in numbers:
            file = file_of(number)
            try:
                outcome = dropped(page, app, file)
            except Error as error:
                outcome = Outcome("raised", f"the browser: {str(error)[:200]}", "", 0.0, 0.0)
            outcomes.append(outcome)
            words = f"{number}: {file.words}, {file.name[:40]!a}, {len(file.content):,} bytes: {outcome.ended}"
            print(f"{words}, {outcome.seconds:.1f} s, {outcome.mebibytes:.0f} MiB; {outcome.said[:300]}", flush=True)
            if outcome.fault:
                print(f"FAULT {number}: {outcome.fault}", flush=True)
    return outcomes


def main() -> int:
    """Prints each file as it comes, then a line that sums up; 1 if there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.browser_uploads", description=__doc__)
    parser.add_argument("--files", type=int, default=len(KINDS))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    networks.whole(), onnx_files.whole()
    last = options.first + options.files
    shares = [range(options.first + place, last, options.processes) for place in range(options.processes)]
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        with running(base) as (app, log), contextlib.chdir(base / "run"):
            with ThreadPoolExecutor(options.processes) as threads:
                outcomes = [
                    each for share in threads.map(lambda share: _drop_all(app, share), shares) for each in share
                ]
            tracebacks = log.read_text(errors="replace").count("Traceback")
            half = {cut.__name__: closed_amid(app, cut) for cut in (by_socket, by_browser)}
            server = _mebibytes(app.process.pid)
        said = log.read_text(errors="replace")
        outside = [str(path) for path in (base / "run").rglob("*") if not ALLOWED & {*path.parts}]
        outside += [str(path) for path in (Path("/tmp/out.png"), base / "out.png", base / CANARY) if path.exists()]
        temporary = sorted({path.name for path in (base / "tmp").iterdir()})
        left = [str(path) for path in (base / "home" / "brought" / "drafts").rglob("*") if path.is_file()]
    ended = ", ".join(f"{how}: {n}" for how, n in sorted(Counter(each.ended for each in outcomes).items()))
    faults = sum(bool(each.fault) for each in outcomes) + len(outside) + tracebacks + sum(map(len, half.values()))
    longest, most = max(each.seconds for each in outcomes), max(each.mebibytes for each in outcomes)
    print(
        f"browser uploads: {len(outcomes)} files; {ended}; faults {faults}; tracebacks in the log {tracebacks}, after"
        f" uploads that were cut off {said.count('Traceback')}; files outside {outside}; drafts left {left}; of uploads"
        f" cut off {half}; temporary {temporary}; longest {longest:.1f} s, most memory of a check {most:,.0f} MiB, of"
        f" the server at the end {server:,.0f} MiB"
    )
    if tracebacks:
        print(said[:6000])
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())
