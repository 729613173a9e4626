"""Campaign files joined to one: the shards of a campaign, or copies of it that different workers went on with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dnncov_core.campaign.file.certificates import contradiction
from dnncov_core.campaign.file.encoding import columns, unpack
from dnncov_core.campaign.file.sql import Connection, copy, remove
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import CampaignError
from dnncov_core.records import (
    FINGERPRINT_SHOWN,
    Attempt,
    BaselineSearch,
    Certificate,
    Justification,
    KnownJustification,
    Outcome,
    State,
    TestPair,
)

_RANKED = (Outcome.ERROR, Outcome.EXHAUSTED, Outcome.PROVED_INFEASIBLE, Outcome.FOUND)
"""Outcomes that a test condition may have in one file or another; the last of them stays."""
_RANK = f"instr('{' '.join(outcome.value for outcome in _RANKED)}', {{}}.outcome)"
_BETTER = (
    f"SELECT o.id FROM other.target o JOIN main.target t USING (id, ordinal)"
    f" WHERE o.outcome IN ({', '.join(repr(outcome.value) for outcome in _RANKED)})"
    f" AND {_RANK.format('o')} > {_RANK.format('t')}"
)
_OF_TARGETS = {"attempt": f"target, place, {columns(Attempt)}", "test_pair": f"target, {columns(TestPair)}"}
_BESIDE = {
    "control": columns(BaselineSearch),
    "certificate": columns(Certificate),
    "justification": columns(Justification),
}
_FOUND_OUT = {"seeds": "seeds", "boundaries": "reference data", "batch": "batch (--batch)", "listed": "list of pairs"}
"""What the first worker of a campaign finds out, by its column, in words."""


def merge(path: Path, files: Sequence[Path]) -> None:
    """Makes a new file with all that is known of a campaign from several, in any order, some perhaps twice.

    Where all test conditions have an outcome it holds what one worker would have made. Files whose worker never began
    add nothing.

    Raises:
        CampaignError: files of different campaigns, none that began, one in which a condition is covered that is proved
            infeasible in another, or the new file exists or cannot be written; there is no new file then.
    """
    first, *others = _begun(files)
    with CampaignStore(first) as store:
        copy(store.database, path)
    try:
        with CampaignStore(path) as store:
            for other in others:
                _add(store, other)
            _conclude(store)
    except BaseException:
        remove(path)
        raise


def _begun(files: Sequence[Path]) -> list[Path]:
    begun = []
    for path in files:
        with CampaignStore(path) as store:
            begun += [path] * (store.card() is not None)
    if not begun:
        raise CampaignError("shards whose search has begun", "none", "run them first ('dnncov run --shard')")
    return begun


def _add(store: CampaignStore, path: Path) -> None:
    """Takes the better outcomes of another file over, with all that belongs to them."""
    with CampaignStore(path) as other:
        if different := [*_differences(store, other)]:
            expected = "files of one campaign, made by the same versions of the packages"
            raise CampaignError(expected, f"{path.name} with {'; '.join(different)}", "merge what belongs together")
    with store.database.beside(path), store.database.transaction() as connection:
        _refuse_contradictions(connection)
        better = [id for (id,) in connection.execute(_BETTER)]
        connection.execute("CREATE TEMP TABLE better (id INTEGER PRIMARY KEY)")
        connection.executemany("INSERT INTO better VALUES (?)", ((id,) for id in better))
        connection.execute(
            "UPDATE main.target SET (outcome, seconds) ="
            " (SELECT outcome, seconds FROM other.target o WHERE o.id = main.target.id) WHERE id IN better"
        )
        for table, names in _OF_TARGETS.items():
            connection.execute(f"DELETE FROM main.{table} WHERE target IN better")
            connection.execute(
                f"INSERT INTO main.{table} ({names}) SELECT {names} FROM other.{table} WHERE target IN better"
            )
        for table, names in _BESIDE.items():
            connection.execute(f"INSERT OR IGNORE INTO main.{table} ({names}) SELECT {names} FROM other.{table}")
        said = f"SELECT {columns(KnownJustification)} FROM {{}}.justification_history"
        connection.execute(
            f"INSERT INTO main.justification_history ({columns(KnownJustification)})"
            f" {said.format('other')} EXCEPT {said.format('main')}"
        )
        if better:
            connection.execute("INSERT INTO main.stage (name, seconds) SELECT name, seconds FROM other.stage")
            connection.execute("UPDATE main.worker SET seconds = seconds + (SELECT seconds FROM other.worker)")
        connection.execute("DROP TABLE better")


def _differences(one: CampaignStore, other: CampaignStore) -> Iterator[str]:
    """Where two files are not of one campaign, in words."""
    yield from one.spec().differences(other.spec())
    a, b = one.versions(), other.versions()
    yield from (f"{name} {a.get(name)} and {b.get(name)}" for name in sorted({*a, *b}) if a.get(name) != b.get(name))
    cards, data = (one.card(), other.card()), (one.prepared.data_fingerprint(), other.prepared.data_fingerprint())
    for what, prints in (("networks", [card.fingerprint for card in cards if card]), ("data", [*filter(None, data)])):
        if len(set(prints)) > 1:
            yield f"{what} of the fingerprints {' and '.join(each[:FINGERPRINT_SHOWN] for each in prints)}"
    for column, words in _FOUND_OUT.items():
        if _unpacked(one, column) != _unpacked(other, column):
            yield f"another {words}"


def _unpacked(store: CampaignStore, column: str) -> object:
    (value,) = store.database.row(f"SELECT {column} FROM campaign")
    with store.database.judging():
        return unpack(value).tobytes() if isinstance(value, bytes) else value


def _refuse_contradictions(connection: Connection) -> None:
    found, proved = Outcome.FOUND.value, Outcome.PROVED_INFEASIBLE.value
    both = (
        "SELECT t.ordinal FROM main.target t JOIN other.target o USING (id)"
        " WHERE t.outcome = ? AND o.outcome = ? ORDER BY id LIMIT 1"
    )
    for asked in ((found, proved), (proved, found)):
        for (ordinal,) in connection.execute(both, asked):
            raise contradiction(None, ordinal)


def _conclude(store: CampaignStore) -> None:
    """Leaves the baseline searches that one worker would have made, and says what is left to do."""
    sample, missing = store.baseline_searches.sample(store.spec().random_seed)
    store.baseline_searches.record(sample, [])
    pending = store.counts.outcomes().get(Outcome.PENDING, 0)
    state = State.CANCELLED if pending or missing else State.FINISHED
    with store.database.transaction() as connection:
        connection.execute("UPDATE campaign SET shard = NULL")
        connection.execute(
            "UPDATE worker SET state = ?, pid = NULL, heartbeat = NULL, cancel = 0, message = ''", (state.value,)
        )
