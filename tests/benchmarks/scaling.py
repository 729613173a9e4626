"""How many workers one driver can serve, by simulation with what a finished campaign took.

python -m tests.benchmarks.scaling FILE.dnncov [MILLISECONDS ...]

Measured here: seconds of each test condition (from the file); bytes of its result, pickled; processor time that the
driver takes to unpickle results and to store them, for a transaction and for each result in it; and that of merging.
Assumed: a network of 10 Gbit/s into the driver, and what Ray's driver takes for one chunk. There is a second table for
each other number of milliseconds that a test condition may take.
"""

from __future__ import annotations

import heapq
import pickle
import random
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from dnncov_core.campaign.file.merging import merge
from dnncov_core.campaign.file.sql import copy
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import TargetResult

NETWORK = 10e9 / 8
"""Bytes a second into the driver's machine."""
RAY_CHUNK = 0.5e-3
"""Seconds of the driver's process for each chunk that Ray hands out and takes back; 2,000 chunks a second."""
WORKERS = (10, 100, 1_000, 10_000)
CHUNKS = (4, 64, 1024)
CHUNKS_A_WORKER = 20
HEAD = """\
| workers | chunk | conditions a second | of what they could | driver busy | network busy | bound |
|---:|---:|---:|---:|---:|---:|---|"""


@dataclass(frozen=True)
class Costs:
    """What one campaign took.

    Attributes:
        seconds: of each test condition, by a worker.
        size: bytes of a result.
        transaction: seconds of the driver for each transaction.
        result: seconds of the driver for each result.
        merged: seconds for each result of a shard that is merged.
    """

    seconds: list[float]
    size: float
    transaction: float
    result: float
    merged: float


def results_of(store: CampaignStore, most: int = 1024) -> list[TargetResult]:
    """Results as workers gave them."""
    found = []
    for target, outcome in store.targets.with_outcomes()[:most]:
        found.append(TargetResult(target, outcome, tuple(store.attempts.of(target)), store.pairs.of(target), 0.0))
    return found


def emptied(store: CampaignStore, path: Path) -> CampaignStore:
    """A copy in which no test condition has an outcome."""
    copy(store.database, path)
    again = CampaignStore(path)
    with again.database.transaction() as connection:
        for table in ("attempt", "test_pair", "control"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("UPDATE target SET outcome = 'pending'")
        connection.execute("UPDATE worker SET pid = NULL")
    return again


def measured(path: Path, folder: Path) -> Costs:
    """The costs of a campaign; storing is measured for results alone and all together, the best of three."""
    with CampaignStore(path) as store:
        results = results_of(store)
        seconds = [s for (s,) in store.database.rows("SELECT seconds FROM target WHERE seconds > 0")]
        packed = [pickle.dumps([result], pickle.HIGHEST_PROTOCOL) for result in results]
        best = {1: float("inf"), len(results): float("inf")}
        for place in range(3):
            for size in best:
                with emptied(store, folder / f"{place}-{size}.dnncov") as again:
                    start = time.process_time()
                    for first in range(0, len(results), size):
                        again.record([pickle.loads(each)[0] for each in packed[first : first + size]])
                    best[size] = min(best[size], (time.process_time() - start) / len(results))
    alone, together = best.values()
    start = time.process_time()
    merge(folder / "merged.dnncov", [folder / f"0-{size}.dnncov" for size in best])
    once = time.process_time() - start
    with CampaignStore(path) as store:
        emptied(store, folder / "none.dnncov").close()
    start = time.process_time()
    merge(folder / "all.dnncov", [folder / "none.dnncov", *(folder / f"0-{size}.dnncov" for size in best)])
    merged = max(0.0, time.process_time() - start - once) / len(results)
    return Costs(seconds, sum(map(len, packed)) / len(packed), alone - together, together, merged)


def simulated(costs: Costs, workers: int, chunk: int, rng: random.Random) -> tuple[float, float, float]:
    """Chunks a second, and the shares of time in which driver and network are busy.

    Each worker has a chunk waiting while it works on another, so that it waits only for a driver that is behind.
    """
    transfer, service = chunk * costs.size / NETWORK, RAY_CHUNK + costs.transaction + chunk * costs.result
    mean = sum(costs.seconds) / len(costs.seconds)

    def work() -> float:
        if chunk > 64:  # their sum varies little
            return chunk * mean
        return sum(rng.choices(costs.seconds, k=chunk))

    done = [(work(), worker) for worker in range(workers)]
    heapq.heapify(done)
    handed_back = [[0.0] for _ in range(workers)]  # when the driver was ready with a worker's chunk before the last
    network = driver = 0.0
    for _ in range(CHUNKS_A_WORKER * workers):
        now, worker = heapq.heappop(done)
        network = max(network, now) + transfer
        driver = max(driver, network) + service
        begins = max(now, handed_back[worker][0])
        handed_back[worker][0] = driver
        heapq.heappush(done, (begins + work(), worker))
    n = CHUNKS_A_WORKER * workers
    return n / driver, n * service / driver, n * transfer / driver


def table(costs: Costs) -> list[str]:
    """A line for each number of workers and size of chunks."""
    lines, mean = [HEAD], sum(costs.seconds) / len(costs.seconds)
    for workers in WORKERS:
        for chunk in CHUNKS:
            chunks, driver, network = simulated(costs, workers, chunk, random.Random(0))
            rate, could = chunks * chunk, workers / mean
            bound = "driver" if driver > 0.95 else "network" if network > 0.95 else "workers"
            cells = (f"{workers:,}", f"{chunk:,}", f"{rate:,.0f}", f"{min(1, rate / could):.0%}", f"{driver:.0%}")
            lines.append(f"| {' | '.join((*cells, f'{network:.0%}', bound))} |")
    return lines


def main() -> None:
    """Prints what was measured, and the table."""
    with tempfile.TemporaryDirectory() as folder:
        costs = measured(Path(sys.argv[1]), Path(folder))
    mean = sum(costs.seconds) / len(costs.seconds)
    print(f"a condition: {mean * 1e3:.1f} ms of a worker, {costs.size / 1e3:.1f} kB")
    print(f"driver: {costs.transaction * 1e3:.2f} ms a transaction, {costs.result * 1e3:.2f} ms a result")
    print(f"merging: {costs.merged * 1e3:.2f} ms a result\n")
    print("\n".join(table(costs)))
    for text in sys.argv[2:]:
        print(f"\nwith {text} ms a condition:\n")
        print("\n".join(table(replace(costs, seconds=[float(text) / 1e3]))))


if __name__ == "__main__":
    main()
