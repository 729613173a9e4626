"""The worth of a small network: what each line says, resumed after a kill, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.faults.fault_file import FaultFile
from dnncov_core.faults.work import rebuilt
from dnncov_core.networks import memory
from dnncov_core.registry import open_data_for, open_network
from dnncov_core.suites.criterion_names import parse
from dnncov_core.suites.measurement import measure
from dnncov_core.suites.remembered import some_of
from dnncov_core.worth import generated
from dnncov_core.worth.answer import by_criterion
from dnncov_core.worth.draws import Pool, drawn
from dnncov_core.worth.worth_file import read
from tests.command import call, refused
from tests.worth.made import CRITERIA, NETWORK, make_faults

ASK = ("--criteria", CRITERIA, "--reference", "pool.npz", "--sizes", "5,20", "--suites", "12", "--workers", "1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("worth")


@pytest.fixture(scope="module")
def made(folder: Path) -> Path:
    """A finished file beside its faults and a campaign."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        make_faults(folder)
        run = ("--criterion", "ss", "--generator", "targeted", "--data", "pool.npz", "--workers", "1", "--seeds", "20")
        assert call("run", NETWORK, *run, "--out", "c.dnncov") == 0
        assert call("worth", "a.faults", *ASK, "--with", "c.dnncov", "--out", "a.worth") == 0
    return folder / "a.worth"


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def test_each_suite_is_as_it_is_measured_alone(made: Path) -> None:
    found, network = read(made), open_network(NETWORK)[0]
    pool = open_data_for(network, "pool.npz")
    points = Pool.of(pool, network.box)
    with FaultFile(made.with_name("a.faults")) as faults:
        kills = faults.kills()
    assert len(found.suites) == 24
    for suite in [*found.suites][::5]:
        rows = drawn(points, suite.key, 0)
        assert found.bits(suite.killed).tolist() == [any(row[x] for x in rows) for row in kills.tolist()]
        again = measure(
            network, some_of(pool, rows), parse(CRITERIA, "pool.npz"), reference=pool, effect="needed"
        ).results
        expected = {each.asked.text: (each.covered, each.total) for each in again}
        shown = {each.asked.text: sum(edge.effects.shown for edge in each.edges) for each in again if each.edges}
        expected |= {f"{text}, effect needed": (n, expected[text][1]) for text, n in shown.items()}
        assert suite.coverage == expected


def test_the_answer_is_of_all_criteria_and_sizes(made: Path) -> None:
    found = read(made)
    together = by_criterion(found.correlations)
    assert len(together) == 12
    assert {tuple(each.size for each in some) for some in together.values()} == {(5, 20, None)}
    assert {each.suites for some in together.values() for each in some} == {12, 24}


def test_a_killed_worker_loses_one_suite_and_nothing_else(made: Path, folder: Path) -> None:
    content = made.read_bytes()
    lines = content.splitlines(keepends=True)
    cut = folder / "cut.worth"
    cut.write_bytes(b"".join(lines[:12]) + lines[12][:20])
    assert len(read(cut).suites) == 12 - 1 - len(read(made).generated)
    assert call("worth", "a.faults", *ASK, "--with", "c.dnncov", "--out", "cut.worth") == 0
    assert cut.read_bytes() == content


def test_two_processes_measure_the_same_in_the_same_order(made: Path, folder: Path) -> None:
    """A process of the pool has nothing of this one: it reads network, pool and values from files."""
    asked = ("worth", "a.faults", *ASK, "--with", "c.dnncov", "--workers", "2", "--out", "two.worth")
    assert call(*asked) == 0
    assert (folder / "two.worth").read_bytes().splitlines()[1:] == made.read_bytes().splitlines()[1:]


def test_what_a_killed_process_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left, in_use, other = (tmp_path / f"dnncov-worth-{name}" for name in (f"{gone.pid}-a", f"{os.getppid()}-b", "c"))
    for each in (left, in_use, other):
        each.mkdir()
        (each / "u2.npy").touch()
    assert call("worth", "a.faults", *ASK, "--out", str(tmp_path / "b.worth")) == 0
    assert sorted(tmp_path.iterdir()) == sorted([in_use, other, tmp_path / "b.worth"])


def test_other_faults_have_another_fingerprint(made: Path, tmp_path: Path) -> None:
    shutil.copy(made.with_name("a.faults"), tmp_path / "b.faults")
    with FaultFile(made.with_name("a.faults")) as faults, FaultFile(tmp_path / "b.faults") as others:
        assert faults.fingerprint() == others.fingerprint() == read(made).spec.faults_fingerprint
        others.ask_for(replace(others.spec, mutants=13))
        assert faults.fingerprint() != others.fingerprint()


def test_generated_inputs_go_through_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A network that takes three inputs at a time gives what it gives for all at once."""
    network, x = open_network(NETWORK)[0], np.random.default_rng(0).random((10, 2))
    whole = generated._outputs(network, x)
    monkeypatch.setattr(memory, "MOST_AT_ONCE", 3)
    monkeypatch.setattr(memory, "MOST_ON_CPU", 3)
    assert torch.equal(generated._outputs(network, x), whole)


def test_what_two_processes_have_added_counts_once(made: Path, folder: Path) -> None:
    asked, *lines = made.read_bytes().splitlines(keepends=True)
    twice = folder / "twice.worth"
    twice.write_bytes(asked + b"".join(lines + lines))
    assert read(twice) == read(made)


def test_other_data_of_the_same_name_are_not_mixed_in(
    made: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with np.load(folder / "pool.npz") as pool:
        np.savez(tmp_path / "pool.npz", images=pool["images"][:50], labels=pool["labels"][:50])
    ask = [str(tmp_path / "pool.npz") if each == "pool.npz" else each for each in ASK]
    asked = ("worth", "a.faults", *ask, "--with", "c.dnncov", "--out", "a.worth")
    assert "another reference fingerprint" in refused(capsys, *asked)
    shutil.copy(folder / "a.faults", tmp_path / "a.faults")
    with FaultFile(tmp_path / "a.faults") as faults:
        faults.ask_for(replace(faults.spec, random_seed=1))
    others = ("worth", str(tmp_path / "a.faults"), *ASK, "--with", "c.dnncov", "--out", "a.worth")
    assert "another faults fingerprint" in refused(capsys, *others)


def test_generated_inputs_kill_where_the_network_is_right_and_the_mutant_wrong(made: Path) -> None:
    found, network = read(made), open_network(NETWORK)[0]
    assert {each.kind for each in found.generated} >= {"targeted", "perturbed", "ascended", "seeds"}
    assert len({each.inputs for each in found.generated}) == 1
    (seeds,) = (each for each in found.generated if each.kind == "seeds")
    assert found.bits(seeds.killed).tolist() == found.bits(seeds.differs).tolist()  # the network has all seeds right
    for each in found.generated:
        assert not (found.bits(each.killed) & ~found.bits(each.differs)).any()
    if "adversarial" in {each.kind: each for each in found.generated}:
        (adversarial,) = (each for each in found.generated if each.kind == "adversarial")
        assert not found.bits(adversarial.killed).any()
    with FaultFile(made.with_name("a.faults")) as faults:
        mutants = faults.mutants()
    pool = torch.from_numpy(open_data_for(network, "pool.npz").images.copy())
    own = network(pool).argmax(dim=1)
    differs = [bool((rebuilt(network, mutant)(pool).argmax(dim=1) != own).any()) for mutant in mutants]
    assert all(np.array(differs) >= found.bits(seeds.differs))  # seeds are some of the pool


def test_json(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert call("worth", "a.faults", *ASK, "--with", "c.dnncov", "--out", made, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["suites"] == 24
    assert len(told["sentences"]) == 12
    assert {each["mutants"] for each in told["generated"]} == {12}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--sizes", "5,500", "--out", "x.worth"), "at most 200 inputs"),
        (("--sizes", "20,5", "--out", "x.worth"), "sizes from 1 that grow"),
        (("--sizes", "0,5", "--out", "x.worth"), "sizes from 1 that grow"),
        (("--random-seed", "-1", "--out", "x.worth"), "a whole number from 0"),
        (("--suites", "3", "--out", "x.worth"), "at least 12 suites"),
        (("--suites", "16", "--out", "a.worth"), "another suites"),
        (("--out", "pool.npz"), "a file of dnncov worth"),
        (("--network", "mnist-n1", "--out", "x.worth"), "the network of the faults"),
    ],
)
def test_refused(made: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str) -> None:
    assert words in refused(capsys, "worth", "a.faults", *ASK, "--with", "c.dnncov", *arguments)
