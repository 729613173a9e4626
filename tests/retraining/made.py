"""A comparison made by hand, for tests of what only shows it."""

from __future__ import annotations

from dnncov_core.ratios import Ratio
from dnncov_core.retraining.outcome import ARMS, Outcome, Run, Scores, Sizes, Sources
from dnncov_core.retraining.spec import RetrainingSpec


def scores(accuracy: int, attacked: int, killed: int, covered: int) -> Scores:
    """Counts of a network."""
    return {
        "accuracy": Ratio(accuracy, 100),
        "accuracy_under_attack": Ratio(attacked, 100),
        "mutants_killed": Ratio(killed, 40),
        "ss": Ratio(covered, 200),
    }


def outcome() -> Outcome:
    """Test pairs lower the accuracy and raise that under attack; of mutants and coverage nothing can be told."""
    changes = {"none": (0, 0, 0, 0), "generated": (-5, 8, 0, 0), "random": (0, 1, 0, 2), "pgd": (-2, 20, -1, -3)}
    runs = []
    for arm in ARMS:
        for repeat, noise in enumerate((-1, 0, 1, 0, 0)):
            found = [n + change for n, change in zip((95, 10, 30, 80), changes[arm], strict=True)]
            turned = [found[0], found[1], found[2] + noise * (arm == "generated"), found[3] - noise * (arm != "none")]
            runs.append(Run(arm, repeat, scores(*turned), None if arm == "none" else 0.05))
    sources = Sources("net", "0" * 64, ("a.dnncov",), "train", "test", "1" * 64, "a.faults", "2026-11-30T07:00:00", {})
    sizes = Sizes(12, 0.05, 500, 100, 3)
    return Outcome(RetrainingSpec(), "inf", sizes, scores(95, 12, 31, 80), tuple(runs), sources)
