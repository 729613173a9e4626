"""What a comparison of ways to train a network further is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from dnncov_core.errors import SpecificationError

LEAST_REPEATS = 5
"""Repeats below which an interval would say next to nothing."""


@dataclass(frozen=True)
class RetrainingSpec:
    """How much is trained, and how it is measured; the same in all arms.

    Attributes:
        steps: of the optimiser, in each repeat of each arm.
        batch: inputs a step; half of them are further inputs in the arms that have some.
        learning_rate: of Adam.
        repeats: of each arm, with other random numbers.
        bound: the greatest distance of the attack.
        attack_steps: of the attack, and of the arm of projected gradient ascent.
        sample: test inputs that are attacked, and whose coverage is measured.
        criteria: whose coverage is measured, as `dnncov measure` takes them.
        random_seed: decides all that is drawn.

    Raises:
        SpecificationError: a number that is out of its range.
    """

    steps: int = 500
    batch: int = 64
    learning_rate: float = 1e-4
    repeats: int = LEAST_REPEATS
    bound: float = 0.1
    attack_steps: int = 20
    sample: int = 500
    criteria: str = "ss"
    random_seed: int = 0

    def __post_init__(self) -> None:
        for name, least in {"steps": 1, "batch": 2, "repeats": LEAST_REPEATS, "attack_steps": 1, "sample": 1}.items():
            if (value := getattr(self, name)) < least:
                option = f"--{name.replace('_', '-')}"
                raise SpecificationError(f"{option} of at least {least}", str(value), "change it")
        for option, number in (("--learning-rate", self.learning_rate), ("--bound", self.bound)):
            if not 0 < number < float("inf"):
                raise SpecificationError(f"{option} above 0", str(number), "change it")
