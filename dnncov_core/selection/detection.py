"""How early an order kills mutants: APFD, its interval over mutants, and the mutants killed along it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dnncov_core.types import BoolArray, FloatArray, IntArray

RESAMPLES = 2_000
CONFIDENCE = 0.95


def first_kills(kills: BoolArray, rows: IntArray) -> IntArray:
    """The place from 1 of the first input that kills each mutant, ``(mutants,)``; 0 where none of them does.

    Args:
        kills: ``(mutants, inputs)``.
        rows: inputs in an order.
    """
    along = kills[:, rows]
    return np.where(along.any(axis=1), along.argmax(axis=1) + 1 if len(rows) else 0, 0)


@dataclass(frozen=True)
class Detection:
    """APFD of an order.

    Attributes:
        apfd: between 0 and 1; None where there is no mutant that an input kills.
        low: lower end of the 95 % interval over mutants.
        high: upper end.
    """

    apfd: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, places: FloatArray | IntArray, inputs: int) -> Detection:
        """1 - sum of TF / (n m) + 1 / (2 n), with TF the place of the first input that kills a mutant.

        Rothermel, Untch, Chu and Harrold: "Prioritizing Test Cases for Regression Testing", IEEE Transactions on
        Software Engineering 27(10), 2001. The interval is the bootstrap's over mutants, by percentiles: APFD is the
        mean over mutants of 1 - TF / n + 1 / (2 n).

        Args:
            places: TF of each mutant that some input kills, ``(m,)``; a mean over several orders need not be whole.
            inputs: n.
        """
        if not len(places):
            return cls(None, None, None)
        each = 1 - places / inputs + 1 / (2 * inputs)
        rng = np.random.default_rng(0)
        drawn = each[rng.integers(len(each), size=(RESAMPLES, len(each)))].mean(axis=1)
        tail = (1 - CONFIDENCE) / 2
        low, high = np.quantile(drawn, [tail, 1 - tail]).tolist()
        return cls(float(each.mean()), low, high)


def killed_along(places: IntArray, n: int) -> IntArray:
    """How many mutants the first 1, 2, ... of n inputs kill, ``(n,)``, from `first_kills`."""
    return np.cumsum(np.bincount(places[places > 0] - 1, minlength=n)[:n]).astype(np.int64)
