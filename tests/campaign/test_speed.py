"""How long campaigns take, by those that were run before, and by what is done of one that runs."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.speed import Speed, most_seeds, seconds_left, speed_of
from dnncov_core.records import BaselineSearch, Stage
from tests.builders import campaign

SPEC = CampaignSpec(network="mnist-n1", data="mnist", generator="lp", effect="needed", device="cpu")
SPENT = {Stage.LOAD: 3.0, Stage.PLAN: 1.0, Stage.SEARCH: 16.0, Stage.BASELINE: 3.0}


def timed(path: Path, spent: dict[Stage, float] = SPENT, *, searches: int = 6, **made: Any) -> CampaignStore:
    """6 covered conditions and 2 exhausted ones, with baseline searches, and the time that went into each stage."""
    store = campaign(path, spec=SPEC, **made)
    with store.database.transaction() as connection:
        connection.execute("UPDATE target SET seconds = ? WHERE outcome <> 'pending'", (spent[Stage.SEARCH] / 8,))
    for stage, seconds in spent.items():
        store.stages.begin(stage)
        store.stages.add(seconds)
    sample = [target.ordinal for target in store.targets.all()][:searches]
    store.baseline_searches.record(sample, [BaselineSearch(n, 0.1, 40, random=False, ascent=True) for n in sample])
    return store


def test_a_campaign_takes_its_start_its_conditions_and_its_baseline_searches() -> None:
    speed = Speed(start=4, condition=2, baseline=0.5, covered=0.5)
    assert speed.seconds(100) == 4 + 100 * 2 + 50 * 0.5
    assert dataclasses.replace(speed, processes=3).seconds(100) == 4 + 100 * 2 / 2 + 50 * 0.5  # 40 for each process
    assert dataclasses.replace(speed, processes=3).seconds(30) == 4 + 30 * 2 + 15 * 0.5
    assert speed.seconds(1000) == 4 + 1000 * 2 + 200 * 0.5  # no more than 200 test pairs have baseline searches


def test_each_stage_has_its_own_rate(tmp_path: Path) -> None:
    speed = speed_of([timed(tmp_path / "a.dnncov")], SPEC)
    assert speed == Speed(start=4.0, condition=2.0, baseline=0.5, covered=0.75, processes=os.cpu_count() or 1)


def test_what_comes_before_the_first_search_is_no_cost_of_a_condition(tmp_path: Path) -> None:
    store = timed(tmp_path / "a.dnncov")
    store.stages.begin(Stage.SEARCH)
    store.stages.add(5.0)
    speed = speed_of([store], SPEC)
    assert speed is not None
    assert (speed.start, speed.condition) == (9.0, 2.0)


def test_gradients_are_followed_by_one_process_on_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnncov_core.resources.devices", lambda: ("auto", "cpu", "cuda"))
    for generator, effect, processes in (("targeted", "none", 1), ("lp", "needed", os.cpu_count() or 1)):
        asked = dataclasses.replace(SPEC, generator=generator, effect=effect, device="auto")
        with campaign(tmp_path / f"{generator}.dnncov", spec=asked) as store:
            store.worker.enter(store.state(), device="cuda:0")
            speed = speed_of([store], asked)
            assert speed is not None
            assert speed.processes == processes


def test_campaigns_are_taken_together(tmp_path: Path) -> None:
    other = {Stage.LOAD: 5.0, Stage.PLAN: 1.0, Stage.SEARCH: 32.0, Stage.BASELINE: 6.0}
    speed = speed_of([timed(tmp_path / "a.dnncov"), timed(tmp_path / "b.dnncov", other)], SPEC)
    assert speed == Speed(start=5.0, condition=3.0, baseline=0.75, covered=0.75, processes=os.cpu_count() or 1)


def test_a_file_of_an_earlier_version_has_its_searches_alone(tmp_path: Path) -> None:
    speed = speed_of([campaign(tmp_path / "a.dnncov", spec=SPEC)], SPEC)
    assert speed is not None
    assert (speed.start, speed.condition, speed.baseline) == (0.0, pytest.approx(0.1), 0.0)


def test_a_larger_budget_of_seeds_costs_where_conditions_use_it_up(tmp_path: Path) -> None:
    store = timed(tmp_path / "a.dnncov")  # 40 seeds, and as long for each condition
    fewer = dataclasses.replace(SPEC, max_seeds=10, more_seeds=0)
    assert most_seeds(fewer, 40) == 10
    speed = speed_of([store], fewer)
    assert speed is not None
    assert speed.condition == pytest.approx(2.0 * (6 + 2 * 10 / 40) / 8)


@pytest.mark.parametrize(
    "other",
    [
        {"network": "mnist-n2"},
        {"grid": "8bit"},
        {"seed_order": "random"},
        {"reuse": True},
        {"generator": "targeted"},
        {"feature_mode": "fixed"},
        {"objective": "adversarial"},
        {"effect": "none"},
        {"passes": 99},
    ],
)
def test_speed_comes_from_campaigns_of_the_same_kind(tmp_path: Path, other: dict[str, Any]) -> None:
    assert speed_of([campaign(tmp_path / "a.dnncov", spec=SPEC)], dataclasses.replace(SPEC, **other)) is None


def test_speed_comes_from_campaigns_on_the_same_device(tmp_path: Path) -> None:
    store = campaign(tmp_path / "a.dnncov", spec=SPEC)
    store.worker.enter(store.state(), device="cuda:0")
    assert speed_of([store], SPEC) is None
    assert speed_of([], SPEC) is None


def test_what_is_left_are_the_pending_conditions_and_all_baseline_searches(tmp_path: Path) -> None:
    searching = {stage: SPENT[stage] for stage in (Stage.LOAD, Stage.PLAN, Stage.SEARCH)}
    assert seconds_left(timed(tmp_path / "a.dnncov", searching, searches=0, pending=4)) == 4 * 2.0
    by_gradients = dataclasses.replace(SPEC, generator="targeted", effect="none")
    with campaign(tmp_path / "b.dnncov", spec=by_gradients, pending=4) as store:
        store.stages.begin(Stage.SEARCH)
        store.stages.add(16.0)
        assert seconds_left(store) == 4 * 2.0 + 12 * 0.75 * 2 * 2.0  # each of two searches costs as much as the first


def test_what_is_left_in_the_last_stage_goes_by_what_is_made_of_it(tmp_path: Path) -> None:
    assert seconds_left(timed(tmp_path / "a.dnncov", searches=2)) == pytest.approx(4 * 1.5)
    assert seconds_left(timed(tmp_path / "b.dnncov", searches=6)) == 0
    assert seconds_left(timed(tmp_path / "c.dnncov", searches=0)) is None
    assert seconds_left(campaign(tmp_path / "d.dnncov", found=0, exhausted=0, adversarial=0, pending=3)) is None
