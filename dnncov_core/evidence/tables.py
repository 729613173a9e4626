"""The tables of a pack: test conditions, test pairs, the inputs that these share, and features as sets of neurons.

Each is a dictionary of columns of NumPy arrays. `COLUMNS` says what they mean; verify.py reads them.
"""

from __future__ import annotations

import hashlib
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.verification import all_pairs
from dnncov_core.evidence.claims import CONDITIONS, PAIRS
from dnncov_core.export.folder import File
from dnncov_core.export.pairs import NOT_KNOWN
from dnncov_core.records import Outcome, TestPair
from dnncov_core.types import FloatArray, Neurons

INPUTS, FEATURES = "inputs", "features"
NONE = -1
OUTCOMES = tuple(outcome.value for outcome in Outcome)
"""Outcomes are numbers in tables: places here."""
COLUMNS: Mapping[str, Mapping[str, str]] = {
    CONDITIONS: {
        "ordinal": "the number of the test condition among all of the plan; -1 in a measurement",
        "criterion": "which of the criteria in claims.json, from 0",
        "condition_layer": "k; 0 for a criterion of single neurons",
        "condition_feature": "which of the features, from 0; -1 for a free one, and for single neurons",
        "flipped": "which of the features changed its sign where the condition feature is free, else -1",
        "decision_layer": "the layer of the decision feature",
        "decision_feature": "which of the features, from 0",
        "outcome": "which of the outcomes in claims.json, from 0",
        "pair": "the row of its test pair, from 0; -1 for none",
    },
    PAIRS: {
        "x1": "the row of x1 in inputs.npz, from 0",
        "x2": "the row of x2; that of x1 for a criterion of single neurons",
        "label1": "the label that the network gives x1; of a regression 0",
        "label2": "that of x2; of a regression 1 where an output moves by more than its tolerance",
        "seed": "the row of x1 in the data",
        "distance": "of x1 and x2, in the norm of the campaign",
        "distance_inf": "in the norm L-infinity",
        "distance_2": "in the norm L2",
        "distance_1": "in the norm L1",
        "adversarial": "whether the labels differ and the distance is within the bound",
        "holds_8bit": "1 if it still covers when x2 is rounded to 8 bits, 0 if not, -1 where 8 bits do not apply",
    },
    INPUTS: {
        "inputs": "(n, *shape), each once",
        "norm": "the L2 norm of each",
    },
    FEATURES: {
        "start": "where the neurons of each feature begin, and the end of the last",
        "neurons": "0-based within their layer",
    },
}
"""What each column means, by table."""
Table = dict[str, Any]


@dataclass(frozen=True)
class Tables:
    """The tables of one campaign or measurement."""

    conditions: Table
    pairs: Table
    inputs: Table
    features: Table

    def files(self, folder: str) -> Iterable[File]:
        """All as npz, and as Parquet those of conditions and pairs."""
        for name in COLUMNS:
            table = getattr(self, name)
            yield File(f"{folder}{name}.npz", partial(_npz, table))
            if name in (CONDITIONS, PAIRS):
                yield File(f"{folder}{name}.parquet", partial(self._parquet, name))

    def _parquet(self, name: str) -> bytes:
        import pyarrow.parquet  # comes with Streamlit; only where it is needed

        table, means = dict(getattr(self, name)), dict(COLUMNS[name])
        if name == CONDITIONS:
            sets = np.split(self.features["neurons"], self.features["start"][1:-1])
            for side in ("condition", "decision"):
                chosen = table[f"{side}_feature"].tolist()
                table[f"{side}_neurons"] = [None if i < 0 else sets[i] for i in chosen]
                means[f"{side}_neurons"] = "the neurons of that feature, 0-based; null for a free one"
            table["outcome"] = [OUTCOMES[i] for i in table["outcome"].tolist()]
        made = pyarrow.table(table)
        fields = [each.with_metadata({"meaning": means[each.name]}) for each in made.schema]
        file = io.BytesIO()
        pyarrow.parquet.write_table(made.cast(pyarrow.schema(fields)), file)
        return file.getvalue()


def _npz(table: Table) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **table)
    return file.getvalue()


@dataclass
class Inputs:
    """Inputs, each kept once."""

    kept: list[FloatArray] = field(default_factory=list)
    _rows: dict[bytes, int] = field(default_factory=dict)

    def row(self, x: FloatArray) -> int:
        """The row of an input, which is added if it is new."""
        row = self._rows.setdefault(hashlib.sha256(x.tobytes()).digest(), len(self.kept))
        if row == len(self.kept):
            self.kept.append(x)
        return row


def inputs_table(inputs: FloatArray) -> Table:
    """Inputs, ``(n, *shape)``, with their norms."""
    norms = [math.sqrt((x.astype(np.float64) ** 2).sum()) for x in inputs]  # one by one, to save memory
    return {"inputs": inputs, "norm": np.array(norms, np.float64)}


@dataclass
class Features:
    """Sets of neurons, each kept once."""

    _places: dict[Neurons, int] = field(default_factory=dict)

    def place(self, neurons: Neurons) -> int:
        """The place of a set, which is added if it is new; `NONE` for the empty one."""
        return self._places.setdefault(neurons, len(self._places)) if neurons else NONE

    @property
    def table(self) -> Table:
        """The sets one after the other."""
        sizes = np.array([0, *map(len, self._places)], np.int64)
        return {"start": sizes.cumsum(), "neurons": np.array([i for each in self._places for i in each], np.int32)}


def campaign_tables(store: CampaignStore) -> Tables:
    """The tables of a campaign: test conditions in the order of the plan, test pairs in the same order."""
    features, inputs, spec, card = Features(), Inputs(), store.spec(), store.card()
    pairs = sorted((_pair(pair, inputs) for pair in all_pairs(store)), key=lambda row: row["ordinal"])
    place = {row.pop("ordinal"): at for at, row in enumerate(pairs)}
    conditions, free = [], spec.feature_mode == "free"
    for target, outcome in sorted(store.targets.with_outcomes(), key=lambda each: each[0].ordinal):
        known = features.place(target.condition_neurons)
        row = {"ordinal": target.ordinal, "criterion": 0, "condition_layer": target.condition_layer}
        row |= {"condition_feature": NONE if free else known, "flipped": known if free else NONE}
        row |= {"decision_layer": target.decision_layer, "decision_feature": features.place(target.decision_neurons)}
        conditions.append(row | {"outcome": OUTCOMES.index(outcome.value), "pair": place.get(target.ordinal, NONE)})
    shape = card.input_shape if card else ()
    stacked = np.stack(inputs.kept) if inputs.kept else np.zeros((0, *shape), np.float32)
    return Tables(_table(CONDITIONS, conditions), _table(PAIRS, pairs), inputs_table(stacked), features.table)


def _pair(pair: TestPair, inputs: Inputs) -> Table:
    row = {name: getattr(pair, name) for name in COLUMNS[PAIRS] if name not in ("x1", "x2")}
    row |= {"x1": inputs.row(pair.x1), "x2": inputs.row(pair.x2), "ordinal": pair.target.ordinal}
    return row | {"holds_8bit": NOT_KNOWN if pair.holds_8bit is None else int(pair.holds_8bit)}


def _table(name: str, rows: list[Table]) -> Table:
    """The columns of rows; whole numbers unless a column has others."""
    return {key: np.array([row[key] for row in rows], None if rows else np.int64) for key in COLUMNS[name]}
