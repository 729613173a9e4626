"""Kinds of work that are disturbed: what they begin with, when they are at it, and what comes of them undisturbed."""

from __future__ import annotations

import functools
import hashlib
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dnncov_core import cli
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.run import LAST_STEP
from dnncov_core.campaign.work.worker import work
from dnncov_core.records import State
from tests import runs
from tests.campaign import old_versions

LP = CampaignSpec(
    network="mnist-n1", data="mnist", pairs=150, seeds=40, max_seeds=3, generator="lp", seed_order="random"
)
TARGETED = replace(LP, generator="targeted", batch=4, pairs=60, passes=60)
BASELINE = replace(TARGETED, pairs=60, batch=60, passes=40, seed_order="random")
PROOF = replace(LP, pairs=4, network="mnist-n2")


@dataclass(frozen=True)
class Phase:
    """A kind of work that is killed.

    Attributes:
        spec: of the campaign.
        begun: whether it is at it, by its file; a kill comes after that.
        seconds: a kill comes so much later at most.
        command: arguments of ``dnncov`` for the campaign file.
        kills: of 200.
        apart: whether the command gets a process that has imported nothing beforehand.
        watched: whether its file may be read meanwhile; it would be migrated by that.
        before: makes the file that the command gets from a new campaign.
    """

    spec: CampaignSpec
    begun: Callable[[Path], bool]
    seconds: float
    command: Callable[[Path], tuple[str, ...]] = lambda path: ("resume", str(path))
    kills: int = 20
    apart: bool = False
    watched: bool = True
    before: Callable[[Path], object] = lambda path: None


def _in_state(*states: State) -> Callable[[Path], bool]:
    return lambda path: runs.state_of(path) in states


def some_done(path: Path) -> bool:
    """Whether a worker has done some of its test conditions, and is at the rest."""
    return runs.state_of(path) is State.RUNNING and runs.done(path) > 0


def _last_step(path: Path) -> bool:
    with CampaignStore(path) as store:
        return store.state() is State.RUNNING and store.worker.message() == LAST_STEP


def _proving(path: Path) -> bool:
    with CampaignStore(path) as store:
        status = store.proof.status()
        return status is not None and status.now is State.RUNNING


def _at_once(_path: Path) -> bool:
    return True


def _finish(path: Path) -> None:
    work(path)


def _age(path: Path) -> None:
    """Makes it a file of the first version, of so many rows that its migration takes a while."""
    work(path)
    old = old_versions.write(path.with_suffix(".old"), path, 1)
    connection = sqlite3.connect(old)
    spec = CampaignSpec.from_json(old_versions.SPEC_1)
    connection.execute("UPDATE campaign SET spec = ?", (replace(spec, network="mnist-n1", data="mnist").to_json(),))
    names = [row[1] for row in connection.execute("PRAGMA table_info(attempt)") if row[1] != "place"]
    columns = ", ".join(names)
    connection.execute(
        f"INSERT INTO attempt (place, {columns}) SELECT 1000 + value, {columns} FROM attempt,"
        " (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 9000)"
        " SELECT value FROM n) WHERE place = 0"
    )
    connection.commit()
    connection.close()
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    old.replace(path)


PHASES: Mapping[str, Phase] = {
    "preparing": Phase(LP, _in_state(State.PREPARING), 0.2, kills=30),
    "linear programming": Phase(LP, some_done, 1.0, kills=40),
    "linear programming, two processes": Phase(
        LP, some_done, 1.0, lambda path: ("resume", str(path), "--workers", "2"), kills=20, apart=True
    ),
    "gradient search": Phase(TARGETED, some_done, 1.0, kills=30),
    "baseline searches": Phase(BASELINE, _last_step, 0.5, kills=20),
    "proof": Phase(PROOF, _proving, 1.0, lambda path: ("prove", str(path), "--time-limit", "20"), before=_finish),
    "export": Phase(
        LP, _at_once, 2.0, lambda path: ("export", str(path), "--out", str(path.parent / "out")), before=_finish
    ),
    "migration": Phase(LP, _at_once, 0.3, lambda path: ("show", str(path)), watched=False, before=_age),
}


def content(path: Path) -> Any:
    """All of a finished campaign that must not depend on kills."""
    with CampaignStore(path) as store:
        searches = store.database.rows("SELECT * FROM control ORDER BY ordinal")
        certificates = sorted(str(replace(each, seconds=0.0)) for each in store.certificates.all())
    return runs.content(path), searches, certificates


def pairs(path: Path) -> set[tuple[int, bytes]]:
    """The stored test pairs, by the ordinals of their conditions, with x2."""
    with CampaignStore(path) as store:
        return {(pair.target.ordinal, pair.x2.tobytes()) for pair in store.pairs.page()}


def exported(folder: Path) -> dict[str, str]:
    """Names of exported tables with digests of their content: figures carry dates."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*.csv"))
    }


@functools.cache
def unbroken(name: str, base: Path) -> tuple[Any, dict[str, str]]:
    """What comes of a phase that nobody disturbs: its campaign, and what it exported."""
    path = new(name, base / f"unbroken-{name.replace(' ', '-').replace(',', '')}")
    phase = PHASES[name]
    if phase.command(path)[0] == "resume":
        work(path)
    elif cli.main(phase.command(path)):
        raise RuntimeError(name)
    return content(path), exported(path.parent / "out")


_made: dict[str, bytes] = {}


def new(name: str, folder: Path) -> Path:
    """A new campaign file in a new folder, as the phase's command finds it."""
    folder.mkdir()
    path = folder / "c.dnncov"
    if name not in _made:
        runs.create(path, PHASES[name].spec)
        PHASES[name].before(path)
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        _made[name] = path.read_bytes()
    path.write_bytes(_made[name])
    return path
