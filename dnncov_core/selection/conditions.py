"""The test conditions of a criterion, and which of a pool's inputs meet them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from dnncov_core.types import BoolArray, IntArray


class PoolConditions(ABC):
    """Which test conditions inputs of a pool meet, and which are open in the present round of a search.

    Attributes:
        total: test conditions of the criterion; None where their number is not known.
        adds: open conditions that each input meets, alone or with an input that was taken in this round,
            ``(inputs,)``.
        promises: open conditions that it meets alone or with any input of this round, ``(inputs,)``.
    """

    total: int | None
    adds: IntArray
    promises: IntArray

    @abstractmethod
    def restart(self, rest: BoolArray) -> None:
        """Opens all conditions: a round begins, of the inputs that ``rest`` says, ``(inputs,)``."""

    @abstractmethod
    def take(self, row: int) -> None:
        """Takes an input of this round: what it adds is open no longer."""

    @abstractmethod
    def along(self, rows: IntArray) -> IntArray:
        """How many conditions the first 1, 2, ... of these inputs meet, ``(len(rows),)``; says nothing of rounds."""
