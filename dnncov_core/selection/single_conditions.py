"""Test conditions that one input meets alone: of neurons, of sections of their ranges, of whole sign patterns."""

from __future__ import annotations

import numpy as np

from dnncov_core.selection.conditions import PoolConditions
from dnncov_core.types import BoolArray, IntArray

AT_ONCE = 2**24
"""Entries that are compared at the same time."""


class SingleConditions(PoolConditions):
    """Each neuron has sections, and each input lies in one of them, or in none.

    Each condition is looked at once in a round, when it is met for the first time: then all inputs that meet it, too,
    add one less. So a round costs inputs x conditions, however many inputs are taken.

    Args:
        sections: the section of each input, from 1, and 0 for none; ``(neurons, inputs)``.
        total: as of `PoolConditions`.
    """

    def __init__(self, sections: IntArray, total: int | None) -> None:
        self._sections, self.total = sections, total
        most = int(sections.max(initial=0))
        self._open = np.zeros((len(sections), most + 1), bool)
        self._all = np.count_nonzero(sections, axis=0).astype(np.int64)
        self.restart(np.ones(sections.shape[1], bool))

    @property
    def promises(self) -> IntArray:  # type: ignore[override]
        """What inputs add: none needs another."""
        return self.adds

    def restart(self, rest: BoolArray) -> None:
        self._open[:, 1:] = True
        self.adds = self._all.copy()

    def take(self, row: int) -> None:
        neurons = self._met(self._open, row)
        step = max(1, AT_ONCE // self._sections.shape[1])
        for some in np.split(neurons, range(step, len(neurons), step)):
            self.adds -= (self._sections[some] == self._sections[some, row][:, None]).sum(axis=0)

    def along(self, rows: IntArray) -> IntArray:
        still = np.ones_like(self._open)
        still[:, 0] = False
        return np.cumsum([len(self._met(still, row)) for row in rows.tolist()], dtype=np.int64)

    def _met(self, still: BoolArray, row: int) -> IntArray:
        """The neurons of which an input meets a section that was still open, ``(neurons, sections + 1)``; closes it."""
        own, neurons = self._sections[:, row], np.arange(len(still))
        met = np.flatnonzero(still[neurons, own])
        still[met, own[met]] = False
        return met
