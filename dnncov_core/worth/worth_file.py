"""The file of a worth: a line of JSON for what was asked, for each suite, for generated pairs, and for the answer.

A line is added as soon as it is known. A process that is killed loses the suite in flight; a last line that it left
unfinished is taken away before the next one is written. What two processes have added is the same, and counts once.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core.errors import CampaignError, DnncovError
from dnncov_core.outside_text import json_value
from dnncov_core.outside_values import record
from dnncov_core.record_files import writing
from dnncov_core.types import BoolArray, Count, Share, Size, Unbounded, UnixTime
from dnncov_core.worth.correlations import Correlation, Suites
from dnncov_core.worth.draws import WAYS, SuiteKey
from dnncov_core.worth.spec import WorthSpec

VERSION = 1


@dataclass(frozen=True)
class Head:
    """The first line: what was asked, when, and with which versions of packages."""

    version: Count
    created: UnixTime
    spec: WorthSpec
    versions: dict[str, str]


@dataclass(frozen=True)
class MeasuredSuite:
    """A line for one suite.

    Attributes:
        size: its inputs.
        way: a key of `WAYS`.
        number: from 0.
        balance: how evenly classes occur.
        killed: a bit a mutant, in base64.
        coverage: of each criterion, what is covered, and of how much; of how much is None where nobody knows.
    """

    size: Size
    way: str
    number: Count
    balance: Share
    killed: str
    coverage: dict[str, tuple[Unbounded, Count | None]]

    @property
    def key(self) -> SuiteKey:
        """Which suite it is."""
        return SuiteKey(self.size, self.way, self.number)


@dataclass(frozen=True)
class Generated:
    """A line for inputs of one kind.

    Attributes:
        kind: a key of `KINDS` in `generated`.
        inputs: how many were run, as many as of each other kind.
        there: of how many they were drawn.
        killed: a bit a mutant, in base64: some input that the network has right and the mutant wrong.
        differs: likewise, some input whose label is another one for the mutant than for the network.
    """

    kind: str
    inputs: Count
    there: Count
    killed: str
    differs: str


@dataclass(frozen=True)
class WorthFile:
    """What a file holds; ``correlations`` are empty until all suites are measured."""

    head: Head
    suites: Sequence[MeasuredSuite]
    generated: Sequence[Generated]
    correlations: Sequence[Correlation]

    @property
    def spec(self) -> WorthSpec:
        """What was asked."""
        return self.head.spec

    def table(self) -> Suites:
        """The suites as arrays."""
        ways, suites = list(WAYS), sorted(self.suites, key=lambda each: each.key)
        return Suites(
            np.array([each.size for each in suites]),
            np.array([ways.index(each.way) for each in suites]),
            np.array([each.balance for each in suites], np.float64),
            np.array([self.bits(each.killed) for each in suites]),
            {text: np.array([each.coverage[text][0] for each in suites], float) for text in suites[0].coverage},
        )

    def bits(self, text: str) -> BoolArray:
        """Which mutants, ``(mutants,)``."""
        return np.unpackbits(np.frombuffer(base64.b64decode(text), np.uint8), count=self.spec.mutants).astype(bool)


def packed(kills: BoolArray) -> str:
    """The mutants that some input kills, as a line has them, of ``(mutants, inputs)``."""
    return base64.b64encode(np.packbits(kills.any(axis=1)).tobytes()).decode()


KINDS = {"asked": Head, "suite": MeasuredSuite, "generated": Generated, "correlation": Correlation}
"""What a line holds, by its only key."""


def add(path: Path, key: str, lines: Sequence[Any]) -> None:
    """Adds lines of one of `KINDS`; they are in the file when this returns.

    Raises:
        DataError: the file cannot be written.
    """
    with writing("--out"), path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({key: asdict(line)}) + "\n" for line in lines)


def read(path: Path) -> WorthFile:
    """Reads a file.

    Raises:
        CampaignError: no such file, or another kind of file, or a damaged one.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _foreign(path, str(getattr(error, "strerror", None) or "other bytes than text")) from error
    found: dict[str, list[Any]] = {key: [] for key in KINDS}
    try:
        for line in text[: text.rfind("\n") + 1].splitlines():
            ((key, fields),) = json_value(line).items()
            found[key].append(record(KINDS[key], fields))
    except (AttributeError, KeyError, ValueError, DnncovError) as error:
        raise _foreign(path, f"a line that says something else ({error})") from error
    if len(found["asked"]) != 1 or found["asked"][0].version != VERSION:
        raise _foreign(path, "a file that does not say what was asked")
    return WorthFile(
        found["asked"][0],
        list({each.key: each for each in found["suite"]}.values()),
        list({each.kind: each for each in found["generated"]}.values()),
        list({(each.criterion, each.size): each for each in found["correlation"]}.values()),
    )


def resumed(path: Path, head: Head) -> WorthFile:
    """The file to go on with: a new one, or one that was asked for the same, without an unfinished last line.

    Raises:
        CampaignError: the file holds something else.
        DataError: it cannot be written.
    """
    if path.exists() and path.stat().st_size:
        found = read(path)
        if found.spec != head.spec:
            asked = vars(head.spec).items()
            other = ", ".join(name for name, value in asked if value != getattr(found.spec, name)).replace("_", " ")
            fix = "ask for the same to resume it, or choose another --out"
            raise CampaignError(f"{path.name} to hold what is asked for", f"another {other}", fix)
        _mend(path)
        return found
    add(path, "asked", [head])
    return WorthFile(head, (), (), ())


def _mend(path: Path) -> None:
    """Takes an unfinished last line away."""
    with writing("--out"), path.open("rb+") as file:
        content = file.read()
        file.truncate(content.rfind(b"\n") + 1)


def _foreign(path: Path, got: str) -> CampaignError:
    return CampaignError("a file of dnncov worth", f"{path.name}: {got}", "name another file, or measure again")
