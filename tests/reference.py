"""Slow references, written straight from the paper's definitions in plain loops over floats.

Nothing of the product is used here. A layer is a list of u, one float a neuron; a network is a list of layers 2..K, so
that ``network[0]`` is layer 2. Features are sets of 0-based neuron indices.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

Layer = Sequence[float]
Changed = Callable[[Sequence[float], Sequence[float]], bool]
"""A value function of the feature's u for x1 and for x2."""


# The network (Section 2)


def forward(
    x: Sequence[float], weights: Sequence[np.ndarray], biases: Sequence[np.ndarray] | None = None
) -> list[list[float]]:
    """u of layers 2..K by Equations 1 and 2; ``weights`` are (inputs, outputs), ReLU between them."""
    v, layers = list(map(float, x)), []
    for place, weight in enumerate(weights):
        n_inputs, n_outputs = weight.shape
        u = []
        for i in range(n_outputs):
            total = 0.0 if biases is None else float(biases[place][i])
            for h in range(n_inputs):
                total += float(weight[h, i]) * v[h]
            u.append(total)
        layers.append(u)
        v = [relu(value) for value in u]
    return layers


def relu(u: float) -> float:
    """Equation 1."""
    return u if u >= 0 else 0.0


# Definitions 2 and 3


def sign(u: float, activation: str = "relu") -> int:
    """+1 iff u = v for ReLU (the paper's equation); for other activations, the sign of u."""
    if activation == "relu":
        return +1 if u == max(u, 0.0) else -1
    return +1 if u >= 0 else -1


def sc(u1: Layer, u2: Layer, feature: Iterable[int]) -> bool:
    """Definition 2: the sign of every neuron of the feature differs."""
    return all(sign(u1[j]) != sign(u2[j]) for j in feature)


def nsc(u1: Layer, u2: Layer, feature: Iterable[int]) -> bool:
    """Definition 2: the sign of every neuron of the feature is the same."""
    return all(sign(u1[j]) == sign(u2[j]) for j in feature)


def vc(g: Changed, u1: Layer, u2: Layer, feature: Sequence[int]) -> bool:
    """Definition 3."""
    return g([u1[j] for j in feature], [u2[j] for j in feature])


# Definitions 4 to 7; k and d are (u[x1], u[x2]) of the whole condition and decision layer

Pair = tuple[Layer, Layer]


def _rest(layer: Layer, feature: Iterable[int]) -> list[int]:
    return [j for j in range(len(layer)) if j not in set(feature)]


def ss(k: Pair, d: Pair, condition: Sequence[int], decision: Sequence[int]) -> bool:
    """Definition 4."""
    return sc(*k, condition) and nsc(*k, _rest(k[0], condition)) and sc(*d, decision)


def vs(k: Pair, d: Pair, condition: Sequence[int], decision: Sequence[int], g: Changed) -> bool:
    """Definition 5."""
    return vc(g, *k, condition) and nsc(*k, range(len(k[0]))) and sc(*d, decision)


def sv(k: Pair, d: Pair, condition: Sequence[int], decision: Sequence[int], g: Changed) -> bool:
    """Definition 6."""
    alone = sc(*k, condition) and nsc(*k, _rest(k[0], condition))
    return alone and vc(g, *d, decision) and nsc(*d, decision)


def vv(k: Pair, d: Pair, condition: Sequence[int], decision: Sequence[int], g1: Changed, g2: Changed) -> bool:
    """Definition 7."""
    kept = vc(g1, *k, condition) and nsc(*k, range(len(k[0])))
    return kept and vc(g2, *d, decision) and nsc(*d, decision)


def free(k: Pair, most: int) -> bool:
    """Some feature of 1 to ``most`` neurons of layer k is one that Definitions 4 and 6 ask for."""
    everything = range(len(k[0]))
    sizes = range(1, min(most, len(k[0])) + 1)
    features = itertools.chain.from_iterable(itertools.combinations(everything, size) for size in sizes)
    return any(sc(*k, feature) and nsc(*k, _rest(k[0], feature)) for feature in features)


def free_holds(method: str, k: Pair, d: Pair, most: int, decision: Sequence[int], g: Changed) -> bool:
    """SS or SV with whatever condition feature of at most ``most`` neurons."""
    changed = sc(*d, decision) if method == "ss" else vc(g, *d, decision) and nsc(*d, decision)
    return free(k, most) and changed


def holds(
    method: str, k: Pair, d: Pair, condition: Sequence[int], decision: Sequence[int], g1: Changed, g2: Changed
) -> bool:
    """Any of them by its key; g of VS is g1, g of SV is g2."""
    features = (k, d, condition, decision)
    match method:
        case "ss":
            return ss(*features)
        case "vs":
            return vs(*features, g1)
        case "sv":
            return sv(*features, g2)
        case "vv":
            return vv(*features, g1, g2)
    raise KeyError(method)


# Effect of the condition: design number 14


def put(values: Layer, other: Layer, condition: Sequence[int], weight: np.ndarray, bias: np.ndarray) -> list[float]:
    """u of layer k+1 where layer k has ``values`` of u, but the condition's neurons those of ``other``."""
    u = []
    for j in range(weight.shape[1]):
        total = float(bias[j])
        for i in range(weight.shape[0]):
            total += float(weight[i, j]) * relu((other if i in condition else values)[i])
        u.append(total)
    return u


def needed(method: str, u1: Layer, back: Layer, decision: Sequence[int], g2: Changed) -> bool:
    """Whether the decision's change is undone where the condition is put back."""
    return nsc(u1, back, decision) if method in ("ss", "vs") else not vc(g2, u1, back, decision)


def sufficient(method: str, u1: Layer, alone: Layer, decision: Sequence[int], g2: Changed) -> bool:
    """Whether the condition's change alone makes the decision's."""
    if method in ("ss", "vs"):
        return sc(u1, alone, decision)
    return vc(g2, u1, alone, decision) and nsc(u1, alone, decision)


def share(u1: Layer, u2: Layer, back: Layer, decision: Sequence[int]) -> float | None:
    """How much of the decision's change goes away where the condition is put back."""
    away = sum(math.copysign(1, u2[j] - u1[j]) * (u2[j] - back[j]) for j in decision if u2[j] != u1[j])
    whole = sum(abs(u2[j] - u1[j]) for j in decision)
    return away / whole if whole else None


def pairs(sizes: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    """Every neuron pair of layers 2..K of these sizes: (k, i, k + 1, j), by k, then i, then j."""
    for place in range(len(sizes) - 1):
        for i in range(sizes[place]):
            for j in range(sizes[place + 1]):
                yield place + 2, i, place + 3, j


# Partitions of a layer, and samples of feature pairs


def largest(omega: str, neurons: int) -> int:
    """max(1, floor(omega s_k)), omega being a decimal number."""
    whole, _, digits = omega.partition(".")
    return max(1, int(whole + digits) * neurons // 10 ** len(digits))


def windows(channels: int, height: int, width: int, most: int) -> list[list[int]]:
    """Feature maps of at most ``most`` neurons, or the largest squares of so many, row by row, cut at the borders."""
    side = 1
    while (side + 1) ** 2 <= most:
        side += 1
    if height * width <= most:
        side = max(height, width)
    found: dict[tuple[int, int, int], list[int]] = {}
    for channel in range(channels):
        for y in range(height):
            for x in range(width):
                window = (channel, y // side, x // side)
                found.setdefault(window, []).append(channel * height * width + y * width + x)
    return [found[window] for window in sorted(found)]


def shares(n: int, capacities: Sequence[int]) -> list[int]:
    """n things given out one at a time, by turns, to whoever can still take one."""
    given = [0] * len(capacities)
    while n > 0 and sum(given) < sum(capacities):
        for place, capacity in enumerate(capacities):
            if n > 0 and given[place] < capacity:
                given[place] += 1
                n -= 1
    return given


# Value functions (Examples 3 and 4 of the paper; what 0/0 and x/0 mean is the product's own decision)


def quotient_at_least(a: float, b: float, sigma: float) -> bool:
    """a / b >= sigma; 0/0 is no change, x/0 is one."""
    if b == 0:
        return a != 0
    return a / b >= sigma


def ratio(sigma: float) -> Changed:
    return lambda u1, u2: all(quotient_at_least(b, a, sigma) for a, b in zip(u1, u2, strict=True))


def ratio_symmetric(sigma: float) -> Changed:
    return lambda u1, u2: all(
        quotient_at_least(b, a, sigma) or quotient_at_least(a, b, sigma) for a, b in zip(u1, u2, strict=True)
    )


def absolute(d: float) -> Changed:
    return lambda u1, u2: all(abs(a - b) >= d for a, b in zip(u1, u2, strict=True))


def upper_boundary(d: float) -> Changed:
    return lambda u1, u2: all(b > d for b in u2)


def norm(d: float, p: str, *, at_most: bool = False) -> Changed:
    def changed(u1: Sequence[float], u2: Sequence[float]) -> bool:
        apart = [abs(a - b) for a, b in zip(u1, u2, strict=True)]
        size = {"1": sum(apart), "2": math.sqrt(sum(value**2 for value in apart)), "inf": max(apart)}[p]
        return size <= d if at_most else size >= d

    return changed


def always(u1: Sequence[float], u2: Sequence[float]) -> bool:
    """The paper's unspecified g1."""
    return True


def top(layer1: Layer, layer2: Layer, feature: Sequence[int], of: str) -> bool:
    """v_i >= v_j for every other neuron j of the layer, for each i of the feature (needs the whole layer)."""
    v = [relu(u) for u in (layer1 if of == "x1" else layer2)]
    return all(v[i] >= v[j] for i in feature for j in range(len(v)) if j != i)


def ssim(a: np.ndarray, b: np.ndarray, window: int = 7) -> float:
    """Mean SSIM of two maps (height, width): Wang et al. 2004 with a uniform window, population variances."""
    height, width = a.shape
    low, high = min(a.min(), b.min()), max(a.max(), b.max())
    scale = high - low if high > low else 1.0
    c1, c2 = (0.01 * scale) ** 2, (0.03 * scale) ** 2
    rows, columns = min(window, height), min(window, width)
    found = []
    for y in range(height - rows + 1):
        for x in range(width - columns + 1):
            p = [float(a[y + i, x + j]) for i in range(rows) for j in range(columns)]
            q = [float(b[y + i, x + j]) for i in range(rows) for j in range(columns)]
            n = len(p)
            mean_p, mean_q = sum(p) / n, sum(q) / n
            var_p = sum((value - mean_p) ** 2 for value in p) / n
            var_q = sum((value - mean_q) ** 2 for value in q) / n
            cov = sum((s - mean_p) * (t - mean_q) for s, t in zip(p, q, strict=True)) / n
            top_ = (2 * mean_p * mean_q + c1) * (2 * cov + c2)
            found.append(top_ / ((mean_p**2 + mean_q**2 + c1) * (var_p + var_q + c2)))
    return sum(found) / len(found)
