"""What a campaign file answers: filters, counts by layer, costs of programmes, and all of one moment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.file.encoding import TARGET_FIELDS, target_from
from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import Attempt, Outcome, Target, TargetResult
from tests import builders


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.dnncov"


def exhausted(store: CampaignStore) -> list[Target]:
    names = ", ".join(TARGET_FIELDS)
    return [target_from(row) for row in store.database.rows(f"SELECT {names} FROM target WHERE outcome = 'exhausted'")]


class TestFilters:
    @pytest.fixture
    def store(self, path: Path) -> CampaignStore:
        return builders.campaign(path, found=6, exhausted=0, adversarial=2)

    def test_layers(self, store: CampaignStore) -> None:
        pairs = store.pairs.page(PairFilter(edge=(2, 3)))
        assert {(p.target.condition_layer, p.target.decision_layer) for p in pairs} == {(2, 3)}
        assert store.pairs.count(PairFilter(edge=(2, 3))) == len(pairs) == 2

    def test_adversarial(self, store: CampaignStore) -> None:
        only = PairFilter(adversarial=True)
        assert len(store.pairs.page(only)) == store.pairs.count(only) == 2

    def test_orders(self, store: CampaignStore) -> None:
        nearest = [p.distance for p in store.pairs.page(order="nearest")]
        assert nearest == sorted(nearest)
        assert [p.distance for p in store.pairs.page(order="farthest")] == nearest[::-1]

    def test_pages(self, store: CampaignStore) -> None:
        everything = [p.target for p in store.pairs.page()]
        pages = [p.target for start in (0, 4) for p in store.pairs.page(limit=4, offset=start)]
        assert pages == everything


def test_layer_counts_agree_with_the_pairs(path: Path) -> None:
    with builders.campaign(path, found=7, exhausted=3, pending=2, adversarial=5, survivors=4) as store:
        pairs = store.pairs.page()
        for counts in store.counts.layers():
            mine = [p for p in pairs if p.target.decision_layer == counts.decision_layer]
            distances = np.array([p.distance for p in mine])
            bad = np.array([p.distance for p in mine if p.adversarial])
            assert counts.found == len(mine)
            assert counts.adversarial == len(bad)
            assert counts.holds_8bit == sum(bool(p.holds_8bit) for p in mine)
            assert counts.mean_distance == pytest.approx(distances.mean())
            assert counts.std_distance == pytest.approx(distances.std())
            assert counts.mean_adversarial_distance == pytest.approx(bad.mean())
            assert counts.std_adversarial_distance == pytest.approx(bad.std())
            assert counts.pending == counts.pairs - counts.found - counts.exhausted
        assert sum(c.pairs for c in store.counts.layers()) == 12


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


def test_what_is_read_at_one_moment_is_of_that_moment(path: Path) -> None:
    with builders.campaign(path, found=2, exhausted=0, pending=1) as store, CampaignStore(path) as reader:
        (target,) = store.targets.pending()
        with reader.at_one_moment():
            before = reader.counts.progress()
            store.worker.claim()
            store.record([TargetResult(target, Outcome.EXHAUSTED, (), None, 0.1)])
            assert reader.counts.progress() == before
            assert len(reader.targets.pending()) == 1
        assert reader.counts.progress().done == before.done + 1
        assert reader.targets.pending() == []


def test_an_empty_campaign_has_no_distances(path: Path) -> None:
    with builders.campaign(path, found=0, exhausted=1) as store:
        assert store.counts.layers()[0].mean_distance is None
        assert store.pairs.adversarial_distances().size == 0
