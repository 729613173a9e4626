"""Real campaigns for tests: in this process, in processes of their own, and what is left in their files."""

from __future__ import annotations

import functools
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core import cli
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.judge import Judge
from dnncov_core.campaign.work.plan import plan_targets
from dnncov_core.campaign.work.pool import PRELOADED
from dnncov_core.campaign.work.seeds import plan_seeds
from dnncov_core.campaign.work.worker import work
from dnncov_core.criteria import CRITERIA
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.data import load_data
from dnncov_core.generators.base import Found, Seed
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.zoo import TOY_WEIGHTS
from dnncov_core.oracle import Oracle
from dnncov_core.records import Attempt, Outcome, State, Target, TargetResult, TestPair
from dnncov_core.resources import versions
from tests import reference

ROOT = Path(__file__).resolve().parents[1]
MNIST_N9 = CampaignSpec(
    network="mnist-n9", data="mnist", pairs=8, seeds=40, max_seeds=3, layers=(3, 4), generator="lp-reference"
)
ENDLESS = CampaignSpec(network="mnist-n9", data="mnist", generator="lp-reference")
"""More than any test waits for."""


def create(path: Path, spec: CampaignSpec) -> Path:
    CampaignStore.create(path, spec, versions()).close()
    return path


def toy_spec(criterion: str = "ss", **fields: Any) -> CampaignSpec:
    """Of the network toy; as in the paper without an effect, unless one is asked for."""
    return CampaignSpec(**{"network": "toy", "data": "toy", "criterion": criterion, "effect": "none"} | fields)


def finished(path: Path, spec: CampaignSpec, **options: Any) -> Path:
    """A campaign that this process has run to its end, by itself or with others."""
    assert work(create(path, spec), **options) is State.FINISHED
    return path


def free_campaign(path: Path, criterion: str = "ss", omega: float = 0.7) -> Path:
    """Free features of the network toy; x2 are drawn at random until the judge confirms one, whatever generators do."""
    spec = toy_spec(criterion, generator="targeted", feature_mode="free", omega=omega)
    network, card = load_network("toy")
    data, judge = load_data("toy"), Judge(network, spec.covering_method(), Oracle(spec.norm, spec.bound))
    targets, rng = plan_targets(network, spec).targets, np.random.default_rng(0)
    with CampaignStore.create(path, spec, versions()) as store:
        store.prepare(spec, card, data.fingerprint, plan_seeds(network, data, spec), targets, batch=2)
        store.record([_drawn(target, judge, data.images, rng) for target in targets])
        store.worker.claim()
        store.worker.enter(State.FINISHED)
    return path


def _drawn(target: Target, judge: Judge, images: np.ndarray, rng: np.random.Generator) -> TargetResult:
    while True:
        row = int(rng.integers(len(images)))
        attempts = (Attempt(row, Outcome.FOUND, 0.0),)
        found = Found(target, attempts, Seed(row, images[row].astype(np.float64)), rng.uniform(-10, 10, 2))
        if (pair := judge.test_pair(found)) is not None:
            return TargetResult(target, Outcome.FOUND, attempts, pair, 0.0)


def toy_values(pair: TestPair) -> list[tuple[list[float], list[float]]]:
    """u of layers 2..K of the network toy for x1 and for x2, by the slow reference."""
    weights = [np.array(weight, np.float64) for weight in TOY_WEIGHTS]
    return list(zip(*(reference.forward(x.tolist(), weights) for x in (pair.x1, pair.x2)), strict=True))


def content(path: Path) -> dict[str, Any]:
    """All that two runs of one campaign must agree on: pairs to the last bit, attempts without times, counts."""
    with CampaignStore(path) as store:
        pairs = [
            {name: value.tobytes() if isinstance(value, np.ndarray) else value for name, value in vars(pair).items()}
            for pair in store.pairs.page()
        ]
        targets = [pair["target"] for pair in pairs]
        return {
            "state": store.state(),
            "message": store.worker.message(),
            "outcomes": store.counts.outcomes(),
            "layers": store.counts.layers(),
            "pairs": pairs,
            "attempts": {
                target: [replace(attempt, seconds=0.0, solver_seconds=0.0) for attempt in store.attempts.of(target)]
                for target in targets
            },
            "n_attempts": store.counts.progress().attempts,
            "seeds": store.prepared.seeds().rows.tolist(),  # type: ignore[union-attr]
        }


def covers(method: str, pair: TestPair) -> bool:
    """Whether a stored pair of the network toy covers by the slow reference."""
    target, values = pair.target, toy_values(pair)
    layers = [values[k - 2] for k in (target.condition_layer, target.decision_layer)]
    own = CRITERIA[method].g2
    g2 = reference.always if own == ANY else getattr(reference, own.name)(**vars(own))
    if target.condition_most is not None:
        return reference.free_holds(method, *layers, target.condition_most, target.decision_neurons, g2)
    return reference.holds(method, *layers, target.condition_neurons, target.decision_neurons, reference.always, g2)


def dnncov(
    *arguments: str | Path, folder: Path = ROOT, before: Sequence[str] = (), **options: Any
) -> subprocess.Popen[bytes]:
    """``python -m dnncov_core`` in a process of its own, started by ``before``."""
    command = [*before, sys.executable, "-m", "dnncov_core", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, cwd=folder, env=environment, **{**QUIET, **options})


QUIET: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


@functools.cache
def processes() -> Any:
    """What starts processes; the first call waits until all that they find imported is there."""
    context: Any = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED, "tests.hostile.preloaded"])
    first = context.Process(target=int)
    first.start()
    first.join()
    return context


def forked(target: Callable[..., object], *arguments: object) -> Any:
    """A function in a process of its own that finds PyTorch imported."""
    process = processes().Process(target=target, args=arguments)
    process.start()
    return process


def command(*arguments: str | Path) -> None:
    """The command in a process for it alone, which says nothing and ends."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    sys.exit(cli.main([*map(str, arguments)]))


def children_of(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def alive(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    stat = Path(f"/proc/{pid}/stat")
    try:
        os.kill(pid, 0)
        return not stat.exists() or ") Z" not in stat.read_text()
    except (ProcessLookupError, FileNotFoundError):  # it may end between two looks
        return False


def allowed(seconds: float) -> float:
    """A limit in seconds; where more processes want to run than there are cores, it is longer by as much."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def until(holds: Callable[[], bool], seconds: float = 240.0) -> None:
    """Waits for something that must come true."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.01)


def state_of(path: Path) -> State:
    with CampaignStore(path) as store:
        return store.state()


def done(path: Path) -> int:
    with CampaignStore(path) as store:
        return store.counts.progress().done


def reopen(path: Path) -> None:
    """Takes the last outcome of a finished campaign away, so that there is something to resume."""
    with CampaignStore(path) as store, store.database.transaction() as connection:
        last = "(SELECT max(id) FROM target)"
        connection.execute(f"UPDATE target SET outcome = 'pending' WHERE id = {last}")
        connection.execute(f"DELETE FROM attempt WHERE target = {last}")
        connection.execute(f"DELETE FROM test_pair WHERE target = {last}")
        connection.execute("UPDATE worker SET state = 'cancelled'")
