"""What came of a comparison: counts of each repeat of each arm, from which means and differences are derived.

Imports no torch, and is a file of its own (JSON).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dnncov_core.ratios import Ratio
from dnncov_core.record_files import read_or_refuse
from dnncov_core.records import Named
from dnncov_core.resources import home
from dnncov_core.retraining.spec import RetrainingSpec
from dnncov_core.retraining.student import Estimate
from dnncov_core.types import Norm
from dnncov_core.workers import newest_first

NONE, GENERATED = "none", "generated"
ARMS: Mapping[str, Named] = {
    NONE: Named("Training data alone", "Nothing but the training data, of which each step takes twice as many."),
    GENERATED: Named("Test pairs", "x2 of the campaigns' test pairs, with the label of the seed."),
    "random": Named("Random perturbations", "The same seeds, moved at random by the same distance."),
    "pgd": Named("PGD", "The same seeds, moved by projected gradient ascent within the same distance."),
}
"""The ways to train that are compared, in the order of the table."""
ACCURACY, ATTACKED, MUTANTS = "accuracy", "accuracy_under_attack", "mutants_killed"
Scores = Mapping[str, Ratio]
"""Counts by what is measured: these, and the coverage of each criterion by its name."""


@dataclass(frozen=True)
class Sources:
    """Where the numbers come from: names without folders, fingerprints, the date in UTC, versions of packages."""

    network: str
    fingerprint: str
    campaigns: tuple[str, ...]
    training: str
    test: str
    test_fingerprint: str
    faults: str | None
    date: str
    versions: Mapping[str, str]


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
        sources: where all of it comes from.
    """

    spec: RetrainingSpec
    norm: Norm
    sizes: Sizes
    before: Scores
    runs: tuple[Run, ...]
    sources: Sources

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
            "sources": asdict(self.sources),
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


def outcomes() -> dict[str, Path]:
    """The files of the user's folder of retrainings, by name, newest first."""
    return {path.stem: path for path in newest_first((home() / "retrainings").glob("*.json"))}


def read(path: Path) -> Outcome:
    """The comparison in a file.

    Raises:
        DataError: there is none.
    """
    return read_or_refuse(Outcome, path, "a file of dnncov retrain --result", "choose another one")


def _counts(scores: Scores) -> dict[str, Any]:
    found: dict[str, Ratio] = dict(scores)
    return {name: asdict(ratio) for name, ratio in found.items()}
