"""What holds for every page."""

from __future__ import annotations

import gc
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import weakref
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.example import ID
from dnncov_core.preferences import prefer
from pages.shared import frame
from pages.shared.page_registry import ROOM_OF_KIND
from tests.builders import campaign
from tests.pages.looking import APP, BESIDE_EACH_OTHER, RESULTS, address, entry, opened, page, words


@pytest.mark.parametrize("asked", ["nothing", "../../etc/passwd", "<script>", "a" * 500])
@pytest.mark.parametrize("path", ["pages/run/page.py", *RESULTS])
def test_an_unknown_id_is_a_message(folder: Path, path: str, asked: str) -> None:
    test = page(path, asked)
    assert not test.exception
    assert "There is no campaign" in words(test)


@pytest.mark.parametrize("path", RESULTS)
def test_without_a_campaign_pages_say_what_to_do(folder: Path, path: str) -> None:
    prefer(example=False)
    test = page(path)
    assert not test.exception
    assert "Start one on the Run page" in test.info[0].value


@pytest.mark.parametrize(
    ("path", "kind"), [("pages/run/page.py", "campaign"), ("pages/measure/page.py", "measurement")]
)
def test_the_example_is_marked_where_it_is_shown_and_in_the_list(folder: Path, path: str, kind: str) -> None:
    test = opened(path, **{kind: ID}).run()
    assert not test.exception
    headings = [each.value for each in test.subheader]
    assert any(each.startswith("Example · mnist-n9 · ") for each in headings)
    assert [link.proto.label for link in test.get("page_link") if link.proto.label.startswith("Example · mnist-n9 · ")]
    assert "None yet." in words(test)


@pytest.mark.parametrize("kind", ["campaign", "measurement"])
def test_the_overview_leads_to_a_form_whatever_was_shown_last(folder: Path, kind: str) -> None:
    campaign(folder / "abc.dnncov").close()
    room, label = ROOM_OF_KIND[kind], f"New {kind}"
    test = opened(entry(room), **{kind: ID}).run()
    assert not next(each for each in test.expander if each.label == label).proto.expanded
    test.query_params.clear()
    test.switch_page(entry("overview")).run()
    led = next(link.proto for link in test.get("page_link") if link.proto.label == label)
    test.query_params.update(dict(parse_qsl(led.query_string)))
    test.switch_page(entry(room)).run()
    assert next(each for each in test.expander if each.label == label).proto.expanded
    assert not test.query_params


@pytest.mark.parametrize("path", RESULTS)
def test_before_a_campaign_pages_show_the_example_and_offer_a_copy(folder: Path, path: str) -> None:
    test = page(path)
    assert not test.exception
    assert test.selectbox[0].value == ID
    assert "This example comes with the app and is only read" in words(test)
    test.button(key="copy").click().run()
    assert not test.exception
    (own,) = folder.glob("*.dnncov")
    assert address(test, "campaign") == test.selectbox[0].value == own.stem
    assert "only read" not in words(test)


@pytest.mark.parametrize("path", RESULTS)
def test_without_results_pages_say_so(folder: Path, path: str) -> None:
    CampaignStore.create(folder / "new.dnncov", CampaignSpec(network="mnist-n1", data="mnist"), {}).close()
    test = page(path, "new")
    assert not test.exception
    assert not test.error


@pytest.mark.parametrize("path", ["pages/run/page.py", *RESULTS])
def test_a_damaged_file_is_explained_in_place(folder: Path, path: str) -> None:
    (folder / "broken.dnncov").write_bytes(b"SQLite format 3\0" + b"x" * 4000)
    test = page(path, "broken")
    assert not test.exception
    assert "damaged" in words(test)


@pytest.mark.parametrize("path", ["pages/run/page.py", *RESULTS, *BESIDE_EACH_OTHER])
def test_a_value_that_cannot_be_is_listed_with_its_reason_and_disturbs_nothing_else(folder: Path, path: str) -> None:
    campaign(folder / "healthy.dnncov").close()
    before = words(opened(path, campaign="healthy", campaigns="healthy").run())
    campaign(folder / "z-odd.dnncov").close()
    with closing(sqlite3.connect(folder / "z-odd.dnncov")) as connection, connection:
        connection.execute("""UPDATE campaign SET spec = replace(spec, '"device": "auto"', '"device": "sideways"')""")
    test = opened(path, campaign="healthy", campaigns="healthy").run()
    assert not test.exception
    assert not test.error
    if path in RESULTS:
        assert words(test) == before
        assert any("z-odd (cannot be read)" in option for option in test.selectbox[0].options)
    elif path not in BESIDE_EACH_OTHER[1:]:
        assert "'sideways' instead of one of auto" in words(test)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the names of files are always text")
def test_a_file_whose_name_is_no_text_disturbs_nothing(folder: Path) -> None:
    path = folder / "abc.dnncov"
    campaign(path).close()
    shutil.copy(path, folder / os.fsdecode(b"b\xff.dnncov"))
    for each in ("pages/overview/page.py", "pages/run/page.py", "pages/layers/page.py", "pages/compare/page.py"):
        test = page(each)
        assert not test.exception
        assert not test.error
        assert ("1 file whose name is no text" in words(test)) == ("overview" in each)


@pytest.mark.parametrize("path", ["pages/run/page.py", *RESULTS])
def test_every_page_says_what_was_run(folder: Path, path: str) -> None:
    spec = CampaignSpec(network="mnist-n1", data="mnist", criterion="vv", pairs=8, bound=0.3)
    campaign(folder / "abc.dnncov", spec=spec).close()
    text = words(page(path, "abc")).replace("\\", "")
    for fact in (
        "| Campaign | abc |",
        "| Network | mnist-n1 (SHA-256 ffffffffffff…) |",
        "| Criterion | VV (value-value), g1: any, g2: ratio (sigma = 5) |",
        "| Note | The value function any lets the condition feature change its value or not. |",
        "| Test conditions | a random sample of 8 of 62 feature pairs (random seed 0) |",
        "| Left out as misclassified | 10 of 50 inputs |",
        "| Bound b | 0.3 |",
        "| Searched together | one at a time, since larger groups would leave processes without work |",
    ):
        assert fact in text


def test_of_the_networks_own_decisions_no_accuracy_is_said(folder: Path) -> None:
    campaign(folder / "abc.dnncov", spec=CampaignSpec(network="mnist-n1", data="x-own-decisions")).close()
    text = words(page(RESULTS[0], "abc")).replace("\\", "")
    assert "| Pool of seeds | every input whose label is the network's own decision |" in text
    assert "| Clean accuracy | not known (the network's own decisions are the labels) |" in text


def test_what_was_run_says_where_network_and_data_come_from(folder: Path) -> None:
    text = words(page(RESULTS[0]))
    assert "| Where the network comes from | Fully connected, 87x33x62 ReLU neurons, the structure of N9" in text
    assert "| Where the data come from | 5,000 images of the MNIST training set, 500 of each digit" in text


HEAVY = {"torch", "matplotlib", "pulp", "highspy"}
"""Packages that take up to seconds to import at a server's first visit."""


def imported(*paths: str) -> set[str]:
    """Modules that a process has imported after it has shown these pages, those of results with a campaign."""
    code = (
        "import sys; from tests.pages.looking import opened\n"
        f"for path in {paths!r}:\n"
        f"    test = opened(path, **({{'campaign': 'abc'}} if path in {RESULTS!r} else {{}}))\n"
        "    assert not test.run(timeout=60).exception\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=APP.parent, check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_pages_need_neither_torch_nor_solvers_nor_matplotlib(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    assert imported("pages/run/page.py", "pages/bring/page.py", *RESULTS, *BESIDE_EACH_OTHER) & HEAVY == set()


def test_the_overview_needs_no_figures_once_there_is_a_campaign(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    assert "dnncov_core.figures" not in imported("pages/overview/page.py")


def test_modules_that_stay_are_not_looked_through_after_each_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "_modules_kept", 0)
    stays: list[list[int]] = [[] for _ in range(10_000)]
    before = gc.get_freeze_count()
    for _ in range(2):  # the second run passes over what the first one has imported
        page("pages/run/page.py")
    kept = gc.get_freeze_count()
    assert kept > before + len(stays) // 2
    page("pages/run/page.py")
    assert gc.get_freeze_count() <= kept, "nothing new stays"


def test_garbage_does_not_stay_with_the_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    class Circle:
        """Refers to itself."""

    circle = Circle()
    circle.itself = circle  # type: ignore[attr-defined]
    left = weakref.ref(circle)
    monkeypatch.setattr(frame, "_modules_kept", 0)
    del circle
    frame._keep_modules()
    assert left() is None


def test_no_page_promises_more_than_was_measured() -> None:
    """What the paper says, in its quotation marks, is the paper's."""
    rooms = APP.parent / "pages"
    texts = [path.read_text() for path in (APP, *rooms.rglob("*.py"), *rooms.rglob("*.md"))]
    texts = [re.sub("“[^”]*”", "", text) for text in texts]
    for word in ("adequate", "robust", "compliant"):
        assert not [text for text in texts if word in text.lower()]


def test_pages_are_short() -> None:
    for path in (APP, *(APP.parent / "pages").glob("*/page.py")):
        assert len(path.read_text().splitlines()) < 120


def test_a_page_opened_first_still_has_its_frame(folder: Path) -> None:
    campaign(folder / "abc.dnncov").close()
    test = opened("pages/layers/page.py", campaign="abc").run()
    assert not test.exception
    assert test.title[0].value == "Layers"
    assert len(test.title) == 1


def test_every_page_has_a_file_for_the_first_visit_to_a_server() -> None:
    """A server that has run no `st.navigation` yet takes the files of ``pages/`` for all pages that there are."""
    rooms = {path.parent.name for path in (APP.parent / "pages").glob("*/page.py")}
    files = {path.stem.removeprefix("_") for path in (APP.parent / "pages").glob("_*.py")} - {"_init__"}
    assert files == rooms - {"overview"}, "Overview has the bare address"
