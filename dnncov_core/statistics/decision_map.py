"""Where in the decision layer of a layer pair covered and open decisions lie: by channel, row and column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dnncov_core.campaign.file.conditions import OPEN, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import LayerInfo
from dnncov_core.statistics.gaps import counted_as, layer_pair_matrix
from dnncov_core.types import Edge, IntArray

MOST_CHANNELS, MOST_CELLS = 96, 20_000
"""Channels of one map, of more those with most open conditions; and its cells, which else stand for several neurons."""
WIDE = 32
"""Neurons in a row of a layer without channels."""


@dataclass(frozen=True)
class DecisionMap:
    """Test conditions of one layer pair by their decision neurons, or squares of these, whatever the condition feature.

    Attributes:
        edge: the layer pair.
        layer: the decision layer.
        channels: those that the map has, in order.
        n_channels: how many the campaign asks about.
        block: rows, and columns, of neurons in one cell.
        cells: channel, row and column of the first neuron of each cell that is asked about, ``(3, n)``.
        counts: its test conditions of each status, ``(statuses, n)`` in the order of `Status`.
        pairs: its feature pairs, ``(n,)``.
    """

    edge: Edge
    layer: LayerInfo
    channels: IntArray
    n_channels: int
    block: int
    cells: IntArray
    counts: IntArray
    pairs: IntArray

    @property
    def open(self) -> IntArray:
        """Test conditions of each cell that are open, ``(n,)``."""
        return counted_as(self.counts, OPEN)

    @property
    def neurons(self) -> IntArray:
        """The number of the first neuron of each cell, ``(n,)``."""
        return number_of(self.layer, *self.cells)

    def neurons_at(self, cell: int) -> IntArray:
        """The numbers of all neurons of one cell."""
        channel, row, column = self.cells[:, cell]
        sizes = spread_out(self.layer)[1:]
        rows, columns = (range(at, min(at + self.block, size)) for at, size in zip((row, column), sizes, strict=True))
        return number_of(self.layer, channel, np.array(rows)[:, None], np.array(columns)).ravel()


def number_of(layer: LayerInfo, channel: IntArray, row: IntArray, column: IntArray) -> IntArray:
    """The numbers of neurons by channel, row and column."""
    channels, rows, columns = spread_out(layer)
    inside = row * columns + column
    return inside * channels + channel if layer.channels_last else channel * rows * columns + inside


def spread_out(layer: LayerInfo) -> tuple[int, int, int]:
    """Channels, and rows and columns of one channel; of a layer without any, one channel with rows of `WIDE`.

    >>> spread_out(LayerInfo(2, "", "relu", 70, (70,))), spread_out(LayerInfo(2, "", "relu", 24, (2, 3, 4)))
    ((1, 3, 32), (2, 3, 4))
    >>> spread_out(LayerInfo(2, "", "gelu", 50, (10, 5), channels_last=True))
    (5, 1, 10)
    """
    if len(layer.shape) == 1:
        return 1, -(-layer.neurons // WIDE), WIDE
    channels, *rest = (layer.shape[-1], *layer.shape[:-1]) if layer.channels_last else layer.shape
    return channels, layer.neurons // (channels * rest[-1]), rest[-1]


def place_of(layer: LayerInfo, neurons: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Channel, row and column of neurons: the inverse of `number_of`."""
    channels, rows, columns = spread_out(layer)
    if layer.channels_last:
        inside, channel = divmod(neurons, channels)
    else:
        channel, inside = divmod(neurons, rows * columns)
    return channel, *divmod(inside, columns)


def has_map(store: CampaignStore, edge: Edge) -> bool:
    """Whether a layer pair has a map: if decisions are single neurons with channels, or those of free conditions."""
    card, mode = store.card(), store.spec().feature_mode
    return card is not None and (mode == "free" or (mode == "neuron" and len(card.layer(edge[1]).shape) > 1))


def decision_map(store: CampaignStore, edge: Edge) -> DecisionMap:
    """The map of a layer pair of a prepared campaign that has one."""
    card, grid = store.card(), layer_pair_matrix(store, edge)
    assert card is not None
    layer, conditions, place = card.layer(edge[1]), grid.pairs // grid.width, list(Status)
    found = [(j, place.index(status), n) for _, j, status, n in store.conditions.blocks(grid, conditions, 1)]
    neurons, status, n = np.array(found, np.int64).reshape(-1, 3).T
    _, rows, columns = spread_out(layer)
    channel, row, column = place_of(layer, neurons)
    known, which = np.unique(channel, return_inverse=True)
    n_open = np.bincount(which, np.where(np.isin(status, [place.index(each) for each in OPEN]), n, 0))
    channels = np.sort(known[np.argsort(-n_open, kind="stable")[:MOST_CHANNELS]])
    block = next(b for b in range(1, rows + columns) if len(channels) * -(-rows // b) * -(-columns // b) <= MOST_CELLS)
    there = np.isin(channel, channels)
    firsts = np.stack([channel, row - row % block, column - column % block])[:, there]
    cells, which = np.unique(firsts, axis=1, return_inverse=True)
    counts = np.zeros((len(place), cells.shape[1]), np.int64)
    np.add.at(counts, (status[there], which.ravel()), n[there])
    high, wide = (np.minimum(at + block, size) - at for at, size in zip(cells[1:], (rows, columns), strict=True))
    return DecisionMap(edge, layer, channels, len(known), block, cells, counts, conditions * high * wide)
