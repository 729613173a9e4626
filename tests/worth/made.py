"""Seeded faults of the toy network, for tests of what coverage is worth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from dnncov_core.faults.operators import MUTATION_OPERATORS
from dnncov_core.faults.spec import FaultSpec
from dnncov_core.faults.work import seed_faults
from dnncov_core.registry import open_data_for, open_network
from dnncov_core.worth.correlations import correlations
from dnncov_core.worth.draws import keys
from dnncov_core.worth.spec import WorthSpec
from dnncov_core.worth.worth_file import VERSION, Generated, Head, MeasuredSuite, WorthFile, add, packed, read

NETWORK = "toy"
CRITERIA = "ss,vs,sv,vv,n,nb,tn,s"


def make_faults(folder: Path) -> Path:
    """A file of seeded faults, and its suite, ``pool.npz``, which the network has right; run in this folder."""
    network = open_network(NETWORK)[0]
    low, high = network.bounds
    images = np.random.default_rng(1).uniform(low, high, (200, 2)).astype(np.float32)
    labels = network(torch.from_numpy(images)).argmax(dim=1).numpy()
    np.savez(folder / "pool.npz", images=images, labels=labels)
    data = open_data_for(network, "pool.npz")
    spec = FaultSpec(NETWORK, "pool.npz", 12, 0.005, 0.6, tuple(MUTATION_OPERATORS), 0)
    seed_faults(folder / "a.faults", spec, network, data).close()
    return folder / "a.faults"


def made_worth(path: Path) -> WorthFile:
    """A finished file whose suites kill the more mutants the more they cover by n, and the fewer by ss."""
    spec = WorthSpec("a.faults", "toy", "ss,n,s", None, (5, 20), 12, mutants=40, inputs=200)
    rng = np.random.default_rng(2)
    add(path, "asked", [Head(VERSION, 1.7e9, spec, {"python": "3.11"})])
    for key in keys(spec.sizes, spec.suites):
        quality = int(rng.integers(1, 40))
        killed = packed((np.arange(40) < quality)[:, None])
        coverage = {"ss": (40 - quality, 40), "n": (quality, 40), "s": (key.size, None)}
        balance = float(rng.random())
        add(path, "suite", [MeasuredSuite(key.size, key.way, key.number, balance, killed, coverage)])
    some, none = np.arange(40) < 7, np.zeros(40, bool)
    lines = [("lp", some, some), ("adversarial", none, some)]
    add(path, "generated", [Generated(kind, 9, 12, *(packed(x[:, None]) for x in (a, b))) for kind, a, b in lines])
    add(path, "correlation", correlations(read(path).table(), 0, 60))
    return read(path)
