"""Gaps: which test conditions are not covered, why, and which of them can be covered at all."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from dnncov_core.campaign.file.conditions import COVERED, OPEN, UNCOVERED, ConditionRecord, LayerPairMatrix, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import ParameterError
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.phrases.neurons import channel_neurons
from dnncov_core.proofs import constant_of, why_infeasible
from dnncov_core.ratios import Ratio
from dnncov_core.records import Certificate, LayerInfo
from dnncov_core.types import BoolArray, Edge, IntArray

MOST_CELLS = 100
"""A matrix with more rows or columns than this is drawn in blocks."""
PAGE = 500
"""Test conditions that are read at a time where all are asked for."""


@dataclass(frozen=True)
class GapCounts:
    """How many test conditions are covered, justified, proved infeasible and open; together these are all of them.

    Attributes:
        counts: how many have each `Status`, in its order.
    """

    counts: tuple[tuple[Status, int], ...]

    def count(self, *statuses: Status) -> int:
        """How many have one of these statuses."""
        return sum(n for status, n in self.counts if status in statuses)

    @property
    def total(self) -> int:
        """How many test conditions there are."""
        return self.count(*Status)

    @property
    def covered(self) -> Ratio:
        """Those with a replayable witness, of all test conditions."""
        return Ratio(self.count(*COVERED), self.total)

    @property
    def feasible(self) -> Ratio:
        """Those with a replayable witness, of all that are not proved infeasible."""
        return Ratio(self.count(*COVERED), self.total - self.proved_infeasible)

    @property
    def justified(self) -> int:
        """How many somebody justified that are neither covered nor proved infeasible."""
        return self.count(Status.JUSTIFIED)

    @property
    def proved_infeasible(self) -> int:
        """How many no input can satisfy."""
        return self.count(Status.PROVED_INFEASIBLE)

    @property
    def open(self) -> int:
        """How many are neither covered nor proved infeasible nor justified."""
        return self.count(*OPEN)


@dataclass(frozen=True)
class GapTable:
    """Counts by layer pair, in layer order, and of all of them."""

    rows: Mapping[Edge, GapCounts]
    total: GapCounts

    def matching(
        self,
        edge: Edge | None = None,
        statuses: Collection[Status] = UNCOVERED,
        *,
        layers: Collection[int] = (),
    ) -> int:
        """How many test conditions a filter leaves; see `ConditionTable.page`."""
        rows = {
            at: counts for at, counts in self.rows.items() if edge in (None, at) and (not layers or at[1] in layers)
        }
        return sum(counts.count(*statuses) for counts in rows.values())


@dataclass(frozen=True)
class Gap:
    """A test condition with the certificate that decides it, if it is proved infeasible."""

    condition: ConditionRecord
    certificate: Certificate | None


@dataclass(frozen=True)
class GapMatrix:
    """Test conditions of one layer pair by condition feature (rows) and decision feature (columns), or blocks of them.

    Attributes:
        layers: condition layer and decision layer.
        single: whether features are single neurons, their places being the neurons' numbers.
        shape: condition features and decision features of the layer pair.
        block: condition features and decision features of one cell; (1, 1) where nothing is put together.
        counts: test conditions of each status in each cell, ``(statuses, rows, columns)`` in the order of `Status`.
    """

    layers: tuple[LayerInfo, LayerInfo]
    single: bool
    shape: tuple[int, int]
    block: tuple[int, int]
    counts: IntArray

    @property
    def edge(self) -> Edge:
        """The layer pair."""
        condition, decision = self.layers
        return condition.index, decision.index

    @property
    def kinds(self) -> tuple[str, str]:
        """What the numbers of rows and of columns count: channel, neuron or feature."""
        one, two = (
            "feature" if not self.single else "channel" if _of_channels(layer, block) else "neuron"
            for layer, block in zip(self.layers, self.block, strict=True)
        )
        return one, two

    @property
    def steps(self) -> tuple[int, int]:
        """How many of these one row and one column stand for."""
        one, two = (
            block // channel_size(layer) if kind == "channel" else block
            for layer, block, kind in zip(self.layers, self.block, self.kinds, strict=True)
        )
        return one, two

    @property
    def aggregated(self) -> bool:
        """Whether cells hold more than one feature pair."""
        return self.block != (1, 1)

    @property
    def asked(self) -> IntArray:
        """Test conditions in each cell, ``(rows, columns)``."""
        asked: IntArray = self.counts.sum(axis=0)
        return asked

    @property
    def pairs(self) -> IntArray:
        """Feature pairs of each cell, asked about or not, likewise."""
        rows, columns = (
            np.diff(np.minimum(np.arange(n + 1) * block, size))
            for n, block, size in zip(self.asked.shape, self.block, self.shape, strict=True)
        )
        pairs: IntArray = rows[:, None] * columns
        return pairs

    @property
    def whole(self) -> BoolArray:
        """Whether every feature pair of a cell is asked about, likewise."""
        whole: BoolArray = self.asked == self.pairs
        return whole

    @property
    def open(self) -> IntArray:
        """Test conditions in each cell that are open, likewise."""
        return counted_as(self.counts, OPEN)

    @property
    def covered(self) -> IntArray:
        """Test conditions in each cell that have a replayable witness, with effect or without, likewise."""
        return counted_as(self.counts, COVERED)

    def span(self, axis: int, at: int) -> tuple[int, int]:
        """The first and the last feature of row (axis 0) or column (axis 1) number ``at``."""
        first = at * self.block[axis]
        return first, min(first + self.block[axis], self.shape[axis]) - 1


def counted_as(counts: IntArray, statuses: Collection[Status]) -> IntArray:
    """How many have one of these statuses, of counts whose first axis is that of `Status`."""
    n: IntArray = counts[[at for at, status in enumerate(Status) if status in statuses]].sum(axis=0)
    return n


def channel_size(layer: LayerInfo) -> int:
    """Neurons of one channel, where they follow each other; of other layers 1."""
    first = channel_neurons(layer, 0)
    return len(first) if first and first.step == 1 else 1


def _of_channels(layer: LayerInfo, block: int) -> bool:
    """Whether blocks of so many neurons are whole channels."""
    return channel_size(layer) > 1 and block % channel_size(layer) == 0


def gap_table(store: CampaignStore) -> GapTable:
    """Counts of test conditions by status and layer pair."""
    rows = store.counts.statuses_by_edge()
    return GapTable({edge: _counts([row]) for edge, row in rows.items()}, _counts(rows.values()))


def _counts(rows: Iterable[Mapping[Status, int]]) -> GapCounts:
    rows = list(rows)
    return GapCounts(tuple((status, sum(row.get(status, 0) for row in rows)) for status in Status))


def gaps_and_refuted(store: CampaignStore) -> list[Gap]:
    """All test conditions without a witness, or with one without effect or that refutes a justification, by ordinal."""
    listed = store.conditions.page(statuses=(*UNCOVERED, Status.WITHOUT_EFFECT))
    refuted = [each for each in store.conditions.refuted() if each.status is Status.COVERED]
    return with_certificates(store, sorted([*listed, *refuted], key=lambda condition: condition.target.ordinal))


def every_gap(
    store: CampaignStore, *, layers: Collection[int] = (), statuses: Collection[Status] = UNCOVERED
) -> Iterator[Gap]:
    """All test conditions of the asked statuses, read a page at a time.

    Raises:
        SpecificationError: a decision layer that no test condition has.
    """
    known = sorted({decision for _, decision in store.counts.statuses_by_edge()})
    for layer in layers:
        if layer not in known:
            raise ParameterError(
                "layers", f"some of the decision layers {', '.join(map(str, known)) or 'none'}", f"layer {layer}"
            )
    offsets = range(0, gap_table(store).matching(statuses=statuses, layers=layers), PAGE)
    page = partial(store.conditions.page, layers=layers, statuses=statuses, limit=PAGE)
    return itertools.chain.from_iterable(with_certificates(store, page(offset=offset)) for offset in offsets)


def with_certificates(store: CampaignStore, conditions: Collection[ConditionRecord]) -> list[Gap]:
    """Test conditions, each with the certificate that decides it."""
    if not any(condition.status is Status.PROVED_INFEASIBLE for condition in conditions):
        return [Gap(condition, None) for condition in conditions]
    method, certificates = store.covering_method(), store.certificates.all()
    by_neuron = {(certificate.layer, certificate.neuron): certificate for certificate in certificates}
    constant, found = constant_of(certificates), []
    for condition in conditions:
        proved = condition.status is Status.PROVED_INFEASIBLE
        neuron = why_infeasible(method, condition.target, constant) if proved else None
        found.append(Gap(condition, None if neuron is None else by_neuron[neuron]))
    return found


def layer_pair_matrix(store: CampaignStore, edge: Edge) -> LayerPairMatrix:
    """Where the feature pairs of a layer pair lie among those of the campaign, which is prepared."""
    card, spec = store.card(), store.spec()
    assert card is not None
    first, pairs = spec.feature_pairs(card).range_of(edge)
    width = len(FEATURE_MODES[spec.feature_mode].decision(card.layer(edge[1]), spec.omega))
    return LayerPairMatrix(first, width, pairs)


def gap_matrix(store: CampaignStore, edge: Edge, most: int = MOST_CELLS) -> GapMatrix:
    """The matrix of a layer pair of a prepared campaign, in blocks where it has more than ``most`` rows or columns.

    Of single neurons with channels, blocks are whole channels.
    """
    card, grid, single = store.card(), layer_pair_matrix(store, edge), store.spec().feature_mode == "neuron"
    assert card is not None
    layers, shape = (card.layer(edge[0]), card.layer(edge[1])), (grid.pairs // grid.width, grid.width)
    block = (_block(layers[0], shape[0], most, single=single), _block(layers[1], shape[1], most, single=single))
    counts = np.zeros((len(Status), -(-shape[0] // block[0]), -(-shape[1] // block[1])), np.int64)
    place = {status: at for at, status in enumerate(Status)}
    for i, j, status, n in store.conditions.blocks(grid, *block):
        counts[place[status], i, j] = n
    return GapMatrix(layers, single, shape, block, counts)


def _block(layer: LayerInfo, size: int, most: int, *, single: bool) -> int:
    """How many of ``size`` features one row or column stands for."""
    unit = channel_size(layer) if single and size > most else 1
    return unit * -(-size // (unit * most))
