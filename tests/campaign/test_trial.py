"""A short run tells how quickly a campaign goes, and leaves no campaign behind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign import trial
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import campaigns
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.speed import speed_of
from dnncov_core.campaign.work.worker import work
from dnncov_core.errors import DnncovError
from dnncov_core.networks.zoo import embedded_card
from dnncov_core.records import State
from tests import runs

SPEC = CampaignSpec("toy", "toy", pairs=50)


def in_this_process(command: str, file: Path, *options: str) -> None:
    assert (command, options) == ("resume", (str(file),))
    with suppress(DnncovError):
        work(file)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    monkeypatch.setattr(trial.workers, "start", in_this_process)
    return tmp_path


def test_it_tells_the_speed_and_is_no_campaign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "CONDITIONS", 5)
    assert trial.try_out(SPEC, lambda share: None) == ""
    (path,) = trial.trials()
    with CampaignStore(path) as store:
        assert (store.state(), store.counts.progress().done) == (State.FINISHED, 5)
        speed = speed_of([store], SPEC.for_network(embedded_card("toy")))
    assert speed is not None
    assert speed.condition > 0
    assert campaigns() == {}


def test_it_asks_for_no_more_than_the_campaign() -> None:
    trial.try_out(CampaignSpec("toy", "toy", pairs=2), lambda share: None)
    assert runs.done(trial.trials()[0]) == 2


def test_it_tries_those_that_the_campaign_chooses_from() -> None:
    toy = CampaignSpec("toy", "toy")
    listed = toy.feature_pairs(embedded_card("toy"))
    edge, width = listed.edges[0], embedded_card("toy").layer(listed.edges[0][1]).neurons
    rows = np.array([[width + 1, edge[0], 1, edge[1], 1]])
    trial.try_out(toy, lambda share: None, rows)
    with CampaignStore(trial.trials()[0]) as store:
        assert [each.ordinal for each in store.targets.all()] == [width + 1]


def test_one_that_fails_says_why() -> None:
    assert "expected" in trial.try_out(CampaignSpec("mnist-n1", "toy"), lambda share: None)


def test_the_oldest_trials_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "KEPT", 1)
    for _ in range(3):
        trial.try_out(CampaignSpec("toy", "toy", pairs=1), lambda share: None)
    assert len(trial.trials()) == 2


@pytest.mark.parametrize("most", [0.0, 60.0])
def test_one_that_takes_too_long_or_is_left_is_cancelled(monkeypatch: pytest.MonkeyPatch, most: float) -> None:
    def leave(share: float) -> None:
        raise KeyboardInterrupt

    def nothing(*_: object) -> None:
        """A worker that never begins."""

    monkeypatch.setattr(trial.workers, "start", nothing)
    monkeypatch.setattr(trial, "MOST_SECONDS", most)
    told: Callable[[float], object] = leave if most else (lambda share: None)
    with suppress(KeyboardInterrupt):
        trial.try_out(SPEC, told)
    assert runs.state_of(trial.trials()[0]) is State.CANCELLED
