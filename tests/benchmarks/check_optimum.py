"""The programme with rows added when needed and the paper's have the same optimum, or both have none.

pytest -n 0 -s tests/benchmarks/check_optimum.py [--network NAME ... --data DATA --order NAME --rounds N]
"""

from __future__ import annotations

import pytest

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA
from dnncov_core.features import FeaturePair
from dnncov_core.generators.lp_search import LinearProgramSearch
from dnncov_core.generators.papers_programme import PapersProgramme
from dnncov_core.generators.row_generation import RowGeneration
from tests.benchmarks.conditions import sample
from tests.cbc import PapersProgrammeByCbc


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("criterion", CRITERIA)
def test_same_optimum(request: pytest.FixtureRequest, network_name: str, criterion: str) -> None:
    option = request.config.getoption
    spec = CampaignSpec(network_name, option("data"), criterion, seed_order=option("order"), device="cpu")
    found = sample(spec, option("rounds"))
    rows = RowGeneration(found.network)
    paper, cbc = PapersProgramme(found.network), PapersProgrammeByCbc(found.network)
    search = LinearProgramSearch(found.network, spec.covering_method(), margin=spec.margin, programme=rows)
    optima, infeasible, worst = 0, 0, 0.0
    for target in (target for group in found.targets.values() for target in group):
        for condition in search.conditions(FeaturePair.of(target), found.seed(target), spec.margin):
            ours, theirs = rows.solve(condition), paper.solve(condition)
            if theirs.status == "Not Solved":  # HiGHS says "unknown" of a few large ones without solution
                theirs = cbc.solve(condition)
            assert ours.status == theirs.status
            if ours.objective is None or theirs.objective is None:
                infeasible += 1
                continue
            optima += 1
            worst = max(worst, abs(ours.objective - theirs.objective) / theirs.objective)
    print(
        f"\n{network_name} {criterion}: {optima} optima, {infeasible} without, largest relative difference {worst:.1e}"
    )
    assert worst <= 1e-6
    assert optima
