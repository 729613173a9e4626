"""The baseline searches of a campaign file (table control): what was found with the same budgets."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from dnncov_core.campaign.file.encoding import columns, marks, record_from, to_row
from dnncov_core.campaign.file.moments import once
from dnncov_core.campaign.file.prepared import JudgedPart
from dnncov_core.records import BaselineSearch
from dnncov_core.types import Count, Edge

MOST = 200
"""Test pairs of a campaign that have a baseline search."""


@dataclass(frozen=True)
class BaselineSearchCounts:
    """Test pairs of one layer pair that have a baseline search: how many are adversarial, and what the searches found.

    Attributes:
        edge: the layer pair.
        pairs: test pairs with a baseline search.
        adversarial: of them, adversarial ones.
        random: of their seeds, those whose label random perturbations changed.
        ascent: of their seeds, those whose label projected gradient ascent changed.
    """

    edge: Edge
    pairs: Count
    adversarial: Count
    random: Count
    ascent: Count


class BaselineSearchTable(JudgedPart):
    """The baseline searches of one campaign."""

    def sample(self, random_seed: int) -> tuple[list[int], list[int]]:
        """A random sample of up to `MOST` test pairs, by ordinal; those found later change it by themselves alone.

        Returns:
            The sample, and of it the test pairs without a baseline search.
        """
        covered = self.database.numbers("SELECT ordinal FROM target WHERE outcome = 'found'")
        sample = sorted(covered, key=lambda ordinal: (zlib.crc32(f"{random_seed} {ordinal}".encode()), ordinal))[:MOST]
        done = set(self.database.numbers("SELECT ordinal FROM control"))
        return sorted(sample), sorted(set(sample) - done)

    def record(self, sample: Sequence[int], results: Sequence[BaselineSearch]) -> None:
        """Stores baseline searches, and drops those of test pairs outside the sample, in one transaction."""
        with self.database.transaction() as connection:
            kept = set(sample)
            left = [(n,) for (n,) in connection.execute("SELECT ordinal FROM control").fetchall() if n not in kept]
            connection.executemany("DELETE FROM control WHERE ordinal = ?", left)
            connection.executemany(
                f"INSERT OR REPLACE INTO control ({columns(BaselineSearch)}) VALUES ({marks(BaselineSearch)})",
                map(to_row, results),
            )

    def made(self) -> int:
        """How many there are."""
        return sum(each.pairs for each in self.counts())

    @once
    def counts(self) -> tuple[BaselineSearchCounts, ...]:
        """Counts by layer pair, in layer order; layer pairs without a baseline search are left out."""
        rows = self.database.rows(
            """
            SELECT condition_layer k, decision_layer l, count(*), sum(adversarial), sum(random), sum(ascent)
            FROM control JOIN target USING (ordinal) JOIN test_pair ON test_pair.target = target.id
            GROUP BY k, l ORDER BY l, k
            """
        )
        known = self.known
        with self.database.judging():
            return tuple(
                _checked(record_from(BaselineSearchCounts, counts, known.edge((k, layer))))
                for k, layer, *counts in rows
            )


def _checked(counts: BaselineSearchCounts) -> BaselineSearchCounts:
    if max(counts.adversarial, counts.random, counts.ascent) > counts.pairs:
        raise ValueError(f"baseline searches with more results than {counts.pairs} test pairs")
    return counts
