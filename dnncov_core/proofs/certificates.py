"""Which neurons keep their sign over the whole box: intervals first, then lines, halved boxes and programmes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor

from dnncov_core.affine_parts import INPUT, AffineParts, Stage
from dnncov_core.errors import NumericsError, SpecificationError
from dnncov_core.networks.network import Network
from dnncov_core.proofs import PAIRS, PROOF_METHODS, SECONDS_A_NEURON, SECONDS_BY_BOXES, Neuron
from dnncov_core.proofs.box_bounds import MOST_INPUTS, BoxBounds
from dnncov_core.proofs.box_signs import BoxSigns
from dnncov_core.proofs.intervals import Intervals, StageBounds
from dnncov_core.proofs.linear_bounds import LinearBounds
from dnncov_core.proofs.mixed_integer import Programmes, small_enough
from dnncov_core.proofs.relaxations import Interval
from dnncov_core.proofs.signs_seen import SignsSeen
from dnncov_core.records import Certificate

NEURONS_AT_ONCE = 16
"""Neurons whose other sign is searched for at the same time."""


@dataclass(frozen=True)
class Step:
    """One step of a proof: how many neurons of the method are done, of how many, and the new certificates."""

    method: str
    done: int
    total: int
    certificates: tuple[Certificate, ...] = ()


def prove(
    network: Network,
    methods: Sequence[str] = PROOF_METHODS,
    time_limit: float | None = None,
    known: Collection[Neuron] = (),
    asked: Collection[Neuron] | None = None,
) -> Iterator[Step]:
    """Proves step by step which neurons have one sign for every input within the network's bounds.

    Args:
        network: the network.
        methods: some of `PROOF_METHODS`.
        time_limit: in seconds, for all methods.
        known: neurons with a certificate already.
        asked: neurons that boxes and programmes are asked about, None for all; bounds end with their last layer.

    Raises:
        NetworkError: an operator, an activation function or a precision that proofs do not know.
        SpecificationError: an unknown method, or a time limit that is not above 0.
    """
    check_methods(methods)
    if time_limit is not None and not time_limit > 0:
        raise SpecificationError("a time limit above 0 seconds", f"{time_limit}", "change time-limit")
    proof = _Proof(network, time_limit, known, asked)
    ways: dict[str, Callable[[], Iterator[Step]]] = {
        "intervals": proof.by_intervals,
        "linear": proof.by_lines,
        "boxes": proof.by_boxes,
        "mip": proof.by_programmes,
    }
    return (step for method in PROOF_METHODS if method in methods for step in ways[method]())


def check_methods(methods: Sequence[str]) -> None:
    """Refuses unknown methods, and a choice of none.

    Raises:
        SpecificationError: with the methods that exist.
    """
    known = (*PROOF_METHODS, PAIRS)
    unknown = [method for method in methods if method not in known]
    if unknown or not methods:
        got = ", ".join(map(repr, unknown)) or "none"
        raise SpecificationError(f"methods among {', '.join(known)}", got, "choose one or several of them")


class Extremes(Protocol):
    """What bounds u of one neuron of a layer after the other."""

    def extreme(self, neuron: int, sign: int, seconds: float) -> float:
        """What u is proved to be at most (sign +1), or at least (-1); infinite if nothing is proved in the time."""


@dataclass
class _Clock:
    limit: float | None
    start: float = field(default_factory=time.monotonic)
    last: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """Seconds left; infinite without a limit."""
        return float("inf") if self.limit is None else self.start + self.limit - time.monotonic()

    def lap(self) -> float:
        """Seconds since the last lap."""
        before, self.last = self.last, time.monotonic()
        return self.last - before


class _Proof:
    """What is known of one network so far."""

    def __init__(
        self,
        network: Network,
        time_limit: float | None,
        known: Collection[Neuron],
        asked: Collection[Neuron] | None = None,
    ) -> None:
        self._clock = _Clock(time_limit)
        self._intervals = Intervals(network)
        self._network, self._proved = network, set(known)
        self._functions = network.graph.functions
        last = network.depth if asked is None else max((layer for layer, _ in asked), default=0)
        self._asked = [layer.index for layer in network.layers[1:last]]
        self._one_by_one_for = asked
        self._known: dict[Stage, Interval] = {}
        self._seen: SignsSeen | None = None

    def by_intervals(self) -> Iterator[Step]:
        bounds = self._intervals.bounds()
        total = sum(len(bounds[layer].before.low) for layer in self._asked)
        everything = [self._certificates("intervals", layer, bounds[layer].before) for layer in self._asked]
        yield Step("intervals", total, total, self._timed([c for found in everything for c in found], total))

    def by_lines(self) -> Iterator[Step]:
        bounds = self._intervals.bounds(self._known)
        total, done = sum(int(_open(bounds[layer].before).sum()) for layer in self._asked), 0
        for layer in self._asked:
            bounds = self._intervals.bounds(self._known)
            self._known[layer] = bounds[layer].before
            for neurons in torch.split(_open(bounds[layer].before).nonzero()[:, 0], max(1, self._parts.rows // 2)):
                if self._clock.left() <= 0:
                    return
                before, self._known[layer] = self._known[layer], self._tightened(layer, neurons, bounds)
                done += len(neurons)
                found = self._certificates("linear", layer, self._known[layer])
                yield Step("linear", done, max(total, done), self._timed(found, len(neurons)))
                if self._parts.sources(layer) == [INPUT] and not _narrowed(before, self._known[layer]):
                    break  # one affine part of the box: intervals are as good as lines

    def by_boxes(self) -> Iterator[Step]:
        if self._clock.left() <= 0 or self._network.layers[0].neurons > MOST_INPUTS:
            return
        boxes = BoxBounds(self._network)
        if not boxes.fits:
            return
        signs = {layer: BoxSigns(boxes, layer, self._made_seen().look) for layer in self._asked}
        for seconds in SECONDS_BY_BOXES:
            bounds = self._intervals.bounds(self._known)
            candidates = {layer: self._one_sided(layer, bounds, signs[layer].given_up) for layer in self._asked}
            yield from self._one_by_one("boxes", candidates, seconds, lambda layer, _: signs[layer])

    def by_programmes(self) -> Iterator[Step]:
        if self._clock.left() <= 0:
            return
        bounds = self._intervals.bounds(self._known)
        small = [layer for layer in self._asked if small_enough(self._parts, layer, bounds)]
        candidates = {layer: self._one_sided(layer, bounds) for layer in small}
        yield from self._one_by_one("mip", candidates, SECONDS_A_NEURON, self._programmes)

    def _one_by_one(
        self, method: str, candidates: Mapping[int, Tensor], seconds: float, made: Callable[..., Extremes]
    ) -> Iterator[Step]:
        """Asks a method about one neuron after the other, but for those that show their other sign at once."""
        total, done = sum(map(len, candidates.values())), 0
        for layer, asked in candidates.items():
            bounds = self._intervals.bounds(self._known)
            extremes: Extremes | None = None
            for neurons in torch.split(asked, NEURONS_AT_ONCE):
                seen = self._made_seen()
                seen.seek(layer, neurons, self._clock.left)
                still = neurons[~seen.both(layer)[neurons]].tolist()
                done += len(neurons) - len(still)
                yield Step(method, done, total)
                for neuron in still:
                    if self._clock.left() <= 0:
                        return
                    extremes = extremes or made(layer, bounds)
                    self._learn(extremes, layer, neuron, bounds[layer].before, min(seconds, self._clock.left()))
                    done += 1
                    found = self._certificates(method, layer, self._known[layer])
                    yield Step(method, done, total, self._timed(found, 1))
                if self._clock.left() <= 0:
                    return

    def _programmes(self, layer: int, bounds: dict[Stage, StageBounds]) -> Extremes:
        return Programmes(self._parts, self._functions, self._intervals.box, self._intervals.eps, layer, bounds)

    @cached_property
    def _parts(self) -> AffineParts:
        return AffineParts(self._network)

    def _made_seen(self) -> SignsSeen:
        if self._seen is None:
            self._seen = SignsSeen(self._network)
        return self._seen

    def _tightened(self, layer: int, neurons: Tensor, bounds: dict[Stage, StageBounds]) -> Interval:
        """The layer's bounds after linear bounds of some of its neurons' u and -u."""
        parts, n = self._parts, len(neurons)
        linear = LinearBounds(parts, self._functions, self._intervals.box, self._intervals.eps)
        one_hot = torch.zeros(n, len(self._known[layer].low), dtype=torch.float64)
        one_hot[torch.arange(n), neurons] = 1.0
        rows = torch.cat([one_hot, -one_hot])
        found = torch.cat([linear.lower(layer, part, bounds) for part in torch.split(rows, parts.rows)])
        low, high = self._known[layer].low.clone(), self._known[layer].high.clone()
        low[neurons] = torch.maximum(low[neurons], found[:n])
        high[neurons] = torch.minimum(high[neurons], -found[n:])
        return Interval(low, high)

    def _one_sided(self, layer: int, bounds: dict[Stage, StageBounds], given_up: Sequence[int] = ()) -> Tensor:
        """Neurons that are worth more work: asked for and open, not given up, and not seen with both signs so far."""
        undecided = _open(bounds[layer].before) & ~self._made_seen().both(layer)
        undecided[list(given_up)] = False
        if self._one_by_one_for is not None:
            asked = [neuron for k, neuron in self._one_by_one_for if k == layer]
            undecided &= torch.isin(torch.arange(len(undecided)), torch.tensor(asked, dtype=torch.int64))
        return undecided.nonzero()[:, 0]

    def _learn(self, extremes: Extremes, layer: int, neuron: int, before: Interval, seconds: float) -> None:
        """Bounds u of a neuron on the side of the sign that was not seen."""
        before = self._known.setdefault(layer, before)
        low, high = before.low.clone(), before.high.clone()
        if bool(self._made_seen().positive[layer][neuron]):
            low[neuron] = max(float(low[neuron]), extremes.extreme(neuron, -1, seconds))
        else:
            high[neuron] = min(float(high[neuron]), extremes.extreme(neuron, 1, seconds))
        self._known[layer] = Interval(low, high)

    def _certificates(self, method: str, layer: int, u: Interval) -> list[Certificate]:
        """New certificates that bounds of u give."""
        found = []
        for neuron in ((u.low >= 0) | (u.high < 0)).nonzero()[:, 0].tolist():
            if (layer, neuron) not in self._proved:
                self._proved.add((layer, neuron))
                low, high = float(u.low[neuron]), float(u.high[neuron])
                if self._seen is not None and bool(self._seen.both(layer)[neuron]):
                    got = f"both signs of neuron {neuron} of layer {layer}, which was proved to be constant"
                    raise NumericsError("bounds that hold for every input", got, "report this: a proof is wrong")
                found.append(Certificate(layer, neuron, 1 if low >= 0 else -1, low, high, method, 0.0))
        return found

    def _timed(self, found: Sequence[Certificate], neurons: int) -> tuple[Certificate, ...]:
        seconds = self._clock.lap() / max(1, neurons)
        return tuple(replace(certificate, seconds=seconds) for certificate in found)


def _narrowed(before: Interval, after: Interval) -> bool:
    """Whether some bounds are narrower than they were, by more than rounding."""
    width = before.high - before.low
    return bool((after.high - after.low < (1 - 1e-6) * width).any())


def _open(u: Interval) -> Tensor:
    """Neurons whose sign the bounds leave open."""
    return ~((u.low >= 0) | (u.high < 0))
