"""What a campaign file holds about conditions without a test pair: proofs, and justifications in somebody's words."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from dnncov_core.campaign.file.claims import refuse_workers
from dnncov_core.campaign.file.encoding import TARGET_FIELDS, target_from
from dnncov_core.campaign.file.sql import Database
from dnncov_core.errors import CampaignError
from dnncov_core.records import Certificate, Justification, Outcome, Target

CERTIFICATE_FIELDS = tuple(field.name for field in fields(Certificate))


@dataclass(frozen=True)
class ProofCounts:
    """What is proved of a campaign, by all its proofs together.

    Attributes:
        neurons: of the network's layers 2..K.
        constant: of them, those whose sign is proved to be constant.
        by_method: how many of these each method proved.
        conditions_infeasible: test conditions of the campaign proved infeasible.
        covered: test conditions with a replayable witness.
        pairs: all test conditions of the campaign.
        seconds: working time of the last proof.
    """

    neurons: int
    constant: int
    by_method: dict[str, int]
    conditions_infeasible: int
    covered: int
    pairs: int
    seconds: float


class Evidence(Database):
    """Proofs and justifications of a campaign file."""

    def certificates(self) -> list[Certificate]:
        """All certificates, by layer and neuron."""
        rows = self._rows(f"SELECT {', '.join(CERTIFICATE_FIELDS)} FROM certificate ORDER BY layer, neuron")
        with self._decoding():
            return [Certificate(*row) for row in rows]

    def targets_with_outcomes(self) -> list[tuple[Target, Outcome]]:
        """All targets with their outcomes, in the order of work; a covered free feature names what flipped."""
        names = ", ".join(f"target.{name}" for name in TARGET_FIELDS)
        rows = self._rows(
            f"SELECT {names}, outcome, flipped FROM target LEFT JOIN test_pair ON target = target.id ORDER BY target.id"
        )
        with self._decoding():
            return [_with_outcome(row[:-2], *row[-2:]) for row in rows]

    def record_proofs(self, certificates: Sequence[Certificate], infeasible: Mapping[int, tuple[int, int]]) -> None:
        """Stores certificates, and the outcome proved infeasible of the targets that they decide, in one transaction.

        Args:
            certificates: new ones.
            infeasible: by the target's ordinal, the layer and neuron that decides.

        Raises:
            CampaignError: a test pair contradicts a certificate, or a worker is at the campaign; nothing is stored.
        """
        places = ", ".join("?" * len(CERTIFICATE_FIELDS))
        with self._transaction() as connection:
            refuse_workers(connection)
            covered = {
                ordinal for (ordinal,) in connection.execute("SELECT ordinal FROM target WHERE outcome = 'found'")
            }
            for ordinal in sorted(covered & infeasible.keys()):
                raise contradiction(infeasible[ordinal], ordinal)
            connection.executemany(
                f"INSERT OR REPLACE INTO certificate ({', '.join(CERTIFICATE_FIELDS)}) VALUES ({places})",
                [[getattr(certificate, name) for name in CERTIFICATE_FIELDS] for certificate in certificates],
            )
            connection.executemany(
                "UPDATE target SET outcome = ? WHERE ordinal = ?",
                [(Outcome.PROVED_INFEASIBLE.value, ordinal) for ordinal in infeasible],
            )

    def justifications(self) -> list[Justification]:
        """All justifications, by ordinal."""
        rows = self._rows("SELECT ordinal, reason, author, date FROM justification ORDER BY ordinal")
        with self._decoding():
            return [Justification(*row) for row in rows]

    def justify(
        self, ordinals: Collection[int], reason: str, author: str, date: str, *, replace: bool = False
    ) -> list[Justification]:
        """Says why targets need no test pair.

        Args:
            ordinals: of the targets.
            reason: in words.
            author: who says so.
            date: as YYYY-MM-DD.
            replace: also where somebody has justified one already.

        Returns:
            The justifications that it replaces, by ordinal.

        Raises:
            CampaignError: an ordinal that no target of the campaign has, or of a target that is covered, proved
                infeasible, or justified already; nothing is stored.
        """
        asked = sorted(set(ordinals))
        with self._transaction() as connection:
            rows = connection.execute(
                "SELECT t.ordinal, outcome, reason, author, date FROM target t LEFT JOIN justification USING (ordinal)"
            )
            known = {row[0]: row for row in rows}
            _refuse_unknown(asked, known)
            _refuse_needless({ordinal: Outcome(known[ordinal][1]) for ordinal in asked})
            earlier = [Justification(n, *known[n][2:]) for n in asked if known[n][2] is not None]
            if earlier and not replace:
                raise _justified_already(earlier)
            connection.executemany(
                "INSERT OR REPLACE INTO justification VALUES (?, ?, ?, ?)",
                [(ordinal, reason, author, date) for ordinal in asked],
            )
        return earlier

    def withdraw(self, ordinals: Collection[int]) -> None:
        """Takes the justifications of these targets away."""
        with self._transaction() as connection:
            connection.executemany("DELETE FROM justification WHERE ordinal = ?", [(n,) for n in ordinals])


def contradiction(neuron: tuple[int, int], ordinal: int) -> CampaignError:
    """The alarm: a neuron with a certificate whose sign a stored test pair changes."""
    layer, unit = neuron
    return CampaignError(
        f"no test pair that changes the sign of neuron {unit} of layer {layer}, which is proved to be constant",
        f"the test pair of condition {ordinal}",
        "replay it with 'dnncov verify', and report this: either the pair or the proof is wrong; nothing was stored",
    )


MOST_NAMED = 10
"""Ordinals that a message names."""
NEEDLESS = {Outcome.FOUND: "covered", Outcome.PROVED_INFEASIBLE: "proved infeasible"}
"""Outcomes with which a test condition needs no justification."""
LIST = "list them with 'dnncov gaps FILE'"


def ordinals_in_words(ordinals: Sequence[int]) -> str:
    """Ordinals of test conditions, the first of them where there are many.

    >>> ordinals_in_words([3, 12]), ordinals_in_words(range(12))
    ('3, 12', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more')
    """
    more = f" and {len(ordinals) - MOST_NAMED:,} more" if len(ordinals) > MOST_NAMED else ""
    return ", ".join(map(str, ordinals[:MOST_NAMED])) + more


def _refuse_unknown(ordinals: Sequence[int], known: Collection[int]) -> None:
    unknown = [ordinal for ordinal in ordinals if ordinal not in known]
    if unknown:
        raise CampaignError("ordinals of this campaign's test conditions", ordinals_in_words(unknown), LIST)


def _refuse_needless(outcomes: Mapping[int, Outcome]) -> None:
    """Refuses what is covered or proved: nothing has to be said of it."""
    needless = {
        word: named for outcome, word in NEEDLESS.items() if (named := [n for n in outcomes if outcomes[n] is outcome])
    }
    if needless:
        got = "; ".join(f"{ordinals_in_words(ordinals)}, {word}" for word, ordinals in needless.items())
        raise CampaignError(
            "ordinals of conditions that are neither covered nor proved infeasible", got, "leave them out"
        )


def _justified_already(earlier: Sequence[Justification]) -> CampaignError:
    first = earlier[0]
    got = f"{ordinals_in_words([said.ordinal for said in earlier])} ({first.reason!r} by {first.author}, {first.date})"
    fix = "leave them out, or ask to replace what was said (--replace)"
    return CampaignError("ordinals of conditions that nobody has justified", got, fix)


def _with_outcome(row: Sequence[object], outcome: str, flipped: str | None) -> tuple[Target, Outcome]:
    target = target_from(row)
    if flipped is not None:
        target = replace(target, condition_neurons=tuple(map(int, flipped.split())), condition_most=None)
    return target, Outcome(outcome)
