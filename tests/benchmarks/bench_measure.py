"""Measuring suites: growth with the number of inputs, baselines beside bare forward passes, and many layer pairs.

pytest -n 0 -s tests/benchmarks/bench_measure.py [--network mnist-n8] [--data mnist] [--rounds N]

The suite is repeated with a little noise to the sizes asked for, so that patterns differ; ``--data`` may be an .npz of
60,000 images.
"""

from __future__ import annotations

import dataclasses
import resource
import time
from typing import Any

import numpy as np
import pytest
import torch
import torchvision
from pytest_benchmark.fixture import BenchmarkFixture

from dnncov_core.data import Data
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.registry import open_data_for, open_network
from dnncov_core.suites.criterion_names import parse
from dnncov_core.suites.measurement import measure

COVERING, NEURON_CRITERIA = "ss,vs,sv,vv", "n,nb,mn,tn"


def suite(name: str, network_name: str, n: int) -> Data:
    network, _ = open_network(network_name)
    data = open_data_for(network, name)
    rows = np.arange(n) % len(data)
    images = data.pixels(rows)
    if n > len(data):
        noise = np.random.default_rng(0).normal(size=images.shape).astype(np.float32) / 20
        images = (images + noise).clip(*network.bounds)
    return dataclasses.replace(data, images=images.astype(np.float32), labels=data.labels[rows])


@pytest.mark.parametrize("n", [6_000, 60_000])
def test_covering_methods(
    benchmark: BenchmarkFixture, request: pytest.FixtureRequest, network_name: str, n: int
) -> None:
    network, _ = open_network(network_name)
    data = suite(request.config.getoption("data"), network_name, n)
    found = benchmark.pedantic(lambda: measure(network, data, parse(COVERING)), rounds=1)
    benchmark.group = f"{network_name}: {COVERING}"
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    counts = ", ".join(f"{each.asked.text} {each.covered}" for each in found.results)
    print(f"\n{n} inputs: {found.seconds:.1f} s, at most {megabytes} MB resident; {counts}")


def test_baselines_beside_bare_passes(
    benchmark: BenchmarkFixture, request: pytest.FixtureRequest, network_name: str
) -> None:
    network, _ = open_network(network_name)
    data = suite(request.config.getoption("data"), network_name, 60_000)
    asked = parse(NEURON_CRITERIA, "reference")
    reference = dataclasses.replace(data, images=data.images[::10], labels=data.labels[::10])
    ratios = []

    def bare() -> None:
        start = time.perf_counter()
        with torch.no_grad():
            for inputs in (reference, data):
                for part in batches(network, len(inputs)):
                    network(torch.from_numpy(inputs.pixels(part)))
        ratios.append(time.perf_counter() - start)

    rounds = request.config.getoption("rounds")
    benchmark.pedantic(lambda: measure(network, data, asked, reference=reference), setup=bare, rounds=rounds)
    each = [seconds / bare for seconds, bare in zip(benchmark.stats.stats.data, ratios, strict=True)]
    print(f"\n60,000 inputs, 6,000 for the ranges: {float(np.median(each)):.2f} of the time of bare forward passes")


@pytest.mark.parametrize("n", [8, 64])
def test_many_branches(benchmark: BenchmarkFixture, monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """DenseNet-121 with random weights, in which 121 hidden layers make 656 layer pairs, by images of noise."""
    torch.manual_seed(0)
    network = Network(torchvision.models.densenet121(weights=None), (3, 32, 32))
    images = np.random.default_rng(0).random((n, 3, 32, 32)).astype(np.float32)
    data = Data("noise", images, np.zeros(n, np.int64), (), "")
    sent: list[int] = []
    run = Network.run

    def counted(self: Network, x: torch.Tensor, **hooks: Any) -> torch.Tensor:
        sent.append(len(x))
        return run(self, x, **hooks)

    start = time.perf_counter()
    with torch.no_grad():
        network(torch.from_numpy(images))
    bare = time.perf_counter() - start
    monkeypatch.setattr(Network, "run", counted)
    found = benchmark.pedantic(lambda: measure(network, data, parse(f"{COVERING},n,s")), rounds=1)
    benchmark.group = "many branches"
    counts = ", ".join(f"{each.asked.text} {each.covered}" for each in found.results)
    print(
        f"\n{len(network.edges)} layer pairs: {found.seconds:.1f} s, {found.seconds / bare:.0f} bare passes of the {n}"
        f" inputs; {len(sent)} passes of {sum(sent)} inputs; {counts}"
    )
