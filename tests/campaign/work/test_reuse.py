"""Reuse: which targets a test pair covers beside its own, by asking each of them, and campaigns that live on it."""

from __future__ import annotations

import dataclasses
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.verification import verify
from dnncov_core.campaign.work.inputs import network_of
from dnncov_core.campaign.work.judge import on_8bit_grid
from dnncov_core.campaign.work.plan import plan_targets
from dnncov_core.campaign.work.reuse import Reuse
from dnncov_core.campaign.work.worker import work
from dnncov_core.cli.show import campaign_summary, summary_lines
from dnncov_core.criteria import CRITERIA, CoveringMethod
from dnncov_core.criteria.value_functions import RatioChange
from dnncov_core.features import FeaturePair
from dnncov_core.networks.network import Network
from dnncov_core.records import Outcome, State, Target, TargetResult, TestPair
from dnncov_core.replay import replay
from tests import builders, reference, runs
from tests.networks_for_tests import mlp_of, piecewise, profile, random_mlp

N = 120
SPEC = dataclasses.replace(runs.MNIST_N9, criterion="vs", pairs=N, generator="lp", reuse=True)


@pytest.fixture(scope="module")
def mlp() -> Network:
    return Network(random_mlp((4, 5, 8, 8), seed=4, dtype=torch.float32), (4,))


def pair_of(target: Target, x1: np.ndarray, x2: np.ndarray) -> TestPair:
    made = builders.made_pair(target, adversarial=False)
    return dataclasses.replace(made, x1=x1, x2=x2)


def found(pair: TestPair) -> TargetResult:
    return TargetResult(pair.target, Outcome.FOUND, (), pair, 0.0)


def settled(reuse: Reuse, result: TargetResult) -> list[TestPair]:
    """What the result of a pending target covers beside it."""
    done, others = reuse.settle([result])
    assert done == [result]
    return others


def eventful(network: Network, method: CoveringMethod, targets: list[Target], n: int) -> list[np.ndarray]:
    """Of many drawn pairs of inputs, ``(2, *input_shape)``, those that cover most targets."""
    generator = torch.Generator().manual_seed(1)
    x1 = torch.rand(6000, *network.input_shape, generator=generator)
    step = torch.logspace(-2.5, 0, len(x1)).reshape(-1, *[1] * len(network.input_shape))
    x2 = (x1 + step * torch.randn(x1.shape, generator=generator)).clip(0, 1)
    covered = profile(method, list(map(FeaturePair.of, targets)), capture(network, x1), capture(network, x2)).sum(dim=1)
    best = covered.argsort(descending=True, stable=True)[:n]
    return [torch.stack([x1[place], x2[place]]).numpy() for place in best]


FREE = {"feature_mode": "free", "omega": 0.4}
CASES = [
    *(("mlp", key, fields) for key in CRITERIA for fields in ({}, {"feature_mode": "fixed", "omega": 0.4})),
    *(("branches with pooling", key, {}) for key in CRITERIA),
    *((which, key, FREE) for which in ("mlp", "branches with pooling") for key in ("ss", "sv")),
]


@pytest.mark.parametrize(("which", "criterion", "fields"), CASES)
def test_every_pending_target_asked_alone(mlp: Network, which: str, criterion: str, fields: dict[str, Any]) -> None:
    network = mlp if which == "mlp" else piecewise(which)
    spec = runs.toy_spec(
        criterion, **fields, **({"sigma": 1.05} if isinstance(CRITERIA[criterion].own_function, RatioChange) else {})
    )
    method, targets = spec.covering_method(), plan_targets(network, spec).targets
    total = 0
    for place, (x1, x2) in enumerate(eventful(network, method, targets, 12)):
        own, *pending = random.Random(place).sample(targets, len(targets) * 3 // 4)
        others = settled(Reuse(network, method, [own, *pending]), found(pair_of(own, x1, x2)))
        got = {pair.target: pair for pair in others}
        expected = {target for target in pending if replay(network, method, FeaturePair.of(target), x1, x2)}
        assert got.keys() == expected
        total += len(expected)
        for target, pair in got.items():
            assert_judged(network, method, target, pair, own)
    assert total >= 5


def assert_judged(network: Network, method: CoveringMethod, target: Target, pair: TestPair, own: Target) -> None:
    feature_pair, stored = FeaturePair.of(target), on_8bit_grid(pair.x2, network.box)
    in_float64 = network.to(dtype=torch.float64)
    assert pair.holds_float64 is replay(in_float64, method, feature_pair, pair.x1, pair.x2)
    assert stored is not None
    assert pair.holds_8bit is replay(network, method, feature_pair, pair.x1, stored)
    assert (pair.found_for, pair.margin) == (own.ordinal, None)
    if target.condition_most is None:
        assert pair.flipped is None
        return
    u1, u2 = (capture(network, torch.from_numpy(x)[None])[target.condition_layer].u[0] for x in (pair.x1, pair.x2))
    signs = zip(u1.tolist(), u2.tolist(), strict=True)
    assert pair.flipped == tuple(i for i, (a, b) in enumerate(signs) if reference.sign(a) != reference.sign(b))


def test_what_is_covered_is_pending_no_more(mlp: Network) -> None:
    targets = plan_targets(mlp, runs.toy_spec("vs")).targets
    reuse = Reuse(mlp, CRITERIA["vs"], targets)
    rng = np.random.default_rng(0)
    for _ in range(200):
        x1 = rng.random(4).astype(np.float32)
        x2 = (x1 + 0.03 * rng.standard_normal(4)).clip(0, 1).astype(np.float32)
        own = next(filter(reuse.is_pending, targets))
        others = settled(reuse, found(pair_of(own, x1, x2)))
        assert not any(reuse.is_pending(target) for target in (own, *(pair.target for pair in others)))
        if others:
            return
    raise AssertionError("nothing was covered")


def test_a_batch_is_settled_in_its_order(mlp: Network) -> None:
    """What an earlier target of the same batch covers is its own result no more."""
    method, targets = CRITERIA["ss"], plan_targets(mlp, runs.toy_spec(**FREE)).targets
    ((x1, x2),) = eventful(mlp, method, targets, 1)
    covered = [target for target in targets if replay(mlp, method, FeaturePair.of(target), x1, x2)]
    first, second, *_ = covered
    batch = [found(pair_of(target, x1, x2)) for target in (first, second)]
    reuse = Reuse(mlp, method, targets)
    assert reuse.any_pending([first])
    done, others = reuse.settle(batch)
    assert done == batch[:1]
    assert {pair.target for pair in others} == {*covered} - {first}
    assert not reuse.any_pending(covered)
    assert reuse.any_pending(targets)
    assert reuse.settle(batch) == ([], [])


def test_a_target_without_a_pair_covers_nothing(mlp: Network) -> None:
    targets = plan_targets(mlp, runs.toy_spec()).targets
    reuse = Reuse(mlp, CRITERIA["ss"], targets)
    assert settled(reuse, TargetResult(targets[0], Outcome.EXHAUSTED, (), None, 0.0)) == []
    assert [reuse.is_pending(target) for target in targets] == [False] + [True] * (len(targets) - 1)


def test_a_layer_without_finite_values_covers_nothing_and_ends_nothing() -> None:
    weights = [np.eye(2), np.eye(2), np.full((2, 2), 3e38), np.eye(2)]
    network = Network(mlp_of(weights).float(), (2,))
    own, *pending = plan_targets(network, runs.toy_spec()).targets
    reuse = Reuse(network, CRITERIA["ss"], [own, *pending])
    x1, x2 = np.array([[1.0, 1.0], [1.0, 0.5]], np.float32)
    assert settled(reuse, found(pair_of(own, x1, x2))) == []
    assert all(map(reuse.is_pending, pending))


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runs.finished(tmp_path_factory.mktemp("reuse") / "one.dnncov", SPEC)


def assert_defined(path: Path) -> None:
    """In the order of work: covered by the first earlier pair of a search that covers it, else searched.

    Where another label is preferred, only adversarial pairs cover others.
    """
    with CampaignStore(path) as store:
        network, spec = network_of(store)[0], store.spec()
        method = spec.covering_method()
        pairs = {pair.target: pair for pair in store.pairs.page()}
        own: list[TestPair] = []
        reused: list[TestPair] = []
        for target in plan_targets(network, spec).targets:
            first = next((p for p in reused if replay(network, method, FeaturePair.of(target), p.x1, p.x2)), None)
            if first is not None:
                assert pairs[target].found_for == first.target.ordinal
                assert pairs[target].x2.tobytes() == first.x2.tobytes()
                assert store.attempts.of(target) == []
                continue
            assert store.attempts.of(target)
            if target in pairs:
                assert pairs[target].found_for is None
                own.append(pairs[target])
                if spec.objective == "distance" or pairs[target].adversarial:
                    reused.append(pairs[target])
        distinct = {(pair.seed, pair.x2.tobytes()) for pair in own}
        assert 0 < len(distinct) == store.pairs.count_distinct() < len(pairs)
        assert len(distinct) == len(own) or spec.objective == "prefer"


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_network_toy(criterion: str, tmp_path: Path) -> None:
    assert_defined(runs.finished(tmp_path / "c.dnncov", runs.toy_spec(criterion, reuse=True)))


def test_where_another_label_is_preferred_pairs_of_the_same_label_cover_no_others(tmp_path: Path) -> None:
    spec = runs.toy_spec("vs", objective="prefer", bound=0.5, reuse=True)
    path = runs.finished(tmp_path / "c.dnncov", spec)
    assert_defined(path)
    with CampaignStore(path) as store:
        pairs = store.pairs.page()
    assert {pair.adversarial for pair in pairs if pair.found_for is not None} == {True}
    assert {pair.adversarial for pair in pairs if pair.found_for is None} == {True, False}


class TestCampaign:
    def test_it_is_what_its_definition_says(self, unbroken: Path) -> None:
        assert_defined(unbroken)

    def test_searches_find_what_they_find_without_reuse(self, unbroken: Path, tmp_path: Path) -> None:
        """Without reuse they are side by side, so that the last bits may differ."""
        without = runs.content(runs.finished(tmp_path / "w.dnncov", dataclasses.replace(SPEC, reuse=False)))
        reused = runs.content(unbroken)
        for target in (pair["target"] for pair in reused["pairs"] if pair["found_for"] is None):
            own, other = (
                [(a.seed, a.outcome, a.objective) for a in each["attempts"][target]] for each in (reused, without)
            )
            assert [each[:2] for each in own] == [each[:2] for each in other]
            assert own[-1][2] == pytest.approx(other[-1][2], rel=1e-9)

    def test_every_pair_holds_when_replayed(self, unbroken: Path) -> None:
        with CampaignStore(unbroken) as store:
            result = verify(store)
        assert result.failing == {}
        assert result.holding == result.pairs > 0

    def test_the_summary_says_how_many_pairs_there_are(self, unbroken: Path) -> None:
        with CampaignStore(unbroken) as store:
            summary, lines, n = campaign_summary(store), summary_lines(store), store.pairs.count_distinct()
        assert summary["distinct_pairs"] == n < summary["covered"]
        assert f"{n} different test pairs cover them. Below, the witness of each condition counts." in lines

    def test_several_processes_give_the_same(self, unbroken: Path, tmp_path: Path) -> None:
        two = runs.finished(tmp_path / "two.dnncov", SPEC, processes=2)
        assert runs.content(two) == runs.content(unbroken)

    @pytest.mark.parametrize("workers", [1, 2])
    def test_killed_and_resumed_it_ends_the_same(self, unbroken: Path, tmp_path: Path, workers: int) -> None:
        broken = runs.create(tmp_path / "broken.dnncov", SPEC)
        for at_least in (1, N // 3):
            worker = runs.forked(runs.command, "resume", broken, "--workers", str(workers))
            runs.until(lambda at_least=at_least: runs.done(broken) >= at_least)  # type: ignore[misc]
            worker.kill()
            worker.join()
        assert N // 3 <= runs.done(broken) < N
        assert work(broken) is State.FINISHED
        assert runs.content(broken) == runs.content(unbroken)


def test_progress_counts_what_is_covered_beside(tmp_path: Path) -> None:
    with builders.campaign(tmp_path / "c.dnncov", found=2, exhausted=0, adversarial=1, pending=5) as store:
        first, second, third, *_ = store.targets.pending()
        own = builders.made_pair(first, adversarial=True)
        others = [dataclasses.replace(own, target=target, found_for=first.ordinal) for target in (second, third)]
        result = TargetResult(first, Outcome.FOUND, (), own, 0.5)
        expected = store.counts.progress().after([result], others)
        store.record([result], others)
        now = store.counts.progress()
        assert dataclasses.replace(now, seconds=0) == dataclasses.replace(expected, seconds=0)
        assert (now.done, now.covered, now.adversarial) == (5, 5, 4)
        assert [pair.found_for for pair in store.pairs.page()] == [None] * 3 + [first.ordinal] * 2
        assert store.pairs.count_distinct() == 3
