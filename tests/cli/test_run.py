"""What the command understands: its help, and every parameter of a campaign."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import DEVICES
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.cli import COMMANDS
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS
from dnncov_core.distances import NORMS
from dnncov_core.features import SAMPLINGS
from dnncov_core.generators import AUTO, GENERATORS, GRIDS, OBJECTIVES, SEED_ORDERS
from dnncov_core.partitions import FEATURE_MODES
from tests.command import call

pytestmark = pytest.mark.usefixtures("folder")


def test_every_parameter_reaches_the_campaign(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = {
        "--criterion": "vv", "--generator": "lp", "--data": "toy", "--value-function": "norm", "--d": "0.5",
        "--p": "1", "--condition-value-function": "absolute=0.25", "--feature-mode": "fixed", "--omega": "0.5",
        "--pairs": "2", "--sampling": "even", "--layers": "3", "--seeds": "4", "--seed-order": "random",
        "--max-seeds": "3", "--reuse": "", "--margin": "0.001", "--grid": "none", "--objective": "distance",
        "--passes": "99", "--batch": "3", "--norm": "2",
        "--bound": "6/2", "--device": "cpu", "--random-seed": "7", "--out": "c.dnncov",
    }  # fmt: skip
    words = [word for option in options.items() for word in option if word]
    assert call("run", "toy", *words, "--json") == 0
    with CampaignStore(folder / "c.dnncov") as store:
        assert store.spec() == CampaignSpec(
            "toy", "toy", "vv", "lp", "norm", None, 0.5, "1", False, None, "absolute=0.25", "fixed", 0.5, 2, "even",
            None, (3,), 4, "random", 3, True, 0.001, "none", "distance", 99, 3, "2", 3.0, "cpu", 7,
        )  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_listed_and_has_its_own(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--help") == 0
    assert f"  {command} " in capsys.readouterr().out
    assert call(command, "--help") == 0
    out = capsys.readouterr().out
    assert "usage: dnncov" in out
    assert "--attended" not in out
    assert ("--status" in out) == (command == "gaps")  # of measure, it is the app's alone


def test_run_lists_every_choice(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "--help") == 0
    words = set(re.split(r"[\s,;()]+", capsys.readouterr().out))
    assert words >= {*CRITERIA, AUTO, *GENERATORS, *VALUE_FUNCTIONS, *NORMS, *FEATURE_MODES, *SAMPLINGS, *DEVICES}
    assert words >= {*GRIDS, *OBJECTIVES, *SEED_ORDERS}


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--version") == 0
    assert capsys.readouterr().out.startswith("dnncov ")
