"""Gradient search beside bare passes of the same network, batch and precision: what the search itself costs.

A step of the descent is one forward and one backward pass, a look of the line search one forward pass. The goal is
out of reach, so that no slot leaves the batch. Bare passes and the search take turns; the ratio is the median of bare
time by search time, 1 where the search costs nothing. On the CPU it is the time of processors, whatever else they do.

pytest -n 0 -s tests/benchmarks/bench_gradient.py --network cifar10-cnn --data cifar10-sample [--rounds N] [--steps N]
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import pytest
import torch
from pytest_benchmark.fixture import BenchmarkFixture
from torch import Tensor

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA
from dnncov_core.features import FeaturePair
from dnncov_core.generators.ball import Ball
from dnncov_core.generators.descent import Scales, descend
from dnncov_core.generators.directions import LinearPart, way
from dnncov_core.generators.line_search import Reached, nearest
from dnncov_core.generators.shortfall import BatchConditions
from dnncov_core.networks.memory import fitting_batch
from dnncov_core.networks.network import Network
from dnncov_core.registry import open_data_for, open_network
from dnncov_core.types import Edge
from tests.benchmarks.conditions import DEVICES

NOWHERE = Ball("inf", 1e-30)
"""No other label lies within."""


def slots(network: Network, data: str, edge: Edge) -> tuple[list[FeaturePair], Tensor]:
    """Free feature pairs of one layer pair, each with a seed, as many as fit into a batch."""
    size = fitting_batch(network)
    pairs = CampaignSpec("", "", feature_mode="free", omega=0.01, layers=(edge[1],)).feature_pairs(network)
    first = sum(count for other, count in zip(pairs.edges, pairs.counts, strict=True) if other < edge)
    rng = np.random.default_rng(0)
    chosen = [pairs[int(place)] for place in first + rng.integers(0, pairs.counts[pairs.edges.index(edge)], size)]
    images = open_data_for(network, data)
    x = torch.from_numpy(images.pixels(rng.integers(0, len(images), size)))
    return chosen, x.to(network.device, network.dtype)


def searching(network: Network, pairs: list[FeaturePair], x: Tensor, n: int) -> dict[str, Callable[[], object]]:
    """The n steps of the descent and the n looks of the line search."""
    conditions = BatchConditions(network, CRITERIA["ss"], pairs, x, margin=1e-4, labels=True, ball=NOWHERE)
    assert conditions.first is not None
    scales = Scales.of(conditions.first)
    conditions.forget()
    size = torch.full((len(x),), 1e-3, dtype=x.dtype, device=x.device)
    straight = way(x, LinearPart(torch.ones_like(x).flatten(1), size), None, network.bounds)

    def onto(rows: Tensor, x2: Tensor) -> Tensor:
        return x2.clamp(*network.bounds)

    def reached() -> Reached:
        return Reached.nothing(x, [10**6] * len(x))

    def steps() -> None:
        descend(conditions, scales, x, reached(), step=size, levels=None, onto=onto, steps=n)

    def looks() -> None:
        nearest(conditions, straight, reached(), first=size, high=size * 1e3, rounds=n)

    return {"steps": steps, "looks": looks}


def bare(network: Network, x: Tensor, n: int) -> dict[str, Callable[[], object]]:
    """The same passes and nothing else."""

    def steps() -> None:
        for _ in range(n):
            x2 = x.clone().requires_grad_()
            torch.autograd.grad(network(x2).sum(), x2)

    def looks() -> None:
        with torch.no_grad():
            for _ in range(n):
                network(x)

    return {"steps": steps, "looks": looks}


def seconds(work: Callable[[], object], device: torch.device) -> float:
    clock = time.perf_counter if device.type == "cuda" else time.process_time
    start = clock()
    work()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return clock() - start


@pytest.mark.parametrize("what", ["steps", "looks"])
@pytest.mark.parametrize("place", ["first", "middle", "last"])
@pytest.mark.parametrize("device", DEVICES)
def test_search_beside_bare_passes(
    benchmark: BenchmarkFixture, request: pytest.FixtureRequest, network_name: str, device: str, place: str, what: str
) -> None:
    network = open_network(network_name)[0].to(device=device, memory_format=torch.channels_last)
    edges = sorted(network.edges, key=lambda edge: (edge[1], edge[0]))
    edge = edges[{"first": 0, "middle": len(edges) // 2, "last": -1}[place]]
    pairs, x = slots(network, request.config.getoption("data"), edge)
    n = request.config.getoption("steps")
    search, plain = searching(network, pairs, x, n)[what], bare(network, x, n)[what]
    alone, searched = list[float](), list[float]()
    for work in (search, plain):
        seconds(work, network.device)  # what the first call alone pays
    benchmark.pedantic(
        lambda: searched.append(seconds(search, network.device)),
        setup=lambda: alone.append(seconds(plain, network.device)),
        rounds=request.config.getoption("rounds"),
    )
    ratio = statistics.median(a / b for a, b in zip(alone, searched, strict=True))
    passes = n * len(x) * (2 if what == "steps" else 1) / statistics.median(searched)
    benchmark.group = f"{network_name}, {device}, {what}"
    benchmark.extra_info.update(batch=len(x), layers=list(edge), ratio=ratio, passes_a_second=passes)
    print(f"\n{benchmark.group}, layers {edge}, batch {len(x)}: {ratio:.2f} of bare, {passes:,.3g} passes a second")
