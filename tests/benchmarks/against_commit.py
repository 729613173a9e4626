"""Linear programming of an earlier commit beside that of this tree: the same conditions, optimum and processor time.

python -m tests.benchmarks.against_commit COMMIT [--networks NAME ...] [--data DATA] [--conditions N]

Both rank the seeds of random feature pairs, search and judge, in processes of their own, one after the other, on one
thread; the same processes are repeated, and the quicker counts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HEAD = "| network, seeds | conditions | attempts | other outcome | other optimum | ms before | now | times | a second |"


def work(tree: str, network: str, data: str, order: str, n: int) -> dict[str, Any]:
    """What the code in a tree finds, by ordinal, and the milliseconds of processor time a condition."""
    sys.path.insert(0, tree)
    import numpy as np
    import torch

    from dnncov_core.campaign.spec import CampaignSpec
    from dnncov_core.campaign.work.judge import Judge
    from dnncov_core.campaign.work.plan import in_batches
    from dnncov_core.oracle import Oracle
    from tests.benchmarks.conditions import sample

    torch.set_num_threads(1)
    spec = CampaignSpec(network, data, seed_order=order, generator="lp", device="cpu")
    found = sample(spec, 1)
    spec = spec.for_network(found.network)
    method, pairs = spec.covering_method(), spec.feature_pairs(found.network)
    ordinals = np.random.default_rng(0).choice(len(pairs), min(n, len(pairs)), replace=False)
    targets = [pairs[int(ordinal)].target(int(ordinal)) for ordinal in ordinals]
    search = spec.search(found.network, method)
    judge = Judge(found.network, method, Oracle(spec.norm, spec.bound))
    found.seeds.ranking(targets)  # distances of single neurons are kept once they are known
    start, results = time.process_time(), {}
    for batch in in_batches(targets, search.batch):
        for each in search.run(batch, found.seeds.of):
            pair = judge.test_pair(each)
            distance = None if pair is None else each.attempts[-1].objective
            results[each.target.ordinal] = pair is not None, len(each.attempts), distance
    return {"ms": 1e3 * (time.process_time() - start) / len(targets), "results": sorted(results.items())}


def compared(before: dict[str, Any], now: dict[str, Any]) -> str:
    """The cells of a line from what both found."""
    pairs = [(one, other) for (_, one), (_, other) in zip(before["results"], now["results"], strict=True)]
    outcomes = sum(one[:2] != other[:2] for one, other in pairs)
    apart = sum(None not in (a[2], b[2]) and abs(a[2] - b[2]) > 1e-9 * a[2] for a, b in pairs)
    cells = len(pairs), sum(other[1] for _, other in pairs), outcomes, apart
    times = f"{before['ms']:.1f}", f"{now['ms']:.1f}", f"{before['ms'] / now['ms']:.2f}", f"{1e3 / now['ms']:.0f}"
    return " | ".join(map(str, (*cells, *times)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit")
    parser.add_argument("--networks", nargs="+", default=["mnist-n1", "mnist-n5", "mnist-n10"])
    parser.add_argument("--data", default="mnist")
    parser.add_argument("--orders", nargs="+", default=["nearest", "random"])
    parser.add_argument("--conditions", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=2)
    asked = parser.parse_args()
    print(HEAD, "|---|---:|---:|---:|---:|---:|---:|---:|---:|", sep="\n")
    with tempfile.TemporaryDirectory() as earlier:
        tar = subprocess.run(["git", "archive", asked.commit], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "x", "-C", earlier], input=tar, check=True)
        for network in asked.networks:
            for order in asked.orders:
                best: dict[str, dict[str, Any]] = {}
                for tree in (earlier, str(ROOT)) * asked.repeats:
                    told = [tree, network, asked.data, order, str(asked.conditions)]
                    out = subprocess.run([sys.executable, __file__, "--work", *told], check=True, capture_output=True)
                    found = json.loads(out.stdout.splitlines()[-1])
                    best[tree] = min(best.get(tree, found), found, key=lambda each: float(each["ms"]))
                print(f"| {network}, {order} | {compared(best[earlier], best[str(ROOT)])} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--work":
        *names, conditions = sys.argv[2:]
        print(json.dumps(work(*names, int(conditions))))
    else:
        main()
