"""The paper's main table beside its figures: a campaign for each network and criterion, and its line of Markdown.

    python -m tests.benchmarks.main_table --out DIR [--networks NAME ...] [--criteria ss vs sv vv] [options of run]

Campaigns that DIR holds already are not run again, so that a stopped table goes on where it was. Networks whose names
end with n and a number from 1 to 10 are compared with the paper's network of that number. Unless the options say
otherwise, campaigns ask for no effect and try no seeds beyond the first, as in the paper.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.show import campaign_summary
from dnncov_core.distances import written
from dnncov_core.paper import COLUMNS, papers_coverage
from dnncov_core.records import State

AS_IN_THE_PAPER = ("--effect", "none", "--more-seeds", "0")
HEAD = """\
| network | criterion | covered | of | M (paper) | AE rate (paper) | mean distance | median | at 8 bits | attempts | s |
|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"""


def paper(network: str, criterion: str) -> tuple[str, str]:
    """The paper's M and AE rate for a network and a criterion, blank where it has none."""
    known = papers_coverage(network, criterion)
    return ("", "") if known is None else (f" ({known.coverage:.1f})", f" ({known.adversarial:.1f})")


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
        summary, distances = campaign_summary(store), np.array([pair.distance for pair in store.pairs.page()])
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
    parser.add_argument("--criteria", nargs="+", choices=COLUMNS, default=COLUMNS)
    options, passed_on = parser.parse_known_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(HEAD, flush=True)
    for network in options.networks:
        for criterion in options.criteria:
            path = options.out / f"{network.rpartition(':')[2]}-{criterion}.dnncov"
            campaign(path, network, criterion, [*AS_IN_THE_PAPER, *passed_on])
            print(line(path, network), flush=True)


if __name__ == "__main__":
    main()
