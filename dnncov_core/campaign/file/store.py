"""The campaign file: what is asked of the campaign as a whole, and the parts that hold the rest.

A worker writes each finished batch of targets in one transaction, so a killed worker loses the batch in flight and
nothing else.
Readers (pages, `show`, `verify`) open the same file while the worker writes.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Self

import numpy as np

from dnncov_core.campaign.file import sql
from dnncov_core.campaign.file.baseline_searches import BaselineSearchTable
from dnncov_core.campaign.file.certificates import CertificateTable, ProofCounts
from dnncov_core.campaign.file.claims import ProofClaim, WorkerClaim, refuse_others, refuse_workers
from dnncov_core.campaign.file.conditions import NO_EFFECT_SHOWN, ConditionTable
from dnncov_core.campaign.file.counts import CampaignCounts
from dnncov_core.campaign.file.encoding import columns, marks, pack, to_row, value_of
from dnncov_core.campaign.file.justifications import JustificationTable
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.pairs import PairTable
from dnncov_core.campaign.file.prepared import Prepared
from dnncov_core.campaign.file.stages import StageTable
from dnncov_core.campaign.file.targets import AttemptTable, TargetTable
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.effects import asks_as_much
from dnncov_core.errors import CampaignError, ParameterError
from dnncov_core.networks import cards
from dnncov_core.outside_text import json_value
from dnncov_core.proofs import PROOF_METHODS
from dnncov_core.records import (
    WHOLE,
    Attempt,
    NetworkCard,
    Outcome,
    Retry,
    SeedReport,
    Shard,
    State,
    Target,
    TargetResult,
    TestPair,
)
from dnncov_core.types import Edge, IntArray, UnixTime

_ID = "(SELECT id FROM target WHERE ordinal = ?)"
_NEXT_PLACE = f"(SELECT coalesce(max(place) + 1, 0) FROM attempt WHERE target = {_ID})"


class CampaignStore:
    """One campaign file. Close it, or use it in a ``with`` statement.

    Its parts share the open ``database``. The package's docstring says what each of them holds; ``worker`` and
    ``proof`` are the processes that work on it.
    """

    def __init__(self, path: Path) -> None:
        """Opens an existing campaign file; one of an earlier version becomes one of this version.

        Raises:
            CampaignError: no such file, not a campaign file, damaged, or of a newer version.
        """
        self.path = path
        self.database = database = sql.Database(path)
        self.prepared = Prepared(database)
        self.targets = TargetTable(database)
        self.attempts = AttemptTable(database)
        self.pairs = PairTable(database)
        self.conditions = ConditionTable(database)
        self.counts = CampaignCounts(database)
        self.baseline_searches = BaselineSearchTable(database)
        self.certificates = CertificateTable(database)
        self.justifications = JustificationTable(database)
        self.worker = WorkerClaim(database)
        self.stages = StageTable(database)
        self.proof = ProofClaim(database)
        try:
            self._look()
        except CampaignError:
            self.close()
            raise

    def _look(self) -> None:
        """Reads what is asked of a campaign as a whole, so that one with damage there is not opened."""
        with self.at_one_moment():
            prepared, proof = self.prepared, self.proof
            asked = (self.spec, self.created, self.versions, self.available, self.state, proof.status)
            for ask in (*asked, prepared.seeds, prepared.batch, prepared.shard, prepared.data_fingerprint):
                ask()

    @classmethod
    def create(
        cls,
        path: Path,
        spec: CampaignSpec,
        versions: dict[str, str],
        listed: IntArray | None = None,
        shard: Shard = WHOLE,
    ) -> CampaignStore:
        """Makes a new campaign file in state waiting; ``listed`` are the feature pairs to choose from, if not all are.

        With a ``shard`` its workers search for this part of the test conditions alone.

        Raises:
            CampaignError: the file exists, or its folder cannot be written.
            ParameterError: a shard of a campaign in which all conditions depend on earlier ones.
        """
        if shard != WHOLE and spec.reuse:
            must = "left out with a shard: what earlier conditions cover is not known there"
            raise ParameterError("reuse", must, str(shard), "leave it out, or search for all conditions together")
        chosen = None if listed is None else pack(listed.ravel())
        part = None if shard == WHOLE else str(shard)
        campaign = (spec.to_json(), time.time(), json.dumps(versions), chosen, part)
        sql.create(
            path,
            [
                (
                    "INSERT INTO campaign (id, spec, created, versions, listed, shard) VALUES (1, ?, ?, ?, ?, ?)",
                    campaign,
                ),
                ("INSERT INTO worker (id, state) VALUES (1, ?)", (State.WAITING.value,)),
            ],
        )
        return cls(path)

    def close(self) -> None:
        """Closes the file."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def at_one_moment(self) -> AbstractContextManager[None]:
        """All that is read inside is of one moment, see `Database.at_one_moment`."""
        return self.database.at_one_moment()

    def state(self) -> State:
        """Where the campaign stands; a worker that is gone counts as interrupted."""
        return self.worker.state()

    @once
    def spec(self) -> CampaignSpec:
        """The specification."""
        return self.database.of_campaign("spec", str, read=CampaignSpec.from_json)

    def created(self) -> float:
        """When it was created, in seconds since the epoch."""
        return self.database.of_campaign("created", UnixTime)

    def versions(self) -> dict[str, str]:
        """Versions of the packages that created it."""
        return self.database.of_campaign("versions", str, read=lambda text: value_of(dict[str, str], json_value(text)))

    def card(self) -> NetworkCard | None:
        """The network's card; None before it is prepared."""
        return self.prepared.card()

    @once
    def available(self) -> Mapping[Edge, int]:
        """How many feature pairs each layer pair has to choose from; empty before the campaign is prepared."""
        card, left = self.card(), self.prepared.fewer_available()
        if card is None:
            return {}
        with self.database.judging():
            pairs = self.spec().feature_pairs(card)
            counts = dict(zip(pairs.edges, pairs.counts, strict=True))
            if left is None:
                return counts
            if any(n > counts.get(edge, 0) for edge, n in left.items()):
                raise ValueError("available: more feature pairs than there are")
            return left

    @once
    def covering_method(self) -> CoveringMethod:
        """The criterion with its value functions, and with its boundaries once they are measured."""
        spec, boundaries = self.spec(), self.prepared.boundaries()
        with self.database.judging():
            if self.card() is not None and (boundaries is None) != (spec.reference is None):
                raise ValueError("boundaries without reference data, or reference data without boundaries")
        method = spec.covering_method()
        return method if boundaries is None else method.with_boundaries(boundaries)

    def proof_counts(self, seconds: float = 0.0) -> ProofCounts:
        """What all proofs of a prepared campaign have shown so far; the file does not keep the seconds of the last."""
        card, certificates, outcomes = self.card(), self.certificates.all(), self.counts.outcomes()
        assert card is not None
        return ProofCounts(
            neurons=sum(layer.neurons for layer in card.layers[1:]),
            constant=len(certificates),
            by_method={method: sum(c.method == method for c in certificates) for method in PROOF_METHODS},
            conditions_infeasible=outcomes.get(Outcome.PROVED_INFEASIBLE, 0),
            covered=outcomes.get(Outcome.FOUND, 0),
            pairs=sum(outcomes.values()),
            seconds=seconds,
        )

    def prepare(
        self,
        spec: CampaignSpec,
        card: NetworkCard,
        data_fingerprint: str,
        seeds: SeedReport,
        targets: Sequence[Target],
        *,
        available: Mapping[Edge, int] | None = None,
        boundaries: Mapping[tuple[int, int], float] | None = None,
        batch: int = 1,
        source: str = "",
    ) -> None:
        """Stores what the network decided of the specification, network, data, seeds and targets, once and together.

        ``available`` is given if not all pairs are, ``boundaries`` if they were measured on reference data, and
        ``source`` says where the data come from.
        """
        highest = None if boundaries is None else [[*place, u] for place, u in boundaries.items()]
        counts = None if available is None else json.dumps([[*edge, n] for edge, n in available.items()])
        values = {
            "spec": spec.to_json(),
            "card": cards.to_json(card),
            "data": data_fingerprint,
            "seeds": pack(seeds.rows),
            "inputs": seeds.inputs,
            "misclassified": seeds.misclassified,
            "correct": None if seeds.correct is None else pack(seeds.correct),
            "available": counts,
            "boundaries": None if highest is None else pack(np.array(highest, np.float64)),
            "batch": batch,
            "source": source,
        }
        with self.database.transaction() as connection:
            connection.execute(f"UPDATE campaign SET {', '.join(f'{name} = :{name}' for name in values)}", values)
            connection.executemany(
                f"INSERT INTO target ({columns(Target)}) VALUES ({marks(Target)})", map(to_row, targets)
            )

    def put_back(self, retry: Retry, chosen: Collection[int] = ()) -> Retry:
        """Makes test conditions pending again, and raises the budgets of the specification, in one transaction.

        The retry, which says which outcomes and budgets, is stored with what it is counted from, and returned; it is
        of the ``chosen`` ordinals where there are some, else of all. With an effect, the specification asks for it, and
        test pairs that do not show it are taken away.

        Raises:
            CampaignError: no such condition, or a worker is at the campaign.
        """
        places, effect = ", ".join("?" * len(retry.outcomes)), retry.effect
        with self.database.transaction() as connection:
            refuse_workers(self.database)
            spec, before = self.spec(), self.counts.outcomes()
            statement = f"UPDATE target SET outcome = 'pending' WHERE outcome IN ({places})"
            if chosen:
                statement += f" AND ordinal IN ({', '.join('?' * len(chosen))})"
            n = connection.execute(statement, (*retry.outcomes, *chosen)).rowcount
            forgotten = 0 if effect is None else _forget_pairs(connection, spec.effect, effect)
            if not n + forgotten:
                raise CampaignError("test conditions to try again", "none", "nothing is left to try")
            covered, pending = before.get(Outcome.FOUND, 0) - forgotten, before.get(Outcome.PENDING, 0)
            stored = replace(retry, conditions=n + forgotten, covered=covered, pending=pending, chosen=bool(chosen))
            spec = replace(spec.retried(stored), effect=effect or spec.effect)
            created = self.created() if effect is None else time.time()
            connection.execute("UPDATE campaign SET spec = ?, created = ?", (spec.to_json(), created))
            connection.execute("UPDATE worker SET state = ?, cancel = 0, message = ''", (State.WAITING.value,))
        return stored

    def record(self, results: Sequence[TargetResult], others: Sequence[TestPair] = ()) -> None:
        """Stores the finished targets of one batch with their attempts and test pairs, in one transaction.

        Args:
            results: what became of the targets.
            others: their test pairs for other targets that they cover too, which are finished with them.

        Raises:
            CampaignError: the file cannot be written, or another worker took over.
        """
        pairs = [result.test_pair for result in results if result.test_pair is not None]
        done = [
            *((result.outcome.value, result.seconds, result.target.ordinal) for result in results),
            *((Outcome.FOUND.value, 0.0, pair.target.ordinal) for pair in others),
        ]
        with self.database.transaction() as connection:
            refuse_others(self.database)
            connection.executemany("UPDATE target SET outcome = ?, seconds = ? WHERE ordinal = ?", done)
            connection.executemany(
                f"INSERT INTO attempt (target, place, {columns(Attempt)})"
                f" VALUES ({_ID}, {_NEXT_PLACE}, {marks(Attempt)})",
                [
                    (result.target.ordinal, result.target.ordinal, *to_row(attempt))
                    for result in results
                    for attempt in result.attempts
                ],
            )
            connection.executemany(
                f"INSERT INTO test_pair (target, {columns(TestPair)}) VALUES ({_ID}, {marks(TestPair)})",
                [(pair.target.ordinal, *to_row(pair)) for pair in (*pairs, *others)],
            )


def _forget_pairs(connection: sql.Connection, earlier: str, effect: str) -> int:
    """Makes conditions pending whose test pairs do not show an effect, and takes these away; returns how many.

    Attempts at what is pending stay where nothing was found even with a weaker ``earlier`` demand.
    """
    lacking = f"SELECT t.id FROM target t JOIN test_pair p ON p.target = t.id WHERE {NO_EFFECT_SHOWN[effect]}"
    n = connection.execute(f"UPDATE target SET outcome = 'pending' WHERE id IN ({lacking})").rowcount
    ids, ordinals = (f"(SELECT {name} FROM target WHERE outcome = 'pending')" for name in ("id", "ordinal"))
    connection.execute(f"DELETE FROM test_pair WHERE target IN {ids}")
    connection.execute(f"UPDATE test_pair SET found_for = NULL WHERE found_for IN {ordinals}")
    connection.execute(f"DELETE FROM control WHERE ordinal IN {ordinals}")
    stay = "outcome <> 'found'" if asks_as_much(effect, earlier) else "FALSE"
    connection.execute(f"DELETE FROM attempt WHERE target IN {ids} AND NOT ({stay})")
    return n
