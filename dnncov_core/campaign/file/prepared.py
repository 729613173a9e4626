"""What the first worker of a campaign file found out: its data, its seeds, and what there is to choose from."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from dnncov_core.campaign.file.encoding import unpack
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.sql import Database
from dnncov_core.records import SeedReport
from dnncov_core.types import Edge


@dataclass(frozen=True)
class Prepared:
    """What one campaign knows since it was prepared."""

    database: Database

    def data_fingerprint(self) -> str | None:
        """SHA-256 over images and labels; None before it is prepared."""
        fingerprint: str | None = self.database.row("SELECT data FROM campaign")[0]
        return fingerprint

    @once
    def seeds(self) -> SeedReport | None:
        """Seeds and what was left out; None before it is prepared."""
        blob, inputs, misclassified = self.database.row("SELECT seeds, inputs, misclassified FROM campaign")
        if blob is None:
            return None
        with self.database.decoding():
            return SeedReport(unpack(blob).astype(np.int64), inputs, misclassified)

    def pool(self) -> int:
        """How many seeds there are; 0 before it is prepared."""
        report = self.seeds()
        return 0 if report is None else len(report.rows)

    @once
    def available(self) -> dict[Edge, int] | None:
        """How many feature pairs each layer pair has to choose from; None for all that exist, and if not prepared."""
        with self.database.decoding():
            text = self.database.row("SELECT available FROM campaign")[0]
            return None if text is None else {(k, layer): n for k, layer, n in json.loads(text)}

    def boundaries(self) -> dict[tuple[int, int], float] | None:
        """The largest u over the reference data, by layer and neuron; None without reference data."""
        (blob,) = self.database.row("SELECT boundaries FROM campaign")
        if blob is None:
            return None
        with self.database.decoding():
            return {(int(layer), int(neuron)): u for layer, neuron, u in unpack(blob).tolist()}

    def batch(self) -> int:
        """How many targets are searched for at the same time; 1 before it is prepared."""
        return int(self.database.row("SELECT coalesce(batch, 1) FROM campaign")[0])
