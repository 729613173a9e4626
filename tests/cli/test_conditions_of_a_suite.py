"""``dnncov measure --open`` and ``dnncov run --conditions``: from what a suite does not cover to tests of it."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.worker import work
from dnncov_core.records import State
from dnncov_core.resources import versions
from dnncov_core.suites.open_conditions import read_table
from tests import runs
from tests.command import call, is_whole, make_data, refused, write_factory

pytestmark = pytest.mark.usefixtures("folder")
NAMES = ("ordinal", "condition_layer", "decision_layer")


@pytest.fixture
def table(folder: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """What the suite toy does not cover of the network toy."""
    assert call("measure", "toy", "--suite", "toy", "--criteria", "ss,sv,n", "--open", "open.csv") == 0
    with (folder / "open.csv").open(newline="") as file:
        n = len([*csv.DictReader(file)])
    assert f"{n} test conditions that the suite does not cover in open.csv\n" in capsys.readouterr().err
    return folder / "open.csv"


def listed(table: Path, criterion: str) -> list[tuple[int, ...]]:
    with table.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["criterion"] == criterion]
    return [tuple(int(row[name]) for name in (*NAMES, "condition_feature", "decision_feature")) for row in rows]


def asked(path: Path) -> list[tuple[int, ...]]:
    with CampaignStore(path) as store:
        targets = sorted(store.targets.all(), key=lambda target: target.ordinal)
    return [(*(getattr(t, name) for name in NAMES), *t.condition_neurons, *t.decision_neurons) for t in targets]


def summary(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    capsys.readouterr()
    assert call(*arguments, "--json") == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("criterion", ["ss", "sv"])
def test_a_campaign_asks_exactly_what_the_suite_does_not_cover(
    table: Path, criterion: str, capsys: pytest.CaptureFixture[str]
) -> None:
    measured = summary(capsys, "measure", "toy", "--suite", "toy", "--criteria", criterion)["criteria"][criterion]
    found = summary(capsys, "run", "toy", "--criterion", criterion, "--conditions", table, "--out", "c.dnncov")
    rows = listed(table, criterion)
    assert 0 < len(rows) == measured["total"] - measured["covered"]
    assert asked(Path("c.dnncov")) == rows
    assert found["pairs"] == found["available"] == len(rows)
    assert found["covered"] > 0
    both = {"total": measured["total"], "covered": measured["covered"], "interval": None}
    assert found["suite"] == {"name": "toy", **both, "together": measured["covered"] + found["covered"]}
    assert call("verify", "c.dnncov") == 0
    assert call("show", "c.dnncov") == 0
    said = capsys.readouterr().out
    left = f"{len(rows)} conditions that the suite toy left open, of {measured['total']} measured"
    assert f"The test conditions are the {left}.\n" in said
    assert f"\ntoy covers {measured['covered']} of {measured['total']} test conditions (" in said


def test_a_sample_of_them_is_drawn_from_them_alone(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = summary(capsys, "run", "toy", "--conditions", table, "--pairs", "3", "--out", "c.dnncov")
    rows = listed(table, "ss")
    assert set(asked(Path("c.dnncov"))) < set(rows)
    assert (found["pairs"], found["available"]) == (3, len(rows))
    low, high = found["suite"]["interval"]
    assert 0 < found["suite"]["together"] / found["suite"]["total"] <= high
    assert low < high <= 1


def test_an_interrupted_campaign_is_resumed_to_the_same_end(table: Path, folder: Path) -> None:
    spec, rows = read_table(table, CampaignSpec("toy", "toy", random_seed=3))
    whole, broken = folder / "whole.dnncov", folder / "broken.dnncov"
    for path in (whole, broken):
        CampaignStore.create(path, spec, versions(), rows).close()

    def interrupt(progress: object) -> None:
        if runs.done(broken) == 2:
            raise KeyboardInterrupt

    assert work(whole) is State.FINISHED
    assert work(broken, on_progress=interrupt) is State.CANCELLED
    assert work(broken) is State.FINISHED
    assert runs.content(broken) == runs.content(whole)
    with CampaignStore(broken) as store:
        assert store.prepared.listed() is not None
        assert store.spec().suite_gaps == spec.suite_gaps


def test_one_that_is_stopped_before_it_is_prepared_still_has_its_list(table: Path, folder: Path) -> None:
    spec, rows = read_table(table, CampaignSpec("toy", "toy"))
    CampaignStore.create(folder / "c.dnncov", spec, versions(), rows).close()
    with CampaignStore(folder / "c.dnncov") as store:
        found = store.prepared.listed()
        assert found is not None
        assert found.tolist() == rows.tolist()
    assert work(folder / "c.dnncov") is State.FINISHED
    assert asked(folder / "c.dnncov") == listed(table, "ss")


class TestRefused:
    def test_another_network(self, table: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        write_factory(folder, (2,))
        make_data(folder, "made:make", (2,))
        line = refused(capsys, "run", "made:make", "--data", "made.npz", "--conditions", table, "--out", "c.dnncov")
        assert "expected the network " in line
        assert is_whole(line)
        assert not (folder / "c.dnncov").exists()

    def test_a_condition_of_another_partition(self, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
        line = refused(capsys, "run", "toy", "--feature-mode", "fixed", "--conditions", table)
        assert "features as asked for (fixed 0.001) in open.csv; got neuron; choose the same --feature-mode" in line

    def test_another_criterion(self, table: Path, capsys: pytest.CaptureFixture[str]) -> None:
        line = refused(capsys, "run", "toy", "--criterion", "vs", "--conditions", table)
        assert "VS (value-sign) (g: any) in open.csv; got ss, sv; choose the same --criterion" in line

    def test_a_row_of_another_condition(self, table: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        rows = table.read_text().splitlines(keepends=True)
        place, first = next((at, row) for at, row in enumerate(rows) if row.startswith("ss,"))
        rows[place] = first.replace(f",{first.split(',')[1]},", ",999,", 1)
        table.write_text("".join(rows))
        line = refused(capsys, "run", "toy", "--conditions", table, "--out", "c.dnncov")
        assert "each by its ordinal; got ordinal 999, condition_layer 2" in line
        assert not (folder / "c.dnncov").exists()

    @pytest.mark.parametrize("option", [("--layers", "3"), ("--top-weights", "2")])
    def test_other_choices_beside_it(
        self, table: Path, option: tuple[str, str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        line = refused(capsys, "run", "toy", *option, "--conditions", table)
        assert f"{option[0]} must be left out where a list says which test conditions are asked" in line

    def test_no_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        line = refused(capsys, "run", "toy", "--conditions", "nowhere.csv")
        assert "expected a table of test conditions that a suite does not cover; got nowhere.csv (" in line

    def test_criteria_without_feature_pairs(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        line = refused(capsys, "measure", "toy", "--suite", "toy", "--criteria", "n", "--open", "open.csv")
        assert "ss, vs, sv or vv; got n" in line
        assert not (folder / "open.csv").exists()


def test_reference_data_are_those_that_were_measured_with(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Largest values of other data are other test conditions."""
    criteria = ("--criteria", "sv:upper_boundary", "--reference", "toy", "--open", "open.csv")
    assert call("measure", "toy", "--suite", "toy", *criteria) == 0
    spec = CampaignSpec("toy", "toy", "sv", value_function="upper_boundary", reference="toy", max_seeds=1)
    spec, rows = read_table(folder / "open.csv", spec)
    assert len(rows) > 0
    assert spec.suite_gaps is not None
    other = replace(spec, suite_gaps=replace(spec.suite_gaps, reference="0" * 12))
    CampaignStore.create(folder / "c.dnncov", other, versions(), rows).close()
    line = refused(capsys, "resume", "c.dnncov")
    assert "expected the reference data 000000000000 with which the list" in line
