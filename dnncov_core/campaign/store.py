"""The campaign file: what was asked, whose turn it is, and what came of it.

A worker writes each finished target in one transaction, so a killed worker loses the target in flight and nothing else.
Readers (pages, `show`, `verify`) open the same file while the worker writes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dnncov_core.campaign import sql
from dnncov_core.campaign.results import Results
from dnncov_core.campaign.rows import ATTEMPT_FIELDS, PAIR_FIELDS, TARGET_FIELDS, pack, to_row, unpack
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.turns import Turns, refuse_others
from dnncov_core.networks import cards
from dnncov_core.records import NetworkCard, SeedReport, State, Target, TargetResult
from dnncov_core.types import Edge


class CampaignStore(Turns, Results):
    """One campaign file. Close it, or use it in a ``with`` statement."""

    @classmethod
    def create(cls, path: Path, spec: CampaignSpec, versions: dict[str, str]) -> CampaignStore:
        """Makes a new campaign file in state waiting.

        Raises:
            CampaignError: the file exists, or its folder cannot be written.
        """
        campaign = (spec.to_json(), time.time(), json.dumps(versions))
        sql.create(
            path,
            [
                ("INSERT INTO campaign (id, spec, created, versions) VALUES (1, ?, ?, ?)", campaign),
                ("INSERT INTO worker (id, state) VALUES (1, ?)", (State.WAITING.value,)),
            ],
        )
        return cls(path)

    def spec(self) -> CampaignSpec:
        """The specification."""
        with self._decoding():
            return CampaignSpec.from_json(self._row("SELECT spec FROM campaign")[0])

    def created(self) -> float:
        """When it was created, in seconds since the epoch."""
        with self._decoding():
            return float(self._row("SELECT created FROM campaign")[0])

    def versions(self) -> dict[str, str]:
        """Versions of the packages that created it."""
        with self._decoding():
            return dict(json.loads(self._row("SELECT versions FROM campaign")[0]))

    def card(self) -> NetworkCard | None:
        """The network's card; None before it is prepared."""
        with self._decoding():
            text = self._row("SELECT card FROM campaign")[0]
            return None if text is None else cards.from_json(text)

    def data_fingerprint(self) -> str | None:
        """SHA-256 over images and labels; None before it is prepared."""
        fingerprint: str | None = self._row("SELECT data FROM campaign")[0]
        return fingerprint

    def seed_report(self) -> SeedReport | None:
        """Seeds and what was left out; None before it is prepared."""
        blob, inputs, misclassified = self._row("SELECT seeds, inputs, misclassified FROM campaign")
        if blob is None:
            return None
        with self._decoding():
            return SeedReport(unpack(blob).astype(np.int64), inputs, misclassified)

    def available(self) -> dict[Edge, int] | None:
        """How many feature pairs each layer pair has to choose from; None for all that exist, and if not prepared."""
        with self._decoding():
            text = self._row("SELECT available FROM campaign")[0]
            return None if text is None else {(k, layer): n for k, layer, n in json.loads(text)}

    def prepare(
        self,
        card: NetworkCard,
        data_fingerprint: str,
        seeds: SeedReport,
        targets: Sequence[Target],
        available: Mapping[Edge, int] | None = None,
    ) -> None:
        """Stores network, data, seeds and targets, once and together; ``available`` if not all pairs are."""
        counts = None if available is None else json.dumps([[*edge, n] for edge, n in available.items()])
        with self._transaction() as connection:
            connection.execute(
                "UPDATE campaign SET card = ?, data = ?, seeds = ?, inputs = ?, misclassified = ?, available = ?",
                (cards.to_json(card), data_fingerprint, pack(seeds.rows), seeds.inputs, seeds.misclassified, counts),
            )
            connection.executemany(
                f"INSERT INTO target ({', '.join(TARGET_FIELDS)}) VALUES (?{', ?' * (len(TARGET_FIELDS) - 1)})",
                [to_row(target, TARGET_FIELDS) for target in targets],
            )

    def record(self, result: TargetResult) -> None:
        """Stores one finished target with its attempts and its test pair, in one transaction.

        Raises:
            CampaignError: the file cannot be written, or another worker took over.
        """
        pair = result.test_pair
        with self._transaction() as connection:
            refuse_others(connection)
            row = connection.execute("SELECT id FROM target WHERE ordinal = ?", (result.target.ordinal,)).fetchone()
            connection.execute(
                "UPDATE target SET outcome = ?, seconds = ? WHERE id = ?",
                (result.outcome.value, result.seconds, row[0]),
            )
            connection.executemany(
                f"INSERT INTO attempt (target, place, {', '.join(ATTEMPT_FIELDS)})"
                f" VALUES (?, ?{', ?' * len(ATTEMPT_FIELDS)})",
                [(row[0], place, *to_row(attempt, ATTEMPT_FIELDS)) for place, attempt in enumerate(result.attempts)],
            )
            if pair is not None:
                connection.execute(
                    f"INSERT INTO test_pair (target, {', '.join(PAIR_FIELDS)}) VALUES (?{', ?' * len(PAIR_FIELDS)})",
                    (row[0], *to_row(pair, PAIR_FIELDS)),
                )
