"""How quickly campaigns went on this machine, and how long another one, or the rest of one, takes by that."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from dnncov_core.campaign.file.baseline_searches import MOST
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.records import Stage
from dnncov_core.resources import device_of
from dnncov_core.workers import TARGETS_A_PROCESS

KIND = tuple(row.name for row in PARAMETERS.values() if row.speed)
"""What campaigns must have in common to be of like speed: seeds in random order need many more attempts."""


@dataclass(frozen=True)
class Speed:
    """Working time of campaigns, in seconds.

    Attributes:
        start: a campaign's loading, planning, and whatever else comes before it searches.
        condition: searching, for each test condition, in one process.
        baseline: baseline searches, for each test pair that has them.
        covered: the share of test conditions that are covered.
        processes: how many can search at the same time.
    """

    start: float
    condition: float
    baseline: float
    covered: float
    processes: int = 1

    def seconds(self, conditions: int) -> float:
        """How long a campaign with so many test conditions takes from its start to its end."""
        processes = max(1, min(self.processes, conditions // TARGETS_A_PROCESS))
        searches = min(MOST, conditions * self.covered)
        return self.start + conditions * self.condition / processes + searches * self.baseline


def speed_of(stores: Iterable[CampaignStore], spec: CampaignSpec) -> Speed | None:
    """The speed of the campaigns that agree with ``spec`` in `KIND` and worked on the device that it is for.

    Searching is scaled to the seeds that ``spec`` may try: conditions without success use them up.
    """
    alike = [_spent(store, spec) for store in stores if _alike(store, spec)]
    total = _Spent(*map(sum, zip(*alike, strict=True))) if alike else _Spent()
    if not total.done:
        return None
    condition = total.searching / total.done
    baseline = total.baseline / total.searches if total.searches else _assumed(condition, spec)
    return Speed(
        total.starting / max(1, total.starts), condition, baseline, total.covered / total.done, _processes(spec)
    )


class _Spent(NamedTuple):
    """What campaigns took: their starts, their test conditions, their baseline searches, and the seconds of each."""

    starts: int = 0
    starting: float = 0.0
    done: int = 0
    covered: int = 0
    searching: float = 0.0
    searches: int = 0
    baseline: float = 0.0


def _spent(store: CampaignStore, spec: CampaignSpec) -> _Spent:
    progress, spent, (found, others) = store.counts.progress(), store.stages.seconds(), store.counts.search_seconds()
    load, plan, search = (spent.get(stage, 0.0) for stage in (Stage.LOAD, Stage.PLAN, Stage.SEARCH))
    return _Spent(
        starts=sum(stage is Stage.LOAD for stage, _ in store.stages.all()),
        starting=load + plan + max(0.0, search - found - others),
        done=progress.done,
        covered=progress.covered,
        searching=found + others * _more_seeds(store, spec),
        searches=store.baseline_searches.made() if Stage.BASELINE in spent else 0,
        baseline=spent.get(Stage.BASELINE, 0.0),
    )


def seconds_left(store: CampaignStore) -> float | None:
    """How long the rest of a running campaign takes at its own speed so far; None before that is known."""
    spec, progress, made = store.spec(), store.counts.progress(), store.baseline_searches.made()
    spent = store.stages.seconds()
    if not progress.done or (store.stages.now() is Stage.BASELINE and not made):
        return None
    condition = spent.get(Stage.SEARCH, progress.seconds) / progress.done
    each = spent.get(Stage.BASELINE, 0.0) / made if made else _assumed(condition, spec)
    searches = min(MOST, progress.total * progress.covered / progress.done) - made
    return (progress.total - progress.done) * condition + max(0.0, searches) * each


def most_seeds(spec: CampaignSpec, inputs: int | None = None) -> int:
    """Seeds tried at most for one test condition, of so many inputs if that is known."""
    asked = min(spec.max_seeds, spec.seeds or spec.max_seeds) + spec.seeds_beyond
    return asked if inputs is None else min(asked, inputs)


def _alike(store: CampaignStore, spec: CampaignSpec) -> bool:
    same = all(getattr(store.spec(), name) == getattr(spec, name) for name in KIND)
    return same and store.worker.device().partition(":")[0] == device_of(spec.device)


def _more_seeds(store: CampaignStore, spec: CampaignSpec) -> float:
    """How many times as many seeds a condition without success costs by ``spec``."""
    if spec.by_gradients:  # passes are the budget there, and campaigns of a kind have as many
        return 1.0
    report = store.prepared.seeds()
    inputs = None if report is None else report.n_correct
    return most_seeds(spec, inputs) / most_seeds(store.spec(), inputs)


def _processes(spec: CampaignSpec) -> int:
    """How many processes search here where there is enough to do; several GPUs are left out."""
    return 1 if spec.by_gradients and device_of(spec.device) != "cpu" else os.cpu_count() or 1


def _assumed(condition: float, spec: CampaignSpec) -> float:
    """Baseline searches before any was made: each of the two has as many passes as a condition's own search."""
    return 2 * condition if spec.by_gradients else 0.0
