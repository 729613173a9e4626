"""The check of a draft, in a process of its own: what is found, and what mends a poor reading, written as files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from dnncov_core.brought.limits import MEMORY_GIB, SECONDS, confine, in_time
from dnncov_core.brought.report import REPORT, Choice, Report
from dnncov_core.data import Data
from dnncov_core.data.own_decisions import OWN
from dnncov_core.errors import DataError, DnncovError, reason_of
from dnncov_core.jobs import reporting
from dnncov_core.networks.network import Network
from dnncov_core.readings.check import Check, check, leaves
from dnncov_core.readings.mend import mended_labels
from dnncov_core.readings.mended_file import save_mended, save_with_their_bounds
from dnncov_core.readings.own_decisions import save_own_decisions, unlabelled
from dnncov_core.readings.steps import layout
from dnncov_core.readings.trials import Trial, least_of
from dnncov_core.record_files import write_record
from dnncov_core.records import NetworkCard, State
from dnncov_core.registry import open_network
from dnncov_core.workers import Reporter

MOST_CHOICES = 3
"""Ways to mend a reading that are written and offered."""
THEIRS = "the data leave the network's bounds, so that it gets theirs"
"""What is said where bounds come from the data."""
LOADED, READ, SHARES = 30, 80, 100
"""How far the check is once the network is loaded, and once readings were tried, of how many shares."""


def check_draft(status: Path, network: str, data: str, *, attended: bool) -> None:
    """Checks a network on data within `limits`, and writes the report and what mends them into a draft's folder.

    Args:
        status: the file that says how far the check is; the others of the check are beside it.
        network: a name, or a reference as for `open_network`.
        data: a name or a path.
        attended: end the process when standard input closes.

    Raises:
        DnncovError: one of them cannot be used, or the check takes too much memory.
    """
    confine()
    with (
        reporting(status, network, data, attended=attended) as reporter,
        in_time(partial(_give_up, reporter)),
    ):
        try:
            write_record(status.with_suffix(REPORT), _Work(status.with_suffix(""), network, data, reporter).report())
        except DnncovError:
            raise
        except Exception as error:  # whatever a file makes libraries raise
            raise _unexpected(error) from error


def _give_up(reporter: Reporter) -> None:
    error = DataError(f"a check of at most {SECONDS // 60} minutes", "a longer one", "take fewer inputs")
    reporter.note(state=State.FAILED, message=str(error))
    os._exit(1)


def _unexpected(error: Exception) -> DataError:
    if isinstance(error, MemoryError) or "allocate" in str(error):
        fix = "take a smaller network, or fewer or smaller inputs"
        return DataError(f"a check in at most {MEMORY_GIB} GiB of memory", "more", fix)
    got = f"{type(error).__name__}: {reason_of(error)}"
    return DataError("a network and data that can be checked", got, "export or save them again")


@dataclass(frozen=True)
class _Work:
    """The files of a check without a suffix, references of network and data, and whom progress is told."""

    stem: Path
    network: str
    data: str
    reporter: Reporter

    def report(self) -> Report:
        self.reporter.tell("network", 0, SHARES)
        network, _ = open_network(self.network)
        try:
            found = check(network, self.data, on_progress=self._tell_readings)
        except DataError as error:
            data = unlabelled(network, self.data, error, beyond=True)
            return _report(network, data, None, list(self._without_labels(network, data)), [])
        self.reporter.tell("mends", READ, SHARES)
        notes = [*found.notes]
        choices = list(self._choices(network, found, notes))
        return _report(network, found.data, found, choices, notes)

    def _tell_readings(self, tried: str, done: int, total: int) -> None:
        """Readings take the share of the work between `LOADED` and `READ`."""
        self.reporter.tell("readings", LOADED + (READ - LOADED) * done // max(total, 1), SHARES)

    def _without_labels(self, network: Network, data: Data) -> Iterator[Choice]:
        """Ways to take data without labels: as they are, and where the network has classes with these as labels."""
        as_they_are = Choice((), (), 0, 0, "", "", network.card(""))
        if leaves(network, data):
            path = self.stem.with_name(f"{self.stem.name}-bounds.pt2")
            network = save_with_their_bounds(network, data, path)
            data = replace(data, images=data.images.reshape(-1, *network.input_shape))
            as_they_are = Choice((THEIRS,), (), 0, 0, path.name, "", network.card(""))
        yield as_they_are
        if not network.quantities:
            path = self.stem.with_name(f"{self.stem.name}-{OWN}.npz")
            save_own_decisions(network, data, path)
            yield replace(as_they_are, data_file=path.name, own_decisions=True)

    def _choices(self, network: Network, found: Check, notes: list[str]) -> Iterator[Choice]:
        now = found.as_it_is
        mended = found.mended or ((now,) if now is not None and not found.inside else ())
        for number, trial in enumerate(mended[:MOST_CHOICES], start=1):
            try:
                yield self._mended(network, found, trial, number)
            except DnncovError as error:
                notes.append(f"What mends it, {', '.join(trial.causes)}, cannot be taken over: {error}.")
        if now is not None and found.inside:
            yield Choice((), (), now.accuracy.n, now.accuracy.total, "", "", _card(network, found, now))

    def _mended(self, network: Network, found: Check, trial: Trial, number: int) -> Choice:
        path, taken, causes = self.stem.with_name(f"{self.stem.name}-{number}.pt2"), network, trial.causes
        has_new_network = bool(trial.steps) or trial.decision is not None or not found.inside or not found.fits
        if has_new_network:
            taken = save_mended(network, found, trial, path)
        if found.fits and not found.inside and all(step.family != "values" for step in trial.steps):
            causes += (THEIRS,)
        data_file = ""
        if trial.labels is not None:
            data_file = path.with_suffix(".npz").name
            data = mended_labels(found.data, trial)
            images = data.images.reshape(-1, *taken.input_shape)
            np.savez_compressed(path.with_name(data_file), images=images, labels=np.asarray(data.labels))
        accuracy, files = trial.accuracy, (path.name if has_new_network else "", data_file)
        return Choice(causes, trial.mends, accuracy.n, accuracy.total, *files, _card(taken, found, trial))


def _card(network: Network, found: Check, trial: Trial) -> NetworkCard:
    return network.card("", accuracy=trial.share, accuracy_on=f"{len(found.rows)} inputs of the import check")


def _report(
    network: Network, data: Data, found: Check | None, choices: Sequence[Choice], notes: Sequence[str]
) -> Report:
    """The report; nothing was ``found`` where data without labels fit the network and were not tried."""
    now = None if found is None else found.as_it_is
    return Report(
        layout=layout(network.input_shape),
        card=network.card(""),
        shape=data.shape,
        kind=str(data.images.dtype),
        low=float(data.images.min()),
        high=float(data.images.max()),
        inputs=len(data),
        labelled=found is not None,
        fits=found is None or found.fits,
        inside=not leaves(network, data) if found is None else found.inside,
        least=least_of(network),
        fine=found is None or found.is_fine,
        tried=0 if found is None else len(found.trials),
        correct=None if now is None else now.accuracy.n,
        sample=0 if found is None else len(found.rows),
        choices=tuple(choices),
        notes=tuple(notes),
    )
