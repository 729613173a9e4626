"""Inputs that have partners for a condition feature, and what their condition neurons add to u of decision neurons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dnncov_core.suites.joins import Joined
from dnncov_core.types import FloatArray, IntArray


@dataclass(frozen=True)
class Slots:
    """Inputs with a condition feature for which they have partners; arrays of one length, sorted by feature.

    Attributes:
        place: of the input among those of the `Joined`.
        feature: 0-based among those that have partners.
        partner: the class that the partners are, 0-based among those of the `Joined`.
    """

    place: IntArray
    feature: IntArray
    partner: IntArray

    def __len__(self) -> int:
        return len(self.place)

    @classmethod
    def of(cls, joined: Joined, *, apart: bool = False) -> Slots:
        """All slots of a join, both ways unless it joins classes with themselves.

        Args:
            joined: the join and its inputs.
            apart: whether features that share their pairs of classes have slots of their own.
        """
        join = joined.join
        sizes, ways = np.diff(joined.starts, append=len(joined.rows)), 1 if join.shared else 2
        own, partner = (np.concatenate(each[:ways]) for each in ((join.first, join.second), (join.second, join.first)))
        feature = np.tile(np.unique(join.feature, return_inverse=True)[1], ways)
        if apart and join.shared:
            own, partner = np.tile(own, join.features), np.tile(partner, join.features)
            feature = np.repeat(np.arange(join.features), len(join))
        n = sizes[own]
        places = np.repeat(joined.starts[own] - (np.cumsum(n) - n), n) + np.arange(n.sum())
        order = np.argsort(np.repeat(feature, n), kind="stable")
        return cls(places[order], np.repeat(feature, n)[order], np.repeat(partner, n)[order])


@dataclass(frozen=True)
class Parts:
    """What condition neurons add to u of decision neurons, between which nothing but affine operators lies.

    Attributes:
        v: of the condition neurons for the inputs of a `Joined`, ``(inputs, s_k)``.
        weights: by how much u of each decision neuron grows with v of some condition neurons, ``(n, s_l)``.
    """

    v: FloatArray
    weights: Callable[[IntArray], FloatArray]
