"""Which part of which page each picture shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from playwright.sync_api import Page

from tests.screenshots.campaigns import LAST_THREE, METHODS, OMEGAS


def _several(*names: str) -> str:
    return f"compare?campaigns={quote(','.join(names), safe='')}"


TEN = [f"n{n}-{method}" for n in range(1, 11) for method in METHODS]
SS = [f"n{n}-ss" for n in LAST_THREE]
WEIGHTS = [f"n{n}-ss-w10" for n in LAST_THREE]
IMAGENET = [f"imagenet-ss-{omega}" for omega in OMEGAS]
CIFAR = [f"cifar-ss-{omega}" for omega in OMEGAS]


HALFWAY = re.compile(r"^(1\d)?\d\d of 200 test conditions done")


@dataclass(frozen=True)
class Shot:
    """A picture.

    Attributes:
        address: of the page, within the app.
        needs: campaigns and measurements that must be there.
        height: of the window in pixels; the picture is the window's, if nothing else is said.
        before: what a visitor does first.
        parts: selectors of what is taken, all of it together; with none, the window.
    """

    address: str
    needs: tuple[str, ...] = ()
    height: int = 1000
    before: Callable[[Page], None] | None = None
    parts: tuple[str, ...] = ()


def _start(page: Page) -> None:
    page.get_by_role("button", name="Start campaign").click()
    page.get_by_text(HALFWAY).wait_for(timeout=120_000)


def _open_export(page: Page) -> None:
    page.get_by_role("button", name="Export", exact=True).first.click()
    page.mouse.move(0, 0)


def _papers_numbers(page: Page) -> None:
    page.get_by_text("The paper's numbers beside").click()


def _logarithmic(page: Page) -> None:
    page.get_by_role("radio", name="log").click()


def _share_of_all(page: Page) -> None:
    page.get_by_text("Share of all adversarial").click()


README: Mapping[str, Shot] = {
    "overview": Shot("", ("n8-ss", "n9-ss", "n10-ss", *WEIGHTS), height=900),
    "layers": Shot("layers?campaign=n10-ss", ("n10-ss",), height=1350),
    "distances": Shot("distances?campaign=n10-ss", ("n10-ss",)),
    "examples": Shot("examples?campaign=cifar-ss-0.01", ("cifar-ss-0.01",)),
    "pair": Shot("examples?campaign=n8-ss&pair=447", ("n8-ss",), height=1500),
    "gaps": Shot("gaps?campaign=one-seed", ("one-seed",), height=1250),
    "compare": Shot(_several(*SS, *WEIGHTS), (*SS, *WEIGHTS), height=1250),
    "measure": Shot("measure?measurement=digits", ("digits",), height=1250),
    "playground": Shot("playground", height=1150),
    "export": Shot("layers?campaign=n10-ss", ("n10-ss",), before=_open_export),
    "run": Shot("run", before=_start),
}
"""The pictures of the README, by name."""

PAPER: Mapping[str, Shot] = {
    "paper-example": Shot("playground?preset=ss", parts=(".st-key-play-neurons",)),
    "paper-relations": Shot("measure?measurement=relations", ("n1-vv", "relations"), parts=(".st-key-relations",)),
    "paper-main-table": Shot(
        _several(*TEN),
        tuple(TEN),
        before=_papers_numbers,
        parts=(".st-key-main-coverage", "[data-testid=stTable] >> nth=0"),
    ),
    "paper-adversarial-examples": Shot("examples?campaign=n8-ss&only=adversarial", ("n8-ss",), height=1150),
    "paper-distance-curves": Shot(_several(*SS), tuple(SS), parts=("[class*=st-key-curves-]",)),
    "paper-layerwise-coverage": Shot(_several(*SS), tuple(SS), parts=(".st-key-layerwise",)),
    "paper-layerwise-adversarial": Shot(_several(*SS), tuple(SS), before=_share_of_all, parts=(".st-key-layerwise",)),
    "paper-top-weights": Shot(_several(*SS, *WEIGHTS), (*SS, *WEIGHTS), parts=(".st-key-weights",)),
    "paper-lp-cost": Shot(_several(*SS), tuple(SS), before=_papers_numbers, parts=(".st-key-programmes",)),
    "paper-cifar-distance": Shot("distances?campaign=cifar-ss-0.01", ("cifar-ss-0.01",), parts=(".st-key-by-layer",)),
    "paper-cifar-examples": Shot(
        "examples?campaign=cifar-ss-0.01&only=adversarial,8bit", ("cifar-ss-0.01",), height=1150
    ),
    "paper-omega": Shot(_several(*IMAGENET), tuple(IMAGENET), parts=("[class*=st-key-by-omega]",)),
    "paper-boundary": Shot(
        "distances?campaign=imagenet-sv-nb", ("imagenet-sv-nb",), before=_logarithmic, parts=(".st-key-curve",)
    ),
}
"""The figures and tables of the paper's experiments, by name."""
