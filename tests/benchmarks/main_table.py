"""The paper's main table beside its figures: a campaign for each network and criterion, and its line of Markdown.

    python -m tests.benchmarks.main_table --out DIR [--networks NAME ...] [--criteria ss vs sv vv] [options of run]

Campaigns that DIR holds already are not run again, so that a stopped table goes on where it was. Networks whose names
end with a number from 1 to 10 are compared with the paper's network of that number.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dnncov_core.campaign.store import CampaignStore
from dnncov_core.distances import written
from dnncov_core.records import State
from dnncov_core.summary import campaign_summary

CRITERIA = ("ss", "vs", "sv", "vv")
PAPER = """
 99.7 18.9 100.0 15.8 100.0 6.7 100.0 21.1
 98.5  9.5 100.0  6.8  99.9 3.7 100.0 11.2
 99.4  7.1 100.0  5.0  99.9 3.7  98.6 11.0
 98.4  7.1 100.0  7.2  99.8 3.7  98.4 11.2
 89.1 11.4  99.1  9.6  99.4 4.9  98.7  9.1
100.0  9.4 100.0  5.6 100.0 3.7 100.0  8.0
 86.9  8.8 100.0  7.2  99.2 3.8  96.0 12.0
 99.8  8.4 100.0  9.4 100.0 4.0 100.0  7.3
100.0 12.0 100.0 10.5 100.0 5.0 100.0  6.7
 86.7  5.8 100.0  6.1  98.3 2.4  93.9  4.5
"""
"""Coverage M and AE rate in per cent for SS, VS, SV and VV, one line for each of the networks N1 to N10 (the paper's
table of coverage results on ten DNNs)."""

HEAD = """\
| network | criterion | covered | of | M (paper) | AE rate (paper) | mean distance | median | at 8 bits | attempts | s |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"""


def paper(network: str, criterion: str) -> tuple[str, str]:
    """The paper's M and AE rate for a network and a criterion, blank where it has none."""
    number = re.search(r"(\d+)$", network)
    lines = PAPER.split("\n")[1:-1]
    if number is None or not 1 <= int(number[1]) <= len(lines):
        return "", ""
    figures = lines[int(number[1]) - 1].split()
    at = 2 * CRITERIA.index(criterion)
    return f" ({figures[at]})", f" ({figures[at + 1]})"


def campaign(path: Path, network: str, criterion: str, options: Sequence[str]) -> None:
    """Runs the campaign, or goes on with it, unless it is finished."""
    command = [sys.executable, "-m", "dnncov_core"]
    if not path.exists():
        subprocess.run(
            [*command, "run", network, "--criterion", criterion, "--out", path, *options],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return
    with CampaignStore(path) as store:
        finished = store.state() is State.FINISHED
    if not finished:
        subprocess.run([*command, "resume", path], check=True, stdout=subprocess.DEVNULL)


def line(path: Path, network: str) -> str:
    """One campaign as a row of the table."""
    with CampaignStore(path) as store:
        summary, distances = campaign_summary(store), store.distances().distance
    m, ae = paper(network, summary["criterion"])
    mean, median = (written(float(f(distances))) if distances.size else "" for f in (np.mean, np.median))
    cells = (
        network.rpartition(":")[2],
        summary["criterion"],
        f"{summary['covered']:,}",
        f"{summary['pairs']:,}",
        f"{summary['coverage']:.2%}{m}",
        f"{summary['adversarial_rate'] or 0:.1%}{ae}",
        mean,
        median,
        f"{summary['holds_8bit'] or 0:,}",
        f"{summary['attempts']:,}",
        f"{summary['seconds']:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Runs what is missing and prints the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--networks", nargs="+", default=[f"mnist-n{i}" for i in range(1, 11)])
    parser.add_argument("--criteria", nargs="+", choices=CRITERIA, default=CRITERIA)
    options, passed_on = parser.parse_known_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(HEAD, flush=True)
    for network in options.networks:
        for criterion in options.criteria:
            path = options.out / f"{network.rpartition(':')[2]}-{criterion}.dnncov"
            campaign(path, network, criterion, passed_on)
            print(line(path, network), flush=True)


if __name__ == "__main__":
    main()
