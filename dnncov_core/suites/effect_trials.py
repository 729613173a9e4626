"""Pairs of inputs of which the network says what effect they show: witnesses, and others that may show more.

Others are those that extremes propose (`effect_parts`), or else all pairs of the inputs that a join names, up to a
bound. Each is looked at for all decision neurons, whatever it was tried for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.effect import Interventions
from dnncov_core.features import FeaturePair
from dnncov_core.interventions import interventions, layers_for
from dnncov_core.layer_values import Activations, LayerValues, near_zero
from dnncov_core.partitions import Feature
from dnncov_core.relations import changes
from dnncov_core.replay import Replay
from dnncov_core.suites.effect_parts import has_parts
from dnncov_core.suites.extremes import changed
from dnncov_core.suites.steps import Held, Search, Step, Wanted
from dnncov_core.suites.streams import Suite
from dnncov_core.types import BoolArray, IntArray

MOST_TRIED = 2**24
"""Values of both layers, of all pairs of inputs that are tried for one layer pair beside witnesses."""
PIECE = 2**20
"""Values that are looked at at the same time."""


@dataclass(frozen=True, eq=False)
class Trials(Step):
    """Pairs of inputs for one condition feature.

    Attributes:
        suite: network and inputs.
        search: whose method asks for an effect.
        feature: the condition feature.
        x: rows of the suite, x1 and x2, ``(2, n)``.
        rows: those in x, ascending; one array for steps that follow each other and have the same.
    """

    suite: Suite
    search: Search
    feature: int
    x: IntArray
    rows: IntArray

    @classmethod
    def of(cls, suite: Suite, search: Search) -> Iterator[Trials]:
        """The steps of one search; what is left out is said among its effects."""
        known, joined, witnessed, n = search.effects, search.joined, search.witnesses.features, len(suite)
        features, exact = np.intersect1d(search.tried, witnessed).tolist(), has_parts(suite.network, search)
        most = MOST_TRIED // _width(suite, search)
        room, each, done, bounds = 2 * most, max(1, most // max(1, len(features))), 0, ""
        shared = joined.input_pairs(each) if joined.join.shared and not exact else None
        rows = np.empty(0, np.int64)
        while done < len(features) and room > 0:
            feature, whole = features[done], True
            others = known.proposed.pop(feature, [])
            if not exact:
                more, whole = shared or joined.of_feature(feature).input_pairs(each)
                others.append(more)
            x1, x2 = np.concatenate([search.witnesses.of(feature)[1:].astype(np.int64), *others], axis=1)
            different = np.stack(np.divmod(np.unique(x1 * n + x2), n))
            bounds = bounds if whole else f"about {each:,} pairs of inputs tried for each condition feature"
            room, done = room - len(different.T), done + 1
            rows = rows if np.array_equal(rows, those := np.unique(different)) else those
            yield cls(suite, search, feature, different, rows)
        few = f"the first {done:,} of {len(witnessed):,} condition features tried" if done < len(witnessed) else ""
        known.bound = ", ".join(filter(None, (few, bounds)))

    @cached_property
    def wanted(self) -> Mapping[Wanted, IntArray]:
        layers = self.suite.network.layers
        return {
            Wanted(layer, 0, layers[layer - 1].neurons, of_v=of_v): self.rows
            for layer in sorted(layers_for(self.suite.network, self._pair()))
            for of_v in (False, True)
        }

    @property
    def looks(self) -> int:
        return len(self.x.T) * _width(self.suite, self.search)

    def take(self, held: Mapping[Wanted, Held], tell: Callable[[int], None]) -> None:
        size = max(1, PIECE // _width(self.suite, self.search))
        for x in np.split(self.x, range(size, len(self.x.T), size), axis=1):
            covers = self._covers(*self._values(held, x))
            if (some := np.flatnonzero(covers.any(axis=1))).size:
                self._judge(x[:, some], covers[some], *self._values(held, x[:, some]))
        tell(self.looks)

    def _covers(self, before: Activations, after: Activations) -> BoolArray:
        """Which pairs of inputs cover which decision neurons that are not known to show the effect, ``(n, s_l)``."""
        holds = self.search.method.condition_holds(self._pair(), before, after).cpu().numpy()[:, None]
        found: BoolArray = holds & _changed(self.search, before, after)[1] & self.search.effects.lacking(self.feature)
        return found

    def _judge(self, x: IntArray, covers: BoolArray, before: Activations, after: Activations) -> None:
        """Notes for each decision neuron the first pair of inputs that shows the effect, else the first that covers."""
        known, layer = self.search.effects, self.search.edge[1]
        x1, x2 = (torch.from_numpy(self.suite.data.pixels(rows)) for rows in x)
        with torch.no_grad():
            made = interventions(self.suite.network, self._pair(), x1, x2, before, after)
        flags = self._flags(before, made)
        near = near_zero(torch.stack([made.put_back[layer].u, made.alone[layer].u])).any(dim=0).cpu().numpy()
        shown = covers & ~near & known.met(*flags)
        unsure = covers & near
        for place in np.flatnonzero(unsure.any(axis=1)).tolist():
            if (those := np.flatnonzero(unsure[place] & ~shown.any(axis=0))).size:
                flags[:, place, those] = self._alone(x[:, place])[:, those]
                shown[place, those] = known.met(*flags[:, place, those])
        decisions = np.flatnonzero(covers.any(axis=0))
        places = (covers.astype(np.int8) + shown).argmax(axis=0)[decisions]
        known.note(self.feature, np.stack([decisions, *x[:, places], *flags[:, places, decisions]]))

    def _flags(self, before: Activations, made: Interventions) -> BoolArray:
        """Whether the change is needed, and sufficient, for each decision neuron, ``(2, n, s_l)``."""
        left, alone = _changed(self.search, before, made.put_back)[0], _changed(self.search, before, made.alone)[1]
        return np.stack([~left, alone])

    def _alone(self, x: IntArray) -> BoolArray:
        """What two inputs show when each is sent alone, ``(2, s_l)``; a batch may give u near zero another sign."""
        pair, network = self._pair(), self.suite.network
        x1, x2 = self.suite.data.pixels(x)
        replay = Replay(network, self.search.method, x1, x2, layers_for(network, pair))
        found: BoolArray = self._flags(replay.before, replay.interventions(pair))[:, 0]
        return found

    def _pair(self) -> FeaturePair:
        """With any decision neuron."""
        (k, layer), most = self.search.edge, self.search.most
        return FeaturePair(Feature(k, () if most is not None else (self.feature,), most), Feature(layer, (0,)))

    def _values(self, held: Mapping[Wanted, Held], x: IntArray) -> tuple[Activations, Activations]:
        network = self.suite.network
        found: tuple[Activations, Activations] = ({}, {})
        for values, rows in zip(found, x, strict=True):
            parts = (torch.from_numpy(held[each].of(rows)).to(network.device) for each in self.wanted)  # u, v, u, v
            for layer, u, v in zip(sorted({each.layer for each in self.wanted}), parts, parts, strict=True):
                values[layer] = LayerValues(u, v, network.layers[layer - 1].shape)
        return found


def _width(suite: Suite, search: Search) -> int:
    return sum(suite.network.layers[layer - 1].neurons for layer in search.edge)


def _changed(search: Search, before: Activations, after: Activations) -> tuple[BoolArray, BoolArray]:
    """Which decision neurons change their sign, or their value as g2 asks, and which do that alone; ``(n, s_l)``."""
    method, layer = search.method, search.edge[1]
    one, other, neurons = before[layer], after[layer], np.arange(search.decisions)
    signs: BoolArray = changes(one, other).cpu().numpy()
    if method.decision is Change.SIGN:
        return signs, signs
    if isinstance(method.g2, Meets):
        found: BoolArray = method.g2.condition.met(other, neurons, method.g2.at(layer, []).known).cpu().numpy()
    else:
        found = changed(method.g2, layer, neurons, one.u.cpu().numpy(), other.u.cpu().numpy())
    return found, found & ~signs
