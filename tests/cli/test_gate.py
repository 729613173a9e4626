"""The gate of a build: exit status and line in each situation, JSON, and the JUnit file of the command."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import junitparser
import numpy as np
import pytest

from dnncov_core import cli
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.records import State
from tests import builders, runs
from tests.command import call, is_whole, refused

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "tests" / "benchmarks" / "RESULTS.md"


@dataclass(frozen=True)
class Situation:
    """What is asked of which file, and how the command ends: its exit status and its line on standard error."""

    what: str
    command: str
    status: int
    line: str


TOY = "measure toy --suite toy --criteria ss,n,s"
SITUATIONS = (
    Situation(
        "as much as asked", "show a.dnncov --fail-under ss=75", 0,
        "gate passed: ss: 75.0 % covered (6 of 8), 75 % asked",
    ),
    Situation(
        "a hair less", "show a.dnncov --fail-under ss=75.01", 1,
        "gate failed: ss: 75.0 % covered (6 of 8), 75.01 % asked: 1 condition short",
    ),
    Situation(
        "all criteria together", "show a.dnncov --fail-under 100", 1,
        "gate failed: total: 75.0 % covered (6 of 8), 100 % asked: 2 conditions short",
    ),
    Situation(
        "of what is feasible", "show proved.dnncov --fail-under ss=50 --fail-under-feasible ss=60", 0,
        "gate passed: ss: 50.0 % covered (4 of 8), 50 % asked;"
        " ss: 66.7 % covered of what is not proved infeasible (4 of 6), 60 % asked",
    ),
    Situation(
        "two demands, one of them not met", "show proved.dnncov --fail-under ss=50 --fail-under-feasible total=90", 1,
        "gate failed: total: 66.7 % covered of what is not proved infeasible (4 of 6), 90 % asked: 2 conditions short",
    ),
    Situation(
        "witnesses that are lost at 8 bits", "show a.dnncov --fail-under-8bit 50", 1,
        "gate failed: 8 bits: 33.3 % of witnesses hold when x2 is rounded (2 of 6), 50 % asked: 1 witness short",
    ),
    Situation(
        "inputs that have no 8 bits", "show vectors.dnncov --fail-under-8bit 50", 1,
        "gate failed: 8 bits: n/a (0 of 0), 50 % asked: there is nothing to count",
    ),
    Situation(
        "open gaps", "show a.dnncov --no-open-gaps", 1,
        "gate failed: open gaps: 2 of 8 conditions: 1 in ss, layers 2 to 3; 1 in ss, layers 3 to 4",
    ),
    Situation(
        "all gaps explained", "show closed.dnncov --no-open-gaps", 0,
        "gate passed: open gaps: 0 of 8 conditions",
    ),
    Situation(
        "a campaign that is not finished", "show begun.dnncov --fail-under ss=10", 1,
        "gate failed: 6 of 8 test conditions done: a campaign that is not finished passes no gate",
    ),
    Situation(
        "a campaign that has not begun", "show waiting.dnncov --fail-under ss=10", 1,
        "gate failed: 0 of 0 test conditions done: a campaign that is not finished passes no gate;"
        " ss: n/a (0 of 0), 10 % asked: there is nothing to count",
    ),
    Situation(
        "nothing lost", "show a.dnncov --baseline less.dnncov", 0,
        "gate passed: baseline less.dnncov: no layer pair covers less",
    ),
    Situation(
        "a layer pair that lost coverage", "show less.dnncov --baseline a.dnncov", 1,
        "gate failed: baseline a.dnncov:"
        " ss, layers 3 to 4: 1 of 3 covered, 2 before, 1 condition fewer (lost: 21);"
        " ss, layers 4 to 5: 1 of 2 covered, 2 before, 1 condition fewer (lost: 33)",
    ),
    Situation(
        "the baseline of another network", "show a.dnncov --baseline vectors.dnncov", 2,
        "expected a baseline that asked the same of the same network; got network: SHA-256 eeeeeeeeeeee instead of"
        " SHA-256 ffffffffffff in vectors.dnncov; choose another --baseline",
    ),
    Situation(
        "the baseline of another criterion", "show a.dnncov --baseline vs.dnncov", 2,
        "expected a finished baseline of ss; got vs.dnncov with vs; choose another --baseline",
    ),
    Situation(
        "a baseline that is not finished", "show a.dnncov --baseline begun.dnncov", 2,
        "expected a finished baseline of ss; got begun.dnncov with ss, 6 of 8 test conditions done;"
        " choose another --baseline",
    ),
    Situation(
        "an unknown criterion", "show a.dnncov --fail-under sv=10", 2,
        "expected a criterion whose test conditions are counted here, one of ss, total; got 'sv';"
        " choose one of these names",
    ),
    Situation(
        "more than 100 %", "show a.dnncov --fail-under ss=100.5", 2,
        "argument --fail-under: expected NAME=PERCENT, separated by commas, each name once, PERCENT a percentage from"
        " 0 to 100, such as 95 or 99.5; got 'ss=100.5'; change it; see 'dnncov show --help'",
    ),
    Situation(
        "a suite that covers enough of one criterion", f"{TOY} --fail-under ss=40,n=100", 0,
        "gate passed: ss: 40.0 % covered (6 of 15), 40 % asked; n: 100 % covered (6 of 6), 100 % asked",
    ),
    Situation(
        "a suite with fewer inputs than before", "measure toy --suite few.npz --criteria ss,n --baseline toy.json", 1,
        "gate failed: baseline toy.json: ss, layers 3 to 4: 0 of 6 covered, 4 before, 4 conditions fewer;"
        " n, layer 2: 2 of 3 covered, 3 before, 1 condition fewer",
    ),
    Situation(
        "a campaign from its beginning", "run toy --effect none --fail-under ss=85 --out new.dnncov", 1,
        "gate failed: ss: 80.0 % covered (12 of 15), 85 % asked: 1 condition short",
    ),
    Situation(
        "a campaign that is resumed", "resume toy.dnncov --no-open-gaps", 1,
        "gate failed: open gaps: 3 of 15 conditions: 1 in ss, layers 2 to 3; 2 in ss, layers 3 to 4",
    ),
)  # fmt: skip
"""Of `files` and `toy`, the embedded network of the paper's example."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, campaign: Path) -> Path:
    """Campaigns of 8 test conditions in three layer pairs, and what else the situations name."""
    folder = tmp_path_factory.mktemp("files")
    vectors = replace(builders.card(input_shape=(4,), bounds=(0.0, 60760.0)), fingerprint="e" * 64)
    made: dict[str, dict[str, Any]] = {
        "a": {},
        "less": {"found": 4, "exhausted": 4},
        "vs": {"spec": CampaignSpec("mnist-n1", "mnist", "vs")},
        "fewer": {"found": 6, "exhausted": 1},
        "begun": {"found": 5, "exhausted": 1, "pending": 2, "state": State.CANCELLED},
        "vectors": {"network": vectors},
        "proved": {"found": 4, "exhausted": 4},
        "closed": {"found": 6, "exhausted": 2},
    }
    for name, fields in made.items():
        with builders.campaign(folder / f"{name}.dnncov", **fields) as store:
            last = [target.ordinal for target in store.targets.all()[-2:]]
            if name == "proved":
                store.certificates.record([], dict.fromkeys(last))
            if name == "closed":
                builders.say(store, last, "never seen by the camera", "A. Engineer", "2026-01-02")
    runs.create(folder / "waiting.dnncov", CampaignSpec("mnist-n1", "mnist"))
    shutil.copy(campaign, folder / "toy.dnncov")
    np.savez(folder / "few.npz", inputs=np.array([[0.1, 0.0], [0.0, -1.0]]))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert call("measure", "toy", "--suite", "toy", "--criteria", "ss,n", "--out", "toy.json") == 0
    return folder


@pytest.fixture
def here(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(files)
    return files


def ended(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit status, and the last line on standard error without the program's name."""
    capsys.readouterr()
    status = call(*command.split())
    last = capsys.readouterr().err.splitlines()[-1]
    return status, last.removeprefix("dnncov").removeprefix(" show").removeprefix(": ")


@pytest.mark.parametrize("each", SITUATIONS, ids=lambda each: each.what)
def test_each_situation_has_its_exit_status_and_one_line(
    each: Situation, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(each.command, capsys) == (each.status, each.line)


def table() -> str:
    rows = (f"| {each.what} | `{each.command}` | {each.status} | {each.line} |" for each in SITUATIONS)
    return "\n".join(("| situation | `dnncov` | exit status | line |", "|---|---|---|---|", *rows))


def test_the_results_have_the_table_of_situations() -> None:
    assert table() in RESULTS.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("wrong", "option"),
    [
        ("--fail-under=ss=-5", "--fail-under"),
        ("--fail-under=ss=ninety", "--fail-under"),
        ("--fail-under=ss=9,ss=10", "--fail-under"),
        ("--fail-under=ss=nan", "--fail-under"),
        ("--fail-under=", "--fail-under"),
        ("--fail-under-8bit=1e2", "--fail-under-8bit"),
        ("--fail-under-8bit=101", "--fail-under-8bit"),
        ("--junit=nowhere/a.xml", "--junit"),
    ],
)
def test_what_no_gate_can_ask_is_one_line(
    wrong: str, option: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = refused(capsys, "show", "a.dnncov", wrong)
    assert line.startswith(f"dnncov show: argument {option}: expected ")
    assert is_whole(line)


@pytest.mark.parametrize("old", ["nowhere.dnncov", "nowhere.json", "few.npz", "toy.json"])
def test_a_baseline_that_is_none_is_refused_before_any_work(
    old: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert is_whole(refused(capsys, "run", "toy", "--criterion", "vv", "--out", "none.dnncov", "--baseline", old))
    assert not Path("none.dnncov").exists()


def test_a_baseline_of_other_conditions_or_parameters_is_refused_with_what_differs(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, "show", "a.dnncov", "--baseline", "fewer.dnncov")
    assert re.search(r"; got test conditions: 7 \(SHA-256 \w{12}\) instead of 8 \(SHA-256 \w{12}\) in fewer", said)
    said = refused(capsys, "run", "toy", "--effect", "both", "--baseline", "toy.dnncov", "--out", "other.dnncov")
    assert (
        "; got effect of the condition: None instead of Needed and sufficient in toy.dnncov; choose another --baseline"
        in said
    )


def test_campaigns_and_measurements_are_no_baselines_of_each_other(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = "dnncov: expected a baseline that asked the same of the same network"
    asked = ("measure", "toy", "--suite", "toy", "--criteria", "ss")
    assert call(*asked, "--out", "ss.json") == 0
    said = refused(capsys, "show", "a.dnncov", "--baseline", "ss.json")
    assert said == f"{expected}; got kind: measurement instead of campaign in ss.json; choose another --baseline"
    said = refused(capsys, *asked, "--baseline", "a.dnncov")
    assert said == f"{expected}; got kind: campaign instead of measurement in a.dnncov; choose another --baseline"
    Path("raw.json").write_text('{"suite": {"inputs": 6}}', encoding="utf-8")
    said = refused(capsys, *asked, "--baseline", "raw.json")
    assert said.endswith("got no schema in raw.json; take a file of dnncov measure --out")


def test_a_smaller_budget_is_a_loss_and_no_other_question(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = "run toy --effect none --max-seeds 1 --more-seeds 0 --seed-order random"
    status, line = ended(f"{asked} --baseline toy.dnncov --out small.dnncov", capsys)
    with CampaignStore(Path("toy.dnncov")) as before, CampaignStore(Path("small.dnncov")) as after:
        fewer = before.counts.progress().covered - after.counts.progress().covered
    assert fewer > 0
    assert status == 1
    assert fewer <= sum(map(int, re.findall(r"(\d+) conditions? fewer", line)))


def test_a_measurement_that_left_a_layer_pair_out_is_judged_by_the_others_and_is_no_baseline_of_all(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = "measure toy --suite toy --criteria ss,n --layers 3 --out some.json"
    status, line = ended(f"{some} --fail-under ss=23,total=53 --junit some.xml", capsys)
    assert status == 1
    assert line == "gate failed: ss: 22.2 % covered (2 of 9), 23 % asked: 1 condition short"
    named = [name for _, name in cases_of("some.xml")]
    assert named == ["layers 2 to 3", "layer 2", "layer 3", "fail-under ss=23", "fail-under total=53"]
    said = refused(capsys, *TOY.replace(",s", "").split(), "--baseline", "some.json")
    assert re.search(r"got test conditions: 15 \(SHA-256 \w{12}\) instead of 21 \(SHA-256 \w{12}\) in some.json", said)


def test_json_has_each_verdict_and_standard_output_nothing_else(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", "a.dnncov", "--json", "--fail-under", "ss=75", "--fail-under-8bit", "50") == 1
    summary = json.loads(capsys.readouterr().out)
    assert summary["gate"] == [
        {"demand": "fail-under ss=75", "passed": True, "words": SITUATIONS[0].line.removeprefix("gate passed: "),
         "n": 6, "total": 8},
        {"demand": "fail-under-8bit 50", "passed": False,
         "words": "8 bits: 33.3 % of witnesses hold when x2 is rounded (2 of 6), 50 % asked: 1 witness short",
         "n": 2, "total": 6},
    ]  # fmt: skip
    assert call("show", "a.dnncov", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {name: each for name, each in summary.items() if name != "gate"}
    assert call(*TOY.split(), "--json", "--fail-under", "total=1", "--out", "m.json") == 0
    assert [each["passed"] for each in json.loads(capsys.readouterr().out)["gate"]] == [True]
    assert "gate" not in json.loads(Path("m.json").read_text(encoding="utf-8"))


def cases_of(path: str) -> dict[tuple[str, str], list[Any]]:
    """The test cases of a JUnit file, with what came of each."""
    (suite,) = junitparser.JUnitXml.fromfile(path)
    return {(case.classname, case.name): list(case.result) for case in suite}


def test_junit_has_a_failure_where_a_layer_pair_has_open_conditions(here: Path) -> None:
    assert call("show", "a.dnncov", "--junit", "a.xml") == 0
    (suite,) = junitparser.JUnitXml.fromfile("a.xml")
    facts = {each.name: each.value for each in suite.properties()}
    assert (suite.name, suite.tests, suite.failures, suite.time) == ("a", 3, 2, 12.5)
    assert (facts["campaign"], facts["network_fingerprint"], facts["version_dnncov-explorer"]) == (
        "a",
        "f" * 64,
        "test",
    )
    cases = cases_of("a.xml")
    assert [(name, len(result)) for name, result in cases.items()] == [
        (("mnist-n1.ss", "layers 2 to 3"), 1),
        (("mnist-n1.ss", "layers 3 to 4"), 1),
        (("mnist-n1.ss", "layers 4 to 5"), 0),
    ]
    (failure,) = cases["mnist-n1.ss", "layers 3 to 4"]
    assert failure.message == "1 of 3 test conditions is open"
    last = failure.text.splitlines()[-1].split()
    assert last[:9] == ["22", "3", "to", "4", "0", "2", "open", "(exhausted)", "1"]


def test_junit_agrees_with_the_exit_status_where_a_gate_was_asked(here: Path) -> None:
    assert call("show", "a.dnncov", "--junit", "a.xml", "--fail-under", "ss=75") == 0
    assert not any(isinstance(each, junitparser.Failure) for results in cases_of("a.xml").values() for each in results)
    assert "1 of 3 test conditions is open" in Path("a.xml").read_text(encoding="utf-8")
    assert call("show", "a.dnncov", "--junit", "a.xml", "--fail-under", "ss=76") == 1
    (failure,) = cases_of("a.xml")["mnist-n1.gate", "fail-under ss=76"]
    assert failure.message == "ss: 75.0 % covered (6 of 8), 76 % asked: 1 condition short"


def test_junit_of_a_measurement_has_a_case_for_each_criterion_and_layer(here: Path) -> None:
    assert call(*TOY.split(), "--junit", "m.xml") == 0
    cases = cases_of("m.xml")
    places = {"ss": ["layers 2 to 3", "layers 3 to 4"], "n": ["layer 2", "layer 3"]}
    assert list(cases) == [(f"toy.{text}", place) for text, those in places.items() for place in those]
    (failure,) = cases["toy.ss", "layers 3 to 4"]
    assert failure.text.splitlines() == [
        "2 of 6 test conditions are open",
        "ordinal 11, condition feature 1 of layer 3, decision feature 0 of layer 4",
        "ordinal 12, condition feature 1 of layer 3, decision feature 1 of layer 4",
    ]


def test_what_is_not_asked_of_measurements_is_no_option_of_theirs(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "unrecognized arguments" in refused(capsys, *TOY.split(), "--fail-under-8bit", "50")
    assert "unrecognized arguments" in refused(capsys, *TOY.split(), "--fail-under-feasible", "50")


def test_the_workflow_in_the_readme_asks_what_the_command_has() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]
    commands = re.findall(r"(?<=\n)(?: +run: | +)(dnncov (?:.+)(?:\n +--.+)*)", text)
    names = [command.split()[1] for command in commands]
    assert names == ["measure", "run", "evidence"]
    for command in commands:
        words = command.split()[1:]
        if words[0] in cli.COMMANDS:
            cli.parser().parse_args([word.replace("suite.xml", "s.xml") for word in words])
