"""What the first worker of a campaign found out, and with that the layers, neurons, labels and seeds that there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from dnncov_core.campaign.file.claims import refuse_others
from dnncov_core.campaign.file.encoding import pack, record_from, value_of
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.sql import FilePart
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria.effects import shown_effect
from dnncov_core.features import LISTED
from dnncov_core.networks import cards
from dnncov_core.outside_text import json_value
from dnncov_core.outside_values import named, reader
from dnncov_core.records import WHOLE, NetworkCard, SeedReport, Shard, Target, TestPair
from dnncov_core.types import Count, Edge, FloatArray, IntArray, LayerNumber, Neurons

T = TypeVar("T")


@dataclass(frozen=True)
class References:
    """What rows of a campaign file can refer to; whatever refers to something else is a ValueError.

    Attributes:
        card: of the campaign's network; None before the campaign is prepared, when nothing can refer to it.
        inputs: how many the data have.
    """

    card: NetworkCard | None
    inputs: int

    @cached_property
    def edges(self) -> frozenset[Edge]:
        """The layer pairs."""
        return frozenset() if self.card is None else frozenset(self.card.edges)

    def edge(self, edge: Edge) -> Edge:
        """A layer pair of the network."""
        if edge not in self.edges:
            raise ValueError(f"layers {edge[0]} and {edge[1]}, which are no layer pair of the network")
        return edge

    def neurons(self, layer: int, neurons: Neurons) -> Neurons:
        """Neurons of a layer of the network that is not its input."""
        if self.card is None or not 2 <= layer <= len(self.card.layers):
            raise ValueError(f"layer {layer}, which is none of the network's layers after its input")
        if neurons and max(neurons) >= self.card.layer(layer).neurons:
            raise ValueError(f"neuron {max(neurons)}, which layer {layer} of the network does not have")
        return neurons

    def seed(self, row: int) -> int:
        """A row of the data."""
        if row >= self.inputs:
            raise ValueError(f"seed {row} of {self.inputs} inputs")
        return row

    def target(self, target: Target) -> Target:
        """A test condition between layers of the network."""
        self.edge(target.edge)
        self.neurons(target.condition_layer, target.condition_neurons)
        self.neurons(target.decision_layer, target.decision_neurons)
        if not target.decision_neurons or bool(target.condition_neurons) == (target.condition_most is not None):
            raise ValueError(f"features without neurons in test condition {target.ordinal}")
        return target

    def test_pair(self, pair: TestPair) -> TestPair:
        """Two inputs of the network, with labels that it gives, from a seed that there is."""
        named(f"test pair {pair.target.ordinal}", self._judge, pair)
        return pair

    def _judge(self, pair: TestPair) -> None:
        self.seed(pair.seed)
        self.neurons(pair.target.condition_layer, pair.condition_neurons)
        if self.card is None or not pair.x1.shape == pair.x2.shape == self.card.input_shape:
            raise ValueError(f"inputs of shapes {pair.x1.shape} and {pair.x2.shape}")
        if not (np.isfinite(pair.x1).all() and np.isfinite(pair.x2).all()):
            raise ValueError("inputs that are not finite")
        if max(pair.label1, pair.label2) >= len(self.card.classes):
            raise ValueError(f"labels {pair.label1} and {pair.label2} of {len(self.card.classes)} classes")
        shape = (2, len(self.card.quantities))
        if pair.outputs is not None and (pair.outputs.shape != shape or not np.isfinite(pair.outputs).all()):
            raise ValueError(f"outputs of shape {pair.outputs.shape} instead of finite ones of shape {shape}")


class Prepared(FilePart):
    """What the first worker of one campaign found out: its network, data, seeds, and what there is to choose from."""

    @once
    def card(self) -> NetworkCard | None:
        """The network's card; None before it is prepared."""
        return self.database.of_campaign("card", str | None, read=cards.from_json)

    def references(self) -> References:
        """What rows can refer to."""
        return References(self.card(), self.database.of_campaign("inputs", Count | None) or 0)

    def data_fingerprint(self) -> str | None:
        """SHA-256 over images and labels; None before it is prepared."""
        return self.database.of_campaign("data", str | None)

    def origins(self) -> dict[str, str]:
        """Where network and data come from, as far as that is known, in a line each."""
        card = self.card()
        source: str | None = self.database.of_campaign("source", str | None)
        known = {"network": "" if card is None else card.description, "data": source}
        return {kind: words for kind, words in known.items() if words}

    @once
    def seeds(self) -> SeedReport | None:
        """Seeds and what was left out; None before it is prepared."""
        row = self.database.row("SELECT seeds, inputs, misclassified, correct FROM campaign")
        with self.database.judging():
            return None if row[0] is None else _checked(record_from(SeedReport, row))

    def keep_correct(self, rows: IntArray) -> None:
        """Stores which inputs are classified correctly, where conditions go on to them only since a retry."""
        with self.database.transaction() as connection:
            refuse_others(self.database)
            connection.execute("UPDATE campaign SET correct = ?", (pack(rows),))

    def pool(self) -> int:
        """How many seeds there are; 0 before it is prepared."""
        report = self.seeds()
        return 0 if report is None else len(report.rows)

    @once
    def fewer_available(self) -> dict[Edge, int] | None:
        """How many feature pairs each layer pair has to choose from, where these are not all that exist; else None."""
        return self.database.of_campaign("available", str | None, read=self._available)

    def _available(self, text: str) -> dict[Edge, int]:
        known = self.references()
        counts = reader(tuple[tuple[LayerNumber, LayerNumber, Count], ...])(json_value(text))
        return {known.edge((k, layer)): n for k, layer, n in counts}

    @once
    def boundaries(self) -> dict[tuple[int, int], float] | None:
        """The largest u over the reference data, by layer and neuron; None without reference data."""
        found = self.database.of_campaign("boundaries", FloatArray | None, read=_boundaries)
        if found is not None:
            with self.database.judging():
                missing = self._named() - found.keys()
                if missing:
                    raise ValueError(f"no boundary of neuron {min(missing)[1]} of layer {min(missing)[0]}")
        return found

    def _named(self) -> set[tuple[int, int]]:
        """Layer and neuron of each neuron that a test condition names."""
        rows = self.database.rows(
            "SELECT condition_layer, condition_neurons FROM target UNION"
            " SELECT decision_layer, decision_neurons FROM target"
        )
        return {(layer, neuron) for layer, neurons in rows for neuron in value_of(Neurons, neurons)}

    def listed(self) -> IntArray | None:
        """The feature pairs to choose from, with the columns `LISTED`; None where no list says which."""

        def in_rows(numbers: IntArray) -> IntArray:
            return numbers.reshape(-1, len(LISTED))

        return self.database.of_campaign("listed", IntArray | None, read=in_rows)

    def shard(self) -> Shard:
        """The part of the test conditions that this file's workers search for."""
        return self.database.of_campaign("shard", str | None, read=Shard.from_text) or WHOLE

    def batch(self) -> int:
        """How many targets are searched for at the same time; 1 before it is prepared."""
        return self.database.of_campaign("batch", Count | None) or 1


class JudgedPart(FilePart):
    """A part whose rows refer to layers, neurons or seeds; they are read before what they can refer to."""

    @property
    def known(self) -> References:
        """What rows can refer to, asked once they are read: a worker stores both together."""
        return Prepared(self.database).references()

    @once
    def effect(self) -> str:
        """What "with effect" stands for in this campaign, a key of `EFFECTS`."""
        return shown_effect(self.database.of_campaign("spec", str, read=CampaignSpec.from_json).effect)

    def records(
        self, kind: Callable[..., T], judge: Callable[[References, T], object], sql: str, *parameters: object
    ) -> list[T]:
        """The records of a query, each of which ``judge`` finds to refer to what there is, or raises ValueError."""
        found, known = self.database.records(kind, sql, parameters), self.known
        with self.database.judging():
            for each in found:
                judge(known, each)
        return found


def _boundaries(rows: FloatArray) -> dict[tuple[int, int], float]:
    if rows.ndim != 2 or rows.shape[1] != 3 or not np.isfinite(rows).all():
        raise ValueError(f"boundaries of shape {rows.shape}, or that are not finite")
    return {(int(k), int(neuron)): u for k, neuron, u in rows.tolist()}


def _checked(report: SeedReport) -> SeedReport:
    rows, correct = report.rows, report.rows if report.correct is None else report.correct
    for some in (rows, correct):
        if some.ndim != 1 or (len(some) and not 0 <= some.min() <= some.max() < report.inputs):
            raise ValueError(f"seeds that are no rows of {report.inputs} inputs")
    if not np.isin(rows, correct).all():
        raise ValueError("seeds that are not among the correctly classified inputs")
    if len(rows) + report.misclassified > report.inputs:
        raise ValueError(f"{len(rows)} seeds and {report.misclassified} misclassified of {report.inputs} inputs")
    return report
