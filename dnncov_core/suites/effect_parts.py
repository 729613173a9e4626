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
from dnncov_core.suites.steps import AT_ONCE, Held, Search, Step, Wanted
from dnncov_core.suites.streams import Suite
from dnncov_core.types import Edge, FloatArray, IntArray

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
        suite: network and inputs.
        search: SS or VS of one layer pair, as of `has_parts`.
        u: of the decision neurons.
        rows: of the suite, ascending; those of the search among them.
        v: of the condition neurons.
    """

    suite: Suite
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
            yield cls(suite, search, u, rows, Wanted(k, start, min(start + width, n), of_v=True))

    @property
    def wanted(self) -> Mapping[Wanted, IntArray]:
        return {self.u: self.rows, self.v: self.rows}

    @property
    def looks(self) -> int:
        return self.v.neurons * self.u.neurons

    def take(self, held: Mapping[Wanted, Held], tell: Callable[[int], None]) -> None:
        joined, witnesses = self.search.joined, self.search.witnesses
        u, v = (held[each].of(joined.rows).astype(np.float64) for each in (self.u, self.v))
        rounding = ROUNDING * float(torch.finfo(self.suite.network.dtype).eps) * max(1.0, float(np.abs(u).max()))
        weights = _weights(self.suite.network, self.search.edge, self.v)[:, self.u.start : self.u.stop]
        tried = self.search.tried[(self.search.tried >= self.v.start) & (self.search.tried < self.v.stop)]
        for feature in set(witnesses.features).intersection(tried.tolist()):
            place = feature - self.v.start
            margin, x1, x2 = self._best(feature, u, v[:, place], weights[place])
            columns = np.flatnonzero((margin > -rounding) & ~witnesses.lacking(feature)[self.u.start : self.u.stop])
            pair = (x1[columns], x2[columns]) if asks_needed(self.search.method.effect) else (x2[columns], x1[columns])
            assert self.search.effects is not None
            self.search.effects.propose(feature, self.u.start + columns, *pair, margin[columns] > rounding)
        tell(self.looks)

    def _best(
        self, feature: int, u: FloatArray, v: FloatArray, weights: FloatArray
    ) -> tuple[FloatArray, IntArray, IntArray]:
        """For each decision neuron, by how much u put back lies on the side of x1, and where that is most; ``(n,)``."""
        joined = self.search.joined
        part = joined.parts(feature)
        of = np.unique([joined.join.first[part], joined.join.second[part]])
        sizes = np.diff(joined.starts, append=len(joined.rows))[of]
        places = np.repeat(joined.starts[of] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        carried = v[places, None] * weights
        starts, rows = np.cumsum(sizes) - sizes, joined.rows[places]
        condition = Extremes.of(u[places], rows, starts, values=carried)
        rest = Extremes.of(u[places], rows, starts, values=u[places] - carried)
        one, other = (np.searchsorted(of, ends[part]) for ends in (joined.join.first, joined.join.second))
        first, second = np.concatenate([one, other]), np.concatenate([other, one])
        margins, x1, x2 = [], [], []
        for sign, start, end in (
            (-1, condition.negative.least, rest.positive.least),
            (+1, condition.positive.greatest, rest.negative.greatest),
        ):
            margin = np.nan_to_num(sign * (start.u[first] + end.u[second]), nan=-np.inf)
            best = margin.argmax(axis=0), np.arange(len(weights))
            margins.append(margin[best])
            x1.append(start.row[first][best])
            x2.append(end.row[second][best])
        better = np.argmax(margins, axis=0), np.arange(len(weights))
        return np.array(margins)[better], np.array(x1)[better], np.array(x2)[better]


def _weights(network: Network, edge: Edge, units: Wanted) -> FloatArray:
    """How much each decision neuron's u grows with v of some condition neurons, ``(units, s_l)``."""
    k, layer = edge
    n = units.neurons + 1  # and one for nothing
    given = {
        source: torch.zeros(n, network.layers[source - 1].neurons, dtype=network.dtype, device=network.device)
        for source in network.graph.sources[layer]
    }
    given[k][range(units.neurons), range(units.start, units.stop)] = 1
    x = torch.zeros(n, *network.input_shape)
    with torch.no_grad():
        u = capture(network, x, [layer], given=given)[layer].u.cpu().double().numpy()
    weights: FloatArray = u[:-1] - u[-1]
    return weights
