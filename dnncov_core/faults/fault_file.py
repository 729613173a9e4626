"""The file of seeded faults: what was asked, each mutant, and which inputs kill it.

Each mutant is stored in one transaction, with those that were drawn in its place and left out. A process that is killed
loses the mutant in flight and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from dnncov_core.campaign.file import sql
from dnncov_core.campaign.file.encoding import columns, marks, to_row, value_of
from dnncov_core.campaign.file.file_kind import FileKind
from dnncov_core.errors import CampaignError
from dnncov_core.faults.operators import MUTATION_OPERATORS
from dnncov_core.faults.spec import SUFFIX, FaultSpec, Mutant
from dnncov_core.outside_text import json_value
from dnncov_core.types import BoolArray, Count, LayerNumber, UnixTime

SCHEMA = """
CREATE TABLE faults (        -- one row
    id INTEGER PRIMARY KEY CHECK (id = 1),
    spec TEXT NOT NULL,      -- FaultSpec as JSON
    created REAL NOT NULL,   -- seconds since the epoch
    versions TEXT NOT NULL,  -- package versions as JSON
    inputs INTEGER NOT NULL, -- of the suite
    correct BLOB NOT NULL    -- a bit an input, the highest of each byte first: 1 where the network is right
);
CREATE TABLE mutant (        -- one row a mutant
    ordinal INTEGER PRIMARY KEY,
    operator TEXT NOT NULL,  -- of MUTATION_OPERATORS
    layer INTEGER NOT NULL,  -- 1: the input
    layer_name TEXT NOT NULL,
    draw INTEGER NOT NULL,   -- how many were drawn before it in its place and left out
    strength REAL NOT NULL,
    random_seed INTEGER NOT NULL,
    network TEXT NOT NULL,   -- fingerprint of the network without the fault
    inputs INTEGER NOT NULL,
    right_before INTEGER NOT NULL,
    right_after INTEGER NOT NULL,
    killed_by INTEGER NOT NULL,
    kills BLOB NOT NULL      -- a bit an input: 1 where the network is right and the mutant is wrong
);
CREATE TABLE left_out (      -- one row a mutant that was drawn and is none of the above
    ordinal INTEGER NOT NULL,           -- in whose place it was drawn
    draw INTEGER NOT NULL,
    operator TEXT NOT NULL,
    layer INTEGER NOT NULL,
    reason TEXT NOT NULL,    -- LeftOut
    PRIMARY KEY (ordinal, draw)
) WITHOUT ROWID;
"""
KIND = FileKind(f"file of seeded faults ({SUFFIX})", 0x444E4346, 1, SCHEMA, "dnncov faults", "the same command")


@dataclass(frozen=True)
class Redrawn:
    """A mutant that was drawn and left out: in whose place, by which operator, where, and why, as `LeftOut` says."""

    ordinal: Count
    draw: Count
    operator: str
    layer: LayerNumber
    reason: str


class FaultFile:
    """One file of seeded faults. Close it, or use it in a ``with`` statement.

    Raises:
        CampaignError: no such file, another kind of file, damaged, or of a newer version.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = sql.Database(path, KIND)
        try:
            self.spec, self.inputs = self._of_all("spec", str, FaultSpec.from_json), self._of_all("inputs", Count)
        except CampaignError:
            self.close()
            raise

    @classmethod
    def create(cls, path: Path, spec: FaultSpec, right: BoolArray, versions: dict[str, str]) -> FaultFile:
        """Makes a new file without mutants; ``right`` says which inputs the network has right, ``(inputs,)``.

        Raises:
            CampaignError: the file exists, or its folder cannot be written.
        """
        row = (spec.to_json(), time.time(), json.dumps(versions), len(right), np.packbits(right).tobytes())
        insert = "INSERT INTO faults (id, spec, created, versions, inputs, correct) VALUES (1, ?, ?, ?, ?, ?)"
        sql.create(path, [(insert, row)], KIND)
        return cls(path)

    def close(self) -> None:
        """Closes the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def created(self) -> float:
        """When it was created, in seconds since the epoch."""
        return self._of_all("created", UnixTime)  # type: ignore[no-any-return]

    def versions(self) -> dict[str, str]:
        """Versions of the packages that created it."""
        return self._of_all("versions", str, lambda text: value_of(dict[str, str], json_value(text)))  # type: ignore[no-any-return]

    def mutants(self) -> Sequence[Mutant]:
        """All mutants that are there, by their numbers."""
        found = self._database.records(Mutant, f"SELECT {columns(Mutant)} FROM mutant ORDER BY ordinal")
        with self._database.judging():
            for each in found:
                if each.operator not in MUTATION_OPERATORS or each.inputs != self.inputs:
                    raise ValueError(f"mutant {each.ordinal} of {each.operator} and {each.inputs} inputs")
        return found

    def left_out(self) -> Sequence[Redrawn]:
        """All that were drawn and left out."""
        return self._database.records(Redrawn, f"SELECT {columns(Redrawn)} FROM left_out ORDER BY ordinal, draw")

    def right(self) -> BoolArray:
        """Which inputs the network has right, ``(inputs,)``."""
        return self._of_all("correct", bytes, self._bits)  # type: ignore[no-any-return]

    def kills(self) -> BoolArray:
        """Which inputs kill each mutant, in the order of `mutants`, ``(mutants, inputs)``."""
        rows = self._database.rows("SELECT kills FROM mutant ORDER BY ordinal")
        with self._database.judging():
            found = [self._bits(blob) for (blob,) in rows]
        return np.array(found, bool).reshape(len(rows), self.inputs)

    def fingerprint(self) -> str:
        """Of what was asked, and of which inputs kill which mutant: another one once there are more mutants."""
        return hashlib.sha256(self.spec.to_json().encode() + np.packbits(self.kills()).tobytes()).hexdigest()

    def ask_for(self, spec: FaultSpec) -> None:
        """Asks for more mutants, and for the same in all else."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE faults SET spec = ?", (spec.to_json(),))
        self.spec = spec

    def store(self, mutant: Mutant, kills: BoolArray, left_out: Sequence[Redrawn]) -> None:
        """Keeps a mutant, which inputs kill it, and what was left out before it was found.

        What another process has stored meanwhile is the same, and stays.
        """
        with self._database.transaction() as connection:
            names, values = f"{columns(Mutant)}, kills", [*to_row(mutant), np.packbits(kills).tobytes()]
            connection.execute(f"INSERT OR IGNORE INTO mutant ({names}) VALUES ({marks(Mutant)}, ?)", values)
            rows = [to_row(each) for each in left_out]
            connection.executemany(
                f"INSERT OR IGNORE INTO left_out ({columns(Redrawn)}) VALUES ({marks(Redrawn)})", rows
            )

    def _bits(self, blob: Any) -> BoolArray:
        if not isinstance(blob, bytes) or len(blob) != -(-self.inputs // 8):
            raise ValueError(f"bits of other than {self.inputs} inputs")
        return np.unpackbits(np.frombuffer(blob, np.uint8), count=self.inputs).astype(bool)

    def _of_all(self, column: str, kind: Any, read: Any = None) -> Any:
        """What a column of the only row of the table faults says; ``read`` makes something of it."""
        (value,) = self._database.row(f"SELECT {column} FROM faults")
        with self._database.judging():
            found = value if kind is bytes else value_of(kind, value)
            return found if read is None else read(found)
