"""Targets while they are being stored, and what attempts cost: the linear programmes of each layer pair."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.file.encoding import columns
from dnncov_core.campaign.file.prepared import Prepared, References
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import Attempt, SeedReport, Target
from tests import builders


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.dnncov"


def exhausted(store: CampaignStore) -> list[Target]:
    return store.database.records(Target, f"SELECT {columns(Target)} FROM target WHERE outcome = 'exhausted'")


class TestProgrammeCosts:
    def test_sums_agree_with_the_attempts(self, path: Path) -> None:
        with builders.campaign(path, solved=builders.costly) as store:
            everything = [pair.target for pair in store.pairs.page()] + exhausted(store)
            assert len(everything) == 8
            costs = store.attempts.programme_costs()
            assert [cost.edge for cost in costs] == [(2, 3), (3, 4), (4, 5)]
            for cost in costs:
                mine = [
                    attempt
                    for target in everything
                    if (target.condition_layer, target.decision_layer) == cost.edge
                    for attempt in store.attempts.of(target)
                    if attempt.variables is not None
                ]
                rows = [attempt.constraints for attempt in mine]
                assert cost.calls == sum(attempt.calls for attempt in mine) > len(mine) > 3
                assert (cost.variables, cost.constraints_max) == (785, max(rows))
                assert cost.constraints_mean == pytest.approx(sum(rows) / len(rows))
                assert cost.seconds_mean == pytest.approx(sum(attempt.solver_seconds for attempt in mine) / cost.calls)
                assert cost.iterations_mean == pytest.approx(sum(attempt.iterations for attempt in mine) / cost.calls)

    def test_what_a_solver_does_not_tell_stays_unknown(self, path: Path) -> None:
        def silent(target: Target) -> tuple[Attempt, ...]:
            return tuple(replace(attempt, iterations=None) for attempt in builders.costly(target))

        with builders.campaign(path, solved=silent) as store:
            assert {cost.iterations_mean for cost in store.attempts.programme_costs()} == {None}
            assert all(cost.seconds_mean for cost in store.attempts.programme_costs())

    def test_attempts_that_do_not_tell_are_in_no_mean(self, path: Path) -> None:
        def half(target: Target) -> tuple[Attempt, ...]:
            told, *_ = builders.costly(target)
            old = replace(told, constraints=told.constraints + 2, calls=None, iterations=None, solver_seconds=None)
            return told, old

        with builders.campaign(path, found=1, exhausted=0, adversarial=0, solved=half) as store:
            (told, *_) = store.attempts.of(store.pairs.page()[0].target)
            (cost,) = store.attempts.programme_costs()
            assert (cost.calls, cost.seconds_mean) == (told.calls, told.solver_seconds / told.calls)
            assert cost.iterations_mean == told.iterations / told.calls
            assert cost.constraints_mean == told.constraints + 1

    def test_none_without_programmes(self, path: Path) -> None:
        with builders.campaign(path) as store:
            assert store.attempts.programme_costs() == ()


def test_targets_that_a_worker_stores_meanwhile_are_no_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are stored at the worst moment: after a reader has asked what they can refer to."""
    with builders.campaign(path.with_name("other.dnncov")) as other:
        spec, targets = other.spec(), other.targets.all()
    asked = Prepared.references

    def prepared_just_after(self: Prepared) -> References:
        found = asked(self)
        with CampaignStore(path) as worker:
            worker.prepare(spec, builders.card(), "d" * 64, SeedReport(np.arange(40), 50, 10), targets)
        return found

    with CampaignStore.create(path, spec, {}) as store:
        monkeypatch.setattr(Prepared, "references", prepared_just_after)
        assert store.targets.all() == []
        monkeypatch.undo()
        assert store.targets.all() == targets
