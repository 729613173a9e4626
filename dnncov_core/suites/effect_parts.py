"""Which two inputs show an effect, read from extremes, where a decision neuron's sign has to change.

Where all that lies between layer k and layer l is affine, u_j = w v_c + r: a part w v_c of the condition neuron c, and
a rest r. Put back, u_j is r[x2] + w v_c[x1]. Of x1 with u_j < 0 in one class and x2 with u_j >= 0 in another, the
change is needed for some two iff the least rest plus the least part is negative: x1 and x2 do not depend on each other.
In the other direction the greatest ones decide. The change from x1 to x2 is sufficient iff that from x2 to x1 is
needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.effects import asks_needed, asks_sufficient
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.networks.network import Network
from dnncov_core.suites.extremes import Extremes
from dnncov_core.suites.joins import Joined
from dnncov_core.suites.steps import AT_ONCE, Held, Search, Step, Wanted
from dnncov_core.suites.streams import Suite
from dnncov_core.types import FloatArray, IntArray

WEIGHTS = 2**22
"""Weights that are known at the same time."""
ROUNDING = 64
"""Units in the last place, of the largest u, by which the network may differ from what is calculated here."""


def has_parts(network: Network, search: Search) -> bool:
    """Whether extremes decide which effects there are."""
    method = search.method
    one_way = asks_needed(method.effect) is not asks_sufficient(method.effect)
    free = search.most is not None or (method.condition is Change.VALUE and method.g1 != ANY)
    return one_way and method.decision is Change.SIGN and not free and not network.graph.max_pools_into[search.edge[1]]


@dataclass(frozen=True)
class ByParts(Step):
    """Pairs of inputs that show an effect best, for some decision and some condition neurons.

    Attributes:
        network: the network.
        search: SS or VS of one layer pair, as of `has_parts`.
        u: of the decision neurons.
        rows: of the suite, ascending; those of the search among them.
        v: of the condition neurons.
    """

    network: Network
    search: Search
    u: Wanted
    rows: IntArray
    v: Wanted

    @classmethod
    def of(cls, suite: Suite, search: Search, u: Wanted, rows: IntArray) -> Iterator[ByParts]:
        """The steps for some decision neurons and all condition neurons."""
        k, n = search.edge[0], int(search.tried[-1]) + 1
        width = max(1, min(AT_ONCE // len(rows), WEIGHTS // search.decisions))
        for start in range(0, n, width):
            yield cls(suite.network, search, u, rows, Wanted(k, start, min(start + width, n), of_v=True))

    @property
    def wanted(self) -> Mapping[Wanted, IntArray]:
        return {self.u: self.rows, self.v: self.rows}

    @property
    def looks(self) -> int:
        return self.v.neurons * self.u.neurons

    def take(self, held: Mapping[Wanted, Held], tell: Callable[[int], None]) -> None:
        search, weights = self.search, self._weights()
        here = search.tried[(search.tried >= self.v.start) & (search.tried < self.v.stop)]
        for feature in set(search.witnesses.features).intersection(here.tolist()):
            joined, place = search.joined.of_feature(feature), feature - self.v.start
            u, v = (held[each].of(joined.rows).astype(np.float64) for each in (self.u, self.v))
            margin, pairs = _best(joined, u, v[:, [place]] * weights[place])
            rounding = ROUNDING * float(torch.finfo(self.network.dtype).eps) * max(1.0, float(np.abs(u).max()))
            some = (margin > -rounding) & ~search.witnesses.lacking(feature)[self.u.start : self.u.stop]
            both = pairs if asks_needed(search.method.effect) else pairs[::-1]
            search.effects.proposed.setdefault(feature, []).append(both[:, some])
        tell(self.looks)

    def _weights(self) -> FloatArray:
        """How much each decision neuron's u grows with v of the condition neurons, ``(n, s)``."""
        network, (k, layer), n = self.network, self.search.edge, self.v.neurons
        given = {
            source: torch.zeros(n + 1, network.layers[source - 1].neurons, dtype=network.dtype, device=network.device)
            for source in network.graph.sources[layer]
        }
        given[k][range(n), range(self.v.start, self.v.stop)] = 1
        with torch.no_grad():
            u = capture(network, torch.zeros(n + 1, *network.input_shape), [layer], given=given)[layer].u
        weights: FloatArray = (u[:-1] - u[-1])[:, self.u.start : self.u.stop].cpu().double().numpy()
        return weights


def _best(joined: Joined, u: FloatArray, carried: FloatArray) -> tuple[FloatArray, IntArray]:
    """By how much u put back lies on the side of x1, ``(n,)``, and x1 and x2 where that is most, ``(2, n)``.

    Args:
        joined: of one condition feature.
        u: of n decision neurons, ``(inputs, n)``.
        carried: the parts of the condition neuron, ``(inputs, n)``.
    """
    part, rest = (Extremes.of(u, joined.rows, joined.starts, values=values) for values in (carried, u - carried))
    first, second = joined.join.first, joined.join.second
    found = []
    for one, other in ((first, second), (second, first)):
        for sign, start, end in (
            (-1, part.negative.least, rest.positive.least),
            (+1, part.positive.greatest, rest.negative.greatest),
        ):
            margin = np.nan_to_num(sign * (start.u[one] + end.u[other]), nan=-np.inf)
            found.append((margin, start.row[one], end.row[other]))
    margins, x1, x2 = (np.concatenate(each) for each in zip(*found, strict=True))
    best = margins.argmax(axis=0), np.arange(u.shape[1])
    return margins[best], np.stack([x1[best], x2[best]])
