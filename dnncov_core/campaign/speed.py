"""How quickly campaigns went on this machine, and how long another one, or the rest of one, takes by that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dnncov_core.campaign.file.baseline_searches import MOST
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.records import Stage
from dnncov_core.resources import device_of

KIND = tuple(row.name for row in PARAMETERS.values() if row.speed)
"""What campaigns must have in common to be of like speed: seeds in random order need many more attempts."""


@dataclass(frozen=True)
class Speed:
    """Working time of campaigns, in seconds.

    Attributes:
        start: a campaign's loading and planning.
        condition: searching, for each test condition.
        baseline: baseline searches, for each test pair that has them.
        covered: the share of test conditions that are covered.
    """

    start: float
    condition: float
    baseline: float
    covered: float

    def seconds(self, conditions: int) -> float:
        """How long a campaign with so many test conditions takes from its start to its end."""
        return self.start + conditions * self.condition + self.baseline * min(MOST, conditions * self.covered)


def speed_of(stores: Iterable[CampaignStore], spec: CampaignSpec) -> Speed | None:
    """The speed of the campaigns that agree with ``spec`` in `KIND` and worked on the device that it is for.

    Searching is scaled to the seeds that ``spec`` may try: conditions without success use them up.
    """
    starts, starting, done, covered, searching, searches, baseline = 0, 0.0, 0, 0, 0.0, 0, 0.0
    for store in stores:
        if not _alike(store, spec):
            continue
        progress, spent = store.counts.progress(), store.stages.seconds()
        starts += sum(stage is Stage.LOAD for stage, _ in store.stages.all())
        starting += spent.get(Stage.LOAD, 0.0) + spent.get(Stage.PLAN, 0.0)
        done, covered = done + progress.done, covered + progress.covered
        searching += spent.get(Stage.SEARCH, progress.seconds) * _scale(store, spec)
        if Stage.BASELINE in spent:
            searches, baseline = searches + store.baseline_searches.made(), baseline + spent[Stage.BASELINE]
    if not done:
        return None
    condition = searching / done
    each = baseline / searches if searches else _assumed(condition, spec)
    return Speed(starting / max(1, starts), condition, each, covered / done)


def seconds_left(store: CampaignStore) -> float | None:
    """How long the rest of a running campaign takes at its own speed so far; None before that is known."""
    progress, speed, made = store.counts.progress(), speed_of([store], store.spec()), store.baseline_searches.made()
    if speed is None or (store.stages.now() is Stage.BASELINE and not made):
        return None
    searches = min(MOST, progress.total * speed.covered) - made
    return (progress.total - progress.done) * speed.condition + max(0.0, searches) * speed.baseline


def most_seeds(spec: CampaignSpec, inputs: int | None = None) -> int:
    """Seeds tried at most for one test condition, of so many inputs if that is known."""
    asked = min(spec.max_seeds, spec.seeds or spec.max_seeds) + spec.seeds_beyond
    return asked if inputs is None else min(asked, inputs)


def _alike(store: CampaignStore, spec: CampaignSpec) -> bool:
    same = all(getattr(store.spec(), name) == getattr(spec, name) for name in KIND)
    return same and store.worker.device().partition(":")[0] == device_of(spec.device)


def _scale(store: CampaignStore, spec: CampaignSpec) -> float:
    covered, others = store.counts.search_seconds()
    if spec.by_gradients or not covered + others:  # passes are the budget there, and campaigns of a kind have as many
        return 1.0
    report = store.prepared.seeds()
    inputs = None if report is None else report.n_correct
    longer = most_seeds(spec, inputs) / most_seeds(store.spec(), inputs)
    return (covered + others * longer) / (covered + others)


def _assumed(condition: float, spec: CampaignSpec) -> float:
    """Baseline searches before any was made: each of the two has as many passes as a condition's own search."""
    return 2 * condition if spec.by_gradients else 0.0
