"""What witnesses are worth under several demands: a campaign for each network, criterion and variant, side by side.

    python -m tests.benchmarks.witness_table --out DIR --variants "--effect none" "--effect needed" \
        [--networks NAME ...] [--criteria ss vs sv vv] [options of run]

A variant is options of ``dnncov run``. Campaigns that DIR holds already are not run again. "needed", "sufficient" and
"both" count covered test conditions whose witness shows that effect. Seconds are working time; those of variants are
comparable only if they ran one after the other on the same machine.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.show import campaign_summary
from dnncov_core.distances import written
from dnncov_core.paper import COLUMNS
from dnncov_core.ratios import Ratio
from tests.benchmarks.main_table import campaign

HEAD = (
    *("network", "criterion", "variant", "covered", "of", "covered %", "needed", "sufficient", "both"),
    *("needed, 8 bits", "holds, 8 bits", "mean distance", "median", "adversarial", "AE rate", "seeds of these"),
    *("random", "PGD", "attempts", "s", "s a condition"),
)


def cells(path: Path, network: str, variant: str) -> Sequence[str]:
    """One campaign as a row of the table."""
    with CampaignStore(path) as store:
        summary, pairs = campaign_summary(store), store.pairs.page()
    n, distances = len(pairs), np.array([pair.distance for pair in pairs])
    mean, median = (written(float(f(distances))) if n else "" for f in (np.mean, np.median))
    control = summary["control"]
    beside = ["", ""] if control is None else [f"{control[k]} of {control['pairs']}" for k in ("random", "ascent")]
    return (
        network.rpartition(":")[2],
        summary["criterion"],
        variant.replace("--", ""),
        f"{summary['covered']:,}",
        f"{summary['pairs']:,}",
        Ratio(summary["covered"], summary["pairs"]).percent,
        *(f"{sum(bool(getattr(pair, name)) for pair in pairs):,}" for name in ("needed", "sufficient")),
        f"{sum(bool(pair.needed and pair.sufficient) for pair in pairs):,}",
        f"{sum(bool(pair.needed_8bit) for pair in pairs):,}",
        f"{summary['holds_8bit'] or 0:,}",
        mean,
        median,
        f"{summary['adversarial']:,}",
        f"{summary['adversarial_rate'] or 0:.1%}",
        f"{len({pair.seed for pair in pairs if pair.adversarial}):,}",
        *beside,
        f"{summary['attempts']:,}",
        f"{summary['seconds']:.0f}",
        f"{summary['seconds'] / max(1, summary['pairs']):.4f}",
    )


def main() -> None:
    """Runs what is missing and prints the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--networks", nargs="+", default=[f"mnist-n{i}" for i in range(1, 11)])
    parser.add_argument("--criteria", nargs="+", choices=COLUMNS, default=COLUMNS)
    parser.add_argument("--variants", nargs="+", default=["--effect none", "--effect needed"])
    options, passed_on = parser.parse_known_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}", flush=True)
    for network in options.networks:
        for criterion in options.criteria:
            for variant in options.variants:
                name = "-".join([network.rpartition(":")[2], criterion, *variant.replace("--", "").split()])
                path = options.out / f"{name.replace('/', '_')}.dnncov"
                campaign(path, network, criterion, [*passed_on, *shlex.split(variant)])
                print(f"| {' | '.join(cells(path, network, variant))} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
