"""Gives thousands of hostile files to the command; see the package's docstring."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from tests import runs
from tests.hostile.trials import KINDS, Trial, apart


def main() -> int:
    """Prints faults as they come, then a table; 1 if there was a fault."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.files)
    runs.processes()  # before threads ask for it at the same time
    with ThreadPoolExecutor(options.processes) as threads:
        tried = threads.map(lambda number: _told(number, apart(options.kind, number)), numbers)
        trials = list(chain.from_iterable(tried))
    print(_table(options.kind, options.files, trials))
    return int(any(trial.fault for trial in trials))


def _told(number: int, trials: list[Trial]) -> list[Trial]:
    for trial in trials:
        if trial.fault:
            last = trial.errors.strip().splitlines()[-1:] or [""]
            print(f"{number}: {trial.fault}: {' '.join(trial.command)} ({trial.words}): {last[0][:300]}", flush=True)
    return trials


def _table(kind: str, files: int, trials: list[Trial]) -> str:
    statuses = Counter("ended from outside" if trial.status is None else trial.status for trial in trials)
    faults = Counter(trial.fault for trial in trials if trial.fault)
    ended = ", ".join(f"{status}: {n:,}" for status, n in sorted(statuses.items(), key=str))
    return (
        f"{kind}: {files:,} files, {len(trials):,} runs; exit status {ended}; faults {dict(faults) or 0}; "
        f"longest {max(trial.seconds for trial in trials):.1f} s, "
        f"most memory {max(trial.mebibytes for trial in trials):,.0f} MiB"
    )


if __name__ == "__main__":
    sys.exit(main())
