"""What proofs find of campaigns, and the coverage of the rest: a line of Markdown for each file.

python -m tests.benchmarks.proofs_table FILE ... [--time-limit SECONDS]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.proofs import prove_campaign
from dnncov_core.proofs import PROOF_METHODS
from dnncov_core.ratios import Ratio

BY = ", ".join(PROOF_METHODS)
HEAD = f"""\
| network | neurons | constant, by {BY} | s | conditions | proved infeasible | covered | of the rest |
|---|---:|---:|---:|---:|---:|---:|---:|"""


def line(path: Path, time_limit: float | None) -> str:
    """Proves, and says what came of it."""
    with CampaignStore(path) as store:
        proofs = prove_campaign(store, time_limit=time_limit)
        name = store.spec().network.rpartition(":")[2]
    rest = Ratio(proofs.covered, proofs.pairs - proofs.conditions_infeasible)
    cells = (
        name,
        str(proofs.neurons),
        ", ".join(str(proofs.by_method.get(method, 0)) for method in PROOF_METHODS),
        f"{proofs.seconds:.1f}",
        f"{proofs.pairs:,}",
        str(proofs.conditions_infeasible),
        f"{proofs.covered:,}",
        rest.percent,
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Prints the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--time-limit", type=float)
    asked = parser.parse_args()
    print(HEAD, flush=True)
    for path in asked.files:
        print(line(path, asked.time_limit), flush=True)


if __name__ == "__main__":
    main()
