"""The justifications of a campaign file: why test conditions need no test pair, in somebody's words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime

from dnncov_core.campaign.file.encoding import columns, marks, to_row
from dnncov_core.campaign.file.sql import Connection, FilePart
from dnncov_core.errors import CampaignError
from dnncov_core.records import Justification, KnownJustification, Outcome


class JustificationTable(FilePart):
    """The justifications of one campaign, and those that stood before them."""

    def all(self) -> list[Justification]:
        """All justifications, by ordinal."""
        everything = f"SELECT {columns(Justification)} FROM justification ORDER BY ordinal"
        return self.database.records(Justification, everything)

    def history(self) -> list[KnownJustification]:
        """All that were ever given, by ordinal and then by time; earlier versions kept none that had ended."""
        past = f"SELECT {columns(KnownJustification)}, id FROM justification_history"
        standing = (
            f"SELECT {columns(Justification)}, iif(outcome = 'found', 'refuted', 'stands'), '', '', NULL"
            " FROM justification JOIN target USING (ordinal)"
        )
        everything = f"SELECT * FROM ({past} UNION ALL {standing}) ORDER BY ordinal, id IS NULL, id"
        known = f"SELECT {columns(KnownJustification)} FROM ({everything})"
        return self.database.records(KnownJustification, known)

    def add(self, ordinals: Collection[int], *, reason: str, author: str, replace: bool = False) -> list[Justification]:
        """Says why test conditions need no test pair, as of now; returns the justifications that it replaces.

        Raises:
            CampaignError: no reason, no author, no ordinal, or one that no test condition has, or whose condition is
                covered, proved infeasible, or justified already; nothing is stored.
        """
        if missing := [name for name, text in (("a reason", reason), ("an author", author)) if not text.strip()]:
            expected = f"{' and '.join(missing)} in words"
            raise CampaignError(expected, "none", "say why no test pair is needed, and who says so")
        _refuse_none(ordinals)
        chosen, words, now = sorted(set(ordinals)), (_in_one_line(reason), _in_one_line(author)), _now()
        with self.database.transaction() as connection:
            outcomes = self._outcomes()
            refuse_unknown(chosen, outcomes)
            _refuse_needless({ordinal: outcomes[ordinal] for ordinal in chosen})
            earlier = [each for each in self.all() if each.ordinal in chosen]
            if earlier and not replace:
                raise _justified_already(earlier)
            _keep(connection, earlier, "replaced", now, words[1])
            connection.executemany(
                f"INSERT OR REPLACE INTO justification ({columns(Justification)}) VALUES ({marks(Justification)})",
                [(ordinal, *words, now[:10], now) for ordinal in chosen],
            )
        return earlier

    def withdraw(self, ordinals: Collection[int], author: str = "") -> None:
        """Takes justifications away, as of now; ``author`` says who does, if anybody does.

        Raises:
            CampaignError: no ordinal, or one of a condition that is not justified; nothing is stored.
        """
        _refuse_none(ordinals)
        chosen, by, now = set(ordinals), _in_one_line(author), _now()
        with self.database.transaction() as connection:
            said, outcomes = {each.ordinal: each for each in self.all()}, self._outcomes()
            if unknown := sorted(chosen - said.keys()):
                fix = "list those with 'dnncov gaps FILE --status justified,refuted'"
                raise CampaignError("ordinals of justified test conditions", in_words(unknown), fix)
            for n in sorted(chosen):
                how = "refuted" if outcomes[n] is Outcome.FOUND else "withdrawn"
                _keep(connection, [said[n]], how, now, by)
            connection.executemany("DELETE FROM justification WHERE ordinal = ?", [(n,) for n in chosen])

    def _outcomes(self) -> dict[int, Outcome]:
        rows = self.database.rows("SELECT ordinal, outcome FROM target")
        with self.database.judging():
            return {ordinal: Outcome(outcome) for ordinal, outcome in rows}


def _keep(connection: Connection, said: Iterable[Justification], *ended: str) -> None:
    """Keeps justifications that end with how, when and by whom they do."""
    into = f"INSERT INTO justification_history ({columns(KnownJustification)}) VALUES ({marks(KnownJustification)})"
    connection.executemany(into, [(*to_row(each), *ended) for each in said])


def _now() -> str:
    """This second in UTC, as the file has it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


MOST_NAMED = 10
"""Ordinals that a message names."""
SETTLED = {Outcome.FOUND: "covered", Outcome.PROVED_INFEASIBLE: "proved infeasible"}
"""Outcomes with which a test condition needs no justification."""
LIST = "list them with 'dnncov gaps FILE'"


def in_words(ordinals: Sequence[int]) -> str:
    """Ordinals of test conditions, the first of them where there are many.

    >>> in_words([3, 12]), in_words(range(12))
    ('3, 12', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more')
    """
    more = f" and {len(ordinals) - MOST_NAMED:,} more" if len(ordinals) > MOST_NAMED else ""
    return ", ".join(map(str, ordinals[:MOST_NAMED])) + more


def _refuse_none(ordinals: Collection[int]) -> None:
    if not ordinals:
        raise CampaignError("the ordinal of a test condition", "none", "choose at least one")


def refuse_unknown(ordinals: Sequence[int], existing: Collection[int]) -> None:
    """Refuses ordinals that no test condition has.

    Raises:
        CampaignError: with those that are unknown.
    """
    unknown = [ordinal for ordinal in ordinals if ordinal not in existing]
    if unknown:
        raise CampaignError("ordinals of this campaign's test conditions", in_words(unknown), LIST)


def _refuse_needless(outcomes: Mapping[int, Outcome]) -> None:
    """Refuses what is covered or proved: nothing has to be said of it."""
    needless = {
        word: named for outcome, word in SETTLED.items() if (named := [n for n in outcomes if outcomes[n] is outcome])
    }
    if needless:
        got = "; ".join(f"{in_words(ordinals)}, {word}" for word, ordinals in needless.items())
        raise CampaignError(
            "ordinals of conditions that are neither covered nor proved infeasible", got, "leave them out"
        )


def _justified_already(earlier: Sequence[Justification]) -> CampaignError:
    first, ordinals = earlier[0], [justification.ordinal for justification in earlier]
    got = f"{in_words(ordinals)} ({first.reason!r} by {first.author}, {first.date})"
    fix = "leave them out, or ask to replace what was said (--replace)"
    return CampaignError("ordinals of conditions that nobody has justified", got, fix)
