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
        outcomes: how they had ended.
        layers: their decision layers where an earlier version tried only some again; empty for all.
        conditions: how many they were.
        before: the campaign's budgets until then.
        after: the campaign's budgets from then on.
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
        """Makes it from its fields as JSON gives them."""
        values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()}
        return cls(**values)
