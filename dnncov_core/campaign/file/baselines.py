"""What a campaign file holds about controls: what plain searches found with the budgets of its test pairs."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields

from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.sql import Database
from dnncov_core.records import ControlResult
from dnncov_core.types import Edge

FIELDS = tuple(field.name for field in fields(ControlResult))
MOST = 200
"""Test pairs of a campaign that have a control."""


@dataclass(frozen=True)
class BaselineCounts:
    """Of the test pairs of one layer pair that have a control: how many are adversarial, and what plain searches found.

    Attributes:
        edge: the layer pair.
        pairs: test pairs with a control.
        adversarial: of them, adversarial ones.
        random: of their seeds, those whose label random perturbations changed.
        ascent: likewise, projected gradient ascent.
    """

    edge: Edge
    pairs: int
    adversarial: int
    random: int
    ascent: int


class Controls(Database):
    """Controls of a campaign file."""

    def to_control(self, random_seed: int) -> tuple[list[int], list[int]]:
        """A random sample of up to `MOST` test pairs, by ordinal; those found later change it by themselves alone.

        Returns:
            The sample, and of it the test pairs without a control.
        """
        found = [ordinal for (ordinal,) in self._rows("SELECT ordinal FROM target WHERE outcome = 'found'")]
        sample = sorted(found, key=lambda ordinal: (zlib.crc32(f"{random_seed} {ordinal}".encode()), ordinal))[:MOST]
        done = {ordinal for (ordinal,) in self._rows("SELECT ordinal FROM control")}
        return sorted(sample), sorted(set(sample) - done)

    def record_controls(self, sample: Sequence[int], results: Sequence[ControlResult]) -> None:
        """Stores controls, and drops those of test pairs outside the sample, in one transaction."""
        with self._transaction() as connection:
            kept = set(sample)
            left = [(n,) for (n,) in connection.execute("SELECT ordinal FROM control").fetchall() if n not in kept]
            connection.executemany("DELETE FROM control WHERE ordinal = ?", left)
            connection.executemany(
                f"INSERT OR REPLACE INTO control ({', '.join(FIELDS)}) VALUES ({', '.join('?' * len(FIELDS))})",
                [[getattr(result, name) for name in FIELDS] for result in results],
            )

    @once
    def control_counts(self) -> tuple[BaselineCounts, ...]:
        """By layer pair, in layer order; layer pairs without a control are left out."""
        rows = self._rows(
            """
            SELECT condition_layer k, decision_layer l, count(*), sum(adversarial), sum(random), sum(ascent)
            FROM control JOIN target USING (ordinal) JOIN test_pair ON test_pair.target = target.id
            GROUP BY k, l ORDER BY l, k
            """
        )
        with self._decoding():
            return tuple(BaselineCounts((k, layer), *map(int, counts)) for k, layer, *counts in rows)

    def passes_of(self, ordinals: Sequence[int]) -> list[int | None]:
        """Forward and backward passes of all attempts at each target; None where none was counted."""
        sql = "SELECT sum(passes) FROM attempt WHERE target = (SELECT id FROM target WHERE ordinal = ?)"
        return [self._rows(sql, (ordinal,))[0][0] for ordinal in ordinals]
