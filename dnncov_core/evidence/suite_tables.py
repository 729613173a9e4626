"""The tables of a measurement: its file has numbers alone, so the suite is measured again, and the numbers compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from dnncov_core.criteria.neuron_criteria import NONE
from dnncov_core.data import Data
from dnncov_core.errors import DataError
from dnncov_core.evidence.definitions import why_not_computed
from dnncov_core.evidence.tables import OUTCOMES, Table, Tables, inputs_table
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.suites.asked_measurement import measure_as_asked
from dnncov_core.suites.measurement import Measurement, Result
from dnncov_core.suites.measurement_file import StoredMeasurement
from dnncov_core.types import IntArray

ROW = ("criterion", "condition_layer", "condition_feature", "decision_layer", "decision_feature", "x1", "x2")


def suite_tables(found: StoredMeasurement, network: Network, suite: Data) -> Tables:
    """The tables of a measurement: what the suite covers, criterion by criterion and layer by layer.

    Criteria that the checker does not compute again have no rows.

    Raises:
        DataError: other data than those that were measured, or other numbers than those in the file.
    """
    again = _measured_again(found, network, suite)
    rows = np.array([row for c, each in enumerate(again.results) for row in _rows(c, each)], np.int64).reshape(-1, 7)
    columns = dict(zip(ROW, rows.T, strict=True))
    keys, pair = np.unique(columns.pop("x1") * len(suite) + columns.pop("x2"), return_inverse=True)
    used, ends = np.unique(np.stack(np.divmod(keys, len(suite))), return_inverse=True)
    x1, x2 = ends.reshape(2, -1)
    inputs = suite.pixels(used).astype(torch.zeros(0, dtype=network.dtype).numpy().dtype)
    label1, label2 = _labels(network, inputs, x1, x2)
    return Tables(
        _conditions(found, columns) | {"pair": pair.reshape(-1)},
        {"x1": x1, "x2": x2, "label1": label1, "label2": label2},
        inputs_table(inputs),
        _single_neurons(network),
    )


def _measured_again(found: StoredMeasurement, network: Network, suite: Data) -> Measurement:
    if suite.fingerprint != found.fingerprints["suite"]:
        raise DataError("the suite that was measured", f"{suite.name}, which is another", "give it with --data")
    again = measure_as_asked(replace(found.spec, device="cpu"), network=network, suite=suite).found
    for old, new in zip(found.criteria, again.results, strict=True):
        if (old.covered, old.total) != (new.covered, new.total):
            got = f"{new.covered:,} of {new.total or 0:,} now, measured again"
            raise DataError(
                f"{old.covered:,} of {old.total or 0:,} for {old.name}, as in the file", got, "measure again"
            )
    return again


def _rows(criterion: int, result: Result) -> Iterator[Sequence[int]]:
    """What is covered, in the order of `ROW`; features are single neurons, x1 and x2 rows of the suite."""
    if why_not_computed(result.asked.method):
        return
    for edge in result.edges:
        for feature, decision, x1, x2, *_ in edge.effects.each():
            yield criterion, edge.edge[0], feature, edge.edge[1], decision, x1, x2
    for layer in result.layers:
        for neuron, row in enumerate(layer.rows.tolist()):
            if row != NONE:
                yield criterion, 0, NONE, layer.layer, neuron, row, row


def _conditions(found: StoredMeasurement, columns: Table) -> Table:
    """The other columns of the test conditions."""
    n = len(columns["criterion"])
    if found.spec.feature_mode == "free":
        columns["condition_feature"] = np.full(n, NONE)
    constant = {"ordinal": NONE, "flipped": NONE, "outcome": OUTCOMES.index("found")}
    return columns | {name: np.full(n, value) for name, value in constant.items()}


def _labels(network: Network, inputs: Any, x1: IntArray, x2: IntArray) -> tuple[IntArray, IntArray]:
    with torch.no_grad():
        parts = [network(torch.from_numpy(inputs[part])) for part in batches(network, len(inputs))]
    outputs, decision = torch.cat([*parts, torch.zeros(0, network.layers[-1].neurons)]), network.decision
    if isinstance(decision, LabelDecision):
        labels: IntArray = decision.labels(outputs).cpu().numpy()
        return labels[x1], labels[x2]
    moved = decision.differs(outputs[torch.from_numpy(x2)], outputs[torch.from_numpy(x1)])
    return np.zeros(len(x1), np.int64), moved.cpu().numpy().astype(np.int64)


def _single_neurons(network: Network) -> Table:
    most = max(layer.neurons for layer in network.layers)
    return {"start": np.arange(most + 1), "neurons": np.arange(most, dtype=np.int32)}
