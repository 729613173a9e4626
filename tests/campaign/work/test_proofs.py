"""Proofs of a campaign's conditions: what they store, what they leave to the search, and when they raise the alarm."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work import proofs as module
from dnncov_core.campaign.work.proofs import prove_campaign
from dnncov_core.campaign.work.worker import work
from dnncov_core.errors import CampaignError
from dnncov_core.proofs.certificates import Step
from dnncov_core.records import Certificate, Outcome, State
from dnncov_core.resources import versions
from tests import builders, runs
from tests.command import call, make_data, refused

FACTORY = """
import torch
from torch import nn
from dnncov_core import Network

def make():
    torch.manual_seed(11)
    module = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    module[0].bias.data[0], module[2].bias.data[1] = -9.0, 9.0
    module[4].weight.data[:, 1] = 0.0
    return Network(module, (3,), (-2.0, 2.0))
"""
CONSTANT = {(2, 0): -1, (3, 1): 1}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with SS of every pair of a network with two neurons of constant sign, the network and its data."""
    folder = tmp_path_factory.mktemp("constantly")
    (folder / "constantly.py").write_text(FACTORY)
    spec = CampaignSpec(network="constantly:make", data="made.npz", criterion="ss", generator="lp")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        patch.delitem(sys.modules, "constantly", raising=False)
        make_data(folder, "constantly:make", (3,))
        runs.finished(folder / "c.dnncov", spec)
    return folder


@pytest.fixture
def finished(made: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the campaign, beside its network and data, in the working folder."""
    for name in ("constantly.py", "made.npz", "c.dnncov"):
        shutil.copy(made / name, folder)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "constantly", raising=False)
    return folder / "c.dnncov"


def forget(path: Path) -> None:
    """Takes all outcomes away, as before the first worker."""
    with CampaignStore(path) as store, store.database.transaction() as connection:
        connection.execute("UPDATE target SET outcome = 'pending', seconds = NULL")
        connection.execute("DELETE FROM attempt")
        connection.execute("DELETE FROM test_pair")
        connection.execute("UPDATE worker SET state = 'cancelled'")


def decided(store: CampaignStore) -> set[int]:
    """Ordinals of the pairs with one of the two neurons."""
    return {
        target.ordinal
        for target in store.targets.all()
        if {(target.condition_layer, *target.condition_neurons), (target.decision_layer, *target.decision_neurons)}
        & CONSTANT.keys()
    }


def proved(store: CampaignStore) -> set[int]:
    return {target.ordinal for target, outcome in store.targets.with_outcomes() if outcome is Outcome.PROVED_INFEASIBLE}


def test_proofs_decide_what_the_search_exhausted(finished: Path) -> None:
    with CampaignStore(finished) as store:
        covered = store.counts.progress().covered
        found = prove_campaign(store)
        assert {(c.layer, c.neuron): c.sign for c in store.certificates.all()} == CONSTANT
        assert proved(store) == decided(store)
        assert (found.neurons, found.constant, sum(found.by_method.values())) == (10, 2, 2)
        assert (found.covered, found.pairs, found.conditions_infeasible) == (covered, 24, len(decided(store)))
        assert store.state() is State.FINISHED
        again = prove_campaign(store)
        assert (again.constant, again.by_method, again.covered) == (found.constant, found.by_method, covered)


@pytest.mark.parametrize("neuron", CONSTANT)
def test_time_goes_to_chosen_conditions_alone(finished: Path, neuron: tuple[int, int]) -> None:
    with CampaignStore(finished) as store:
        target = next(
            each
            for each, outcome in store.targets.with_outcomes()
            if neuron
            in ((each.condition_layer, *each.condition_neurons), (each.decision_layer, *each.decision_neurons))
            and outcome is Outcome.EXHAUSTED
        )
        steps: list[Step] = []
        prove_campaign(store, ordinals=[target.ordinal], on_step=steps.append)
        neurons_up_to = {3: 8, 4: 10}
        assert steps[0].total == neurons_up_to[target.decision_layer]
        assert target.ordinal in proved(store) <= decided(store)


def test_programmes_are_solved_for_the_neurons_of_chosen_conditions(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(module, "prove", lambda *given: asked.append(given[-1]) or iter(()))
    with CampaignStore(finished) as store:
        target = next(t for t, outcome in store.targets.with_outcomes() if outcome is Outcome.EXHAUSTED)
        prove_campaign(store, ordinals=[target.ordinal])
        prove_campaign(store)
    neurons = {(target.condition_layer, *target.condition_neurons), (target.decision_layer, *target.decision_neurons)}
    assert asked == [neurons, None]


def test_a_search_after_proofs_leaves_the_proved_conditions_out(finished: Path) -> None:
    with CampaignStore(finished) as store:
        pairs = {pair.target.ordinal: pair.x2.tobytes() for pair in store.pairs.page()}
    forget(finished)
    with CampaignStore(finished) as store:
        prove_campaign(store, methods=("intervals",))
        assert proved(store) == decided(store)
        assert work(finished) is State.FINISHED
        assert proved(store) == decided(store)
        assert {pair.target.ordinal: pair.x2.tobytes() for pair in store.pairs.page()} == pairs
        assert not [
            a for target in store.targets.all() if target.ordinal in decided(store) for a in store.attempts.of(target)
        ]


def false_proof(layer: int, neuron: int, sign: int = 1) -> Any:
    def steps(*_: object) -> Iterator[Step]:
        yield Step("intervals", 1, 1, (Certificate(layer, neuron, sign, 1.0, 2.0, "intervals", 0.1),))

    return steps


@pytest.mark.parametrize("free", [False, True], ids=["named features", "free features"])
def test_a_test_pair_that_contradicts_is_an_alarm(
    free: bool, campaign: Path, free_campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.dnncov"
    path.write_bytes((free_campaign if free else campaign).read_bytes())
    with CampaignStore(path) as store:
        pair = store.pairs.page()[0]
        layer, neuron = pair.target.condition_layer, pair.condition_neurons[0]
        monkeypatch.setattr(module, "prove", false_proof(layer, neuron))
        before = store.counts.outcomes()
        with pytest.raises(CampaignError, match=f"sign of neuron {neuron} of layer {layer}, which is proved"):
            prove_campaign(store)
        assert (store.certificates.all(), store.counts.outcomes()) == ([], before)


def test_a_proof_that_breaks_off_keeps_what_is_proved(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(network: object, methods: Sequence[str], *rest: object) -> Iterator[Step]:
        yield from false_proof(2, 0, -1)()
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "prove", broken)
    assert call("prove", finished) == 130
    with CampaignStore(finished) as store:
        assert [(c.layer, c.neuron) for c in store.certificates.all()] == [(2, 0)]
        assert proved(store) == {
            t.ordinal for t in store.targets.all() if (t.condition_layer, *t.condition_neurons) == (2, 0)
        }
    monkeypatch.undo()
    assert call("prove", finished) == 0
    with CampaignStore(finished) as store:
        assert proved(store) == decided(store)


def test_a_campaign_that_was_not_prepared_is_refused(tmp_path: Path) -> None:
    with (
        CampaignStore.create(tmp_path / "c.dnncov", runs.toy_spec(), versions()) as store,
        pytest.raises(CampaignError, match="expected a campaign with test conditions; got one that was not started"),
    ):
        prove_campaign(store)


class TestCommand:
    def test_json(self, finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("prove", finished, "--json") == 0
        captured = capsys.readouterr()
        found = json.loads(captured.out)
        assert list(found) == [
            *("neurons", "constant", "by_method", "conditions_infeasible", "covered", "pairs", "seconds"),
            *("coverage", "coverage_of_rest"),
        ]
        assert found["by_method"] == {"intervals": 2, "linear": 0, "boxes": 0, "mip": 0}
        rest = found["pairs"] - found["conditions_infeasible"]
        assert found["coverage"] == found["covered"] / found["pairs"]
        assert found["coverage_of_rest"] == found["covered"] / rest
        assert "neurons/s" in captured.err
        assert call("show", finished, "--json") == 0
        shown = json.loads(capsys.readouterr().out)
        assert shown["outcomes"]["proved_infeasible"] == found["conditions_infeasible"]
        assert (shown["coverage"], shown["coverage_of_rest"]) == (found["coverage"], found["coverage_of_rest"])
        assert sum(layer["proved_infeasible"] for layer in shown["layers"]) == found["conditions_infeasible"]

    def test_text(self, finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert call("prove", finished, "--methods", "intervals", "--time-limit", "9") == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "2 of 10 neurons (20.0 %) have a sign that is proved constant: 2 by intervals"
        assert lines[1].endswith(" are proved infeasible")
        assert call("show", finished) == 0
        assert "of those not proved infeasible: " in capsys.readouterr().out.splitlines()[1]

    def test_bad_input(self, finished: Path, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        for options, expected in (
            (("--methods", "guess"), "methods among intervals, linear, boxes, mip, pairs; got 'guess'"),
            (("--methods", "linear,,mip"), "got ''"),
            (("--time-limit", "0"), "a time limit above 0 seconds; got 0"),
            (
                ("--time-limit", "soon"),
                "argument --time-limit: expected a number; got 'soon'",
            ),
            (("--network", "toy"), "the network of this campaign"),
            (("--ordinals", "999"), "expected ordinals of this campaign's test conditions; got 999"),
            (("--ordinals", "one"), "argument --ordinals: expected"),
        ):
            assert expected in refused(capsys, "prove", finished, *options)
        assert "no file none.dnncov" in refused(capsys, "prove", "none.dnncov")
        with CampaignStore(finished) as store:
            assert store.certificates.all() == []


def test_show_says_nothing_of_proofs_where_there_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    builders.campaign(tmp_path / "c.dnncov").close()
    assert call("show", tmp_path / "c.dnncov") == 0
    assert "not proved infeasible" not in capsys.readouterr().out
