"""The page Worth: what it says first, what it shows of a file, and how a measurement starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core import workers
from dnncov_core.resources import home
from dnncov_core.worth.library import cancel, standing, start, worths
from tests.pages.looking import opened, page, words
from tests.worth.made import made_worth

PATH = "pages/worth/page.py"


@pytest.fixture
def worth(folder: Path) -> None:
    (home() / "worth").mkdir(parents=True)
    made_worth(home() / "worth" / "a.worth")


def test_before_there_are_faults_it_says_what_to_do(folder: Path) -> None:
    test = page(PATH)
    assert not test.exception
    assert "Seed faults first" in test.info[0].value


def test_a_file_is_shown_whole(worth: None) -> None:
    test = page(PATH)
    assert not test.exception
    said = words(test).replace("\\", "")
    assert "N: with size and class balance removed, suites that cover more kill more mutants" in said
    assert "SS: with size and class balance removed, suites that cover more kill fewer mutants" in said
    assert "S: with size and class balance removed, nothing can be concluded" in said
    assert "0 of 40 | 7 of 40" in said
    test.selectbox(key="worth-criterion").select("n").run()
    test.selectbox(key="worth-size").select_index(2).run()
    assert not test.exception
    assert "partial rank correlation of coverage and mutants killed over 24 suites of all sizes" in words(test).replace(
        "\\", ""
    )


def test_it_starts_a_worker_and_goes_on_with_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home() / "faults").mkdir(parents=True)
    (home() / "faults" / "b.faults").touch()
    started: list[tuple[object, ...]] = []
    monkeypatch.setattr(workers, "start", lambda *asked: started.append(asked))
    test = opened(PATH).run()
    test.button(key="worth-start").click().run()
    assert not test.exception
    ((command, stem, *options),) = started
    assert (command, stem) == ("worth", home() / "worth" / "b")
    assert options[-1] == str(home() / "faults" / "b.faults")
    assert list(worths()) == ["b"]
    monkeypatch.setattr(workers, "alive", lambda pid, beat: True)
    assert start("b", None) == "b"
    assert len(started) == 1
    cancel("b")
    assert standing("b") is not None
    assert (home() / "worth" / "b.cancel").exists()
