"""Which two inputs show an effect, read from extremes, where a decision neuron's sign has to change.

Where all that lies between layer k and layer l is affine, u_j = w v_c + r: a part w v_c of the condition neuron c, and
a rest r. Put back, u_j is r[x2] + w v_c[x1]. Of x1 with u_j < 0 in one class and x2 with u_j >= 0 in another, the
change is needed for some two iff the least rest plus the least part is negative: x1 and x2 do not depend on each other.
In the other direction the greatest ones decide. The change from x1 to x2 is sufficient iff that from x2 to x1 is
needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.effects import asks_needed, asks_sufficient
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.layer_values import NEAR_ZERO
from dnncov_core.networks.network import Network
from dnncov_core.suites.extremes import signed
from dnncov_core.suites.joins import Joined
from dnncov_core.suites.steps import Held, Search, Step, Wanted
from dnncov_core.types import Edge, FloatArray, IntArray


def has_parts(network: Network, search: Search) -> bool:
    """Whether extremes decide which effects there are."""
    method = search.method
    one_way = asks_needed(method.effect) is not asks_sufficient(method.effect)
    free = search.most is not None or (method.condition is Change.VALUE and method.g1 != ANY)
    return one_way and method.decision is Change.SIGN and not free and network.graph.is_affine_into(search.edge[1])


@dataclass(frozen=True)
class ByParts(Step):
    """Pairs of inputs that show an effect best, for some decision neurons and one condition neuron.

    Attributes:
        network: the network.
        search: SS or VS of one layer pair, as of `has_parts`.
        u: of the decision neurons.
        rows: of the suite, ascending; those of the search among them.
        feature: the condition neuron.
    """

    network: Network
    search: Search
    u: Wanted
    rows: IntArray
    feature: int

    @property
    def wanted(self) -> Mapping[Wanted, IntArray]:
        return {self.u: self.rows, self._v: self.rows}

    @property
    def looks(self) -> int:
        return self.u.neurons

    @property
    def _v(self) -> Wanted:
        return Wanted(self.search.edge[0], self.feature, self.feature + 1, of_v=True)

    def take(self, held: Mapping[Wanted, Held], tell: Callable[[int], None]) -> None:
        search, joined = self.search, self.search.joined.of_feature(self.feature)
        covered = np.flatnonzero(~search.witnesses.lacking(self.feature)[self.u.start : self.u.stop])
        if covered.size:
            u, v = (held[each].of(joined.rows) for each in (self.u, self._v))
            rounding = NEAR_ZERO * max(1.0, float(np.abs(u).max()))  # the network decides what is near zero
            weights = weights_between(self.network, search.edge, np.array([self.feature]))[0]
            own = weights[self.u.start : self.u.stop][covered]
            margin, pairs = _best(joined, u[:, covered].astype(np.float64), v * own)
            both = pairs if asks_needed(search.method.effect) else pairs[::-1]
            search.effects.proposed.setdefault(self.feature, []).append(both[:, margin > -rounding])
        tell(self.looks)


def weights_between(network: Network, edge: Edge, neurons: IntArray) -> FloatArray:
    """How much u of each neuron of layer l grows with v of each of some neurons of layer k, ``(len(neurons), s_l)``.

    Args:
        network: affine into layer l.
        edge: (k, l).
        neurons: of layer k.
    """
    (k, layer), n = edge, len(neurons)
    given = {
        source: torch.zeros(n + 1, network.layers[source - 1].neurons, dtype=network.dtype, device=network.device)
        for source in network.graph.sources[layer]
    }
    given[k][torch.arange(n), torch.from_numpy(neurons)] = 1
    with torch.no_grad():
        u = capture(network, torch.zeros(n + 1, *network.input_shape), [layer], given=given)[layer].u
    weights: FloatArray = (u[:-1] - u[-1]).cpu().double().numpy()
    return weights


def _best(joined: Joined, u: FloatArray, carried: FloatArray) -> tuple[FloatArray, IntArray]:
    """By how much u put back lies on the side of x1, ``(n,)``, and x1 and x2 where that is most, ``(2, n)``.

    Args:
        joined: of one condition feature.
        u: of n decision neurons, ``(inputs, n)``.
        carried: the parts of the condition neuron, ``(inputs, n)``.
    """
    part, rest = (
        [signed(values, sign, joined.rows, joined.starts) for sign in (u < 0, u >= 0)]
        for values in (carried, u - carried)
    )
    first, second = joined.join.first, joined.join.second
    found = []
    for one, other in ((first, second), (second, first)):
        for sign, start, end in (
            (-1, part[0].least, rest[1].least),
            (+1, part[1].greatest, rest[0].greatest),
        ):
            margin = np.nan_to_num(sign * (start.u[one] + end.u[other]), nan=-np.inf)
            found.append((margin, start.row[one], end.row[other]))
    margins, x1, x2 = (np.concatenate(each) for each in zip(*found, strict=True))
    best = margins.argmax(axis=0), np.arange(u.shape[1])
    return margins[best], np.stack([x1[best], x2[best]])
