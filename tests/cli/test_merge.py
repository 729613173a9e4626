"""``dnncov run --shard`` and ``dnncov merge``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import State
from tests import runs
from tests.command import call, refused

pytestmark = pytest.mark.usefixtures("folder")


def test_shards_are_merged_to_what_one_command_gives(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "toy", "--out", "whole.dnncov") == 0
    for shard in ("2/2", "1/2"):
        assert call("run", "toy", "--shard", shard) == 0
    files = ["toy-ss-1-of-2.dnncov", "toy-ss-2-of-2.dnncov"]
    assert f"The campaign is in the file {files[0]}." in capsys.readouterr().err
    assert call("show", files[0]) == 0
    said = "This is shard 1 of 2 of a campaign; 'dnncov merge' joins it with the others."
    assert said in capsys.readouterr().out.splitlines()
    assert call("merge", "m.dnncov", *files, "--json") == 0
    captured = capsys.readouterr()
    assert (json.loads(captured.out)["state"], captured.err) == ("finished", "")
    assert runs.content(folder / "m.dnncov") == runs.content(folder / "whole.dnncov")


def test_what_a_missing_shard_leaves_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for shard in ("1/3", "3/3"):
        assert call("run", "toy", "--shard", shard) == 0
    capsys.readouterr()
    assert call("merge", "m.dnncov", "toy-ss-1-of-3.dnncov", "toy-ss-3-of-3.dnncov") == 1
    first, last = capsys.readouterr().err.splitlines()
    assert first.startswith(
        "open: 5 test conditions of shard 2/3 (ordinals 3, 9, 10, 11, 12); for them: dnncov run toy"
    )
    assert first.endswith(" --shard 2/3")
    assert last == "'dnncov resume m.dnncov' searches for all of them here."
    assert call("resume", "m.dnncov") == 0
    assert runs.state_of(folder / "m.dnncov") is State.FINISHED


def test_the_same_command_again_goes_on_with_its_shard(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("run", "toy", "--shard", "2/3", "--out", "c.dnncov")
    assert call(*command) == 0
    before = runs.content(folder / "c.dnncov")
    with CampaignStore(folder / "c.dnncov") as store, store.database.transaction() as connection:
        for table in ("attempt", "test_pair"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("UPDATE target SET outcome = 'pending'")
    assert runs.done(folder / "c.dnncov") == 0
    assert call(*command) == call(*command) == 0
    assert runs.content(folder / "c.dnncov") == before
    line = refused(capsys, *command, "--criterion", "vs")
    assert "got c.dnncov, which differs: criterion ss and vs; value_function None and any; choose another --out" in line
    assert "shard 2/3 and 1/3" in refused(capsys, "run", "toy", "--shard", "1/3", "--out", "c.dnncov")


@pytest.mark.parametrize("shard", ["0/3", "4/3", "3", "a/b", "1/2/3"])
def test_what_is_no_shard(shard: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "argument --shard: expected a part I/N, with I from 1 to N; got" in refused(
        capsys, "run", "toy", "--shard", shard
    )


def test_a_shard_knows_no_reuse(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--reuse must be left out with a shard" in refused(capsys, "run", "toy", "--shard", "1/2", "--reuse")
