"""Budgets of a campaign that were raised after it had begun: what was tried again, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

RETRIED = ("exhausted", "error")
"""Outcomes of test conditions that may be tried again."""

Budgets = tuple[int, int]
"""Seeds and passes that one test condition may cost."""


@dataclass(frozen=True)
class Retry:
    """Test conditions that were put back, to be tried again with larger budgets.

    Attributes:
        outcomes: they had ended so.
        layers: of these decision layers only, as an earlier version had it; empty for all.
        conditions: how many they were.
        before: the campaign's budgets until then.
        after: and from then on.
        covered: test conditions that were covered before; None where an earlier version did not count them.
        pending: test conditions that were not tried yet before.
    """

    outcomes: tuple[str, ...]
    layers: tuple[int, ...]
    conditions: int
    before: Budgets
    after: Budgets
    covered: int | None = None
    pending: int = 0

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> Retry:
        """From its fields as JSON gives them."""
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()}
        return cls(**values)

    @property
    def words(self) -> str:
        """What was raised, for whom.

        >>> Retry(("exhausted", "error"), (3, 4), 12, (41, 400), (100, 400)).words
        '12 conditions (exhausted or error, decision layers 3, 4) tried again with at most 100 seeds instead of 41'
        >>> Retry(("error",), (), 1, (41, 400), (41, 400)).words
        '1 condition (error) tried again with the same budgets'
        """
        layers = f", decision layers {', '.join(map(str, self.layers))}" if self.layers else ""
        kinds = zip(("seeds", "passes"), self.before, self.after, strict=True)
        raised = " and ".join(f"{new:,} {name} instead of {old:,}" for name, old, new in kinds if old != new)
        several = f"{self.conditions:,} condition{'s' * (self.conditions != 1)}"
        budgets = f"at most {raised}" if raised else "the same budgets"
        return f"{several} ({' or '.join(self.outcomes)}{layers}) tried again with {budgets}"
