"""A campaign file, or one of another kind, as a SQLite database: created, opened, queried, changed in transactions.

The only module that imports sqlite3. Whatever goes wrong with the file is a campaign error.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from dnncov_core.campaign.file.encoding import record_from, value_of
from dnncov_core.campaign.file.file_kind import CAMPAIGN, FileKind
from dnncov_core.campaign.file.moments import Moment, moment_of, stamp_of
from dnncov_core.campaign.file.schema import EARLIER_INDEX
from dnncov_core.errors import CampaignError, DnncovError, reason_of
from dnncov_core.example import is_example
from dnncov_core.outside_values import named, shown
from dnncov_core.types import Count

Connection = sqlite3.Connection
"""What changes are made with, inside a transaction."""
Statement = tuple[str, Sequence[object]]
"""SQL and its parameters."""
T = TypeVar("T")

_MADE = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type DESC, rowid"
"""Tables, then indexes, and how they were made."""
_NOT_STORED = (
    "SELECT m.name FROM sqlite_master m LEFT JOIN pragma_table_xinfo(m.name) c"
    " WHERE m.type NOT IN ('table', 'index') OR c.hidden <> 0 OR m.sql LIKE 'CREATE VIRTUAL%' LIMIT 1"
)
"""What would be computed when it is asked for: views, triggers, virtual tables, and tables with computed columns."""
MAGIC = b"SQLite format 3\0"
UNREADABLE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
TORN = "parts of it are missing or overwritten"
_COLUMNS = "SELECT t.name, c.name, c.type FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'"


def _as_it_is(value: Any) -> Any:
    return value


class Database:
    """An open file of a kind; that of a campaign is shared by the parts of a `CampaignStore`."""

    def __init__(self, path: Path, kind: FileKind = CAMPAIGN) -> None:
        """Opens an existing file of a kind; one of an earlier version becomes one of this version.

        Raises:
            CampaignError: no such file, another kind of file, damaged, or of a newer version.
        """
        self.path, self.kind = path, kind
        self.moment: Moment | None = None  # what was read at the present moment; None: every answer is read anew
        self._indexed = True
        if not os.path.isfile(path):
            got = f"{'a folder,' if os.path.isdir(path) else 'no file'} {path.name}"
            raise CampaignError(f"a {kind.noun}", got, f"check its name, or start with '{kind.start}'")
        with self._errors():
            self._connection = sqlite3.connect(
                _address(path), uri=True, timeout=30, isolation_level=None, check_same_thread=False
            )
        try:
            self._check_version()
            self.rows("PRAGMA synchronous = NORMAL")  # whole at any kill; only a power cut may take the last targets
        except CampaignError:
            self.close()
            raise

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def _check_version(self) -> None:
        ((application,),) = self.rows("PRAGMA application_id")
        ((version,),) = self.rows("PRAGMA user_version")
        if application != self.kind.application_id:
            raise self._foreign("another database" if _begins(self.path) else "an empty file")
        if version > self.kind.version:
            here = f"schema {version}; this one reads 1 to {self.kind.version}"
            got = f"{self.path.name}, which is from a later version of dnncov ({here})"
            expected = f"a {self.kind.noun} that this version reads"
            raise CampaignError(expected, got, "open it with the version that wrote it")
        if version < 1:
            raise self._damaged(ValueError(f"schema {version}"))
        for (name,) in self.rows(_NOT_STORED):
            raise self._damaged(ValueError(f"{shown(name)} is computed instead of stored"))
        if version < self.kind.version:
            if os.access(self.path, os.W_OK) and not _is_finished(self.path):
                self._migrate()
            else:
                self._supplement()

    def _migrate(self) -> None:
        """Adds the columns, which may be NULL, the tables and the indexes that a file of an earlier version lacks."""
        with self.transaction() as connection:
            made, columns = self._lacking()  # asked here: another process may have been faster
            connection.execute(f"DROP INDEX IF EXISTS {EARLIER_INDEX}")
            for table, name, kind in columns:
                connection.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")
            for statement in made:
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {self.kind.version}")

    def _supplement(self) -> None:
        """Lets queries find columns and tables that a file lacks, for this connection: the file cannot be written."""
        self._indexed = False
        made, columns = self._lacking()
        for table in (statement for statement in made if statement.startswith("CREATE TABLE")):
            self.rows(table.replace("CREATE TABLE", "CREATE TEMP TABLE"))
        for altered in {table for table, *_ in columns}:
            names = ", ".join(f"NULL AS {name}" for table, name, _ in columns if table == altered)
            self.rows(f"CREATE TEMP VIEW {altered} AS SELECT *, {names} FROM main.{altered}")

    def _lacking(self) -> tuple[list[str], list[tuple[str, str, str]]]:
        """How tables and indexes are made that a new file has and this one lacks; its columns: table, name, type."""
        with closing(sqlite3.connect(":memory:")) as new:
            new.executescript(self.kind.schema)
            made, columns = (new.execute(query).fetchall() for query in (_MADE, _COLUMNS))
        here, own = {name for name, _ in self.rows(_MADE)}, {row[:2] for row in self.rows(_COLUMNS)}
        lacking = [statement for name, statement in made if name not in here]
        return lacking, [column for column in columns if column[0] in here and column[:2] not in own]

    def indexed_by(self, index: str) -> str:
        """Makes a query use an index that holds all it needs, where it would look up whole rows; nothing without it."""
        return f"INDEXED BY {index}" if self._indexed else ""

    def pairs_with_targets(self) -> str:
        """Targets ``t`` with their test pairs ``p``, for queries that ask for no array: indexes hold the rest."""
        by_layers, by_target = self.indexed_by("target_layers"), self.indexed_by("test_pair_figures")
        return f"target t {by_layers} CROSS JOIN test_pair p {by_target} ON p.target = t.id"

    def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[Any]:
        """All rows of a query."""
        with self._errors():
            return self._connection.execute(sql, parameters).fetchall()

    def records(self, kind: Callable[..., T], sql: str, parameters: Sequence[object] = ()) -> list[T]:
        """The records of a query whose columns are those of their kind."""
        with self.judging():
            return [record_from(kind, row) for row in self.rows(sql, parameters)]

    def numbers(self, sql: str, parameters: Sequence[object] = ()) -> list[int]:
        """The only column of a query: places, or numbers of things."""
        rows = self.rows(sql, parameters)
        with self.judging():
            return [value_of(Count, value) for (value,) in rows]

    def of_campaign(self, column: str, kind: Any, *, read: Callable[[Any], T] = _as_it_is) -> T:
        """What a column of the campaign's own row says, a value of this type.

        ``read`` makes something of a value that is not NULL; it raises ValueError or an error of this package where it
        cannot.
        """
        (value,) = self.row(f"SELECT {column} FROM campaign")
        with self.judging():
            found = named(column, partial(value_of, kind), value)
            return read(found) if value is not None else found

    def row(self, sql: str, parameters: Sequence[object] = ()) -> Any:
        """The first row of a query that has at least one."""
        rows = self.rows(sql, parameters)
        with self.judging():
            if not rows:
                raise ValueError("a row is missing")
            return rows[0]

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """All that is read inside is of one moment, whatever a worker stores meanwhile; nothing is written inside.

        What methods marked `once` read is read once. Within a moment or a transaction there is no other one.
        """
        if self._connection.in_transaction:
            yield
            return
        before = stamp_of(self.path)
        self.rows("BEGIN")
        try:
            self.rows("SELECT name FROM sqlite_master LIMIT 1")  # the moment begins with the first look
            self.moment = moment_of(self.path, before, stamp_of(self.path))
            yield
        finally:
            self.moment = None
            if self._connection.in_transaction:
                self.rows("ROLLBACK")

    @contextmanager
    def beside(self, path: Path) -> Iterator[None]:
        """Inside, queries find the tables of another file of this kind and version as those of ``other``."""
        self.rows("ATTACH ? AS other", (_address(path),))
        try:
            yield
        finally:
            self.rows("DETACH other")

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection whose changes are stored all or not at all."""
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if _code(error) == sqlite3.SQLITE_READONLY:
                fix = "work on a copy of it" if is_example(self.path) else "copy it to a folder of yours"
                got = f"{self.path.name}, which is read-only here"
                raise CampaignError(f"a {self.kind.noun} that can be written", got, fix) from error
            fix = "free some space, then resume: what is stored stays" if "full" in str(error) else "check the file"
            raise CampaignError(f"to read and write {self.path.name}", str(error), fix) from error
        except sqlite3.DatabaseError as error:
            if _code(error) == sqlite3.SQLITE_NOTADB and _begins(self.path) != MAGIC:
                raise self._foreign("another kind of file") from error
            raise self._damaged(ValueError(TORN) if _code(error) in UNREADABLE else error) from error
        except ValueError as error:
            raise self._damaged(error) from error

    @contextmanager
    def judging(self) -> Iterator[None]:
        """Around what judges values of rows: what it refuses is damage."""
        try:
            yield
        except CampaignError:
            raise
        except (DnncovError, ValueError, ArithmeticError) as error:
            raise self._damaged(error) from error

    def _foreign(self, kind: str) -> CampaignError:
        expected = f"a {self.kind.noun} written by dnncov"
        return CampaignError(expected, f"{kind}, {self.path.name}", f"give a {self.kind.noun}")

    def _damaged(self, error: Exception) -> CampaignError:
        got = f"a damaged one, {self.path.name} ({reason_of(error)})"
        fix = "restore it from a copy, or open it with the version that wrote it"
        return CampaignError(f"a whole {self.kind.noun}", got, fix)


def _code(error: sqlite3.Error) -> int:
    """SQLite's kind of an error, its last eight bits; 0 for those that Python itself raises."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _begins(path: Path) -> bytes:
    """As many bytes of a file as `MAGIC` has; none if it has just gone."""
    with suppress(OSError), path.open("rb") as file:
        return file.read(len(MAGIC))
    return b""


def _is_finished(path: Path) -> bool:
    """Whether nobody changes a file: the example, or where SQLite cannot put its own files beside it, and has none."""
    return is_example(path) or (not os.access(path.absolute().parent, os.W_OK) and not os.path.exists(f"{path}-wal"))


def _address(path: Path) -> str:
    """How SQLite is told to open a file: to read it alone where nobody changes it."""
    return f"{path.absolute().as_uri()}?{'immutable=1' if _is_finished(path) else 'mode=rw'}"


@dataclass(frozen=True)
class FilePart:
    """A part of a campaign file, which answers for one subject."""

    database: Database


def create(path: Path, rows: Iterable[Statement], kind: FileKind = CAMPAIGN) -> None:
    """Makes a new file of a kind with its first rows.

    Raises:
        CampaignError: the file exists, or its folder cannot be written.
    """
    _touch(path, kind)
    try:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(kind.schema)
            for sql, parameters in rows:
                connection.execute(sql, parameters)
            connection.execute(f"PRAGMA application_id = {kind.application_id}")
            connection.execute(f"PRAGMA user_version = {kind.version}")
    except sqlite3.OperationalError as error:
        remove(path)
        raise _not_created(path, error, kind) from error


def copy(database: Database, path: Path) -> None:
    """Makes a new campaign file with all that an open one holds.

    Raises:
        CampaignError: the file exists, or its folder cannot be written.
    """
    _touch(path, database.kind)
    try:
        database.rows("VACUUM INTO ?", (str(path),))
    except CampaignError:
        remove(path)
        raise
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")


def _touch(path: Path, kind: FileKind) -> None:
    try:
        path.touch(exist_ok=False)
    except OSError as error:
        raise _not_created(path, error, kind) from error


def remove(path: Path) -> None:
    """Takes a file away, with what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        with suppress(OSError):
            os.unlink(f"{path}{suffix}")


def _not_created(path: Path, error: Exception, kind: FileKind) -> CampaignError:
    if isinstance(error, FileExistsError) and os.path.lexists(path):
        fix = f"resume it with '{kind.resume}', or choose another --out"
        return CampaignError("a new file name", f"{path.name}, which exists", fix)
    reason = getattr(error, "strerror", None) or str(error)
    return CampaignError("a folder that can be written", f"{reason} for {path.name}", "choose another --out")
