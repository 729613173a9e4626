"""The panel of the evidence pack on result pages: it starts a worker, follows it, and hands over what it made."""

from __future__ import annotations

import dataclasses
import io
import os
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from dnncov_core import workers
from dnncov_core.evidence import library
from dnncov_core.jobs import STATUS, write_status
from dnncov_core.records import State
from pages.shared import evidence
from tests.builders import campaign
from tests.pages.looking import opened, page

PAGES = ("layers", "distances", "examples", "gaps", "compare")
MAKE, AGAIN, DOWNLOAD = "Make the pack", "Make it again", "Download the pack"


@pytest.fixture
def one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign(folder / "one.dnncov", found=7).close()
    monkeypatch.setattr(evidence, "missing", list)


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Says with which last words workers end that start from now on; they write a pack with a picture."""

    def end(state: State, message: str) -> None:
        def start(command: str, stem: Path, *options: str) -> None:
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w") as pack:
                pack.writestr("argument.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>')
            stem.with_suffix(library.PACK).write_bytes(file.getvalue())
            status = dataclasses.replace(workers.WorkerStatus.begun(), state=state, message=message)
            write_status(stem.with_suffix(STATUS), status)

        monkeypatch.setattr(workers, "start", start)

    return end


def labels(test: object, kind: str = "button") -> list[str]:
    return [each.label for each in test.get(kind)]  # type: ignore[attr-defined]


@pytest.mark.usefixtures("one")
@pytest.mark.parametrize("room", PAGES)
def test_each_result_page_offers_to_make_the_pack(room: str) -> None:
    test = opened(f"pages/{room}/page.py", **{"campaigns" if room == "compare" else "campaign": "one"}).run()
    assert not test.exception
    assert labels(test).count(MAKE) == 1


@pytest.mark.usefixtures("one")
def test_what_is_made_can_be_downloaded(ending: Callable[..., None]) -> None:
    ending(State.FINISHED, "9 claims: 9 hold")
    test = page("pages/layers/page.py", "one").button(key="pack-campaign").click().run()
    assert not test.exception
    assert DOWNLOAD in labels(test, "download_button")
    assert AGAIN in labels(test)
    assert any("9 claims: 9 hold" in each.value.replace("\\", "") for each in test.markdown)


def test_a_pack_that_is_older_than_the_campaigns_last_change_says_so(
    one: None, folder: Path, ending: Callable[..., None]
) -> None:
    ending(State.FINISHED, "9 claims: 9 hold")
    test = page("pages/layers/page.py", "one").button(key="pack-campaign").click().run()
    assert not test.warning
    os.utime(folder / "one.dnncov", (time.time() + 60,) * 2)
    (said,) = test.run().warning
    assert said.value == "The campaign has changed since this pack was made. Make it again to have it as it is now."
    assert DOWNLOAD in labels(test, "download_button")
    os.utime(folder / "one.dnncov", (time.time() - 60,) * 2)
    assert not test.button(key="pack-campaign").click().run().warning


@pytest.mark.usefixtures("one")
def test_why_none_was_made_is_said(ending: Callable[..., None]) -> None:
    ending(State.FAILED, "expected a network that is found by its name")
    test = page("pages/layers/page.py", "one").button(key="pack-campaign").click().run()
    assert not test.exception
    assert [each.value for each in test.error] == ["expected a network that is found by its name"]
    assert DOWNLOAD not in labels(test, "download_button")


@pytest.mark.usefixtures("one")
def test_one_that_is_being_made_can_be_cancelled(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "start", lambda *asked: None)
    test = page("pages/layers/page.py", "one").button(key="pack-campaign").click().run()
    assert AGAIN not in labels(test)
    test.button(key="cancel-pack").click().run()
    assert not test.exception
    assert list((folder.parent / "evidence").glob("*.cancel"))


@pytest.mark.usefixtures("one")
def test_missing_packages_are_named_with_what_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "missing", lambda: ["onnx", "reportlab"])
    test = page("pages/layers/page.py", "one")
    (said,) = (each.value.replace("\\", "") for each in test.info if "onnx" in each.value)
    assert "onnx, reportlab" in said
    assert said.endswith("in the environment that runs this program: pip install onnx reportlab")
    assert MAKE not in labels(test)
