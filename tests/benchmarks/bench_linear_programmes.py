"""One LP call: the rows added when needed, beside the paper's formulation in HiGHS and in CBC, by layer pair; and
programmes that are solved together, on each device of the machine.

pytest -n 0 tests/benchmarks/bench_linear_programmes.py --benchmark-json FILE [--network NAME ...]
python -m tests.benchmarks.ratios FILE
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
import torch
from pytest_benchmark.fixture import BenchmarkFixture

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.features import FeaturePair
from dnncov_core.generators.base import MOST_TOGETHER
from dnncov_core.generators.lp_search import LinearProgramSearch
from dnncov_core.generators.papers_programme import PapersProgramme
from dnncov_core.generators.programme import LinearCondition, Programme
from dnncov_core.generators.row_generation import RowGeneration
from dnncov_core.networks.network import Network
from tests.benchmarks.conditions import DEVICES, sample
from tests.cbc import PapersProgrammeByCbc

PROGRAMMES: dict[str, Callable[[Network], Programme]] = {
    "rows": RowGeneration,
    "highs": PapersProgramme,
    "cbc": PapersProgrammeByCbc,
}


@cache
def conditions(network: str, data: str, order: str, rounds: int) -> tuple[Network, dict[int, list[LinearCondition]]]:
    """SS conditions by condition layer."""
    spec = CampaignSpec(network, data, seed_order=order, device="cpu")
    found = sample(spec, rounds)
    search = LinearProgramSearch(
        found.network, spec.covering_method(), margin=spec.margin, programme=RowGeneration(found.network)
    )
    by_layer: dict[int, list[LinearCondition]] = {}
    for (k, _), targets in found.targets.items():
        for target in targets:
            by_layer.setdefault(k, []).extend(
                search.conditions(FeaturePair.of(target), found.seed(target), spec.margin)
            )
    return found.network, by_layer


@pytest.mark.parametrize("programme", PROGRAMMES)
@pytest.mark.parametrize("layer", range(2, 12))
def test_lp_call(
    benchmark: BenchmarkFixture, request: pytest.FixtureRequest, network_name: str, layer: int, programme: str
) -> None:
    torch.set_num_threads(1)
    option = request.config.getoption
    network, by_layer = conditions(network_name, option("data"), option("order"), option("rounds"))
    if layer not in by_layer:
        pytest.skip(f"{network_name} has no condition layer {layer}")
    todo = iter(by_layer[layer])
    solver = PROGRAMMES[programme](network)
    solver.solve(by_layer[layer][0])  # what the first call alone pays is no cost of a call
    found = []
    benchmark.group = f"{network_name}, layers {layer} and {layer + 1}, {option('order')} seeds"
    benchmark.pedantic(
        lambda condition: found.append(solver.solve(condition)),
        setup=lambda: ((next(todo),), {}),
        rounds=len(by_layer[layer]),
    )
    benchmark.extra_info.update(
        programme=programme,
        variables=max(solution.variables for solution in found),
        constraints=sum(solution.constraints for solution in found) / len(found),
        infeasible=sum(solution.status == "Infeasible" for solution in found),
    )


@pytest.mark.parametrize("device", DEVICES)
def test_together(benchmark: BenchmarkFixture, request: pytest.FixtureRequest, network_name: str, device: str) -> None:
    """The passes of the network are on the device, the simplex method on the CPU."""
    torch.set_num_threads(1)
    option = request.config.getoption
    network, by_layer = conditions(network_name, option("data"), option("order"), option("rounds"))
    rows = RowGeneration(network.to(device=device))
    batches = [group[i : i + MOST_TOGETHER] for group in by_layer.values() for i in range(0, len(group), MOST_TOGETHER)]
    benchmark.group = f"{network_name}, {option('order')} seeds"
    benchmark.pedantic(lambda: list(map(rows.solve_all, batches)), rounds=3, warmup_rounds=1)
    benchmark.extra_info.update(conditions=sum(map(len, batches)))
