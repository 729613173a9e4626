"""Coverage of a suite by SS, VS, SV and VV over all pairs of its inputs, layer pair by layer pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.features import FeaturePair, FeaturePairs
from dnncov_core.suites import joins
from dnncov_core.suites.effect_parts import ByParts, has_parts
from dnncov_core.suites.effect_trials import Trials
from dnncov_core.suites.extremes import Extremes
from dnncov_core.suites.joins import Joined
from dnncov_core.suites.known_effects import KnownEffects
from dnncov_core.suites.patterns import Classes
from dnncov_core.suites.progress import Progress
from dnncov_core.suites.steps import AT_ONCE, Held, Search, Step, Wanted, chunked, inputs_of, values_of, wanted_by
from dnncov_core.suites.streams import Suite
from dnncov_core.suites.value_changes import ByComparison, ByPartners, compared
from dnncov_core.suites.witnesses import Witnesses, note_extremes
from dnncov_core.types import Edge, IntArray


@dataclass(frozen=True)
class EdgeCoverage:
    """What a suite covers of one layer pair by one covering method.

    Attributes:
        edge: (condition layer, decision layer).
        total: feature pairs.
        witnesses: of those that are covered.
        joined: pairs of sign patterns, or patterns with two inputs, that do what is asked of the condition layer.
        bound: what was left out of the search, in words; empty where the count is exact.
        left_out: decision neurons of which the method cannot be asked; no feature pair counts that ends in one.
        effects: of the witnesses.
    """

    edge: Edge
    total: int
    witnesses: Witnesses
    joined: int
    bound: str
    left_out: int
    effects: KnownEffects

    @property
    def covered(self) -> int:
        """How many feature pairs have a witness."""
        return self.witnesses.covered


def covered(
    suite: Suite,
    pairs: FeaturePairs,
    methods: Mapping[str, CoveringMethod],
    classes: Iterable[tuple[int, Classes]],
    progress: Progress,
) -> dict[str, list[EdgeCoverage]]:
    """The feature pairs that some two inputs of the suite cover as each of the methods asks, layer pair by layer pair.

    Args:
        suite: network and inputs.
        pairs: all feature pairs of the network, of single neurons or with free condition features.
        methods: by their texts, each as of `Search`.
        classes: some layers, with the suite's inputs by their signs there; layer pairs with these condition layers are
            searched.
        progress: is told how many values this looks at, and when it has.
    """
    layers = suite.network.layers
    found: dict[str, list[EdgeCoverage]] = {text: [] for text in methods}
    searches: list[Search] = []
    for k, those in classes:
        joined: dict[Change, Joined] = {}
        for edge in (edge for edge in pairs.edges if edge[0] == k):
            first, total = pairs.range_of(edge)
            for text, method in methods.items():
                if method.condition not in joined:
                    joined[method.condition] = _joined(pairs[first], method, those, layers[k - 1].neurons)
                most = pairs[first].condition.most
                search = Search(method, edge, joined[method.condition], layers[edge[1] - 1].neurons, most)
                searches.append(search)
                asked, n = total // search.decisions * (search.decisions - search.left_out), len(search.joined.join)
                bound = _bound(search, those)
                known = search.witnesses, n, bound, search.left_out, search.effects
                found[text].append(EdgeCoverage(edge, asked, *known))
    searches = [search for search in searches if len(search.joined.rows)]
    _do(suite, _steps(suite, searches), progress, "layer pairs")
    if asking := [search for search in searches if search.effects.asked]:
        _do(suite, (step for search in asking for step in Trials.of(suite, search)), progress, "effects")
    return found


def _joined(pair: FeaturePair, method: CoveringMethod, classes: Classes, neurons: int) -> Joined:
    if method.condition is Change.VALUE:
        return Joined.of(classes, joins.nothing(classes, neurons))
    most = pair.condition.most
    return Joined.of(classes, joins.one_neuron(classes, neurons) if most is None else joins.few_neurons(classes, most))


def _bound(search: Search, classes: Classes) -> str:
    if search.compares:
        return compared(classes)
    most = search.joined.join.compared
    return "" if most is None else f"the first {most:,} of {len(classes):,} sign patterns compared"


def _do(suite: Suite, steps: Iterable[Step], progress: Progress, doing: str) -> None:
    chunks = list(chunked(steps))
    values = sum(layer.neurons for layer in suite.network.layers)
    passed, looked = progress.stage(doing, values), progress.stage(doing)
    inputs = sum(inputs_of(suite, wanted_by(steps)) for steps in chunks)
    progress.know(inputs * values + sum(step.looks for steps in chunks for step in steps))
    for steps in chunks:
        held = values_of(suite, wanted_by(steps), passed)
        for step in steps:
            step.take(held, looked)


def _steps(suite: Suite, searches: Sequence[Search]) -> Iterator[Step]:
    """The steps of searches that have inputs to look at, a decision layer at a time, whose values they share."""
    for layer in sorted({search.edge[1] for search in searches}):
        those = [search for search in searches if search.edge[1] == layer]
        yield from _by_decision_neurons(suite, layer, [search for search in those if not search.compares])
        for some in _alike([search for search in those if search.compares]):
            yield from ByComparison.of(suite, some)


def _by_decision_neurons(suite: Suite, layer: int, searches: Sequence[Search]) -> Iterator[Step]:
    """The steps that need the values of all joined inputs, for as many decision neurons at a time as memory holds."""
    rows = np.unique(np.concatenate([np.empty(0, np.int64), *(search.joined.rows for search in searches)]))
    n, width = suite.network.layers[layer - 1].neurons, max(1, AT_ONCE // max(1, len(rows)))
    for start in range(0, n if searches else 0, width):
        u = Wanted(layer, start, min(start + width, n))
        for some in _alike([search for search in searches if not search.by_partners]):
            yield ByExtremes(u, rows, some)
            for search in (search for search in some if has_parts(suite.network, search)):
                yield from (ByParts(suite.network, search, u, rows, feature) for feature in search.tried.tolist())
        for search in (search for search in searches if search.by_partners):
            yield from ByPartners.of(suite, search, u, rows)


def _alike(searches: Sequence[Search]) -> list[list[Search]]:
    """The searches of one layer pair that have the same joined inputs, together."""
    found: dict[tuple[Edge, Joined], list[Search]] = {}
    for search in searches:
        found.setdefault((search.edge, search.joined), []).append(search)
    return [*found.values()]


@dataclass(frozen=True)
class ByExtremes(Step):
    """Witnesses for some decision neurons, read from the extremes of their u.

    Attributes:
        u: of the decision neurons.
        rows: of the suite, ascending; those of the searches among them.
        searches: of one layer pair, and with the same joined inputs.
    """

    u: Wanted
    rows: IntArray
    searches: Sequence[Search]

    @property
    def wanted(self) -> Mapping[Wanted, IntArray]:
        met = {replace(self.u, function=search.met): self.rows for search in self.searches if search.met is not None}
        return {self.u: self.rows, **met}

    @property
    def looks(self) -> int:
        return len(self.searches) * len(self.searches[0].joined.rows) * self.u.neurons

    def take(self, held: Mapping[Wanted, Held], tell: Callable[[int], None]) -> None:
        joined = self.searches[0].joined
        u = held[self.u].of(joined.rows)
        extremes = Extremes.of(u, joined.rows, joined.starts)
        for search in self.searches:
            meeting = None
            if search.met is not None:
                met = held[replace(self.u, function=search.met)].of(joined.rows)
                meeting = Extremes.of(u, joined.rows, joined.starts, met)
            neurons = np.arange(self.u.start, self.u.stop)
            note_extremes(
                search.witnesses,
                search.method,
                joined.join,
                extremes,
                layer=self.u.layer,
                neurons=neurons,
                meeting=meeting,
            )
            tell(u.size)
