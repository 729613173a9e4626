"""Mutants of a small network: what is stored, made again, resumed, and refused."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dnncov_core.data import Data
from dnncov_core.errors import CampaignError, DataError, NetworkError, SpecificationError
from dnncov_core.faults.answers import Answers
from dnncov_core.faults.fault import Fault
from dnncov_core.faults.fault_file import FaultFile
from dnncov_core.faults.operators import MUTATION_OPERATORS
from dnncov_core.faults.spec import FaultSpec
from dnncov_core.faults.work import rebuilt, seed_faults
from dnncov_core.networks.network import Network
from tests.networks_for_tests import mlp_of

SPEC = FaultSpec("net", "made", 24, 0.02, 0.6, tuple(MUTATION_OPERATORS), 7)


@pytest.fixture(scope="module")
def network() -> Network:
    rng = np.random.default_rng(3)
    return Network(mlp_of([rng.standard_normal(shape) for shape in ((6, 9), (9, 8), (8, 4))]), (6,), (-1.0, 1.0))


@pytest.fixture(scope="module")
def suite(network: Network) -> Data:
    """Inputs with the network's own labels, but for every tenth."""
    images = np.random.default_rng(1).uniform(-1, 1, (300, 6))
    labels = network(torch.from_numpy(images)).argmax(dim=1).numpy()
    labels[::10] = (labels[::10] + 1) % 4
    return Data("made", images, labels, (), "")


@pytest.fixture(scope="module")
def made(network: Network, suite: Data, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults") / "a.faults"
    seed_faults(path, SPEC, network, suite).close()
    return path


def content(path: Path) -> tuple[object, ...]:
    """All that two runs must agree on."""
    with FaultFile(path) as faults:
        return faults.spec, [*faults.mutants()], faults.right().tobytes(), faults.kills().tobytes(), faults.left_out()


def test_a_stored_mutant_lies_in_the_band_and_is_made_again(made: Path, network: Network, suite: Data) -> None:
    with FaultFile(made) as faults:
        mutants, right, kills = faults.mutants(), faults.right(), faults.kills()
    assert [each.ordinal for each in mutants] == [*range(24)]
    assert right.sum() == 270
    assert kills.shape == (24, 300)
    for mutant, row in zip(mutants, kills, strict=True):
        labels = rebuilt(network, mutant)(torch.from_numpy(suite.images)).argmax(dim=1).numpy()
        after = labels == suite.labels
        assert row.tolist() == (right & ~after).tolist()
        assert (mutant.right_before, mutant.right_after, mutant.killed_by) == (270, after.sum(), row.sum())
        assert 6 <= mutant.drop.n <= 180
        assert mutant.wrong == 300 - after.sum()


def test_operators_and_layers_take_turns(made: Path) -> None:
    with FaultFile(made) as faults:
        first = [each.operator for each in faults.mutants() if each.ordinal < 12 and each.draw < 3]
    assert first == [name for name in MUTATION_OPERATORS if name in first]
    assert len(first) > 8


def test_a_stopped_run_continues_to_the_same_content(made: Path, network: Network, suite: Data, tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    path = tmp_path / "b.faults"
    with pytest.raises(KeyboardInterrupt):
        seed_faults(path, SPEC, network, suite, stop)
    with FaultFile(path) as faults:
        assert len(faults.mutants()) == 5
    told: list[tuple[int, int]] = []
    seed_faults(path, SPEC, network, suite, lambda done, total: told.append((done, total))).close()
    assert told[0] == (1, 19)
    assert content(path) == content(made)


DAMAGES = (
    "UPDATE faults SET spec = '{}'",
    "UPDATE faults SET inputs = -1",
    "UPDATE faults SET correct = x'00'",
    "UPDATE mutant SET kills = 'a' WHERE ordinal = 3",
    "UPDATE mutant SET operator = 'none' WHERE ordinal = 3",
    "UPDATE mutant SET strength = 'much' WHERE ordinal = 3",
    "UPDATE mutant SET inputs = 7 WHERE ordinal = 3",
    "DELETE FROM faults",
    "CREATE VIEW more AS SELECT 1",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_in_one_line(damage: str, made: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.faults"
    shutil.copy(made, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(damage)
    message = r"^expected a whole file of seeded faults .*; got a damaged one.*; restore"
    with pytest.raises(CampaignError, match=message), FaultFile(path) as faults:
        _ = faults.mutants(), faults.right(), faults.kills()


def test_what_is_there_already_stays(made: Path) -> None:
    before = content(made)
    with FaultFile(made) as faults:
        faults.store(faults.mutants()[2], ~faults.right(), faults.left_out()[:1])
    assert content(made) == before


def test_more_mutants_are_added_and_fewer_refused(made: Path, network: Network, suite: Data, tmp_path: Path) -> None:
    path = tmp_path / "m.faults"
    for n in (4, 24):
        seed_faults(path, replace(SPEC, mutants=n), network, suite).close()
    assert content(path) == content(made)
    with pytest.raises(CampaignError, match="got one with another number of mutants, which may only grow"):
        seed_faults(path, replace(SPEC, mutants=23), network, suite)


def test_another_question_is_refused(made: Path, network: Network, suite: Data) -> None:
    with pytest.raises(CampaignError, match="one with another random seed; ask for the same"):
        seed_faults(made, replace(SPEC, random_seed=8), network, suite)


def test_a_suite_without_labels_is_refused(network: Network, suite: Data, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="expected a suite with labels; got none in made; give data with labels"):
        seed_faults(tmp_path / "c.faults", SPEC, network, replace(suite, labels=None))


def test_a_regression_is_right_within_its_tolerance(tmp_path: Path, suite: Data) -> None:
    module = mlp_of([np.random.default_rng(3).standard_normal(shape) for shape in ((6, 5), (5, 2))])
    network = Network(module, (6,), (-1.0, 1.0), tolerance=[0.5, 0.2])
    targets = network(torch.from_numpy(suite.images)).numpy() + np.array([0.4, 0.1])
    targets[:30, 1] += 0.2
    data = replace(suite, labels=None, targets=targets)
    with seed_faults(tmp_path / "r.faults", replace(SPEC, mutants=11), network, data) as faults:
        assert faults.right().tolist() == [False] * 30 + [True] * 270
        for mutant, row in zip(faults.mutants(), faults.kills(), strict=True):
            outputs = rebuilt(network, mutant)(torch.from_numpy(suite.images)).numpy()
            assert row.tolist() == [
                i >= 30 and any(abs(outputs[i, j] - targets[i, j]) > (0.5, 0.2)[j] for j in (0, 1)) for i in range(300)
            ]
        assert "classes_swapped" not in {each.operator for each in faults.mutants()}
    with pytest.raises(DataError, match="expected a suite with targets; got none in made"):
        seed_faults(tmp_path / "s.faults", SPEC, network, suite)


def test_a_mutant_of_another_network_is_refused(made: Path) -> None:
    with FaultFile(made) as faults, pytest.raises(NetworkError, match="the network that mutant 0 was made of"):
        rebuilt(Network(mlp_of([np.eye(6), np.eye(6)]), (6,)), faults.mutants()[0])


def test_scores_that_are_no_numbers_are_wrong(network: Network, suite: Data) -> None:
    def spoiled(scores: torch.Tensor) -> torch.Tensor:
        return torch.cat([scores[:, :3], torch.full_like(scores[:, 3:], -torch.inf)], dim=1)

    fault = Fault(network.depth, u=spoiled)  # the largest of them would be the label
    assert not any(those.any() for _, those in Answers(network, suite).of(fault))


@pytest.mark.parametrize("band", [(0.0, 0.1), (0.2, 0.1), (0.1, 1.5)])
def test_a_band_that_cannot_be_is_refused(band: tuple[float, float]) -> None:
    with pytest.raises(SpecificationError, match=r"a drop LEAST\.\.MOST in percentage points"):
        replace(SPEC, least=band[0], most=band[1])


def test_a_campaign_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.faults"
    path.write_bytes(b"something else")
    with pytest.raises(CampaignError, match="expected a file of seeded faults"):
        FaultFile(path)
