"""Targets dealt to batches, and campaigns whose targets are searched for batch by batch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.verification import verify
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.executors import CHUNKS, _in_chunks
from dnncov_core.campaign.work.plan import CPU, FIRST, WINDOW, in_batches, pending_batches
from dnncov_core.campaign.work.pool import processes_for
from dnncov_core.campaign.work.worker import work
from dnncov_core.generators import LEAST_PASSES
from dnncov_core.records import Outcome, State, Target
from dnncov_core.workers import TARGETS_A_PROCESS
from tests import runs
from tests.command import make_data, write_factory

KINDS = st.sampled_from(
    [(2, 3, (1,), (0,), None), (3, 4, (0,), (2,), None), (3, 4, (0, 1), (2,), None), (2, 3, (), (0,), 3)]
)


def kind(target: Target) -> tuple[object, ...]:
    return target.edge, len(target.condition_neurons), target.condition_most, len(target.decision_neurons)


@st.composite
def orders(draw: st.DrawFn) -> list[Target]:
    """Targets of a few kinds in any order of work; their ordinals are no order."""
    kinds = draw(st.lists(KINDS, max_size=60))
    ordinals = draw(st.permutations(range(len(kinds))))
    return [Target(ordinal, *kind) for ordinal, kind in zip(ordinals, kinds, strict=True)]


class TestDealing:
    @given(targets=orders(), size=st.integers(1, 5))
    def test_every_target_is_dealt_once_among_those_of_its_kind(self, targets: list[Target], size: int) -> None:
        batches = in_batches(targets, size)
        dealt = [target for batch in batches for target in batch]
        assert sorted(dealt, key=targets.index) == targets
        assert all(1 <= len(batch) <= size for batch in batches)
        assert all(len(set(map(kind, batch))) == 1 for batch in batches)
        assert in_batches(list(targets), size) == batches

    @given(targets=orders(), size=st.integers(1, 5))
    def test_the_order_of_work_is_nearly_kept(self, targets: list[Target], size: int) -> None:
        places = [[targets.index(target) for target in batch] for batch in in_batches(targets, size)]
        assert all(batch == sorted(batch) for batch in places)
        assert [batch[0] for batch in places] == sorted(batch[0] for batch in places)
        assert all(batch[-1] - batch[0] < WINDOW * size for batch in places)

    @given(targets=orders())
    def test_batches_of_one_are_the_order_of_work(self, targets: list[Target]) -> None:
        assert in_batches(targets, 1) == [[target] for target in targets]

    @given(targets=orders(), size=st.integers(1, 5))
    def test_no_batch_is_smaller_than_it_has_to_be(self, targets: list[Target], size: int) -> None:
        if len(targets) > WINDOW * size:
            return
        batches = in_batches(targets, size)
        for some in set(map(kind, targets)):
            own = [(place, len(batch)) for place, batch in enumerate(batches) if kind(batch[0]) == some]
            assert all(n == min(size, FIRST * 2 ** (place // 2)) for place, n in own[:-1])

    def test_the_first_batches_are_small(self) -> None:
        targets = [Target(ordinal, 2, 3, (1,), (0,), None) for ordinal in range(200)]
        assert [len(batch) for batch in in_batches(targets, 32)] == [4, 4, 8, 8, 16, 16, 32, 32, 32, 32, 16]

    @given(targets=orders(), size=st.integers(1, 5), data=st.data())
    def test_batches_do_not_depend_on_what_is_pending(
        self, targets: list[Target], size: int, data: st.DataObject
    ) -> None:
        pending = [target for target in targets if data.draw(st.booleans())]
        batches = pending_batches(targets, pending, size, whole=True)
        assert batches == [batch for batch in in_batches(targets, size) if set(batch) & set(pending)]
        assert set(pending) <= {target for batch in batches for target in batch}
        parts = pending_batches(targets, pending, size, whole=False)
        assert [set(part) for part in parts] == [set(batch) & set(pending) for batch in batches]


class TestProcesses:
    @staticmethod
    def batches(sizes: Sequence[int]) -> list[list[Target]]:
        return [[Target(place, 2, 3, (0,), (0,))] * size for place, size in enumerate(sizes)]

    def test_no_more_than_there_are_batches(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "cpu_count", lambda: 8)
        assert processes_for(self.batches([500] * 3), None, CPU) == 3
        assert processes_for(self.batches([1] * 3 * TARGETS_A_PROCESS), None, CPU) == 3
        assert processes_for(self.batches([TARGETS_A_PROCESS] * 50), None, CPU) == 8

    def test_one_a_gpu(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
        cuda = torch.device("cuda")
        assert processes_for(self.batches([500] * 9), None, cuda) == 4
        assert processes_for(self.batches([500] * 2), None, cuda) == 2
        assert processes_for(self.batches([2]), None, cuda) == 1
        assert processes_for(self.batches([2]), 3, cuda) == 3


class TestCampaign:
    """Free features of a network of convolutions, whose search is that of `suited`."""

    @pytest.fixture
    def spec(self, folder: Path) -> CampaignSpec:
        write_factory(folder)
        make_data(folder, "made:make", (1, 17, 29))
        return CampaignSpec("made:make", "made.npz", feature_mode="free", omega=0.1, sampling="even", batch=3)

    def finished(self, path: Path, spec: CampaignSpec, *, processes: int = 1) -> Path:
        return runs.finished(path, spec, data="made.npz", processes=processes)

    def test_it_covers_and_stores_what_was_decided(self, spec: CampaignSpec, folder: Path) -> None:
        with CampaignStore(self.finished(folder / "c.dnncov", spec)) as store:
            assert store.spec() == replace(spec, generator="targeted", effect="none")
            assert store.prepared.batch() == 3
            assert store.counts.outcomes()[Outcome.FOUND] >= 3
            assert store.targets.pending() == []
            tried = [attempt for target in store.targets.all() for attempt in store.attempts.of(target)]
            assert all(attempt.passes for attempt in tried)
            assert {target.condition_most for target in store.targets.all()} == {5, 1}
            assert all(1 <= len(p.condition_neurons) <= (p.target.condition_most or 0) for p in store.pairs.page())
            found = verify(store)
            assert found.failing == {}
            assert found.holding == store.counts.outcomes()[Outcome.FOUND]

    @pytest.mark.parametrize("generator", ["targeted", "gradient"])
    @pytest.mark.parametrize("passes", [30, 60])
    def test_no_target_costs_more_passes_than_asked(
        self, spec: CampaignSpec, folder: Path, generator: str, passes: int
    ) -> None:
        spec = replace(spec, generator=generator, feature_mode="neuron", passes=passes, batch=30, pairs=20)
        with CampaignStore(self.finished(folder / "c.dnncov", spec)) as store:
            spent = [
                sum(attempt.passes or 0 for attempt in store.attempts.of(target)) for target in store.targets.all()
            ]
        assert 20 < max(spent) <= passes

    @pytest.mark.parametrize("objective", ["distance", "adversarial"])
    @pytest.mark.parametrize("pairs", [1, 20])
    def test_the_smallest_budget_is_enough_for_an_attempt(
        self, spec: CampaignSpec, folder: Path, objective: str, pairs: int
    ) -> None:
        spec = replace(spec, objective=objective, passes=LEAST_PASSES, pairs=pairs)
        with CampaignStore(self.finished(folder / "c.dnncov", spec)) as store:
            attempts = [store.attempts.of(target) for target in store.targets.all()]
            assert all(attempts)
            assert max(sum(attempt.passes or 0 for attempt in those) for those in attempts) <= LEAST_PASSES

    @pytest.mark.parametrize("reuse", [False, True])
    def test_two_processes_give_the_same(self, spec: CampaignSpec, folder: Path, reuse: bool) -> None:
        spec = replace(spec, reuse=reuse)
        one = self.finished(folder / "one.dnncov", spec)
        two = self.finished(folder / "two.dnncov", spec, processes=2)
        assert runs.content(one) == runs.content(two)

    def test_with_reuse_every_pair_holds_and_says_whose_it_is(self, spec: CampaignSpec, folder: Path) -> None:
        with CampaignStore(self.finished(folder / "c.dnncov", replace(spec, reuse=True))) as store:
            pairs = store.pairs.page()
            own = {pair.target.ordinal: pair for pair in pairs if pair.found_for is None}
            reused = [pair for pair in pairs if pair.found_for is not None]
            assert len(pairs) == store.counts.outcomes()[Outcome.FOUND] > len(own)
            assert verify(store).failing == {}
            for pair in reused:
                first = own[pair.found_for or 0]
                assert pair.x2.tobytes() == first.x2.tobytes()
                assert store.attempts.of(pair.target) == []
                if pair.target.condition_layer == first.target.condition_layer:
                    assert pair.flipped == first.flipped

    def test_resumed_it_ends_the_same(self, spec: CampaignSpec, folder: Path) -> None:
        """Whole batches are stored or nothing of them, and a batch is the same whatever is done already."""
        whole = self.finished(folder / "whole.dnncov", spec)
        part = folder / "part.dnncov"
        part.write_bytes(whole.read_bytes())
        with CampaignStore(part) as store, store.database.transaction() as connection:
            for target in pending_batches(store.targets.all(), store.targets.all(), 3, whole=True)[-1]:
                place = f"(SELECT id FROM target WHERE ordinal = {target.ordinal})"
                connection.execute(f"DELETE FROM attempt WHERE target = {place}")
                connection.execute(f"DELETE FROM test_pair WHERE target = {place}")
                connection.execute(f"UPDATE target SET outcome = 'pending' WHERE ordinal = {target.ordinal}")
            connection.execute("UPDATE worker SET state = 'cancelled'")
        assert runs.content(part) != runs.content(whole)
        assert work(part, data="made.npz") is State.FINISHED
        assert runs.content(part) == runs.content(whole)

    def test_what_is_proved_amid_a_batch_stays_proved(self, spec: CampaignSpec, folder: Path) -> None:
        path = self.finished(folder / "c.dnncov", spec)
        with CampaignStore(path) as store:
            proved, *others = max(in_batches(store.targets.all(), store.prepared.batch()), key=len)
            assert others
            with store.database.transaction() as connection:
                for table in ("attempt", "test_pair"):
                    connection.execute(f"DELETE FROM {table}")
                connection.execute("UPDATE target SET outcome = 'pending'")
                connection.execute("UPDATE worker SET state = 'cancelled'")
            store.certificates.record((), {proved.ordinal: (2, 0)})
        assert work(path, data="made.npz") is State.FINISHED
        with CampaignStore(path) as store:
            outcomes = dict(store.targets.with_outcomes())
            assert [target for target in outcomes if outcomes[target] is Outcome.PROVED_INFEASIBLE] == [proved]
            assert store.attempts.of(proved) == []


@pytest.mark.parametrize("size", [1, 5, 18, 32, 100])
def test_a_chunk_is_a_small_share_of_a_campaign_or_one_batch(size: int) -> None:
    for n in (1, 40, 600, 3490, 30_000):
        batches = [[Target(i, 2, 3, (0,), (0,)) for i in range(at, min(n, at + size))] for at in range(0, n, size)]
        chunks = [*_in_chunks(batches, 64)]
        assert [batch for chunk in chunks for batch in chunk] == batches
        share = min(64, n // CHUNKS)
        assert all(sum(map(len, chunk)) <= max(size, share) for chunk in chunks)
        assert all(sum(map(len, chunk)) + size > share for chunk in chunks[:-1]), "one batch more would fit"
