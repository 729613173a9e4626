"""Test conditions one by one: the command `gaps`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnncov_core import statistics
from dnncov_core.campaign.file.conditions import COVERED, OPEN, SELECTIONS, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from tests.builders import mixed
from tests.command import call, is_whole, refused

EFFECT_ASKED_FOR = "3 of 13 sampled conditions (of 62) have a replayable witness with the effect asked for."


@pytest.fixture
def path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As `mixed` has it; read three test conditions at a time."""
    monkeypatch.setattr(statistics.gaps, "PAGE", 3)
    mixed(folder / "c.dnncov").close()
    return folder / "c.dnncov"


def listed(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, object]]:
    capsys.readouterr()
    assert call("gaps", path, "--json", *options) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("name", SELECTIONS)
def test_conditions_of_a_status_are_those_of_the_file(
    path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with CampaignStore(path) as store:
        expected = store.conditions.page(statuses=SELECTIONS[name])
    assert expected
    found = listed(path, capsys, "--status", name)
    assert [each["ordinal"] for each in found] == [condition.target.ordinal for condition in expected]
    said = {"found" if condition.status in COVERED else condition.status.value for condition in expected}
    assert {each["status"] for each in found} == said


def test_all_that_is_known_of_a_condition(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with CampaignStore(path) as store:
        (target,) = (condition.target for condition in store.conditions.page(statuses=[Status.ERROR]))
    (found,) = listed(path, capsys, "--status", "error")
    assert found == {
        "ordinal": target.ordinal,
        "condition_layer": target.condition_layer,
        "decision_layer": target.decision_layer,
        "condition_neurons": list(target.condition_neurons),
        "most": None,
        "decision_neurons": list(target.decision_neurons),
        "status": "error",
        "seeds_tried": 1,
        "why": "expected finite values; got NaN; check the weights",
        "with_effect": None,
        "needed": None,
        "sufficient": None,
        "refuted_by": None,
    }
    assert call("gaps", path, "--status", "open") == 0
    assert "open (exhausted) " in capsys.readouterr().out
    exhausted = listed(path, capsys, "--status", "exhausted")[0]
    assert exhausted["why"] == "tried from 1 of 40 seeds, and no x2 with the effect asked for was found"


def test_what_a_witness_refutes_is_listed_if_asked_and_named_else(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with CampaignStore(path) as store:
        (refuted,) = store.conditions.refuted()
        justified = store.conditions.page(statuses=SELECTIONS["justified"])
        covered = store.conditions.page(statuses=SELECTIONS["covered"])
    at, layer = refuted.target.ordinal, str(refuted.target.decision_layer)
    (found,) = listed(path, capsys, "--status", "refuted")
    assert (found["ordinal"], found["status"]) == (at, "found")
    assert found["refuted_by"] == at
    assert found["why"] == f"never seen by the camera (A. Engineer, 2026-01-02), refuted by pair {at}"
    both = [each["ordinal"] for each in listed(path, capsys, "--status", "justified,refuted")]
    assert both == sorted([at, *(each.target.ordinal for each in justified)])
    assert len(listed(path, capsys, "--status", "covered,refuted")) == len(covered)
    assert len(listed(path, capsys, "--status", "refuted", "--layers", layer)) == 1
    assert listed(path, capsys, "--status", "refuted", "--layers", "5") == []
    words = f"1 justification is refuted by pair {at}, which covers its test condition all the same."
    assert call("gaps", path) == 0
    assert f"{words} --status refuted lists them.\n" in capsys.readouterr().err
    assert call("show", path) == 0
    shown = capsys.readouterr().out.splitlines()
    assert words in shown
    assert "covered: 3, justified: 2 (1 more refuted), proved infeasible: 2, open: 6" in shown
    assert call("show", path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["refuted"] == [at]


def test_what_is_covered_on_paper_alone_is_listed_with_the_effect_that_is_there(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with CampaignStore(path) as store:
        ordinal = store.targets.all()[2].ordinal
    (found,) = listed(path, capsys, "--status", "without_effect")
    known = ("ordinal", "status", "why", "with_effect", "needed", "sufficient")
    why = "in the witness the condition's change is neither needed nor sufficient"
    assert [found[name] for name in known] == [ordinal, "found", why, False, False, False]
    assert [each["with_effect"] for each in listed(path, capsys, "--status", "covered")] == [True, True, False]
    assert call("gaps", path, "--status", "without_effect") == 0
    captured = capsys.readouterr()
    assert "without_effect" in captured.out.splitlines()[1]
    assert captured.err.splitlines() == [
        "1 of 13 test conditions",
        f"{EFFECT_ASKED_FOR} 2 of 13 test conditions (15.4 %) are covered,"
        " with effect (needed: without the condition's change the decision does not change).",
    ]
    assert call("gaps", path) == 0
    assert capsys.readouterr().err.endswith(" does not change). --status without_effect lists those without it.\n")


def test_where_nothing_is_without_effect_nothing_is_printed_and_none_are_offered(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mixed(folder / "c.dnncov", found=2).close()
    assert call("gaps", folder / "c.dnncov", "--status", "without_effect") == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[0] == "0 of 12 test conditions"
    assert call("gaps", folder / "c.dnncov") == 0
    assert "--status without_effect" not in capsys.readouterr().err


def test_of_effects_that_nobody_knows_it_says_how_they_are_found_out(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mixed(folder / "c.dnncov", needed=None).close()
    assert listed(folder / "c.dnncov", capsys, "--status", "without_effect") == []
    assert call("gaps", folder / "c.dnncov") == 0
    said = "Whether the condition has an effect is not known yet of 3 witnesses: resuming the campaign finds out."
    assert f"{said} 'dnncov resume FILE' resumes it.\n" in capsys.readouterr().err


def test_by_default_what_is_not_covered_and_by_layers(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with CampaignStore(path) as store:
        expected = [condition.target for condition in store.conditions.page()]
    assert [each["ordinal"] for each in listed(path, capsys)] == [target.ordinal for target in expected]
    of_layers = [target.ordinal for target in expected if target.decision_layer in (3, 5)]
    assert [each["ordinal"] for each in listed(path, capsys, "--layers", "3,5")] == of_layers
    assert listed(path, capsys, "--layers", "5", "--status", "error") == []


def test_lines_for_people_and_how_many(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("gaps", path, "--status", "open,justified") == 0
    captured = capsys.readouterr()
    assert captured.err == "8 of 13 test conditions\n"
    lines = captured.out.splitlines()
    assert lines[0].split() == ["ordinal", "layers", "condition", "decision", "status", "seeds", "why"]
    assert len(lines) == 9
    with CampaignStore(path) as store:
        first = store.conditions.page(statuses=(*OPEN, Status.JUSTIFIED))[0].target
    assert lines[1].split()[:6] == [
        str(first.ordinal),
        "2",
        "to",
        "3",
        str(first.condition_neurons[0]),
        str(first.decision_neurons[0]),
    ]
    assert any("never seen by the camera (A. Engineer, 2026-01-02)" in line for line in lines)


def test_without_conditions_there_are_none(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "c.dnncov"
    CampaignStore.create(path, CampaignSpec("toy", "toy"), {}).close()
    assert listed(path, capsys) == []
    assert call("gaps", path) == 0
    assert capsys.readouterr().err == "0 of 0 test conditions\n"


def test_bad_input_is_one_line(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for options, expected in (
        (("--status", "opened"), "a status, one of open, covered, "),
        (("--layers", "9"), "--layers must be some of the decision layers 3, 4, 5; got layer 9"),
    ):
        line = refused(capsys, "gaps", path, *options)
        assert expected in line
        assert is_whole(line)


def test_the_history_lists_every_justification_and_what_became_of_it(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with CampaignStore(path) as store:
        (refuted,) = [each.target.ordinal for each in store.conditions.refuted()]
        replaced, withdrawn = (each.target.ordinal for each in store.conditions.page(statuses=[Status.JUSTIFIED]))
        (proved,) = {said.ordinal for said in store.justifications.all()} - {refuted, replaced, withdrawn}
        store.justifications.add([replaced], reason="of another camera", author="B", replace=True)
        store.justifications.withdraw([withdrawn])
        store.justifications.withdraw([refuted], "C")
    assert call("gaps", path, "--history", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    names = ("ordinal", "author", "how", "refuted_by", "ended_by")
    assert proved < replaced < withdrawn
    assert [tuple(each[name] for name in names) for each in found] == [
        (refuted, "A. Engineer", "refuted", refuted, "C"),
        (proved, "A. Engineer", "stands", None, ""),
        (replaced, "A. Engineer", "replaced", None, "B"),
        (replaced, "B", "stands", None, ""),
        (withdrawn, "A. Engineer", "withdrawn", None, ""),
    ]
    assert {(each["time"], each["date"]) for each in found if each["author"] != "B"} == {(None, "2026-01-02")}
    assert call("gaps", path, "--history") == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == len(found)
    said = f"never seen by the camera (A. Engineer, 2026-01-02); refuted by pair {refuted}, withdrawn 2"
    assert f"condition {refuted}: {said}" in out
    assert [bool(each["ended"]) for each in found] == [True, False, True, False, True]
    assert err == "5 justifications\n"
    line = refused(capsys, "gaps", path, "--history", "--layers", "3")
    assert "expected no --layers with --history; got 3; leave --layers out" in line
