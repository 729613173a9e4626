"""Test conditions that two inputs cover together, by SS, VS, SV or VV.

Two inputs are partners for a condition feature where their signs in the condition layer are as the method asks
(`joins`). Signs of one neuron alone that change leave each input one partner pattern for each feature; so does no
change, where that pattern is its own. An input with a feature is a `slot`, and what it covers with others is a row of
decision neurons. Taking an input costs its partners x decision neurons, and slots of a feature x decision neurons where
a condition is covered for the first time in a round; a round begins with inputs x decision neurons. Inputs are never
compared two by two to see which of them are partners.

Where the condition's effect has to be needed, each condition feature is looked at for itself, and what a slot promises
is found from all its partners.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.neuron_criteria import NONE
from dnncov_core.errors import SpecificationError
from dnncov_core.selection.conditions import PoolConditions
from dnncov_core.selection.slots import Parts, Slots
from dnncov_core.suites.extremes import Extremes, changed
from dnncov_core.suites.joins import Joined
from dnncov_core.types import BoolArray, FloatArray, IntArray

MOST = 2**27
"""Slots x decision neurons of all layer pairs and criteria together that are held in memory."""
AT_ONCE = 2**22
"""Pairs of inputs x decision neurons that are compared at the same time."""


class EdgeConditions(PoolConditions):
    """The conditions of one layer pair.

    Args:
        method: SS or VS; or SV or VV with value functions that are judged by extremes, and g1 ``any``.
        layer: the decision layer.
        joined: the inputs that have partners.
        u: of the decision neurons for ``joined.rows``, ``(len(joined.rows), s_l)``.
        inputs: of the pool.
        held: the size of all others that are held.
        parts: of the condition neurons, if their effect has to be needed.

    Attributes:
        size: slots x decision neurons.
    """

    total = None

    def __init__(
        self,
        method: CoveringMethod,
        layer: int,
        joined: Joined,
        u: FloatArray,
        *,
        inputs: int,
        held: int = 0,
        parts: Parts | None = None,
    ) -> None:
        self._method, self._layer, self._joined, self._u, self._parts = method, layer, joined, u, parts
        self._slots = slots = Slots.of(joined, apart=parts is not None)
        self.size = len(slots) * u.shape[1]
        if held + self.size > MOST:
            got = f"{held + self.size:,}, of which {self.size:,} in layer {layer} by {method.key}"
            fix = "choose fewer inputs, or fewer orders"
            raise SpecificationError(f"at most {MOST:,} times that an input can cover a decision neuron", got, fix)
        self._neurons = np.arange(u.shape[1])
        apart, shared = parts is not None, joined.join.shared
        self._weight = joined.join.features if shared and not apart else 1
        self._features = np.arange(joined.join.features) if shared else np.unique(joined.join.feature)
        self._weights = None if parts is None else parts.weights(self._features)
        self._input = joined.rows[slots.place]
        self._of_input = np.split(np.argsort(self._input, kind="stable"), _ends(self._input, inputs))
        self._class = np.repeat(np.arange(len(joined.starts)), np.diff(joined.starts, append=len(joined.rows)))
        features = int(slots.feature.max(initial=-1)) + 1
        starts = np.searchsorted(slots.feature, np.arange(features + 1)).tolist()
        self._of_feature = [slice(start, end) for start, end in pairwise(starts)]
        keys = slots.partner * features + slots.feature
        self._by_partner = np.argsort(keys, kind="stable")
        self._partner_keys = keys[self._by_partner]
        self._inputs = inputs
        self.restart(np.ones(inputs, bool))

    def restart(self, rest: BoolArray) -> None:
        slots, shape = len(self._slots), self._u.shape[1]
        self._rest, self._taken = rest.copy(), np.zeros(self._inputs, bool)
        self._open = np.ones((len(self._of_feature), shape), bool)
        self._with_taken = np.zeros((slots, shape), bool)
        self._with_any = self._possible(rest)
        self.adds = np.zeros(self._inputs, np.int64)
        self.promises = self._by_input(self._with_any.sum(axis=1), slice(None))

    def take(self, row: int) -> None:
        self._taken[row] = True
        for slot in self._of_input[row]:
            feature = self._slots.feature[slot]
            self._close(feature, np.flatnonzero(self._with_taken[slot] & self._open[feature]))
            others = self._partners(slot)
            those = others[self._rest[self._input[others]] & ~self._taken[self._input[others]]]
            new = self._between(those, np.full_like(those, self._slots.place[slot])) & ~self._with_taken[those]
            self._with_taken[those] |= new
            self.adds += self._by_input((new & self._open[feature]).sum(axis=1), those)

    def along(self, rows: IntArray) -> IntArray:
        n = len(rows)
        place = np.full(self._inputs, n)
        place[rows] = np.arange(n)
        first = np.full(self._open.shape, n)
        for slots, others in self._pairs(np.arange(len(self._slots))):
            later = np.maximum(place[self._input[slots]], place[self._joined.rows[others]])
            slots, others, later = (each[later < n] for each in (slots, others, later))
            covered = self._between(slots, others)
            features, starts = np.unique(self._slots.feature[slots], return_index=True)
            if len(features):
                here = np.minimum.reduceat(np.where(covered, later[:, None], n), starts, axis=0)
                first[features] = np.minimum(first[features], here)
        return np.cumsum(np.bincount(first.ravel(), minlength=n + 1)[:n]) * self._weight

    def _pairs(self, of: IntArray, *, once: bool = True) -> Iterator[tuple[IntArray, IntArray]]:
        """All pairs of partners, some at a time: a slot of these, ascending, and the other input's place.

        Args:
            of: slots, ascending.
            once: whether two inputs are a pair once, and not once for each of them.
        """
        sizes = np.diff(self._joined.starts, append=len(self._joined.rows))[self._slots.partner[of]]
        parts = (np.cumsum(sizes) * self._u.shape[1]) // AT_ONCE
        for some in _runs(parts):
            n = sizes[some]
            slots = np.repeat(of[some], n)
            starts = self._joined.starts[self._slots.partner[of[some]]]
            others = np.repeat(starts - (np.cumsum(n) - n), n) + np.arange(n.sum())
            one, other = self._input[slots], self._joined.rows[others]
            kept = one < other if once else one != other
            yield slots[kept], others[kept]

    def _partners(self, slot: int) -> IntArray:
        """The slots of the inputs that are partners of a slot's input for its feature; its own may be among them."""
        own = self._class[self._slots.place[slot]] * len(self._open) + self._slots.feature[slot]
        return self._by_partner[slice(*np.searchsorted(self._partner_keys, [own, own + 1]).tolist())]

    def _close(self, feature: int, neurons: IntArray) -> None:
        """Conditions of a feature are covered; who would have covered them adds and promises less."""
        if not len(neurons):
            return
        self._open[feature, neurons] = False
        those = self._of_feature[feature]
        self.adds -= self._by_input(self._with_taken[those, neurons].sum(axis=1), those)
        self.promises -= self._by_input(self._with_any[those, neurons].sum(axis=1), those)

    def _by_input(self, counts: IntArray, slots: IntArray | slice) -> IntArray:
        """Counts of slots, summed by input, as conditions; ``(inputs,)``."""
        summed = np.bincount(self._input[slots], weights=counts, minlength=self._inputs)
        found: IntArray = summed.astype(np.int64) * self._weight
        return found

    def _between(self, slots: IntArray, others: IntArray) -> BoolArray:
        """Which decision neurons change as asked between the slots' inputs and others, either way, ``(n, s_l)``."""
        places = self._slots.place[slots]
        u, other, of_sign = self._u[places], self._u[others], self._method.decision is Change.SIGN
        found: BoolArray = ((u >= 0) != (other >= 0)) == of_sign
        if self._parts is not None:
            return found & self._needed(slots, others)
        return found if of_sign else found & self._changed(u, other)

    def _needed(self, slots: IntArray, others: IntArray) -> BoolArray:
        """Whether they change, and not once v of the condition neuron is put back, one way or the other."""
        assert self._parts is not None
        assert self._weights is not None
        places, feature = self._slots.place[slots], self._slots.feature[slots]
        u, other, neuron = self._u[places], self._u[others], self._features[feature]
        more = (self._parts.v[others, neuron] - self._parts.v[places, neuron])[:, None] * self._weights[feature]
        one, back = (
            self._changes(x1, x2) & ~self._changes(x1, without)
            for x1, x2, without in ((u, other, other - more), (other, u, u + more))
        )
        either: BoolArray = one | back
        return either

    def _changed(self, u: FloatArray, other: FloatArray) -> BoolArray:
        """Whether decision neurons change, one way or the other."""
        either: BoolArray = self._changes(u, other) | self._changes(other, u)
        return either

    def _changes(self, u1: FloatArray, u2: FloatArray) -> BoolArray:
        """Whether the sign changes, or the value as asked, from x1 to x2."""
        if self._method.decision is Change.SIGN:
            signs: BoolArray = (u1 >= 0) != (u2 >= 0)
            return signs
        return changed(self._method.g2, self._layer, self._neurons, u1, u2)

    def _possible(self, rest: BoolArray) -> BoolArray:
        """Which decision neurons each slot covers with some partner among the rest, ``(slots, s_l)``."""
        rows, place, partner = self._joined.rows, self._slots.place, self._slots.partner
        if not len(rows):
            return np.zeros((0, self._u.shape[1]), bool)
        if self._parts is not None:
            return self._possible_of_all(rest)
        among = np.broadcast_to(rest[rows][:, None], self._u.shape)
        extremes = Extremes.of(self._u, rows, self._joined.starts, among)
        u, here = self._u[place], rest[self._input][:, None]
        there = [(each.least.row != NONE)[partner] for each in extremes.signs]
        if self._method.decision is Change.SIGN:
            possible: BoolArray = np.where(u >= 0, there[0], there[1]) & here
            return possible
        found = np.zeros(u.shape, bool)
        for signed, sign in zip(extremes.signs, (u < 0, u >= 0), strict=True):
            for extreme in (signed.least, signed.greatest):
                other = extreme.row[partner] != self._input[:, None]
                found |= self._changed(u, extreme.u[partner]) & sign & other
        return found & here

    def _possible_of_all(self, rest: BoolArray) -> BoolArray:
        """Likewise, found from all partners."""
        found = np.zeros((len(self._slots), self._u.shape[1]), bool)
        for slots, others in self._pairs(np.flatnonzero(rest[self._input]), once=False):
            there = rest[self._joined.rows[others]]
            slots, others = slots[there], others[there]
            if len(slots):
                places, starts = np.unique(slots, return_index=True)
                found[places] |= np.logical_or.reduceat(self._between(slots, others), starts, axis=0)
        return found


class PairConditions(PoolConditions):
    """The conditions of all layer pairs.

    Args:
        edges: of each layer pair that has partners.
        total: of all layer pairs.
        inputs: of the pool.
    """

    def __init__(self, edges: Sequence[EdgeConditions], total: int, inputs: int) -> None:
        self._edges, self.total, self._inputs = edges, total, inputs

    @property
    def adds(self) -> IntArray:  # type: ignore[override]
        return sum((each.adds for each in self._edges), np.zeros(self._inputs, np.int64))

    @property
    def promises(self) -> IntArray:  # type: ignore[override]
        return sum((each.promises for each in self._edges), np.zeros(self._inputs, np.int64))

    def restart(self, rest: BoolArray) -> None:
        for each in self._edges:
            each.restart(rest)

    def take(self, row: int) -> None:
        for each in self._edges:
            each.take(row)

    def along(self, rows: IntArray) -> IntArray:
        return sum((each.along(rows) for each in self._edges), np.zeros(len(rows), np.int64))


def _ends(keys: IntArray, n: int) -> IntArray:
    """Where the keys 1 to n - 1 begin once they are sorted."""
    return np.searchsorted(np.sort(keys), np.arange(1, n))


def _runs(parts: IntArray) -> Iterator[IntArray]:
    """The places of equal numbers that follow each other."""
    if len(parts):
        yield from np.split(np.arange(len(parts)), np.flatnonzero(np.diff(parts)) + 1)
