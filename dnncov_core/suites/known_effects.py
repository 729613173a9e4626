"""The effect that witnesses of one layer pair show, and the witnesses that are kept for it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dnncov_core.criteria.effects import asks_needed, asks_sufficient
from dnncov_core.suites.witnesses import Witnesses
from dnncov_core.types import BoolArray, IntArray


class KnownEffects:
    """The witness of each feature pair whose effect is known: one that shows the effect, if one was found.

    Args:
        effect: a key of `EFFECTS` other than ``none``.
        witnesses: those of the search, whether or not they show an effect.
    """

    def __init__(self, effect: str, witnesses: Witnesses) -> None:
        self._effect, self._witnesses = effect, witnesses
        self._known: dict[int, NDArray[np.int32]] = {}
        """Of each condition feature, ``(5, n)``: decision neurons, x1, x2, whether needed, and whether sufficient."""
        self._proposed: dict[int, list[IntArray]] = {}
        self._left_out: dict[str, None] = {}

    def propose(self, feature: int, decisions: IntArray, x1: IntArray, x2: IntArray, sure: BoolArray) -> None:
        """Pairs of inputs that the network is to be asked about, and whether they should show it; ``(n,)`` each."""
        if decisions.size:
            self._proposed.setdefault(feature, []).append(np.stack([decisions, x1, x2, sure]))

    def proposed_of(self, feature: int) -> IntArray:
        """What was proposed for a condition feature, ``(4, n)``: decision neurons, x1, x2, and whether it is sure."""
        return np.concatenate([np.empty((4, 0), np.int64), *self._proposed.get(feature, ())], axis=1)

    def note(self, feature: int, judged: IntArray, *, anyway: bool) -> None:
        """Keeps of each decision neuron what shows the effect, else what came first.

        Args:
            feature: the condition feature.
            judged: what the network says, ``(5, n)``: decision neurons, x1, x2, whether needed, and whether sufficient.
            anyway: whether it is kept also where it does not show the effect.
        """
        new = judged.astype(np.int32)
        known = self._known.get(feature, np.empty((5, 0), np.int32))
        both = np.concatenate([known, new if anyway else new[:, self._meet(new)]], axis=1)
        both = both[:, np.lexsort((~self._meet(both), both[0]))]
        self._known[feature] = both[:, np.unique(both[0], return_index=True)[1]]

    def leave_out(self, words: str) -> None:
        """Says what is not looked at."""
        self._left_out[words] = None

    def lacking(self, feature: int) -> BoolArray:
        """Which decision neurons have a witness with this condition feature, but none that is known to show it."""
        found: BoolArray = ~self._witnesses.lacking(feature)
        if feature in self._known:
            known = self._known[feature]
            found[known[0, self._meet(known)]] = False
        return found

    @property
    def shown(self) -> int:
        """How many feature pairs have a witness that shows the effect."""
        return sum(int(self._meet(known).sum()) for known in self._known.values())

    @property
    def bound(self) -> str:
        """Why there may be more, in words; empty where the number is exact."""
        refused = 0
        for feature in self._proposed.keys() & self._known.keys():
            decisions, _, _, sure = self.proposed_of(feature)
            refused += int((self.lacking(feature)[decisions] & (sure > 0)).sum())
        words = f"the network refused {refused:,} that should show it" if refused else ""
        return ", ".join(filter(None, (*self._left_out, words)))

    def each(self) -> Iterator[tuple[int, int, int, int, bool | None, bool | None]]:
        """(condition feature, decision neuron, x1, x2, needed, sufficient) of every covered pair; None if not known."""
        for feature, pairs in itertools.groupby(self._witnesses.each(), key=lambda pair: pair[0]):
            known = {row[0]: row[1:] for row in self._known.get(feature, np.empty((5, 0), np.int32)).T.tolist()}
            for _, decision, x1, x2 in pairs:
                if decision in known:
                    x1, x2, needed, sufficient = known[decision]
                    yield feature, decision, x1, x2, bool(needed), bool(sufficient)
                else:
                    yield feature, decision, x1, x2, None, None

    def _meet(self, known: NDArray[np.int32]) -> BoolArray:
        needed, sufficient = known[3:] > 0
        met: BoolArray = (needed | (not asks_needed(self._effect))) & (sufficient | (not asks_sufficient(self._effect)))
        return met
