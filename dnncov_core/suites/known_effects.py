"""The effect that witnesses of one layer pair show, and the witnesses that are kept for it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dnncov_core.criteria import NO_EFFECT
from dnncov_core.criteria.effects import meets
from dnncov_core.suites.witnesses import Witnesses
from dnncov_core.types import BoolArray, IntArray


class KnownEffects:
    """The witness of each feature pair whose effect is known: one that shows the effect, if one was found.

    Attributes:
        asked: whether an effect is asked for; nothing is known otherwise.
        proposed: pairs of inputs that may show it, x1 and x2, ``(2, n)`` each, by condition feature.
        bound: why there may be more that show it, in words; empty where the number is exact.
    """

    def __init__(self, effect: str, witnesses: Witnesses) -> None:
        self.asked = effect != NO_EFFECT
        self.proposed: dict[int, list[IntArray]] = {}
        self.bound = ""
        self._effect, self._witnesses = effect, witnesses
        self._known: dict[int, NDArray[np.int32]] = {}
        """Of each condition feature, ``(5, n)``: decision neurons, x1, x2, whether needed, and whether sufficient."""

    def note(self, feature: int, judged: IntArray) -> None:
        """Keeps of each decision neuron what shows the effect, else what came first; rows as of what is known."""
        both = np.concatenate([self._of(feature), judged.astype(np.int32)], axis=1)
        both = both[:, np.lexsort((~self.met(*both[3:] > 0), both[0]))]
        self._known[feature] = both[:, np.unique(both[0], return_index=True)[1]]

    def met(self, needed: BoolArray, sufficient: BoolArray) -> BoolArray:
        """Whether these flags are what the effect asks, elementwise."""
        return meets(self._effect, needed, sufficient)

    def lacking(self, feature: int) -> BoolArray:
        """Which decision neurons have a witness with this condition feature, but none that is known to show it."""
        found, known = ~self._witnesses.lacking(feature), self._of(feature)
        found[known[0, self.met(*known[3:] > 0)]] = False
        return found

    @property
    def shown(self) -> int:
        """How many feature pairs have a witness that shows the effect."""
        return sum(int(self.met(*known[3:] > 0).sum()) for known in self._known.values())

    def each(self) -> Iterator[tuple[int, int, int, int, bool | None, bool | None]]:
        """(condition feature, decision neuron, x1, x2, needed, sufficient) of every covered pair; None if not known."""
        for feature in self._witnesses.features:
            known = {decision: found for decision, *found in self._of(feature).T.tolist()}
            for decision, *rows in sorted(self._witnesses.of(feature).T.tolist()):
                x1, x2, *flags = known.get(decision, [*rows, None, None])
                needed, sufficient = (None if flag is None else bool(flag) for flag in flags)
                yield feature, decision, x1, x2, needed, sufficient

    def _of(self, feature: int) -> NDArray[np.int32]:
        return self._known.get(feature, np.empty((5, 0), np.int32))
