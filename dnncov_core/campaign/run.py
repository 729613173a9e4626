"""One campaign from start, or from where it was left, to its end."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator

from dnncov_core.campaign.inputs import data_of, network_of
from dnncov_core.campaign.judge import Judge
from dnncov_core.campaign.plan import Seeds, device_for, plan_seeds, plan_targets
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.campaign.worker import OnProgress, Stop
from dnncov_core.data import Data
from dnncov_core.generators import GENERATORS, Seed
from dnncov_core.generators.base import Found
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Attempt, NetworkCard, Outcome, State, Target, TargetResult


def run(store: CampaignStore, *, network: str | None, data: str | None, on_progress: OnProgress, stop: Stop) -> None:
    """Prepares the campaign if it is new, then works on every target that has no outcome yet.

    Raises:
        DnncovError: bad input, or a file of another network or other data.
        Stopped: `stop` was set.
    """
    spec = store.spec()
    loaded, card = network_of(store, network)
    images = data_of(store, loaded, data)
    device = device_for(spec.device)
    method = spec.covering_method()
    search = GENERATORS[spec.generator].configured(margin=spec.margin).prepare(loaded, method)
    if store.card() is None:
        stop.check()
        _prepare(store, spec, loaded.to(device=device), card, images)
    store.enter(State.RUNNING, device=str(device))
    report = store.seed_report()
    assert report is not None
    seeds_of = Seeds(report.rows, images, loaded, spec)
    judge = Judge(loaded, method, Oracle(spec.norm, spec.bound))

    def seeds(target: Target) -> Iterator[Seed]:
        for seed in seeds_of.of(target):
            stop.check()
            yield seed

    on_progress(store.progress())
    start = time.perf_counter()
    for found in search.run(store.pending(), seeds):
        now = time.perf_counter()
        store.record(_result(found, judge, now - start))
        start = now
        on_progress(store.progress())
        stop.check()


def _prepare(store: CampaignStore, spec: CampaignSpec, network: Network, card: NetworkCard, data: Data) -> None:
    targets = plan_targets(network, spec)
    store.prepare(card, data.fingerprint, plan_seeds(network, data, spec), targets)


def _result(found: Found, judge: Judge, seconds: float) -> TargetResult:
    """The record of one finished target: what the search found counts only if the judge confirms it."""
    pair = judge.test_pair(found)
    attempts = found.attempts
    if pair is None and attempts and attempts[-1].outcome is Outcome.FOUND:
        attempts = (*attempts[:-1], _unconfirmed(attempts[-1]))
    if pair is not None:
        outcome = Outcome.FOUND
    else:
        failed = any(attempt.outcome is Outcome.ERROR for attempt in attempts)
        outcome = Outcome.ERROR if failed else Outcome.EXHAUSTED
    return TargetResult(found.target, outcome, attempts, pair, seconds)


def _unconfirmed(attempt: Attempt) -> Attempt:
    message = "the network does not confirm it when asked alone"
    return dataclasses.replace(attempt, outcome=Outcome.UNKNOWN, message=message)
