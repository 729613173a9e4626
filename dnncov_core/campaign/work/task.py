"""What a process needs to work on a campaign's targets: network, search, seeds and judge."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.judge import Judge
from dnncov_core.campaign.work.plan import device_for
from dnncov_core.campaign.work.seeds import Seeds
from dnncov_core.data import Data
from dnncov_core.generators import Seed
from dnncov_core.generators.base import Found
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Outcome, Target, TargetResult

UNCONFIRMED = "the network does not confirm it when asked alone"


class Task:
    """Works on any target of a prepared campaign; a target's result depends on the target alone.

    Searches that follow gradients work on ``device``. Several GPUs are shared out by the number of this process among
    those that work on the campaign.
    """

    def __init__(self, store: CampaignStore, network: Network, data: Data, *, device: str, process: int = 0) -> None:
        spec, report = store.spec(), store.prepared.seeds()
        assert report is not None
        method = store.covering_method()
        # more passes may find what fewer did not
        self._tried = {} if spec.by_gradients else store.attempts.seeds_tried()
        if spec.by_gradients:
            network = network.to(device=device_for(device, process))
        self._search = dataclasses.replace(spec, batch=store.prepared.batch()).search(network, method)
        self._judge = Judge(network, method, Oracle(spec.norm, spec.bound), labels=spec.objective == "adversarial")
        targets = store.targets.all()
        self._seeds = Seeds(report.rows, data, network, spec, method=method, targets=targets, correct=report.correct)

    def results(self, targets: Sequence[Target], check: Callable[[], None] = lambda: None) -> Iterator[TargetResult]:
        """Results of one batch in its order; ``check`` is called between attempts and may raise to stop."""

        def checked(target: Target, seeds: Iterable[Seed]) -> Iterator[Seed]:
            tried = self._tried.get(target.ordinal, ())
            for seed in seeds:
                if seed.row not in tried:
                    check()
                    yield seed

        def seeds_of(batch: Sequence[Target]) -> list[Iterable[Seed]]:
            seeds = self._seeds.of(batch, self._search.passes_left)
            return [checked(target, those) for target, those in zip(batch, seeds, strict=True)]

        start = time.perf_counter()
        for found in self._search.run(targets, seeds_of):
            now = time.perf_counter()
            yield _result(found, self._judge, now - start)
            start = now


def _result(found: Found, judge: Judge, seconds: float) -> TargetResult:
    """The record of one finished target: what the search found counts only if the judge confirms it."""
    pair = judge.test_pair(found)
    attempts = found.attempts
    if pair is None and attempts and attempts[-1].outcome is Outcome.FOUND:
        attempts = (*attempts[:-1], dataclasses.replace(attempts[-1], outcome=Outcome.UNKNOWN, message=UNCONFIRMED))
    if pair is not None:
        outcome = Outcome.FOUND
    else:
        failed = any(attempt.outcome is Outcome.ERROR for attempt in attempts)
        outcome = Outcome.ERROR if failed else Outcome.EXHAUSTED
    return TargetResult(found.target, outcome, attempts, pair, seconds)
