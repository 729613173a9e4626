"""What a search makes of the freedom that a test condition leaves. Choices are built from `OBJECTIVES`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Objective:
    """An aim beside the test condition."""

    title: str
    words: str


OBJECTIVES: dict[str, Objective] = {
    "distance": Objective("Small distance", "An x2 near to x1: the smallest step that shows the test condition."),
    "adversarial": Objective(
        "Another label",
        "An x2 of another label, within the bound b and with the test condition holding; where there is none, the"
        " test pair of the condition alone. For the generator targeted.",
    ),
}
