"""Pairs of inputs of which the network says what effect they show: witnesses, and others that may show more.

Other pairs are those that extremes propose (`effect_parts`), or else all pairs of the inputs that a join names, up to a
bound. What counts is said of values of a pass of its own, of each decision neuron as `effect` says it of a feature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from dnncov_core.activations import Activations, LayerValues, near_zero
from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.effects import asks_needed, asks_sufficient
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.effect import layers_for, with_condition
from dnncov_core.features import FeaturePair
from dnncov_core.partitions import Feature
from dnncov_core.relations import changes
from dnncov_core.replay import Replay
from dnncov_core.suites.effect_parts import has_parts
from dnncov_core.suites.extremes import changed
from dnncov_core.suites.known_effects import KnownEffects
from dnncov_core.suites.steps import AT_ONCE, Held, Search, Step, Wanted
from dnncov_core.suites.streams import Suite
from dnncov_core.types import BoolArray, IntArray

MOST_TRIED = 2**24
"""Values of both layers, of all pairs of inputs that are tried for one layer pair."""
PIECE = 2**20
"""Values that are looked at at the same time."""


Named = Callable[[int], IntArray]
"""Pairs of inputs by condition feature, ``(3, n)`` or more: decision neurons, x1, and x2."""


@dataclass(frozen=True, eq=False)
class Trials(Step):
    """Pairs of inputs for some condition features of one search.

    Attributes:
        suite: network and inputs.
        search: whose method asks for an effect.
        named: the decision neurons that each pair is for; None for whichever it shows the effect for.
        anyway: whether what is known of these is kept also where they do not show it.
        features: condition features, ascending, ``(n,)``.
        x1: rows of the suite; of each feature, pairs of x1 and x2 in ascending order, each once.
        x2: likewise.
        rows: of the suite, ascending; x1 and x2 among them.
    """

    suite: Suite
    search: Search
    named: Named | None
    anyway: bool
    features: IntArray
    x1: IntArray
    x2: IntArray
    rows: IntArray

    @classmethod
    def of(cls, suite: Suite, search: Search) -> Iterator[Trials]:
        """The steps of one search: its witnesses, then other pairs; what is left out is said among its effects."""
        known = search.effects
        assert known is not None
        yield from cls._split(suite, search, lambda feature: search.witnesses.of(feature).astype(np.int64), anyway=True)
        yield from cls._split(suite, search, known.proposed_of if has_parts(suite.network, search) else None)

    @classmethod
    def _split(cls, suite: Suite, search: Search, named: Named | None, *, anyway: bool = False) -> Iterator[Trials]:
        features, x1, x2 = _tried(suite, search, named)
        width = _width(suite, search)
        rows, size = np.unique([x1, x2]), max(1, PIECE // width)
        for start in range(0, len(features), size):
            part = slice(start, start + size)
            here = rows if 2 * len(rows) * width <= AT_ONCE else np.unique([x1[part], x2[part]])
            yield cls(suite, search, named, anyway, features[part], x1[part], x2[part], here)

    @property
    def wanted(self) -> Mapping[Wanted, IntArray]:
        layers = self.suite.network.layers
        return {
            Wanted(layer, 0, layers[layer - 1].neurons, of_v=of_v): self.rows
            for layer in sorted(layers_for(self.suite.network, self.pair(0)))
            for of_v in (False, True)
        }

    @property
    def looks(self) -> int:
        return len(self.features) * _width(self.suite, self.search)

    def take(self, held: Mapping[Wanted, Held], tell: Callable[[int], None]) -> None:
        before, after = (self._values(held, x) for x in (self.x1, self.x2))
        if self.named is not None:
            places, decisions = self._places(self.named)
            self._tried(np.arange(len(self.features)), before, after).judge(places, decisions, anyway=self.anyway)
        else:
            decided = _decided(self.search.method, self.search.edge[1], before, after)
            for feature, part in _by_feature(self.features):
                decided[part] &= self.known.lacking(feature)
            if (some := np.flatnonzero(decided.any(axis=1))).size:
                places, decisions = self._tried(some, before, after).showing(decided[some])
                shown, of = np.unique(some[places], return_inverse=True)
                self._tried(shown, before, after).judge(of, decisions)
        tell(self.looks)

    def _tried(self, some: IntArray, before: Activations, after: Activations) -> _Tried:
        return _Tried(self, some, *(_some(each, torch.from_numpy(some)) for each in (before, after)))

    @property
    def known(self) -> KnownEffects:
        """What is known of effects, which this adds to."""
        assert self.search.effects is not None
        return self.search.effects

    def _places(self, named: Named) -> tuple[IntArray, IntArray]:
        """Places among the trials, and decision neurons, of the pairs among these that are named."""
        places, decisions = [], []
        for feature, part in _by_feature(self.features):
            keys, (columns, x1, x2) = self.x1[part] * len(self.suite) + self.x2[part], named(feature)[:3]
            found = np.searchsorted(keys, sought := x1 * len(self.suite) + x2)
            here = np.isin(sought, keys)
            places.append(part.start + found[here])
            decisions.append(columns[here])
        return np.concatenate(places), np.concatenate(decisions)

    def pair(self, feature: int, decision: int = 0) -> FeaturePair:
        """One of the search's feature pairs."""
        k, layer = self.search.edge
        neurons = () if self.search.most is not None else (int(feature),)
        return FeaturePair(Feature(k, neurons, self.search.most), Feature(layer, (decision,)))

    def _values(self, held: Mapping[Wanted, Held], rows: IntArray) -> Activations:
        network, found = self.suite.network, dict[int, list[Tensor]]()
        for each in self.wanted:
            found.setdefault(each.layer, []).append(torch.from_numpy(held[each].of(rows)).to(network.device))
        return {layer: LayerValues(u, v, network.layers[layer - 1].shape) for layer, (u, v) in found.items()}


class _Tried:
    """Some trials with all that the network says of them.

    Args:
        trials: of which they are some.
        some: their places.
        before: values at x1.
        after: values at x2.
    """

    def __init__(self, trials: Trials, some: IntArray, before: Activations, after: Activations) -> None:
        self._trials, self._before, self._after = trials, before, after
        self._features, self._x1, self._x2 = (each[some] for each in (trials.features, trials.x1, trials.x2))

    @cached_property
    def put_back(self) -> Activations:
        """The decision layer at x2, with the condition put back."""
        return self._with_condition(self._x2, self._after, self._before)

    @cached_property
    def alone(self) -> Activations:
        """The decision layer at x1, with the condition's change alone."""
        return self._with_condition(self._x1, self._before, self._after)

    @cached_property
    def needed(self) -> BoolArray:
        """For which decision neurons the condition's change is needed, ``(n, s_l)``."""
        return ~_changed(self._trials.search.method, self._trials.search.edge[1], self._before, self.put_back)

    @cached_property
    def sufficient(self) -> BoolArray:
        """For which it is sufficient, ``(n, s_l)``."""
        return _decided(self._trials.search.method, self._trials.search.edge[1], self._before, self.alone)

    def _with_condition(self, x: IntArray, values: Activations, condition: Activations) -> Activations:
        suite, pair, k = self._trials.suite, self._trials.pair(0), self._trials.search.edge[0]
        if self._trials.search.most is not None:
            chosen = changes(self._before[k], self._after[k])
        else:
            chosen = torch.zeros_like(values[k].u, dtype=torch.bool)
            chosen[range(len(x)), self._features] = True
        with torch.no_grad():
            inputs = _inputs(suite, x, pair.decision.layer)
            return {pair.decision.layer: with_condition(suite.network, pair, chosen, inputs, values, condition)}

    def showing(self, decided: BoolArray) -> tuple[IntArray, IntArray]:
        """The first trial, and the decision neuron, of each feature pair that lacks the effect and is shown to have it.

        Args:
            decided: for which decision neurons that lack it a trial does what the method asks, ``(n, s_l)``.
        """
        method = self._trials.search.method
        shown = decided
        if asks_needed(method.effect):
            shown = shown & self.needed
        if asks_sufficient(method.effect):
            shown = shown & self.sufficient
        places, decisions = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for feature, part in _by_feature(self._features):
            pair = self._trials.pair(feature)
            holds = (
                method.condition_holds(pair, *(_some(each, part) for each in (self._before, self._after))).cpu().numpy()
            )
            here = shown[part] & holds[:, None]
            columns = np.flatnonzero(here.any(axis=0))
            places.append(part.start + here.argmax(axis=0)[columns])
            decisions.append(columns)
        return np.concatenate(places), np.concatenate(decisions)

    def judge(self, places: IntArray, decisions: IntArray, *, anyway: bool = False) -> None:
        """Notes what the network says of some trials, a decision neuron each, if they show the effect or anyway."""
        if not len(places):
            return
        needed, sufficient = (each[places, decisions] for each in (self.needed, self.sufficient))
        for place in np.flatnonzero(self._near_zero(places, decisions)).tolist():
            needed[place], sufficient[place] = self._alone(int(places[place]), int(decisions[place]))
        order = np.argsort(self._features[places], kind="stable")
        for feature, part in _by_feature(self._features[places][order]):
            those = order[part]
            pairs = decisions[those], self._x1[places[those]], self._x2[places[those]]
            self._trials.known.note(feature, np.stack([*pairs, needed[those], sufficient[those]]), anyway=anyway)

    def _near_zero(self, places: IntArray, decisions: IntArray) -> BoolArray:
        """Where a batch may give u another sign than the network gives for two inputs alone."""
        layer = self._trials.search.edge[1]
        u = torch.stack([made[layer].u[places, decisions] for made in (self.put_back, self.alone)])
        found: BoolArray = near_zero(u).any(dim=0).cpu().numpy()
        return found

    def _alone(self, place: int, decision: int) -> tuple[bool, bool]:
        pair, data = self._trials.pair(int(self._features[place]), decision), self._trials.suite.data
        network, method = self._trials.suite.network, self._trials.search.method
        x1, x2 = (data.pixels([int(rows[place])])[0] for rows in (self._x1, self._x2))
        found = Replay(network, method, x1, x2, layers_for(network, pair)).effect(pair)
        return found.needed, found.sufficient


def _tried(suite: Suite, search: Search, named: Named | None) -> tuple[IntArray, IntArray, IntArray]:
    """Condition features, x1 and x2, by feature and then by x1 and x2: of named pairs, or of all that a join names."""
    known, joined, n, witnessed = search.effects, search.joined, len(suite), set(search.witnesses.features)
    assert known is not None
    tried = [feature for feature in search.tried.tolist() if feature in witnessed]
    few = "the first {:,} of " + f"{len(witnessed):,} condition features tried"
    if len(tried) < len(witnessed):
        known.leave_out(few.format(len(tried)))
    room = max(1, MOST_TRIED // _width(suite, search))
    most = max(1, room // max(1, len(tried)))
    shared = joined.input_pairs(0, most) if joined.join.shared and named is None else None
    features, keys = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for place, feature in enumerate(tried):
        if named is None:
            (x1, x2), whole = shared or joined.input_pairs(feature, most)
            if not whole:
                known.leave_out(f"about {most:,} pairs of inputs tried for each condition feature")
        else:
            x1, x2 = named(feature)[1:3]
        some = np.unique(x1 * n + x2)
        if place and room < len(some):
            known.leave_out(few.format(place))
            break
        room -= len(some)
        features.append(np.full(len(some), feature))
        keys.append(some)
    return (np.concatenate(features), *np.divmod(np.concatenate(keys), n))


def _width(suite: Suite, search: Search) -> int:
    return sum(suite.network.layers[layer - 1].neurons for layer in search.edge)


def _by_feature(features: IntArray) -> Iterator[tuple[int, slice]]:
    """Each feature of ascending ones, with its part."""
    for feature in np.unique(features).tolist():
        first, end = np.searchsorted(features, [feature, feature + 1]).tolist()
        yield feature, slice(first, end)


def _inputs(suite: Suite, rows: IntArray, layer: int) -> Tensor:
    """Inputs for a layer's values; anything of their shape where these do not depend on them but by given values."""
    if layer in suite.network.graph.reached_by_input:
        return torch.from_numpy(suite.data.pixels(rows))
    return torch.zeros(1, dtype=suite.network.dtype).expand(len(rows), *suite.network.input_shape)


def _some(values: Activations, places: Tensor | slice) -> Activations:
    return {layer: LayerValues(each.u[places], each.v[places], each.shape) for layer, each in values.items()}


def _changed(method: CoveringMethod, layer: int, before: Activations, after: Activations) -> BoolArray:
    """Which decision neurons change their sign, or their value as g2 asks, ``(n, s_l)``."""
    one, other = before[layer], after[layer]
    neurons = np.arange(one.u.shape[1])
    found: BoolArray
    if method.decision is Change.SIGN:
        found = changes(one, other).cpu().numpy()
    elif isinstance(method.g2, Meets):
        found = method.g2.condition.met(other, neurons, method.g2.at(layer, []).known).cpu().numpy()
    else:
        found = changed(method.g2, layer, neurons, one.u.cpu().numpy(), other.u.cpu().numpy())
    return found


def _decided(method: CoveringMethod, layer: int, before: Activations, after: Activations) -> BoolArray:
    """Which decision neurons do what the method asks, ``(n, s_l)``."""
    found = _changed(method, layer, before, after)
    if method.decision is Change.VALUE:
        found = found & ~changes(before[layer], after[layer]).cpu().numpy()
    return found
