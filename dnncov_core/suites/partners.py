"""Partners: an x1 of equal signs for each x2, where x2 alone has to meet a condition.

No inputs are compared: an input of the class is the x2 of a feature pair iff it meets the condition of g1 for the
condition neuron, and the class has another input that does, with it, what is asked of the decision neuron. Whether it
has is read from the extremes of both signs; of two inputs of one sign the extremes are different ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.baselines import NONE
from dnncov_core.criteria.mcdc import Change
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.suites import joins
from dnncov_core.suites.extremes import Extremes, Signed
from dnncov_core.suites.joins import Join
from dnncov_core.suites.patterns import Classes
from dnncov_core.suites.streams import Suite, met_of, u_of
from dnncov_core.suites.witnesses import Noted
from dnncov_core.types import BoolArray, Edge, FloatArray, IntArray

AT_ONCE = 2**24
"""Values of neurons that are held at the same time."""


@dataclass(frozen=True)
class _Members:
    """The inputs of some classes, class by class.

    Attributes:
        rows: of the suite, ``(inputs,)``.
        starts: first input of each class, ``(classes,)``.
    """

    rows: IntArray
    starts: IntArray

    def partners(self, method: CoveringMethod, u: FloatArray) -> IntArray:
        """A row to be the x1 of each input as x2, by decision neuron, ``(inputs, n)``; -1 where there is none.

        Args:
            method: asks the decision neuron to change its sign, or to keep it.
            u: of the decision neurons, ``(inputs, n)``.
        """
        extremes = Extremes.of(u, self.rows, self.starts)
        of = np.repeat(np.arange(len(self.starts)), np.diff(self.starts, append=len(self.rows)))
        negative, positive = (self._others(signed, of) for signed in extremes.signs)
        wanted: BoolArray = (u >= 0) ^ (method.decision is Change.SIGN)
        return np.where(wanted, positive, negative)

    def _others(self, signed: Signed, of: IntArray) -> IntArray:
        """A row of this sign that is not the input itself, or -1."""
        itself = self.rows[:, None]
        least, greatest = signed.least.row[of], signed.greatest.row[of]
        other = np.where(least == itself, greatest, least)
        return np.where(other == itself, NONE, other)


def search(suite: Suite, method: CoveringMethod, edge: Edge, classes: Classes, join: Join) -> Noted:
    """The witnesses of one layer pair.

    Args:
        suite: network and inputs.
        method: VS, or VV whose g2 is ``any``; g1 is a `Meets`.
        edge: (condition layer, decision layer).
        classes: the suite's inputs by their signs in the condition layer.
        join: classes of two or more inputs with themselves.
    """
    assert isinstance(method.g1, Meets)
    assert method.decision is Change.SIGN or method.g2 == ANY
    decisions = suite.network.layers[edge[1] - 1].neurons
    noted = Noted(decisions)
    rows, starts, _ = joins.members(classes, join)
    members = _Members(rows, starts)
    width = max(1, AT_ONCE // max(1, len(rows)))
    for start in range(0, decisions if len(rows) else 0, width):
        some = slice(start, min(start + width, decisions))
        partners = members.partners(method, u_of(suite, rows, edge[1], np.arange(some.start, some.stop)))
        for places, met in met_of(suite, rows, edge[0], method.g1):
            _note(met, partners[places], rows[places], some, noted)
    return noted


def _note(met: BoolArray, partners: IntArray, rows: IntArray, some: slice, noted: Noted) -> None:
    """Notes witnesses for feature pairs that have none yet.

    Args:
        met: which inputs meet the condition for which condition neuron, ``(inputs, s_k)``.
        partners: a row to be the x1 of each input, by decision neuron, ``(inputs, n)``.
        rows: of the inputs, ``(inputs,)``.
        some: which n decision neurons they are.
        noted: takes the witnesses.
    """
    for i in np.flatnonzero(met.any(axis=0)).tolist():
        those = np.flatnonzero(met[:, i])
        there = partners[those] != NONE
        columns = np.flatnonzero(there.any(axis=0) & noted.lacking(i)[some])
        place = those[there.argmax(axis=0)[columns]]
        noted.note(i, some.start + columns, partners[place, columns], rows[place])
