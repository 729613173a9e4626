"""The test pairs of a campaign file: those that a filter leaves, in an order, and the place of one among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

import numpy as np

from dnncov_core.campaign.file.claims import refuse_others
from dnncov_core.campaign.file.encoding import columns, record_from, value_of
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.prepared import JudgedPart
from dnncov_core.records import Target, TestPair
from dnncov_core.types import BoolArray, Count, Distance, Edge, FloatArray

Distances = Mapping[Edge, tuple[FloatArray, BoolArray]]
"""The distances of test pairs by layer pair, and which of the pairs are adversarial."""
_KEYS = {"nearest": "distance", "farthest": "-distance", "plan": "p.target"}
"""By what each order sorts, before the order of work."""


@dataclass(frozen=True)
class PairFilter:
    """Which test pairs are asked for: all unless something is said.

    Attributes:
        edge: only of this layer pair.
        decision_layer: only of this decision layer.
        adversarial: only adversarial ones.
        holds_8bit: only those whose covering method still holds when x2 is rounded to 8 bits.
        needed: only those whose condition's change is needed.
        seed: only from this row of the data.
        neuron: only with this neuron in the condition or the decision feature, 0-based.
        among: only with some of the first neurons in the condition or some of the second in the decision feature.
        without_effects: only those whose effects are not known yet.
    """

    edge: Edge | None = None
    decision_layer: int | None = None
    adversarial: bool = False
    holds_8bit: bool = False
    needed: bool = False
    seed: int | None = None
    neuron: int | None = None
    among: tuple[range, range] | None = None
    without_effects: bool = False

    @property
    def where(self) -> tuple[str, tuple[int | str, ...]]:
        """The condition of a query, and its parameters."""
        named = f"% {self.neuron} %"
        possible: list[tuple[bool, str, tuple[int | str, ...]]] = [
            (self.edge is not None, "condition_layer = ? AND decision_layer = ?", self.edge or ()),
            (self.decision_layer is not None, "decision_layer = ?", (self.decision_layer or 0,)),
            (self.adversarial, "adversarial", ()),
            (self.holds_8bit, "holds_8bit", ()),
            (self.needed, "needed", ()),
            (self.seed is not None, "seed = ?", (self.seed or 0,)),
            (self.neuron is not None, f"({_HAS_CONDITION} OR {_HAS_DECISION})", (named, named)),
            (self.among is not None, f"({_CONDITION_AMONG} OR {_DECISION_AMONG})", _ends(self.among or ())),
            (self.without_effects, "needed IS NULL", ()),
        ]
        used = [(clause, parameters) for wanted, clause, parameters in possible if wanted]
        clauses = [clause for clause, _ in used] or ["TRUE"]
        return " AND ".join(clauses), tuple(value for _, parameters in used for value in parameters)


def _ends(among: tuple[range, ...]) -> tuple[int, ...]:
    """The parameters of the queries for neurons in these ranges."""
    return tuple(n for some in among for n in (some.start, some[-1] if some else -1, some.start, some.step))


_AMONG = (
    "EXISTS (SELECT 1 FROM json_each('[' || replace({}, ' ', ',') || ']')"
    " WHERE value BETWEEN ? AND ? AND (value - ?) % ? = 0)"
)
_CONDITION_AMONG = _AMONG.format("coalesce(flipped, condition_neurons)")
_DECISION_AMONG = _AMONG.format("decision_neurons")
_HAS_CONDITION = "' ' || coalesce(flipped, condition_neurons) || ' ' LIKE ?"
_HAS_DECISION = "' ' || decision_neurons || ' ' LIKE ?"
_EFFECTS = [each.name for each in fields(TestPair) if each.name.startswith(("needed", "sufficient", "effect_"))]
EVERY = PairFilter()
BY_DISTANCE = (EVERY, PairFilter(adversarial=True))
"""Filters for which the index by distance is enough."""


@dataclass(frozen=True)
class PlaceAmong:
    """Where a test pair stands among those of a filter in an order.

    Attributes:
        before: how many of them come before it.
        total: how many there are.
        among: whether it is one of them itself.
        previous: the ordinal of the one before it; None without any.
        next: the ordinal of the one after it.
    """

    before: int
    total: int
    among: bool
    previous: int | None
    next: int | None


class PairTable(JudgedPart):
    """The test pairs of one campaign."""

    def count(self, only: PairFilter = EVERY) -> int:
        """How many test pairs a filter leaves."""
        where, parameters = only.where
        return self.database.numbers(f"SELECT count(*) FROM {self._narrow(only)} WHERE {where}", parameters)[0]

    @once
    def count_distinct(self) -> int:
        """How many different test pairs there are: with reuse one may cover many targets."""
        own = f"SELECT target FROM test_pair {self.database.indexed_by('test_pair_figures')} WHERE found_for IS NULL"
        distinct = f"SELECT DISTINCT seed, x2 FROM test_pair WHERE target IN ({own})"
        return self.database.numbers(f"SELECT count(*) FROM ({distinct})")[0]

    @once
    def adversarial_seeds(self) -> Mapping[Edge, frozenset[int]]:
        """The different seeds of the adversarial pairs of each layer pair that has any."""
        rows = self.database.rows(
            "SELECT DISTINCT condition_layer, decision_layer, seed"
            f" FROM {self.database.pairs_with_targets()} WHERE adversarial"
        )
        known, seeds = self.known, dict[Edge, set[int]]()
        with self.database.judging():
            for k, layer, seed in rows:
                seeds.setdefault(known.edge((k, layer)), set()).add(known.seed(value_of(Count, seed)))
        return {edge: frozenset(those) for edge, those in seeds.items()}

    def page(
        self, only: PairFilter = EVERY, *, order: str = "plan", limit: int = -1, offset: int = 0
    ) -> list[TestPair]:
        """Test pairs with their arrays, in the order "plan", "nearest" or "farthest".

        At most ``limit`` (-1 for all), after the first ``offset``.
        """
        (where, parameters), key = only.where, f"{_KEYS[order]}, p.target"
        chosen = f"SELECT p.target FROM {self._narrow(only)} WHERE {where} ORDER BY {key} LIMIT ? OFFSET ?"
        rows = self.database.rows(
            f"SELECT {columns(Target, 't')}, {columns(TestPair, 'p')} FROM test_pair p CROSS JOIN target t"
            f" ON p.target = t.id WHERE p.target IN ({chosen}) ORDER BY {key}",
            (*parameters, limit, offset),
        )
        n, known = len(fields(Target)), self.known
        with self.database.judging():
            found = (record_from(TestPair, row[n:], known.target(record_from(Target, row[:n]))) for row in rows)
            return list(map(known.test_pair, found))  # one by one, so that no more than one wrong one is in memory

    def of(self, target: Target) -> TestPair | None:
        """The witness of a test condition; None if it has none."""
        rows = self.database.rows(
            f"SELECT {columns(TestPair)} FROM test_pair WHERE target = (SELECT id FROM target WHERE ordinal = ?)",
            (target.ordinal,),
        )
        known = self.known
        with self.database.judging():
            return known.test_pair(record_from(TestPair, rows[0], target)) if rows else None

    def place(self, ordinal: int, only: PairFilter = EVERY, *, order: str = "plan") -> PlaceAmong | None:
        """Where the test pair of a test condition stands among those of a filter; None where there is no such pair."""
        database, (where, parameters), key = self.database, only.where, _KEYS[order]
        own = database.rows(
            f"SELECT {key}, p.target FROM test_pair p JOIN target t ON p.target = t.id WHERE ordinal = ?", (ordinal,)
        )
        if not own:
            return None
        here, sides, joined = tuple(own[0]), f"({key}, p.target)", database.pairs_with_targets()
        total, before, among = database.row(
            f"SELECT count(*), coalesce(sum({sides} < (?, ?)), 0), coalesce(sum(p.target = ?), 0) FROM {joined}"
            f" WHERE {where}",
            (*here, here[1], *parameters),
        )
        previous, following = (
            database.numbers(
                f"SELECT ordinal FROM {joined} WHERE {where} AND {sides} {side} (?, ?)"
                f" ORDER BY {key} {way}, p.target {way} LIMIT 1",
                (*parameters, *here),
            )
            for side, way in (("<", "DESC"), (">", "ASC"))
        )
        return PlaceAmong(before, total, bool(among), next(iter(previous), None), next(iter(following), None))

    def nearest_beyond(self, distance: float) -> int | None:
        """The ordinal of the first adversarial pair at ``distance`` or beyond it, else of the last; None if none."""
        ordinals = self.database.numbers(
            f"SELECT ordinal FROM {self.database.pairs_with_targets()} WHERE adversarial"
            " ORDER BY distance < ?, abs(distance - ?), p.target LIMIT 1",
            (distance, distance),
        )
        return next(iter(ordinals), None)

    @once
    def adversarial_distances(self) -> FloatArray:
        """The distances of all adversarial pairs, ascending."""
        rows = self.database.rows("SELECT distance FROM test_pair WHERE adversarial ORDER BY distance")
        with self.database.judging():
            return np.array([value_of(Distance, distance) for (distance,) in rows], np.float64)

    @once
    def distances(self) -> Distances:
        """The distances of all test pairs by layer pair, and which of them are adversarial."""
        rows = self.database.rows(
            f"SELECT condition_layer, decision_layer, distance, adversarial FROM {self.database.pairs_with_targets()}"
        )
        known, found = self.known, dict[Edge, list[tuple[float, bool]]]()
        with self.database.judging():
            for k, layer, distance, adversarial in rows:
                found.setdefault(known.edge((k, layer)), []).append(
                    (value_of(Distance, distance), value_of(bool, adversarial))
                )
        return {
            edge: (np.array([distance for distance, _ in some]), np.array([chosen for _, chosen in some]))
            for edge, some in found.items()
        }

    @once
    def moved_outputs(self) -> FloatArray:
        """By how much each output of a regression moved in each test pair that has them stored, ``(pairs, n)``."""
        rows = self.database.rows("SELECT outputs FROM test_pair WHERE outputs IS NOT NULL ORDER BY target")
        card = self.known.card
        shape = (2, 0 if card is None else len(card.quantities))
        with self.database.judging():
            found = [value_of(FloatArray, outputs) for (outputs,) in rows]
            if any(each.shape != shape for each in found):
                raise ValueError(f"outputs that are not of the shape {shape}")
        return np.array([two - one for one, two in found]).reshape(len(found), shape[1])

    def record_effects(self, pairs: Iterable[TestPair]) -> None:
        """Stores the effects of test pairs that the file has, in one transaction."""
        assignments = ", ".join(f"{name} = ?" for name in _EFFECTS)
        with self.database.transaction() as connection:
            refuse_others(self.database)
            connection.executemany(
                f"UPDATE test_pair SET {assignments} WHERE target = (SELECT id FROM target WHERE ordinal = ?)",
                [(*(getattr(pair, name) for name in _EFFECTS), pair.target.ordinal) for pair in pairs],
            )

    def _narrow(self, only: PairFilter) -> str:
        """What a filter's query reads from: of test pairs ``p`` no arrays, of targets ``t`` no more than is asked."""
        return "test_pair p" if only in BY_DISTANCE else self.database.pairs_with_targets()
