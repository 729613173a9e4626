"""Suites measured one after the other, by one process or several, until a file holds all of them."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from dnncov_core.campaign.work.pool import PRELOADED, START, end_with_parent
from dnncov_core.data import Data
from dnncov_core.errors import CampaignError
from dnncov_core.faults.fault_file import FaultFile
from dnncov_core.networks.network import Network
from dnncov_core.records import FINGERPRINT_SHOWN
from dnncov_core.registry import open_data_for, open_network
from dnncov_core.resources import versions
from dnncov_core.suites.measurement import Measurement, measure
from dnncov_core.suites.reference import KnownReference, known_reference
from dnncov_core.suites.remembered import RememberedSuite, Values, some_of
from dnncov_core.suites.streams import Suite
from dnncov_core.types import BoolArray, IntArray, OnProgress
from dnncov_core.workers import alive
from dnncov_core.worth.correlations import correlations
from dnncov_core.worth.draws import Pool, SuiteKey, drawn, keys
from dnncov_core.worth.generated import generated
from dnncov_core.worth.spec import WorthSpec, with_effect
from dnncov_core.worth.worth_file import VERSION, Head, MeasuredSuite, WorthFile, add, packed, read, resumed

MOST_BYTES = 2**32
"""Values of the pool that are kept in files; of a larger pool or network, each suite goes through the network anew."""
VALUES = "dnncov-worth-"
"""How the names of their folders begin, before the number of the process."""
Coverage = dict[str, tuple[float, int | None]]


@dataclass(frozen=True, eq=False)
class Measuring:
    """All that decides what a suite covers.

    Attributes:
        spec: what was asked.
        network: the network.
        pool: its inputs.
        known: of the reference data.
        values: of the pool, if they are kept.
    """

    spec: WorthSpec
    network: Network
    pool: Data
    known: KnownReference
    values: Values | None

    def coverage(self, rows: IntArray) -> Coverage:
        """What some inputs of the pool cover by each criterion, and of how much."""
        some = some_of(self.pool, rows)
        suite = Suite(self.network, some)
        if self.values is not None:
            suite = RememberedSuite(self.network, some, self.values, rows)
        how = self.spec.measurement
        given: dict[str, Any] = {"mode": how.feature_mode, "omega": how.omega, "effect": how.effect}
        return _counts(measure(self.network, suite, self.spec.asked(), reference=self.known, **given))


def _counts(found: Measurement) -> Coverage:
    counts: Coverage = {}
    for each in found.results:
        counts[each.asked.text] = each.covered, each.total
        if each.edges:
            counts[with_effect(each.asked.text)] = sum(edge.effects.shown for edge in each.edges), each.total
    return counts


@dataclass(frozen=True)
class Sources:
    """Where all is that a process needs: names or paths, and a folder with the pool's values, if they are kept."""

    network: str
    pool: str
    values: Path | None


def measured(
    spec: WorthSpec,
    sources: Sources,
    kills: BoolArray,
    reference: Data | None,
    done: Sequence[SuiteKey],
    *,
    processes: int,
    on_progress: OnProgress,
) -> Iterator[MeasuredSuite]:
    """The suites that are not done, in their order, whatever the number of processes.

    Args:
        spec: what was asked.
        sources: of network and pool.
        kills: which inputs of the pool kill each mutant, ``(mutants, inputs)``.
        reference: data whose ranges count.
        done: suites that need not be measured.
        processes: how many work.
        on_progress: told of inputs, of all inputs of the suites that are not done.

    Raises:
        DnncovError: network or pool cannot be read, or the network gives NaN or infinite values.
    """
    network = open_network(sources.network)[0]
    pool = open_data_for(network, sources.pool)
    points, there = Pool.of(pool, network.box), set(done)
    left = [key for key in keys(spec.sizes, spec.suites) if key not in there]
    n_done, total = 0, sum(key.size for key in left)
    with _kept(network, pool, on_progress) as folder:
        asked = spec.asked()
        known = KnownReference() if reference is None else known_reference(network, reference, asked)
        draws = (drawn(points, key, spec.random_seed) for key in left)
        rows = list(draws)
        begin = (spec, Sources(sources.network, sources.pool, folder), known)
        for key, some, coverage in zip(left, rows, _in_processes(begin, rows, processes), strict=True):
            n_done += key.size
            yield MeasuredSuite(key.size, key.way, key.number, points.balance(some), packed(kills[:, some]), coverage)
            on_progress(f"suites of {key.size:,} inputs", n_done, total)


@contextmanager
def _kept(network: Network, pool: Data, on_progress: OnProgress) -> Iterator[Path | None]:
    """A folder with the pool's values as long as they are needed; None where they would be too many."""
    if Values.size(network, len(pool)) > MOST_BYTES:
        yield None
        return
    _remove_left()
    with tempfile.TemporaryDirectory(prefix=f"{VALUES}{os.getpid()}-") as folder:
        on_progress("the pool", 0, 1)
        Values.written(Suite(network, pool), Path(folder), lambda n: None)
        yield Path(folder)


def _remove_left() -> None:
    """Removes the values of processes that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{VALUES}*-*"):
        process = folder.name.removeprefix(VALUES).partition("-")[0]
        if process.isdecimal() and not alive(int(process), time.time()):
            shutil.rmtree(folder, ignore_errors=True)


def _in_processes(begin: tuple[Any, ...], rows: Sequence[IntArray], processes: int) -> Iterator[Coverage]:
    if processes == 1:
        yield from map(_measuring(*begin).coverage, rows)
        return
    context = multiprocessing.get_context(START)
    context.set_forkserver_preload(PRELOADED)
    with ProcessPoolExecutor(processes, context, initializer=_begin, initargs=begin) as executor:
        try:
            yield from executor.map(_work, rows)
        finally:
            executor.shutdown(wait=False, cancel_futures=True)


_here: list[Measuring] = []
"""What a process of a pool measures with."""


def _begin(*begin: Any) -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    _here.append(_measuring(*begin))


def _work(rows: IntArray) -> Coverage:
    return _here[0].coverage(rows)


def _measuring(spec: WorthSpec, sources: Sources, known: KnownReference) -> Measuring:
    network = open_network(sources.network)[0]
    pool = open_data_for(network, sources.pool)
    values = None if sources.values is None else Values.read(network, sources.values)
    return Measuring(spec, network, pool, known, values)


@dataclass(frozen=True)
class Asked:
    """Where to find what a specification names by names alone, and how many processes work (None: one a core)."""

    faults: Path
    network: str | None
    suite: str | None
    reference: str | None
    campaigns: Sequence[Path]
    processes: int | None


def find(path: Path, spec: WorthSpec, asked: Asked, on_progress: OnProgress) -> WorthFile:
    """Measures what a file lacks, in a new file or in one that was asked for the same; returns all that it holds.

    Args:
        path: the file.
        spec: what is asked; network, fingerprints, mutants and inputs are filled in here.
        asked: where all is.
        on_progress: told of progress.

    Raises:
        DnncovError: files that cannot be read, or that are of something else.
    """
    with FaultFile(asked.faults) as faults:
        seeded, mutants, kills, fingerprint = faults.spec, faults.mutants(), faults.kills(), faults.fingerprint()
    sources = Sources(asked.network or seeded.network, asked.suite or seeded.suite, None)
    network = open_network(sources.network)[0]
    spec = replace(
        spec,
        network=seeded.network,
        fingerprint=seeded.network_fingerprint,
        pool_fingerprint=seeded.suite_fingerprint,
        faults_fingerprint=fingerprint,
        mutants=len(mutants),
        inputs=kills.shape[1],
    )
    spec.asked()
    _check("network", network.fingerprint, seeded.network_fingerprint)
    _check("suite", open_data_for(network, sources.pool).fingerprint, seeded.suite_fingerprint)
    reference = None if asked.reference is None else open_data_for(network, asked.reference, labelled=False)
    spec = replace(spec, reference_fingerprint="" if reference is None else reference.fingerprint)
    there = resumed(path, Head(VERSION, time.time(), spec, versions()))
    if there.correlations:
        return there
    if asked.campaigns and not there.generated:
        add(path, "generated", generated(network, mutants, asked.campaigns, spec.random_seed, on_progress))
    done = [each.key for each in there.suites]
    processes = asked.processes or os.cpu_count() or 1
    for suite in measured(spec, sources, kills, reference, done, processes=processes, on_progress=on_progress):
        add(path, "suite", [suite])
    add(path, "correlation", correlations(read(path).table(), spec.random_seed))
    return read(path)


def _check(what: str, found: str, expected: str) -> None:
    if found != expected:
        wanted = f"the {what} of the faults, fingerprint {expected[:FINGERPRINT_SHOWN]}"
        raise CampaignError(wanted, f"fingerprint {found[:FINGERPRINT_SHOWN]}", f"give it with --{what}")
