"""Steps of a search for witnesses that need values of some neurons for some inputs.

As many steps as memory holds values for share one pass of these inputs through the network, whatever layer pairs and
criteria they belong to.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.suites.joins import Joined
from dnncov_core.suites.known_effects import KnownEffects
from dnncov_core.suites.streams import Suite, Tell
from dnncov_core.suites.witnesses import Witnesses
from dnncov_core.types import Edge, IntArray

AT_ONCE = 2**24
"""Values of neurons that are held at the same time."""
MOST_KNOWN = 2**22
"""Feature pairs of one layer pair whose effects are known at the same time."""
MOST_LOOKED = 2**29
"""Values that are looked at for the effects of one layer pair."""
BOOLS = 8
"""Whether a condition is met takes at most so small a part of a value's memory."""


@dataclass(frozen=True)
class Wanted:
    """u or v of some neurons of a layer; or whether inputs meet a condition for them, by what its meter sees.

    Attributes:
        layer: the layer.
        start: the first of its neurons.
        stop: the one behind the last.
        function: asks for the condition; None for u or v.
        of_v: whether it is v.
    """

    layer: int
    start: int
    stop: int
    function: Meets | None = None
    of_v: bool = False

    @property
    def neurons(self) -> int:
        """How many neurons they are."""
        return self.stop - self.start

    def size(self, rows: IntArray) -> int:
        """The memory that this takes for some inputs, in values."""
        return len(rows) * self.neurons // (1 if self.function is None else BOOLS)


@dataclass(frozen=True)
class Held:
    """What is wanted of some inputs: their rows in the suite, ascending, and ``(len(rows), n)`` of it."""

    rows: IntArray
    values: NDArray[Any]

    def of(self, rows: IntArray) -> NDArray[Any]:
        """That of some of these inputs, ``(len(rows), n)``."""
        return self.values[np.searchsorted(self.rows, rows)]


@dataclass(frozen=True, eq=False)
class Search:
    """One covering method asked of one layer pair.

    Attributes:
        method: its value functions judged by extremes, or one a `Meets` and the other ``any``.
        edge: (condition layer, decision layer).
        joined: inputs whose signs in the condition layer are as the method asks.
        decisions: neurons of the decision layer.
        most: the largest size of a free condition feature; None for single neurons.
    """

    method: CoveringMethod
    edge: Edge
    joined: Joined
    decisions: int
    most: int | None = None

    @cached_property
    def effects(self) -> KnownEffects:
        """What is known of the effect that the method asks for."""
        return KnownEffects(self.method.effect, self.witnesses)

    @cached_property
    def tried(self) -> IntArray:
        """The condition features whose effects are looked at: the first ones, as many as memory and time allow."""
        join, sizes = self.joined.join, np.diff(self.joined.starts, append=len(self.joined.rows))
        features = np.arange(join.features) if join.shared else np.unique(join.feature)
        looks = sizes.sum() * len(features) if join.shared else (sizes[join.first] + sizes[join.second]).sum()
        most = min(MOST_KNOWN, MOST_LOOKED * len(features) // max(1, int(looks))) // self.decisions
        return features[: max(1, most)]

    @cached_property
    def witnesses(self) -> Witnesses:
        """Takes those that are found."""
        each = self.by_partners or self.compares or not self.joined.join.shared
        return Witnesses(self.decisions, None if each else self.joined.join.features)

    @property
    def by_partners(self) -> bool:
        """Whether x2 has to meet a condition for the condition neuron."""
        return self.method.condition is Change.VALUE and isinstance(self.method.g1, Meets)

    @property
    def compares(self) -> bool:
        """Whether the condition neuron has to change its value in a way that only two inputs together show."""
        return self.method.condition is Change.VALUE and not self.by_partners and self.method.g1 != ANY

    @property
    def met(self) -> Meets | None:
        """What x2 has to meet for the decision neuron; None where the value changes otherwise, or the sign does."""
        return self.method.g2 if self.method.decision is Change.VALUE and isinstance(self.method.g2, Meets) else None

    @property
    def left_out(self) -> int:
        """Of how many decision neurons the method cannot be asked."""
        return 0 if self.met is None else self.met.condition.left_out(self.met.at(self.edge[1], []).known)


class Step(ABC):
    """A part of a search, with all values that it needs at the same time."""

    @property
    @abstractmethod
    def wanted(self) -> Mapping[Wanted, IntArray]:
        """What it needs, each for rows of the suite, ascending. Steps whose rows are one array share its values."""

    @property
    @abstractmethod
    def looks(self) -> int:
        """At how many values it looks, which is how much work it is."""

    @abstractmethod
    def take(self, held: Mapping[Wanted, Held], tell: Callable[[int], None]) -> None:
        """Does it; ``tell`` is told at how many values more it has looked, of `looks` in all."""


def wanted_by(steps: Iterable[Step]) -> dict[Wanted, IntArray]:
    """What some steps need together."""
    rows: dict[Wanted, dict[int, IntArray]] = {}
    for step in steps:
        for each, those in step.wanted.items():
            rows.setdefault(each, {})[id(those)] = those
    return {
        each: next(iter(those.values())) if len(those) == 1 else np.unique(np.concatenate([*those.values()]))
        for each, those in rows.items()
    }


def chunked(steps: Iterable[Step]) -> Iterator[list[Step]]:
    """The steps in their order, as many at a time as memory holds values for, and at least one."""
    some: list[Step] = []
    known: dict[Wanted, IntArray] = {}
    room = AT_ONCE
    for step in steps:
        wanted = step.wanted
        more = sum(each.size(rows) for each, rows in wanted.items() if known.get(each) is not rows)
        if some and more > room:
            yield some
            some, known, room = [], {}, AT_ONCE
            more = sum(each.size(rows) for each, rows in wanted.items())
        some.append(step)
        known |= wanted
        room -= more
    if some:
        yield some


def values_of(suite: Suite, wanted: Mapping[Wanted, IntArray], tell: Tell) -> dict[Wanted, Held]:
    """Sends the batches that have one of the inputs through the network, once, and takes what is wanted."""
    layers = {each.layer for each in wanted}
    found: dict[Wanted, list[NDArray[Any]]] = {each: [] for each in wanted}
    for part, some in _parts(suite, wanted):
        x, values = suite.capture(part, layers)
        tell(part.stop - part.start)
        for each, rows in some.items():
            if each.function is not None:
                neurons, known = np.arange(each.start, each.stop), each.function.at(each.layer, []).known
                met = each.function.condition.met(values[each.layer], neurons, known)
                found[each].append(met.cpu().numpy()[rows])
        if (signed := _signed(some)).size:
            suite.take_own_signs(x, {layer: values[layer] for layer in _layers_of_u(some)}, signed, tell)
        for each, rows in some.items():
            if each.function is None:
                those = values[each.layer].v if each.of_v else values[each.layer].u
                some_rows = torch.from_numpy(rows).to(those.device)
                found[each].append(those[some_rows, each.start : each.stop].cpu().numpy())
    return {each: Held(wanted[each], np.concatenate(arrays)) for each, arrays in found.items()}


def inputs_of(suite: Suite, wanted: Mapping[Wanted, IntArray]) -> int:
    """Of how many inputs `values_of` tells in all."""
    return sum(part.stop - part.start + len(_signed(some)) for part, some in _parts(suite, wanted))


def _parts(suite: Suite, wanted: Mapping[Wanted, IntArray]) -> Iterator[tuple[slice, dict[Wanted, IntArray]]]:
    """The batches that have one of the inputs, with the places of these inputs in the batch."""
    for part in suite.parts:
        some = {}
        for each, rows in wanted.items():
            first, end = np.searchsorted(rows, [part.start, part.stop])
            if end > first:
                some[each] = rows[first:end] - part.start
        if some:
            yield part, some


def _layers_of_u(some: Mapping[Wanted, IntArray]) -> set[int]:
    return {each.layer for each in some if each.function is None}


def _signed(some: Mapping[Wanted, IntArray]) -> IntArray:
    """The places of inputs whose own signs are wanted, ascending."""
    rows = [those for each, those in some.items() if each.function is None]
    return np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int64)
