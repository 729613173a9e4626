"""What came of a comparison: counts of each repeat of each arm, from which means and differences are derived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dnncov_core.ratios import Ratio
from dnncov_core.retraining.arms import ARMS, NONE
from dnncov_core.retraining.scores import Scores
from dnncov_core.retraining.spec import RetrainingSpec
from dnncov_core.retraining.student import Estimate
from dnncov_core.types import Norm


@dataclass(frozen=True)
class Sizes:
    """Of what went in: test pairs and their mean distance, training inputs, test inputs, and those of them left out."""

    pairs: int
    distance: float
    training: int
    test: int
    left_out: int


@dataclass(frozen=True)
class Run:
    """One repeat of an arm: what was measured after it, and the mean distance of its further inputs from the seeds."""

    arm: str
    repeat: int
    scores: Scores
    distance: float | None


@dataclass(frozen=True)
class Outcome:
    """All repeats of all arms.

    Attributes:
        spec: what was asked for.
        norm: of distances and of the attack's bound.
        sizes: of what went in.
        before: what was measured of the network as it was.
        runs: each repeat of each arm.
    """

    spec: RetrainingSpec
    norm: Norm
    sizes: Sizes
    before: Scores
    runs: Sequence[Run]

    def values(self, arm: str, measure: str) -> list[float]:
        """The share that was measured in each repeat, in their order; 0 where there was nothing to count."""
        return [run.scores[measure].value or 0.0 for run in self.runs if run.arm == arm]

    def mean(self, arm: str, measure: str) -> Estimate:
        """The mean of an arm over its repeats."""
        return Estimate.of(self.values(arm, measure))

    def difference(self, arm: str, measure: str, against: str = NONE) -> Estimate:
        """The mean of an arm's differences from another one, repeat by repeat: both draw the same rows in each."""
        pairs = zip(self.values(arm, measure), self.values(against, measure), strict=True)
        return Estimate.of([one - other for one, other in pairs])

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return {
            "sizes": asdict(self.sizes),
            "norm": self.norm,
            "before": _counts(self.before),
            "arms": {arm: self._arm(arm) for arm in ARMS},
            "interval": f"Student's t over {self.spec.repeats} repeats, 95 %",
            "spec": asdict(self.spec),
        }

    def _arm(self, arm: str) -> dict[str, Any]:
        runs = [run for run in self.runs if run.arm == arm]
        found: dict[str, Any] = {
            "repeats": [{"distance": run.distance, **_counts(run.scores)} for run in runs],
            "mean": {measure: asdict(self.mean(arm, measure)) for measure in self.before},
        }
        if arm != NONE:
            found["difference_from_none"] = {each: asdict(self.difference(arm, each)) for each in self.before}
        return found


def _counts(scores: Scores) -> dict[str, Any]:
    found: dict[str, Ratio] = dict(scores)
    return {name: asdict(ratio) for name, ratio in found.items()}
