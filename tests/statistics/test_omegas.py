from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import CampaignError
from dnncov_core.ratios import Ratio
from dnncov_core.statistics.distances import distance_table
from dnncov_core.statistics.omegas import omega_table, same_question
from tests.builders import campaign, named


def free(omega: float, **changes: object) -> CampaignSpec:
    return CampaignSpec("mnist-n1", "mnist", feature_mode="free", omega=omega, **changes)


def stored(path: Path, spec: CampaignSpec, *, found: int = 6, adversarial: int = 3) -> CampaignStore:
    return campaign(path, spec=spec, found=found, adversarial=adversarial)


def test_rows_ascend_in_omega_with_their_own_numbers(tmp_path: Path) -> None:
    coarse = stored(tmp_path / "coarse.dnncov", free(0.1), found=9, adversarial=7)
    fine = stored(tmp_path / "fine.dnncov", free(0.01))
    table = omega_table(named([coarse, fine]))
    assert (table.network, table.criterion, table.norm, table.unit) == ("mnist-n1", "SS", "inf", "pixels")
    assert [(row.omega, row.campaign) for row in table.rows] == [(0.01, "fine"), (0.1, "coarse")]
    assert [row.of_pairs for row in table.rows] == [Ratio(3, 6), Ratio(7, 9)]
    for row, store in zip(table.rows, (fine, coarse), strict=True):
        total = distance_table(store).total
        assert (row.pairs, row.adversarial) == (total.pairs, total.adversarial)
    assert table.rows[0].adversarial.mean == pytest.approx(0.02)
    assert table.differences == ()


def test_what_else_differs_is_said(tmp_path: Path) -> None:
    one = stored(tmp_path / "a.dnncov", free(0.1, objective="adversarial", pairs=30))
    two = stored(tmp_path / "b.dnncov", free(0.01, max_seeds=9, device="cpu"))
    assert omega_table(named([one, two])).differences == ("Sample size", "Most seeds per condition", "Objective")


@pytest.mark.parametrize("change", [{"criterion": "sv"}, {"norm": "2"}, {"network": "mnist-n2"}])
def test_campaigns_of_another_question_are_refused(tmp_path: Path, change: dict[str, str]) -> None:
    other = CampaignSpec(**{"network": "mnist-n1", "data": "mnist", "feature_mode": "free", "omega": 0.1, **change})
    assert not same_question(free(0.1), other)
    with pytest.raises(CampaignError, match="free features with one network, criterion"):
        omega_table(named([stored(tmp_path / "a.dnncov", free(0.1)), stored(tmp_path / "b.dnncov", other)]))


def test_single_neurons_have_no_omega(tmp_path: Path) -> None:
    neurons = CampaignSpec("mnist-n1", "mnist")
    assert not same_question(neurons, neurons)
    with pytest.raises(CampaignError):
        omega_table(named([stored(tmp_path / "a.dnncov", neurons)]))


def test_a_campaign_without_test_pairs_has_its_row(tmp_path: Path) -> None:
    (row,) = omega_table(named([stored(tmp_path / "a.dnncov", free(0.1), found=0, adversarial=0)])).rows
    assert (row.of_pairs, row.pairs.mean, row.adversarial.n) == (Ratio(0, 0), None, 0)


def test_where_one_campaign_has_medians_all_have(tmp_path: Path) -> None:
    stores = [stored(tmp_path / "a.dnncov", free(0.1)), stored(tmp_path / "b.dnncov", free(0.01))]
    assert not any(spread.quartiles for spread in omega_table(named(stores)).spreads)
    with stores[0].database.transaction() as connection:
        connection.execute("UPDATE test_pair SET distance = 4 WHERE target = (SELECT min(target) FROM test_pair)")
    table = omega_table(named(stores))
    assert all(spread.quartiles for spread in table.spreads)
    assert [row.pairs.quartiles for row in table.rows] == [
        pytest.approx((0.0225, 0.035, 0.0475)), pytest.approx((0.0325, 0.045, 0.0575))
    ]  # fmt: skip
