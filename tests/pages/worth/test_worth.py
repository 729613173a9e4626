"""The page Worth: what it says first, what it shows of a file, and how a measurement starts."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dnncov_core import workers
from dnncov_core.errors import DataError
from dnncov_core.faults.fault_file import FaultFile
from dnncov_core.faults.spec import FaultSpec
from dnncov_core.record_files import write_record
from dnncov_core.records import State
from dnncov_core.resources import home
from dnncov_core.workers import WorkerStatus
from dnncov_core.worth.library import cancel, cancel_seeding, fault_files, seed, seeding, standing, start, worths
from tests.command import call
from tests.pages.looking import opened, page, words
from tests.retraining.made import outcome
from tests.worth.made import made_worth

PATH = "pages/worth/page.py"
FAULTS = FaultSpec("toy", "pool.npz", 2, 0.01, 0.2, ("sign_flips",))


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
    assert "by N, they kill more mutants; by SS, they kill fewer mutants; by S, nothing can be concluded" in said
    assert test.dataframe[0].value["Criterion"].tolist() == ["SS", "N", "S"]
    test.selectbox(key="worth-criterion").select("n").run()
    test.selectbox(key="worth-size").select_index(2).run()
    assert not test.exception
    assert "partial rank correlation of coverage and mutants killed over 24 suites of all sizes" in words(test).replace(
        "\\", ""
    )


def test_it_starts_a_worker_and_goes_on_with_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home() / "faults").mkdir(parents=True)
    FaultFile.create(home() / "faults" / "b.faults", FAULTS, np.ones(8, bool), {}).close()
    started: list[tuple[object, ...]] = []
    monkeypatch.setattr(workers, "start", lambda *asked: started.append(asked))
    test = opened(PATH).run()
    test.button(key="worth-start").click().run()
    assert not test.exception
    ((command, stem, *options),) = started
    assert command == "worth"
    assert isinstance(stem, Path)
    assert stem.parent == home() / "worth"
    assert options[-2:] == ["--", str(home() / "faults" / "b.faults")]
    (own,) = worths()
    assert re.fullmatch(r"b-[0-9a-f]{8}", own)
    monkeypatch.setattr(workers, "alive", lambda pid, beat: True)
    assert start("b", None) == own
    assert len(started) == 1
    cancel(own)
    assert standing(own) is not None
    assert (home() / "worth" / f"{own}.cancel").exists()


def test_it_seeds_faults(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's command runs in this process, and its file is one to measure with."""
    started: list[str] = []
    monkeypatch.setattr(workers, "start", lambda command, stem, *options: started.extend([command, *options]))
    test = page(PATH)
    test.selectbox(key="faults-network").select("toy").run()
    test.button(key="faults-start").click().run()
    assert not test.exception
    command, status, suite, out, *network = started
    assert (command, suite, network) == ("faults", "--suite=toy", ["--", "toy"])
    (own,) = seeding()
    assert re.fullmatch(r"toy-toy-[0-9a-f]{8}", own)
    assert (out, status) == (f"--out={home() / 'faults' / own}.faults", f"--status={home() / 'faults' / own}.status")
    (bar,) = test.get("progress")
    assert bar.proto.text == f"Seeding faults: {own} …"
    assert "worth-faults" not in {each.key for each in test.selectbox}
    assert call(command, status, suite, out, "--mutants=3", "--drop=1..60", *network) == 0
    assert (seeding(), list(fault_files())) == ({}, [own])
    assert page(PATH).selectbox(key="worth-faults").options == [own]
    with pytest.raises(DataError, match="that are being seeded"):
        cancel_seeding(own)
    with pytest.raises(DataError, match="network and data of the lists"):
        seed("toy", "../x")


def test_faults_that_have_grown_and_other_reference_data_have_a_file_of_their_own(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home() / "faults").mkdir(parents=True)
    monkeypatch.setattr(workers, "start", lambda *asked: None)
    with FaultFile.create(home() / "faults" / "b.faults", FAULTS, np.ones(8, bool), {}) as faults:
        found = [start("b", None), start("b", None), start("b", "mnist")]
        faults.ask_for(replace(FAULTS, mutants=3))
        found.append(start("b", None))
    assert found[0] == found[1]
    assert len(set(found)) == 3


def test_how_far_it_is_and_how_long_the_rest_takes(worth: None, monkeypatch: pytest.MonkeyPatch) -> None:
    status = WorkerStatus(State.RUNNING, 1, time.time(), time.time() - 30, "suites of 30 inputs", 20, 80)
    monkeypatch.setattr("dnncov_core.worth.library.standing", lambda worth_id: status)
    (bar,) = page(PATH).get("progress")
    assert bar.proto.value == 25
    assert bar.proto.text == "Measuring suites of 30 inputs · 25.0 % of all work · 30 s so far · ~ 2 min left"


def test_a_comparison_of_ways_to_train_is_shown(folder: Path) -> None:
    write_record(home() / "retrainings" / "a.json", outcome())
    test = page(PATH)
    assert not test.exception
    said = words(test).replace("\\", "")
    assert "Test pairs, accuracy: lower by 5.00 points (5.00 to 5.00) against the training data alone" in said
    assert "| Accuracy | before | 95.0 % (95 of 100) |  |" in said
    assert "|  | Test pairs | 90.00 % (90.00 to 90.00) | −5.00 points (−5.00 to −5.00) |" in said
    assert [json.loads(chart.proto.spec)["layout"]["title"]["text"] for chart in test.get("plotly_chart")] == [
        "Training further, against the training data alone"
    ]
    (home() / "retrainings" / "a.json").write_text("{}")
    assert "a file of dnncov retrain" in page(PATH).error[0].value
