"""Witnesses where the value of the condition feature has to change as g1 asks, in one of two ways.

By partners, where x2 alone has to meet a condition: an input of the class is the x2 of a feature pair iff it meets the
condition of g1 for the condition neuron, and the class has another input that does, with it, what is asked of the
decision neuron. Whether it has is read from the extremes of both signs; of two inputs of one sign the extremes are
different ones. By comparison, where what both neurons ask of the same two inputs has no extremes to go by: all pairs of
a class are tried, up to a bound on its inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dnncov_core.criteria import CoveringMethod, ValueFunction
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.neuron_criteria import NONE
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.suites.extremes import Extremes, Signed, changed
from dnncov_core.suites.patterns import Classes
from dnncov_core.suites.steps import AT_ONCE, BOOLS, Held, Search, Step, Wanted
from dnncov_core.suites.streams import Suite
from dnncov_core.suites.witnesses import Witnesses
from dnncov_core.types import BoolArray, FloatArray, IntArray

MOST_MEMBERS = 1_000
"""Inputs of a class that are compared with each other."""


@dataclass(frozen=True)
class ByPartners(Step):
    """Witnesses for some decision and some condition neurons by partners, with g1 a `Meets` and g2 ``any``.

    Attributes:
        search: VS or VV of one layer pair.
        u: of the decision neurons.
        rows: of the suite, ascending; those of the search among them.
        met: whether inputs meet the condition of g1 for the condition neurons.
        parts: rows of the suite; an earlier part gives the witness where several do.
    """

    search: Search
    u: Wanted
    rows: IntArray
    met: Wanted
    parts: Sequence[slice]

    @classmethod
    def of(cls, suite: Suite, search: Search, u: Wanted, rows: IntArray) -> Iterator[ByPartners]:
        """The steps for some decision neurons and all condition neurons."""
        assert isinstance(search.method.g1, Meets)
        assert search.method.decision is Change.SIGN or search.method.g2 == ANY
        k = search.edge[0]
        n, width = suite.network.layers[k - 1].neurons, max(1, BOOLS * AT_ONCE // len(rows))
        for start in range(0, n, width):
            yield cls(search, u, rows, Wanted(k, start, min(start + width, n), search.method.g1), suite.parts)

    @property
    def wanted(self) -> Mapping[Wanted, IntArray]:
        return {self.u: self.rows, self.met: self.rows}

    @property
    def looks(self) -> int:
        return len(self.search.joined.rows) * (self.u.neurons + self.met.neurons)

    def take(self, held: Mapping[Wanted, Held], tell: Callable[[int], None]) -> None:
        rows, some = self.search.joined.rows, slice(self.u.start, self.u.stop)
        partners = _partners(self.search.method, held[self.u].of(rows), rows, self.search.joined.starts)
        for part in self.parts:
            places = np.flatnonzero((rows >= part.start) & (rows < part.stop))
            met = held[self.met].of(rows[places])
            _note(met, self.met.start, partners[places], rows[places], some, self.search.witnesses)
            tell(len(places) * (self.u.neurons + self.met.neurons))


def _partners(method: CoveringMethod, u: FloatArray, rows: IntArray, starts: IntArray) -> IntArray:
    """A row to be the x1 of each input as x2, by decision neuron, ``(inputs, n)``; -1 where there is none.

    Args:
        method: asks the decision neuron to change its sign, or to keep it.
        u: of the decision neurons, ``(inputs, n)``, class by class.
        rows: of the inputs in the suite, ``(inputs,)``.
        starts: first input of each class, ``(classes,)``.
    """
    of = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(rows)))
    negative, positive = (_others(signed, of, rows) for signed in Extremes.of(u, rows, starts).signs)
    return np.where((u >= 0) ^ (method.decision is Change.SIGN), positive, negative)


def _others(signed: Signed, of: IntArray, rows: IntArray) -> IntArray:
    """A row of this sign that is not the input itself, or -1, for inputs of these classes."""
    itself = rows[:, None]
    least, greatest = signed.least.row[of], signed.greatest.row[of]
    other = np.where(least == itself, greatest, least)
    return np.where(other == itself, NONE, other)


def _note(met: BoolArray, first: int, partners: IntArray, rows: IntArray, some: slice, witnesses: Witnesses) -> None:
    """Notes witnesses for feature pairs that have none yet.

    Args:
        met: which inputs meet the condition for which condition neuron, ``(inputs, m)``.
        first: of the m condition neurons.
        partners: a row to be the x1 of each input, by decision neuron, ``(inputs, n)``.
        rows: of the inputs, ``(inputs,)``.
        some: which n decision neurons they are.
        witnesses: takes them.
    """
    for i in np.flatnonzero(met.any(axis=0)).tolist():
        those = np.flatnonzero(met[:, i])
        there = partners[those] != NONE
        columns = np.flatnonzero(there.any(axis=0) & witnesses.lacking(first + i)[some])
        place = those[there.argmax(axis=0)[columns]]
        witnesses.note(first + i, some.start + columns, partners[place, columns], rows[place])


@dataclass(frozen=True)
class ByComparison(Step):
    """Witnesses of one layer pair by comparing the inputs of a class two at a time.

    Attributes:
        searches: VS or VV of one layer pair, with the same joined inputs.
        rows: those of the class that are compared, ascending.
        u: of the condition and of the decision layer.
    """

    searches: Sequence[Search]
    rows: IntArray
    u: tuple[Wanted, Wanted]

    @classmethod
    def of(cls, suite: Suite, searches: Sequence[Search]) -> Iterator[ByComparison]:
        """The steps of some searches, one for each class of two or more inputs."""
        edge, joined = searches[0].edge, searches[0].joined
        condition, decision = (Wanted(layer, 0, suite.network.layers[layer - 1].neurons) for layer in edge)
        for inputs in np.split(joined.rows, joined.starts[1:]):
            yield cls(searches, inputs[:MOST_MEMBERS], (condition, decision))

    @property
    def wanted(self) -> Mapping[Wanted, IntArray]:
        return dict.fromkeys(self.u, self.rows)

    @property
    def looks(self) -> int:
        pairs = len(self.rows) * (len(self.rows) - 1)
        return len(self.searches) * pairs * sum(each.neurons for each in self.u)

    def take(self, held: Mapping[Wanted, Held], tell: Callable[[int], None]) -> None:
        condition, decision = (held[each].of(self.rows) for each in self.u)
        for search in self.searches:
            _compare(search, (condition, decision), self.rows, tell)


def compared(classes: Classes) -> str:
    """What a comparison of two inputs at a time leaves out, in words; empty where it leaves out nothing."""
    largest, most = int(classes.sizes.max(initial=0)), MOST_MEMBERS
    return f"of inputs with equal signs the first {most:,} compared, of up to {largest:,}" if largest > most else ""


def _compare(search: Search, u: tuple[FloatArray, FloatArray], rows: IntArray, tell: Callable[[int], None]) -> None:
    """Notes witnesses among the inputs of one class for feature pairs that have none yet.

    Args:
        search: VS or VV of one layer pair.
        u: of both layers, ``(inputs, s_k)`` and ``(inputs, s_l)``.
        rows: of the inputs in the suite, ``(inputs,)``.
        tell: told at how many values more it has looked.
    """
    method, edge, neurons = search.method, search.edge, sum(part.shape[1] for part in u)
    for first, second in _input_pairs(len(rows), neurons):
        condition = _changed(method.g1, edge[0], u[0], first, second)
        decision = _decided(method, edge[1], u[1], first, second)
        for i, columns in _new(condition, decision, search.witnesses):
            those = np.flatnonzero(condition[:, i])
            place = those[decision[np.ix_(those, columns)].argmax(axis=0)]
            search.witnesses.note(i, columns, rows[first[place]], rows[second[place]])
        tell(len(first) * neurons)


def _input_pairs(inputs: int, neurons: int) -> Iterator[tuple[IntArray, IntArray]]:
    """All ordered pairs of different inputs, a part at a time."""
    total, step = inputs * (inputs - 1), max(1, AT_ONCE // neurons)
    for start in range(0, total, step):
        first, other = np.divmod(np.arange(start, min(start + step, total)), inputs - 1)
        yield first, other + (other >= first)


def _new(condition: BoolArray, decision: BoolArray, witnesses: Witnesses) -> Iterator[tuple[int, IntArray]]:
    """Condition neurons, and the decision neurons that change with them for some input pair and have no witness yet.

    Args:
        condition: which condition neurons change as asked between which inputs, ``(input pairs, s_k)``.
        decision: which decision neurons do, ``(input pairs, s_l)``.
        witnesses: those so far.
    """
    changing, neurons = np.flatnonzero(condition.any(axis=0)), decision.shape[1]
    step, decided = max(1, AT_ONCE // neurons), decision.astype(np.float32)
    for some in np.split(changing, range(step, len(changing), step)):
        holds = condition[:, some].T.astype(np.float32) @ decided > 0
        for i, row in zip(some.tolist(), holds, strict=True):
            yield i, np.flatnonzero(row & witnesses.lacking(i))


def _decided(method: CoveringMethod, layer: int, u: FloatArray, first: IntArray, second: IntArray) -> BoolArray:
    other_sign: BoolArray = (u[first] >= 0) ^ (u[second] >= 0)
    if method.decision is Change.SIGN:
        return other_sign
    found: BoolArray = _changed(method.g2, layer, u, first, second) & ~other_sign
    return found


def _changed(function: ValueFunction, layer: int, u: FloatArray, first: IntArray, second: IntArray) -> BoolArray:
    return changed(function, layer, np.arange(u.shape[1]), u[first], u[second])
