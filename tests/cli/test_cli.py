"""The command ``dnncov`` as a whole: its help, its streams, its exit statuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dnncov_core.cli import COMMANDS
from tests import runs
from tests.command import call

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_listed_and_has_its_own(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--help") == 0
    assert f"  {command} " in capsys.readouterr().out
    assert call(command, "--help") == 0
    out = capsys.readouterr().out
    assert "usage: dnncov" in out
    assert "--attended" not in out
    assert ("--status" in out) == (command == "gaps")  # of measure, it is the app's alone


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--version") == 0
    assert capsys.readouterr().out.startswith("dnncov ")


def test_a_process_prints_json_alone_on_standard_output_and_progress_on_standard_error(folder: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "dnncov_core", "run", "toy", "--criterion", "sv", "--pairs", "3", "--json"],
        env={**os.environ, "PYTHONPATH": str(runs.ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["pairs"] == 3
    assert "3/3" in found.stderr
    assert "Traceback" not in found.stderr
    assert "Warning" not in found.stderr


def test_numbers_and_mistakes_are_shown_without_pytorch_which_takes_seconds_to_load(folder: Path) -> None:
    runs.finished(folder / "c.dnncov", runs.toy_spec(pairs=2))
    code = (
        "import sys; from dnncov_core.cli import main;"
        " main(['measure', 'toy', '--suite=toy', '--criteria=magic']);"
        " [main([name, 'c.dnncov']) for name in ('show', 'gaps', 'cancel')]; sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    mistake, shown, covered = done.stderr.splitlines()
    assert "a criterion, one of ss, vs" in mistake
    assert (shown.partition(" ")[2], done.returncode) == ("of 2 test conditions", 0)
    assert covered.startswith("1 of 2 sampled conditions (of ")
    assert done.stdout.splitlines()[-1] == "already finished"


def test_a_reader_that_has_enough_is_no_error(folder: Path) -> None:
    runs.finished(folder / "c.dnncov", runs.toy_spec(pairs=2))
    command = f"{sys.executable} -m dnncov_core show c.dnncov --json | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("{\n", "", 0)
