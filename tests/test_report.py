"""What linear programmes cost, as the command prints it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnncov_core.records import Attempt, Outcome, Target
from tests import builders
from tests.command import call

pytestmark = pytest.mark.usefixtures("folder")


def test_linear_programmes_are_shown_by_layer(campaign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("show", campaign, "--json") == 0
    costs = json.loads(capsys.readouterr().out)["programmes"][1]
    assert call("show", campaign) == 0
    heads, _, last = capsys.readouterr().out.splitlines()[-3:]
    assert heads.split()[:3] == ["layers", "LP", "calls"]
    assert len(heads) == len(last)
    assert last.split() == [
        "3", "to", "4", str(costs["calls"]), "3", f"{costs['constraints_mean']:.1f}", str(costs["constraints_max"]),
        f"{costs['seconds_mean']:.4f}", f"{costs['iterations_mean']:.1f}", "10", "22",
    ]  # fmt: skip


def test_what_is_not_known_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def old(target: Target) -> tuple[Attempt, ...]:
        return (Attempt(0, Outcome.INFEASIBLE_HERE, 0.1, variables=785, constraints=33),)

    builders.campaign(folder / "c.dnncov", solved=old).close()
    assert call("show", "c.dnncov") == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[3:] == [
        "n/a", "785", "33.0", "33", "n/a", "n/a", "798", "3,162",
    ]  # fmt: skip


def test_nothing_of_programmes_is_shown_where_none_was_solved(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    builders.campaign(folder / "c.dnncov").close()
    assert call("show", "c.dnncov") == 0
    assert "programmes" not in capsys.readouterr().out
