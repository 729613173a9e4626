"""What the arms of a comparison are given, what comes out of it, what it leaves alone, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from dnncov_core import Network
from dnncov_core.data import Data
from dnncov_core.errors import CampaignError
from dnncov_core.faults.work import mutants_of, rebuilt
from dnncov_core.networks.loader import load_network
from dnncov_core.record_files import write_record
from dnncov_core.retraining import attack, work
from dnncov_core.retraining.arms import INPUTS, Pairs, read_pairs
from dnncov_core.retraining.outcome import ACCURACY, ARMS, ATTACKED, GENERATED, MUTANTS, NONE, Outcome, read
from dnncov_core.retraining.spec import RetrainingSpec
from dnncov_core.retraining.student import Estimate, quantile
from dnncov_core.retraining.training import Labelled, batches_of, trained
from dnncov_core.retraining.words import conclusions, lines
from dnncov_core.retraining.work import are_apart, retrain
from dnncov_core.types import Norm
from tests import runs
from tests.command import call, is_whole, refused
from tests.retraining.made import outcome as outcome_by_hand

pytest.importorskip(attack.MODULE)  # it comes with the extra "test"
QUICK = RetrainingSpec(steps=4, batch=8, learning_rate=0.01, attack_steps=2, sample=20)
SOURCES = outcome_by_hand().sources
SMALL = ("--steps", "3", "--batch", "4", "--attack-steps", "2", "--bound", "1")


def network(**told: object) -> Network:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 2))
    return Network(module, (3,), **told)  # type: ignore[arg-type]


def data(n: int, seed: int, name: str = "made") -> Data:
    x = np.random.default_rng(seed).random((n, 3))
    return Data(name, x, (x.sum(axis=1) > 1.5).astype(np.int64), (), "")


def pairs(net: Network, norm: Norm = "inf", n: int = 12) -> Pairs:
    x = torch.from_numpy(data(n, 7).images).to(net.dtype)
    step = 0.05 * torch.randn(x.shape, generator=torch.Generator().manual_seed(1)).to(net.dtype)
    return Pairs(x, (x + step).clamp(0, 1), net(x).argmax(dim=1), norm)


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> tuple[Network, Outcome, Path]:
    net, out = network(), tmp_path_factory.mktemp("retrained") / "new.pt2"
    return net, retrain(net, pairs(net), data(40, 0), data(30, 1), QUICK, out, sources=SOURCES), out


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runs.finished(tmp_path_factory.mktemp("campaign") / "toy.dnncov", runs.toy_spec(pairs=6))


@pytest.fixture(scope="module")
def test_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "test.npz"
    x = np.random.default_rng(0).uniform(-1, 1, (20, 2))
    np.savez(path, inputs=x, labels=load_network("toy")[0](torch.from_numpy(x)).argmax(dim=1).numpy())
    return path


def test_all_arms_take_as_many_steps_and_inputs_and_the_same_rows() -> None:
    net = network()
    own, some = Labelled(net, data(40, 0)), pairs(net)
    alone = list(batches_of(own, None, QUICK, 3))
    for further in (some.x2, -some.x2):
        joined = list(batches_of(own, (further, some.labels), QUICK, 3))
        assert len(joined) == len(alone) == QUICK.steps
        for (x, labels), (x_alone, labels_alone) in zip(joined, alone, strict=True):
            assert x.shape == x_alone.shape == (QUICK.batch, 3)
            assert torch.equal(x[:4], x_alone[4:])
            assert torch.equal(labels[:4], labels_alone[4:])
            for each, label in zip(x[4:], labels[4:], strict=True):
                assert label in some.labels[(further == each).all(dim=1)]
    chosen = [
        [
            (further == each).all(dim=1).int().argmax().item()
            for x, _ in batches_of(own, (further, some.labels), QUICK, 3)
            for each in x[4:]
        ]
        for further in (some.x2, some.x1 + 2)
    ]
    assert chosen[0] == chosen[1]


@pytest.mark.parametrize("norm", ["inf", "2"])
def test_arms_have_the_same_seeds_and_distances(norm: Norm) -> None:
    net = network()
    some = pairs(net, norm)
    inner = Pairs(some.x1 * 0.5 + 0.25, some.x2 * 0.5 + 0.25, some.labels, norm)  # so that no bound is in the way
    made = {name: inputs(net, inner, 5, torch.Generator().manual_seed(0)) for name, inputs in INPUTS.items()}
    assert all(x.shape == inner.x1.shape for x in made.values())
    assert torch.equal(made[GENERATED], inner.x2)
    order = {"inf": float("inf"), "2": 2.0}[norm]
    for one, own, moved, risen in zip(inner.x1, inner.x2, made["random"], made["pgd"], strict=True):
        distance = float(torch.linalg.vector_norm(own - one, order))
        assert float(torch.linalg.vector_norm(moved - one, order)) == pytest.approx(distance, rel=1e-4)
        assert float(torch.linalg.vector_norm(risen - one, order)) <= distance * (1 + 1e-4)
    loss = [nn.functional.cross_entropy(net(x), inner.labels).item() for x in (inner.x1, made["random"], made["pgd"])]
    assert loss[2] > max(loss[:2])


def test_the_network_stays_as_it_is_bit_for_bit(outcome: tuple[Network, Outcome, Path]) -> None:
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 4), nn.ReLU(), nn.Linear(4, 2))
    before = {name: value.clone() for name, value in module.state_dict().items()}
    net = Network(module, (3,))
    fingerprint, state = net.fingerprint, {node: value.clone() for node, value in net.graph.state.items()}
    copied = trained(net, Labelled(net, data(40, 0)), None, QUICK, 0)
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert all(torch.equal(value, state[node]) for node, value in net.graph.state.items())
    assert net.fingerprint == fingerprint == outcome[0].fingerprint
    now = copied.module.state_dict()
    changed = {name for name in before if not torch.equal(before[name], now[name])}
    assert changed == {name for name in before if "running" not in name and "tracked" not in name}


def test_tied_weights_stay_tied_and_frozen_ones_as_they_are() -> None:
    first, second = nn.Linear(3, 3), nn.Linear(3, 3)
    second.weight, last = first.weight, nn.Linear(3, 2)
    last.weight.requires_grad_(False)
    net = Network(nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), last), (3,))
    copied = trained(net, Labelled(net, data(40, 0)), None, QUICK, 0)
    now = copied.module.state_dict()
    assert torch.equal(now["0.weight"], now["2.weight"])
    assert not torch.equal(now["0.weight"], first.weight)
    assert torch.equal(now["4.weight"], last.weight)


def test_what_is_told_of_a_network_is_kept_in_its_new_file(tmp_path: Path) -> None:
    told = {"bounds": ([0, 0, 0], [1, 2, 3]), "features": ["a", "b", "c"], "units": ["m", "", "s"]}
    net = network(**told, classes=["no", "yes"], decision="min")
    copied = trained(net, Labelled(net, data(40, 0)), None, QUICK, 0)
    copied.save(tmp_path / "new.pt2")
    again, _ = load_network(str(tmp_path / "new.pt2"))
    assert (again.box.ranges, again.box.features, again.box.units) == (net.box.ranges, net.box.features, net.box.units)
    assert (again.classes, again.decision) == (net.classes, net.decision)
    x = torch.rand(5, 3)
    torch.testing.assert_close(again(x), copied.network(x))
    assert not torch.allclose(again(x), net(x))


def test_each_arm_is_measured_in_each_repeat(outcome: tuple[Network, Outcome, Path]) -> None:
    net, found, out = outcome
    assert [(run.arm, run.repeat) for run in found.runs] == [(arm, n) for arm in ARMS for n in range(5)]
    assert found.before[ACCURACY].total == 30
    assert found.before[ATTACKED].total == 20
    assert list(found.before) == [ACCURACY, ATTACKED, "ss"]
    x, labels = torch.from_numpy(data(30, 1).images).float(), data(30, 1).labels
    first = next(run for run in found.runs if run.arm == GENERATED)
    right = load_network(str(out))[0](x).argmax(dim=1).numpy() == labels
    assert first.scores[ACCURACY].n == int(right.sum())
    assert found.before[ACCURACY].n == int((net(x).argmax(dim=1).numpy() == labels).sum())
    assert all(run.scores[ATTACKED].n <= 20 for run in found.runs)


def test_the_same_seed_gives_the_same_and_another_one_not(
    outcome: tuple[Network, Outcome, Path], tmp_path: Path
) -> None:
    net, found, out = outcome
    again = retrain(net, pairs(net), data(40, 0), data(30, 1), QUICK, tmp_path / "again.pt2", sources=SOURCES)
    assert again.as_json() == found.as_json()
    written = [load_network(str(path))[0].fingerprint for path in (out, tmp_path / "again.pt2")]
    assert written[0] == written[1]
    own = Labelled(net, data(40, 0))
    alike = [trained(net, own, None, QUICK, seed).module.state_dict()["0.weight"] for seed in (1, 1, 2)]
    assert torch.equal(alike[0], alike[1])
    assert not torch.equal(alike[0], alike[2])


def test_test_inputs_that_are_trained_on_are_left_out() -> None:
    net = network()
    some, training, test = pairs(net), data(40, 0), data(30, 1)
    mixed = np.concatenate([training.images[5:8], test.images, some.x1[:2].double().numpy()])
    found = are_apart(net, replace(test, images=mixed, labels=np.zeros(35, np.int64)), training, some)
    assert found.tolist() == [False] * 3 + [True] * 30 + [False] * 2


def test_means_and_differences_by_hand(outcome: tuple[Network, Outcome, Path]) -> None:
    _, found, _ = outcome
    for arm in ARMS:
        ours = [run.scores[ACCURACY].n / 30 for run in found.runs if run.arm == arm]
        alone = [run.scores[ACCURACY].n / 30 for run in found.runs if run.arm == NONE]
        for values, estimate in (
            (ours, found.mean(arm, ACCURACY)),
            ([a - b for a, b in zip(ours, alone, strict=True)], found.difference(arm, ACCURACY)),
        ):
            half = 2.7764451 * np.std(values, ddof=1) / np.sqrt(5)  # the quantile of 4 degrees of freedom, from a table
            expected = np.mean(values), np.mean(values) - half, np.mean(values) + half
            np.testing.assert_allclose((estimate.mean, estimate.low, estimate.high), expected, atol=1e-8)


@pytest.mark.parametrize(
    ("freedom", "value"), [(1, 12.7062), (2, 4.30265), (3, 3.18245), (4, 2.77645), (9, 2.26216), (30, 2.04227)]
)
def test_quantiles_are_those_of_the_tables(freedom: int, value: float) -> None:
    assert quantile(0.975, freedom) == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize(("norm", "dtype"), [("inf", torch.float32), ("2", torch.float64)])
def test_the_attack_breaks_what_is_near_the_border_and_nothing_else(norm: Norm, dtype: torch.dtype) -> None:
    layers = nn.Linear(1, 2, bias=False), nn.ReLU(), nn.Linear(2, 2)
    with torch.no_grad():  # the scores are 2 x and 1: the label is 0 from x = 0.5 on
        layers[0].weight.copy_(torch.tensor([[1.0], [0.0]]))
        layers[2].weight.copy_(torch.tensor([[2.0, 0.0], [0.0, 0.0]]))
        layers[2].bias.copy_(torch.tensor([0.0, 1.0]))
    net = Network(nn.Sequential(*layers).to(dtype), (1,))
    x = torch.tensor([[0.05], [0.35], [0.45], [0.55], [0.65], [0.95], [0.9]], dtype=dtype)
    labels = torch.tensor([1, 1, 1, 0, 0, 0, 1])
    kept = attack.right_under_attack(net, (x, labels), norm, 0.1, 20, 0)
    assert kept.tolist() == [True, True, False, False, True, True, False]


def test_the_command_says_what_came_of_it(
    campaign: Path, test_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new.pt2"
    arguments = ("retrain", "toy", "--with", campaign, "--data", "toy", "--test", test_data, "--out", out, *SMALL)
    assert call(*arguments, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sizes"]["test"] == 20
    assert found["sizes"]["pairs"] == len(read_pairs(load_network("toy")[0], [campaign]))
    assert set(found["arms"]) == set(ARMS)
    assert all(len(arm["repeats"]) == 5 for arm in found["arms"].values())
    assert load_network(str(out))[0].input_shape == (2,)
    assert "new.pt2, which is there already" in refused(capsys, *arguments)


def test_mutants_are_those_of_each_network_and_the_result_is_kept(
    campaign: Path, test_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before, the mutants are rebuilt and asked one by one; after, there are as many."""
    faults, result = tmp_path / "toy.faults", tmp_path / "toy.json"
    assert call("faults", "toy", "--suite", test_data, "--mutants", "6", "--drop", "1..60", "--out", faults) == 0
    arguments = ("retrain", "toy", "--with", campaign, "--data", "toy", "--test", test_data, *SMALL)
    own = ("--faults", faults, "--result", result, "--out", tmp_path / "new.pt2")
    assert call(*arguments, *own) == 0
    assert "Mutants: each of 6 seeded faults is put into each network" in capsys.readouterr().out
    found, net = read(result), load_network("toy")[0]
    with np.load(test_data) as given:
        x, labels = torch.from_numpy(given["inputs"]).to(net.dtype), given["labels"]
    right = net(x).argmax(dim=1).numpy() == labels
    killed = [
        bool((right & (rebuilt(net, each)(x).argmax(dim=1).numpy() != labels)).any())
        for each in mutants_of(faults, net)
    ]
    assert (found.before[MUTANTS].n, found.before[MUTANTS].total) == (sum(killed), 6)
    assert {run.scores[MUTANTS].total for run in found.runs} == {6}
    assert (found.sources.campaigns, found.sources.faults) == (("toy.dnncov",), "toy.faults")
    assert found.spec.steps == 3
    others = ("retrain", "mnist-n1", *arguments[2:], "--faults", faults, "--out", tmp_path / "other.pt2")
    assert is_whole(refused(capsys, *others))
    with pytest.raises(work.DataError, match="mutants of the same network"):
        mutants_of(faults, network())


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_record(tmp_path / "a.json", outcome_by_hand())
    assert read(tmp_path / "a.json") == outcome_by_hand()
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(work.DataError, match="a file of dnncov retrain"):
        read(tmp_path / "a.json")


def test_what_is_refused(campaign: Path, test_data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "bare.npz", inputs=np.zeros((4, 2)))
    np.savez(tmp_path / "wide.npz", inputs=np.zeros((4, 3)), labels=np.zeros(4, np.int64))
    (tmp_path / "beside.pt2.toml").write_text("")
    unfinished = runs.create(tmp_path / "none.dnncov", runs.toy_spec())

    def said(*changed: str | Path, network: str = "toy") -> str:
        usual = {"--with": campaign, "--data": "toy", "--test": test_data, "--out": tmp_path / "new.pt2"}
        asked = usual | dict(zip(changed[::2], changed[1::2], strict=True))
        line = refused(capsys, "retrain", network, *(part for each in asked.items() for part in each), *SMALL[:2])
        assert is_whole(line), line
        assert not (tmp_path / "new.pt2").exists()
        return line

    assert "labels" in said("--data", tmp_path / "bare.npz")
    assert "labels" in said("--test", tmp_path / "bare.npz")
    assert "(3,)" in said("--data", tmp_path / "wide.npz")
    assert "the network that is trained" in said(network="mnist-n9")
    assert "none in none.dnncov" in said("--with", unfinished)
    assert "none in toy" in said("--test", "toy")
    assert "beside.pt2.toml, which is there already" in said("--out", tmp_path / "beside.pt2")
    assert "ending .pt2" in said("--out", tmp_path / "new.onnx")
    assert "a folder that exists" in said("--out", tmp_path / "none" / "new.pt2")
    assert "--repeats of at least 5" in said("--repeats", "4")
    assert "a whole number from 0" in said("--random-seed", "-1")
    assert "s, nlc, of which nobody knows a total" in said("--criteria", "ss,s,nlc", "--data", tmp_path / "bare.npz")


def test_a_regression_and_a_missing_library_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(work.NetworkError, match="a regression"):
        work.check_trainable(network(tolerance=0.1), tmp_path / "new.pt2")
    monkeypatch.setattr(attack, "find_spec", lambda name: None)
    with pytest.raises(work.DataError, match="pip install secml-torch"):
        work.check_trainable(network(), tmp_path / "new.pt2")


def test_the_sentences_follow_the_intervals(outcome: tuple[Network, Outcome, Path]) -> None:
    _, found, _ = outcome
    said = "\n".join(lines(found))
    for arm in ARMS.values():
        assert said.count(f"  {arm.title}") == 3
    for measure, sentence in zip(found.before, conclusions(found), strict=True):
        parts = sentence.split("; ")
        for part, other in zip(parts, (NONE, "random", "pgd"), strict=True):
            estimate = found.difference(GENERATED, measure, other)
            assert ("no difference can be told" in part) == (estimate.low <= 0 <= estimate.high)
            assert (" higher by " in part) == (estimate.low > 0)
    assert Estimate(0.1, -0.1, 0.3).sign == 0
    assert (Estimate(0.1, 0.05, 0.3).sign, Estimate(-0.1, -0.3, -0.05).sign) == (1, -1)


def test_campaigns_of_two_norms_are_refused(campaign: Path, tmp_path: Path) -> None:
    other = runs.finished(tmp_path / "other.dnncov", runs.toy_spec(pairs=2, generator="targeted", norm="2"))
    with pytest.raises(CampaignError, match=r"inf in toy\.dnncov and 2 in other\.dnncov"):
        read_pairs(load_network("toy")[0], [campaign, other])


def test_a_pair_that_covers_several_conditions_counts_once(campaign: Path) -> None:
    net = load_network("toy")[0]
    once = read_pairs(net, [campaign])
    twice = read_pairs(net, [campaign, campaign])
    assert len(once) == len(twice) > 0
    assert torch.equal(once.labels, net(once.x1).argmax(dim=1))
