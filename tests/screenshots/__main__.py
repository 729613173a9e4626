"""python -m tests.screenshots [--only NAME ...] [--home FOLDER]."""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Iterable
from pathlib import Path

from PIL import Image
from playwright.sync_api import FloatRect, Page, sync_playwright

from tests.benchmarks.pages import READY
from tests.browser.conftest import CHROMIUM_ARGUMENTS, ROOT, chromium, start_app, stop_app
from tests.screenshots.campaigns import make
from tests.screenshots.shots import PAPER, README, Shot

WIDTH, MARGIN = 1300, 16
"""Of the window, and around a part of it, in pixels."""
SHOTS = {**README, **PAPER}
COLOURS = 88
SETTLED_MS = 1500
"""How long fonts, pictures and transitions may still move after a page is ready."""


def take(page: Page, url: str, shot: Shot) -> bytes:
    """The picture as PNG of few colours, the nearest ones to those of most pixels."""
    page.set_viewport_size({"width": WIDTH, "height": shot.height})
    page.goto(f"{url}/{shot.address}")
    page.wait_for_function(READY, timeout=60_000)
    if shot.before:
        shot.before(page)
    page.wait_for_timeout(SETTLED_MS)
    with Image.open(io.BytesIO(page.screenshot(clip=_place(page, shot)))) as picture:
        small = io.BytesIO()
        picture.convert("RGB").quantize(COLOURS, kmeans=2).save(small, "PNG", optimize=True)
    return small.getvalue()


def _place(page: Page, shot: Shot) -> FloatRect | None:
    """Where the shot's parts are, in a window that is high enough for all of them; None for the whole window."""
    if not shot.parts:
        return None
    height = page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    page.set_viewport_size({"width": WIDTH, "height": height + MARGIN})
    page.wait_for_timeout(SETTLED_MS)
    boxes = [box for part in shot.parts if (box := page.locator(part).bounding_box())]
    left, top = min(box["x"] for box in boxes) - MARGIN, min(box["y"] for box in boxes) - MARGIN
    right, bottom = max(box["x"] + box["width"] for box in boxes), max(box["y"] + box["height"] for box in boxes)
    return {"x": left, "y": top, "width": right + MARGIN - left, "height": bottom + MARGIN - top}


def main() -> None:
    """Makes what the pictures show where it is missing, then the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(SHOTS), default=list(SHOTS), metavar="NAME")
    parser.add_argument("--home", type=Path, default=Path.home() / ".dnncov", help="folder of campaigns")
    asked = parser.parse_args()
    home = asked.home.resolve()
    os.environ["DNNCOV_HOME"] = str(home)
    make(dict.fromkeys(name for each in asked.only for name in SHOTS[each].needs))
    _take_all(asked.only, home)


def _take_all(names: Iterable[str], home: Path) -> None:
    folder = ROOT / "assets" / "screenshots"
    app = start_app(home)
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_ARGUMENTS)
            page = browser.new_page(color_scheme="light")
            for name in names:
                file = folder / f"{name}.png"
                file.write_bytes(take(page, app.url, SHOTS[name]))
                print(f"{file.relative_to(ROOT)}  {file.stat().st_size // 1024} kB", flush=True)
            browser.close()
    finally:
        stop_app(app)


if __name__ == "__main__":
    main()
