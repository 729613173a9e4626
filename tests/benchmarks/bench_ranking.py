"""Ranking seeds for a target by the bound of its rows, on each device of the machine.

pytest -n 0 tests/benchmarks/bench_ranking.py [--network NAME --data DATA --rounds N]
"""

from __future__ import annotations

import pytest
import torch
from pytest_benchmark.fixture import BenchmarkFixture

from dnncov_core.campaign.spec import CampaignSpec
from tests.benchmarks.conditions import DEVICES, sample


@pytest.mark.parametrize("device", DEVICES)
def test_ranking(benchmark: BenchmarkFixture, request: pytest.FixtureRequest, network_name: str, device: str) -> None:
    torch.set_num_threads(1)
    option = request.config.getoption
    found = sample(CampaignSpec(network_name, option("data"), generator="lp", device=device), option("rounds"))
    targets = [target for group in found.targets.values() for target in group]
    found.seeds.ranking(targets)  # distances of single neurons are kept once they are known
    benchmark.group = f"{network_name}, {len(targets)} targets"
    benchmark(lambda: found.seeds.ranking(targets))
