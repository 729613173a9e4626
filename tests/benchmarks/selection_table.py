"""Orders of a pool's inputs: processor seconds, coverage of the first ones, and APFD over mutants.

python -m tests.benchmarks.selection_table NETWORK DATA [--faults FILE.faults] [--reference DATA] [--by LIST]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torch

from dnncov_core import registry
from dnncov_core.selection.mutants import kills_of
from dnncov_core.selection.selection import Selection, SelectionSpec
from dnncov_core.selection.tables import apfd_in_words, reached
from dnncov_core.selection.work import select
from dnncov_core.suites.streams import open_suite

ORDERS = "ss,vs,sv,vv,n,tn,deepgini,margin,entropy"


def main() -> None:
    """Prints a row for each order, each measured for itself, network and inputs being loaded."""
    asked = argparse.ArgumentParser()
    asked.add_argument("network")
    asked.add_argument("data")
    asked.add_argument("--faults", type=Path)
    asked.add_argument("--reference")
    asked.add_argument("--by", default=ORDERS)
    options = asked.parse_args()
    torch.set_num_threads(1)
    network = registry.open_network(options.network)[0]
    data = open_suite(network, options.data)
    reference = options.reference and registry.open_data_for(network, options.reference, labelled=False)
    kills = options.faults and kills_of(options.faults, network, data)
    for by in [*options.by.split(","), "random"]:
        spec = SelectionSpec(options.network, options.data, by, reference=options.reference)
        start = time.process_time()
        found = select(network, data, spec, reference=reference, kills=kills)
        print(_row(found, time.process_time() - start), flush=True)
    if kills is not None:
        print(f"{found.killable} of {found.mutants} mutants are killed by some of {found.inputs:,} inputs")


def _row(found: Selection, seconds: float) -> str:
    first, n = found.first, min(found.spec.budget, found.inputs)
    cells = [first.order, f"{seconds:.1f}", "" if first.first_round is None else f"{first.first_round:,}"]
    cells += [reached(curve, first.order, n) for curve in found.curves]
    return f"| {' | '.join([*cells, apfd_in_words(first)])} |"


if __name__ == "__main__":
    main()
