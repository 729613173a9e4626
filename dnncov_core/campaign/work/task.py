"""What a process needs to work on a campaign's targets: network, search, seeds and judge."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.inputs import data_as_of, network_as_of
from dnncov_core.campaign.work.judge import Judge
from dnncov_core.campaign.work.plan import device_for
from dnncov_core.campaign.work.seeds import Seeds
from dnncov_core.criteria import CoveringMethod
from dnncov_core.data import Data
from dnncov_core.generators import Seed
from dnncov_core.generators.base import Found
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle
from dnncov_core.records import Outcome, SeedReport, Target, TargetResult, TestPair

UNCONFIRMED = "the network does not confirm it when asked alone"


@dataclass(frozen=True)
class Assignment:
    """What a process needs to know of a prepared campaign to work on its targets, wherever it is.

    Attributes:
        spec, method, seeds, batch, targets: the campaign's own.
        tried: by ordinal, the seeds that need not be tried.
        fingerprints: of its network and its data.
        network, data: where they are, if not by their names in the specification.
        device: where searches that follow gradients work.
    """

    spec: CampaignSpec
    method: CoveringMethod
    seeds: SeedReport
    batch: int
    targets: Sequence[Target]
    tried: Mapping[int, Collection[int]]
    fingerprints: tuple[str | None, str | None]
    network: str | None
    data: str | None
    device: str

    @classmethod
    def of(cls, store: CampaignStore, *, network: str | None, data: str | None, device: str) -> Assignment:
        """That of a campaign file."""
        spec, seeds, card, prepared = store.spec(), store.prepared.seeds(), store.card(), store.prepared
        assert seeds is not None
        assert card is not None
        # more passes may find what fewer did not
        tried = {} if spec.by_gradients else store.attempts.seeds_tried()
        prints = card.fingerprint, prepared.data_fingerprint()
        own = (store.covering_method(), seeds, prepared.batch(), store.targets.all(), tried, prints)
        return cls(spec, *own, network, data, device)

    @property
    def wants_gpu(self) -> bool:
        """Whether a GPU, where there is one, is what it works on."""
        return self.spec.by_gradients and self.device in ("auto", "cuda")

    def begun(self, process: int = 0) -> Task:
        """Work on it by one of several processes, which then has no more than one thread."""
        torch.set_num_threads(1)
        of_network, of_data = self.fingerprints
        network, _ = network_as_of(self.spec, self.network, of_network)
        return Task(self, network, data_as_of(self.spec, network, self.data, of_data), process=process)


class Task:
    """Works on any target of a prepared campaign; a target's result depends on the target alone.

    Several GPUs are shared out by the number of this process among those that work on the campaign.
    """

    def __init__(self, of: Assignment, network: Network, data: Data, *, process: int = 0) -> None:
        spec, method, seeds = of.spec, of.method, of.seeds
        self._tried = of.tried
        if spec.by_gradients:
            network = network.to(device=device_for(of.device, process))
        self._search = dataclasses.replace(spec, batch=of.batch).search(network, method)
        self._judge = Judge(network, method, Oracle(spec.norm, spec.bound), labels=spec.objective == "adversarial")
        self._seeds = Seeds(seeds.rows, data, network, spec, method=method, targets=of.targets, correct=seeds.correct)

    def all_results(self, batches: Iterable[Sequence[Target]]) -> list[TargetResult]:
        """Results of several batches, in their order."""
        return [result for batch in batches for result in self.results(batch)]

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
        for found, pair in self._judge.all(self._search.run(targets, seeds_of)):
            now = time.perf_counter()
            yield _result(found, pair, now - start)
            start = now


def _result(found: Found, pair: TestPair | None, seconds: float) -> TargetResult:
    """The record of one finished target: what the search found counts only if the judge confirms it."""
    attempts = found.attempts
    if pair is None and attempts and attempts[-1].outcome is Outcome.FOUND:
        attempts = (*attempts[:-1], dataclasses.replace(attempts[-1], outcome=Outcome.UNKNOWN, message=UNCONFIRMED))
    if pair is not None:
        outcome = Outcome.FOUND
    else:
        failed = any(attempt.outcome is Outcome.ERROR for attempt in attempts)
        outcome = Outcome.ERROR if failed else Outcome.EXHAUSTED
    return TargetResult(found.target, outcome, attempts, pair, seconds)
