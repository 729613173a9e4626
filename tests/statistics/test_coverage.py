from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import dnncov_core.figures
import dnncov_core.statistics
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.cli.show import campaign_summary, summary_lines
from dnncov_core.ratios import Ratio
from dnncov_core.records import Outcome
from dnncov_core.statistics.adversarial import adversarial_table
from dnncov_core.statistics.coverage import coverage_table, has_pixels
from dnncov_core.statistics.distances import distance_curve, distance_table, farthest
from dnncov_core.statistics.grouping import By
from tests import runs
from tests.builders import campaign, card
from tests.statistics.branches import branched, pairs_of


@pytest.fixture
def store(tmp_path: Path) -> CampaignStore:
    """8 targets over three layer pairs: 3, 3 and 2; found 2 each; adversarial one each; 8 bits 1, 1, 0."""
    return campaign(tmp_path / "a.dnncov")


@pytest.fixture
def empty(tmp_path: Path) -> CampaignStore:
    return campaign(tmp_path / "empty.dnncov", found=0, exhausted=0, adversarial=0)


def test_coverage_by_layer_pair(store: CampaignStore) -> None:
    table = coverage_table(store)
    assert table.criterion == "SS"
    places = [(row.place.condition_layers, row.place.decision_layer) for row in table.rows]
    assert places == [((2,), 3), ((3,), 4), ((4,), 5)]
    assert [row.covered for row in table.rows] == [Ratio(2, 3), Ratio(2, 3), Ratio(2, 2)]
    assert [row.holds_8bit for row in table.rows] == [Ratio(1, 2), Ratio(1, 2), Ratio(0, 2)]
    assert [row.count(Outcome.EXHAUSTED) for row in table.rows] == [1, 1, 0]


def test_coverage_with_effect_is_that_of_the_demanded_effect_else_of_needed(tmp_path: Path) -> None:
    expected = {"none": (2, 2), "needed": (2, 2), "sufficient": (3, 1), "both": (1, 1)}
    for effect, (shown, rounded) in expected.items():
        spec = CampaignSpec(network="mnist-n1", data="mnist", effect=effect)
        table = coverage_table(campaign(tmp_path / f"{effect}.dnncov", spec=spec))
        assert table.effect == ("needed" if effect == "none" else effect)
        assert (table.total.with_effect, table.total.with_effect_8bit) == (Ratio(shown, 8), Ratio(rounded, 6))
        assert sum((row.with_effect for row in table.rows), Ratio(0, 0)) == Ratio(shown, 8)


def test_coverage_with_effect_is_nothing_of_nothing_while_a_witness_is_not_known(tmp_path: Path) -> None:
    total = coverage_table(campaign(tmp_path / "a.dnncov", needed=None)).total
    assert (total.with_effect, total.with_effect_8bit, total.effects.unknown) == (Ratio(0, 0), Ratio(0, 0), 6)


def test_the_total_is_the_sum_of_the_rows(store: CampaignStore) -> None:
    table = coverage_table(store)
    assert table.total.covered == sum((row.covered for row in table.rows), Ratio(0, 0)) == Ratio(6, 8)
    for outcome, n in table.total.outcomes:
        assert n == sum(row.count(outcome) for row in table.rows)


def test_proved_infeasible_leaves_only_the_second_denominator(tmp_path: Path) -> None:
    store = campaign(tmp_path / "a.dnncov", exhausted=0, pending=2)
    for target in store.targets.pending():
        store.record([_proved(target)])
    total = coverage_table(store).total
    assert (total.covered, total.feasible) == (Ratio(6, 8), Ratio(6, 6))


def _proved(target):
    from dnncov_core.records import TargetResult

    return TargetResult(target, Outcome.PROVED_INFEASIBLE, (), None, 0.0)


def test_a_decision_layer_has_the_counts_of_all_its_layer_pairs(tmp_path: Path) -> None:
    store = branched(tmp_path / "a.dnncov")
    table, pairs = coverage_table(store, By.DECISION_LAYER), coverage_table(store)
    assert [row.place.condition_layers for row in table.rows] == [(2,), (2, 3), (4,)]
    assert [row.place.decision_layer for row in table.rows] == [3, 4, 5]
    for row in table.rows:
        own = [pair for pair in pairs.rows if pair.place.decision_layer == row.place.decision_layer]
        for name in ("covered", "feasible", "holds_8bit", "with_effect", "with_effect_8bit"):
            assert getattr(row, name) == sum((getattr(pair, name) for pair in own), Ratio(0, 0))
        assert row.available == sum(pair.available for pair in own)
        assert row.covered.n == len(pairs_of(store, row.place.decision_layer))
    assert table.total == pairs.total


def test_pending_targets_stay_in_the_denominator(tmp_path: Path) -> None:
    store = campaign(tmp_path / "a.dnncov", found=2, exhausted=1, pending=7, adversarial=0)
    assert coverage_table(store).total.covered == Ratio(2, 10)
    assert coverage_table(store).total.count(Outcome.PENDING) == 7


def test_pairs_to_choose_from_are_those_of_the_plan(tmp_path: Path) -> None:
    spec = CampaignSpec(network="toy", data="toy", top_weights=1, pairs=2)
    with CampaignStore(runs.finished(tmp_path / "a.dnncov", spec)) as store:
        table = coverage_table(store)
        assert [row.available for row in table.rows] == [3, 2]
        assert (table.total.available, table.total.covered.total) == (5, 2)
        (_, _, asked, *_) = summary_lines(store)
        assert asked == (
            "The test conditions are a random sample of 2 of 5 feature pairs among the strongest connection into each"
            " decision neuron (random seed 0)."
        )


def test_nothing_measured_is_not_a_hundred_percent(empty: CampaignStore) -> None:
    assert coverage_table(empty).total.covered.display() == "n/a (0 of 0)"
    assert adversarial_table(empty).total.of_pairs.value is None
    assert distance_curve(empty, "").distances == ()
    assert all(row.pairs.n == 0 and row.pairs.mean is None for row in distance_table(empty).rows)


def test_inputs_without_grey_levels_say_so(tmp_path: Path) -> None:
    network = card(hidden=(3, 3), input_shape=(2,), bounds=(-10.0, 10.0), classes=2)
    store = campaign(tmp_path / "a.dnncov", network=network, found=3, exhausted=0, adversarial=1)
    assert coverage_table(store).total.holds_8bit == coverage_table(store).total.with_effect_8bit == Ratio(0, 0)
    effects = campaign_summary(store)["with_effect"]
    assert {name: n for name, n in effects.items() if "8bit" in name} == dict.fromkeys(
        ("needed_8bit", "sufficient_8bit", "both_8bit")
    )
    assert campaign_summary(store)["holds_8bit"] is None
    assert distance_curve(store, "").unit == "input"


def test_what_earlier_versions_did_not_look_at_is_not_counted_as_lost(tmp_path: Path) -> None:
    """Images from 0 to 255 had no 8 bits once."""
    network = card(hidden=(3, 3), input_shape=(1, 4, 4), bounds=(0.0, 255.0), classes=2)
    store = campaign(tmp_path / "a.dnncov", network=network, found=3, exhausted=0, adversarial=1)
    assert has_pixels(network)
    assert coverage_table(store).total.holds_8bit == coverage_table(store).total.with_effect_8bit == Ratio(0, 0)
    assert campaign_summary(store)["holds_8bit"] is None


def test_distances_of_images_are_said_in_their_own_grey_levels() -> None:
    said = [farthest(card(bounds=(0.0, high)), 0.01 * high) for high in (1.0, 255.0)]
    assert said == ["L∞ 0.0100 = 2.55 grey levels", "L∞ 2.55 = 2.55 grey levels"]


def test_tables_and_figures_need_no_torch() -> None:
    packages = (dnncov_core.statistics, dnncov_core.figures)
    modules = [f"{each.__name__}.{module.name}" for each in packages for module in pkgutil.iter_modules(each.__path__)]
    code = f"import sys, {', '.join(modules)}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
