"""Pairs of inputs of which the network says what effect they show: witnesses, and others that may show more.

Others are those that extremes propose (`effect_parts`), or else all pairs of the inputs that a join names, up to a
bound. Each is looked at for all decision neurons, whatever it was tried for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from dnncov_core.activations import Activations, LayerValues, near_zero
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.effect import interventions, layers_for
from dnncov_core.features import FeaturePair
from dnncov_core.partitions import Feature
from dnncov_core.relations import changes
from dnncov_core.replay import Replay
from dnncov_core.suites.effect_parts import has_parts
from dnncov_core.suites.extremes import changed
from dnncov_core.suites.steps import AT_ONCE, Held, Search, Step, Wanted
from dnncov_core.suites.streams import Suite
from dnncov_core.types import BoolArray, IntArray

MOST_TRIED = 2**24
"""Values of both layers, of all pairs of inputs that are tried for one layer pair beside witnesses."""
PIECE = 2**20
"""Values that are looked at at the same time."""


@dataclass(frozen=True, eq=False)
class Trials(Step):
    """Pairs of inputs for some condition features of one search.

    Attributes:
        suite: network and inputs.
        search: whose method asks for an effect.
        tried: condition features, ascending, x1, and x2, ``(3, n)``.
        rows: of the suite, ascending; x1 and x2 among them.
    """

    suite: Suite
    search: Search
    tried: IntArray
    rows: IntArray

    @classmethod
    def of(cls, suite: Suite, search: Search) -> Iterator[Trials]:
        """The steps of one search; what is left out is said among its effects."""
        width = _width(suite, search)
        tried = _tried(suite, search, MOST_TRIED // width)
        rows, size = np.unique(tried[1:]), max(1, PIECE // width)
        for start in range(0, tried.shape[1], size):
            part = tried[:, start : start + size]
            yield cls(suite, search, part, rows if 2 * len(rows) * width <= AT_ONCE else np.unique(part[1:]))

    @property
    def wanted(self) -> Mapping[Wanted, IntArray]:
        layers = self.suite.network.layers
        return {
            Wanted(layer, 0, layers[layer - 1].neurons, of_v=of_v): self.rows
            for layer in sorted(layers_for(self.suite.network, self._pair(0)))
            for of_v in (False, True)
        }

    @property
    def looks(self) -> int:
        return len(self.tried.T) * _width(self.suite, self.search)

    def take(self, held: Mapping[Wanted, Held], tell: Callable[[int], None]) -> None:
        for feature in np.unique(self.tried[0]).tolist():
            x1, x2 = self.tried[1:, self.tried[0] == feature]
            before, after = (self._values(held, x) for x in (x1, x2))
            covers = self._covers(feature, before, after)
            if (some := np.flatnonzero(covers.any(axis=1))).size:
                self._judge(feature, covers[some], (x1[some], x2[some]), _some(before, some), _some(after, some))
        tell(self.looks)

    def _covers(self, feature: int, before: Activations, after: Activations) -> BoolArray:
        """Which pairs of inputs cover which decision neurons that are not known to show the effect, ``(n, s_l)``."""
        holds = self.search.method.condition_holds(self._pair(feature), before, after).cpu().numpy()
        found: BoolArray = _decided(self.search, before, after) & self.search.effects.lacking(feature) & holds[:, None]
        return found

    def _judge(
        self, feature: int, covers: BoolArray, x: tuple[IntArray, IntArray], before: Activations, after: Activations
    ) -> None:
        """Notes for each decision neuron the first pair of inputs that shows the effect, else the first that covers."""
        layer, known = self.search.edge[1], self.search.effects
        with torch.no_grad():
            x1, x2 = (self._inputs(rows) for rows in x)
            made = interventions(self.suite.network, self._pair(feature), x1, x2, before, after)
        flags = np.stack([~_changed(self.search, before, made.put_back), _decided(self.search, before, made.alone)])
        near = torch.stack([each[layer].u for each in (made.put_back, made.alone)])
        doubtful: BoolArray = near_zero(near).any(dim=0).cpu().numpy() & covers
        sure = covers & ~doubtful & known.met(*flags)
        for decision, place in np.argwhere(doubtful.T).tolist():
            if not sure[:, decision].any():
                flags[:, place, decision] = self._alone(feature, decision, int(x[0][place]), int(x[1][place]))
                sure[place, decision] = known.met(*flags[:, place, decision])
        decisions = np.flatnonzero(covers.any(axis=0))
        places = (covers.astype(np.int8) + sure).argmax(axis=0)[decisions]
        known.note(feature, np.stack([decisions, x[0][places], x[1][places], *flags[:, places, decisions]]))

    def _alone(self, feature: int, decision: int, x1: int, x2: int) -> tuple[bool, bool]:
        """What two inputs show when each is sent alone; a batch may give u near zero another sign."""
        pair, network = self._pair(feature, decision), self.suite.network
        one, other = self.suite.data.pixels([x1, x2])
        found = Replay(network, self.search.method, one, other, layers_for(network, pair)).effect(pair)
        return found.needed, found.sufficient

    def _inputs(self, rows: IntArray) -> Tensor:
        """Inputs; the first one again and again where layer l depends on them by the layers that feed it alone."""
        reached = self.search.edge[1] in self.suite.network.graph.reached_by_input
        x = torch.from_numpy(self.suite.data.pixels(rows if reached else rows[:1]))
        return x.expand(len(rows), *self.suite.network.input_shape)

    def _pair(self, feature: int, decision: int = 0) -> FeaturePair:
        (k, layer), most = self.search.edge, self.search.most
        return FeaturePair(Feature(k, () if most is not None else (feature,), most), Feature(layer, (decision,)))

    def _values(self, held: Mapping[Wanted, Held], rows: IntArray) -> Activations:
        network, found = self.suite.network, dict[int, list[Tensor]]()
        for each in self.wanted:
            found.setdefault(each.layer, []).append(torch.from_numpy(held[each].of(rows)).to(network.device))
        return {layer: LayerValues(u, v, network.layers[layer - 1].shape) for layer, (u, v) in found.items()}


def _width(suite: Suite, search: Search) -> int:
    return sum(suite.network.layers[layer - 1].neurons for layer in search.edge)


def _tried(suite: Suite, search: Search, most: int) -> IntArray:
    """Condition features, x1 and x2, ``(3, n)``, about ``most`` beside the witnesses."""
    known, witnessed = search.effects, search.witnesses.features
    features = np.intersect1d(search.tried, witnessed)
    room, each, bounds = 2 * most, max(1, most // max(1, len(features))), set[str]()
    exact, joined = has_parts(suite.network, search), search.joined
    shared = joined.input_pairs(each) if joined.join.shared and not exact else None
    found = [np.empty((3, 0), np.int64)]
    for feature in features.tolist():
        if room <= 0:
            break
        pairs, whole = [search.witnesses.of(feature)[1:].astype(np.int64)], True
        if exact:
            pairs += known.proposed.pop(feature, [])
        else:
            more, whole = shared or joined.of_feature(feature).input_pairs(each)
            pairs.append(more)
        if not whole:
            bounds.add(f"about {each:,} pairs of inputs tried for each condition feature")
        x1, x2 = np.concatenate(pairs, axis=1)
        different = np.unique(x1 * len(suite) + x2)
        found.append(np.stack([np.full(len(different), feature), *np.divmod(different, len(suite))]))
        room -= len(different)
    if len(found) <= len(witnessed):
        bounds.add(f"the first {len(found) - 1:,} of {len(witnessed):,} condition features tried")
    known.bound = ", ".join(sorted(bounds, reverse=True))
    return np.concatenate(found, axis=1)


def _some(values: Activations, places: IntArray) -> Activations:
    rows = torch.from_numpy(places)
    return {layer: LayerValues(each.u[rows], each.v[rows], each.shape) for layer, each in values.items()}


def _changed(search: Search, before: Activations, after: Activations) -> BoolArray:
    """Which decision neurons change their sign, or their value as g2 asks, ``(n, s_l)``."""
    method, layer = search.method, search.edge[1]
    one, other, neurons = before[layer], after[layer], np.arange(search.decisions)
    found: BoolArray
    if method.decision is Change.SIGN:
        found = changes(one, other).cpu().numpy()
    elif isinstance(method.g2, Meets):
        found = method.g2.condition.met(other, neurons, method.g2.at(layer, []).known).cpu().numpy()
    else:
        found = changed(method.g2, layer, neurons, one.u.cpu().numpy(), other.u.cpu().numpy())
    return found


def _decided(search: Search, before: Activations, after: Activations) -> BoolArray:
    """Which decision neurons do what the method asks, ``(n, s_l)``."""
    found, layer = _changed(search, before, after), search.edge[1]
    if search.method.decision is Change.VALUE:
        found = found & ~changes(before[layer], after[layer]).cpu().numpy()
    return found
