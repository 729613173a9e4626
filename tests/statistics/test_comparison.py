"""Several campaigns beside each other, against counts taken pair by pair."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.paper import PapersCoverage
from dnncov_core.ratios import Ratio
from dnncov_core.records import Retry
from dnncov_core.resources import versions
from dnncov_core.statistics.differences import differences
from dnncov_core.statistics.grouping import By
from dnncov_core.statistics.layerwise import layerwise_table
from dnncov_core.statistics.main_table import main_table
from dnncov_core.statistics.settings import names_apart, settings_in_words
from dnncov_core.statistics.top_weights import weights_table
from tests.builders import campaign, card, named
from tests.statistics.branches import branched


def made(folder: Path, name: str, network: str = "mnist-n8", *, found: int = 6, **changes: object) -> CampaignStore:
    spec = CampaignSpec(network, "mnist", **{"effect": "none"} | changes)
    return campaign(folder / f"{name}.dnncov", spec=spec, found=found, adversarial=found // 2)


def test_rows_are_networks_and_columns_criteria(tmp_path: Path) -> None:
    stores = [
        made(tmp_path, "a", "mnist-n10"),
        made(tmp_path, "b", "mnist-n9", criterion="sv"),
        made(tmp_path, "c", "mnist-n9"),
        made(tmp_path, "d", "mnist-n9", seed_order="random"),
    ]
    table = main_table(named(stores))
    assert table.criteria == ("ss", "sv")
    found = [(row.network, {key: cell.campaign for key, cell in row.cells.items()}) for row in table.rows]
    assert found == [("mnist-n9", {"sv": "b", "ss": "c"}), ("mnist-n9", {"ss": "d"}), ("mnist-n10", {"ss": "a"})]
    assert sorted(cell.campaign for cell in table.cells) == ["a", "b", "c", "d"]


def test_cells_are_the_counts_of_the_files(tmp_path: Path) -> None:
    store = made(tmp_path, "a", found=7)
    (cell,) = main_table(named([store])).cells
    pairs = store.pairs.page()
    assert cell.covered == Ratio(len(pairs), len(store.targets.all()))
    assert cell.adversarial == Ratio(sum(pair.adversarial for pair in pairs), len(pairs))
    assert cell.covered_interval == cell.covered.interval()
    assert cell.adversarial_interval == cell.adversarial.interval()
    assert (cell.effect, cell.with_effect) == ("needed", Ratio(2, len(store.targets.all())))
    rounded = (sum(pair.holds_8bit is True for pair in pairs), sum(pair.needed_8bit is True for pair in pairs))
    assert (cell.holds_8bit, cell.with_effect_8bit) == (Ratio(rounded[0], 7), Ratio(rounded[1], 7))
    assert cell.with_effect_interval == cell.with_effect.interval()
    assert cell.baselines.random.total == 0


def test_the_same_campaign_twice_takes_two_rows(tmp_path: Path) -> None:
    table = main_table(named([made(tmp_path, "a"), made(tmp_path, "b")]))
    assert [[cell.campaign for cell in row.cells.values()] for row in table.rows] == [["a"], ["b"]]
    assert {cell.name for cell in table.cells} == {"mnist-n8 · SS · a", "mnist-n8 · SS · b"}


@pytest.mark.parametrize(
    ("changes", "paper"),
    [
        ({}, PapersCoverage(99.8, 8.4)),
        ({"criterion": "vv"}, PapersCoverage(100.0, 7.3)),
        ({"top_weights": 10}, None),
        ({"layers": (3,)}, None),
        ({"criterion": "sv", "sigma": 3.0}, None),
        ({"network": "cifar10-cnn"}, None),
        ({"effect": "needed"}, None),
    ],
)
def test_the_paper_stands_only_beside_its_own_question(
    tmp_path: Path, changes: dict[str, object], paper: PapersCoverage | None
) -> None:
    (cell,) = main_table(named([made(tmp_path, "a", **changes)])).cells
    assert cell.paper == paper


def test_stored_specifications_have_the_papers_functions_written_out(tmp_path: Path) -> None:
    spec = CampaignSpec("mnist-n8", "mnist", criterion="sv", effect="none").resolved()
    (cell,) = main_table(named([campaign(tmp_path / "a.dnncov", spec=spec)])).cells
    assert cell.paper == PapersCoverage(100.0, 4.0)


def test_what_differs_is_listed_with_who_has_it(tmp_path: Path) -> None:
    stores = {
        "one": made(tmp_path, "a", seed_order="random"),
        "two": made(tmp_path, "b", "mnist-n9", criterion="sv", seed_order="random", bound=0.3),
        "three": made(tmp_path, "c", device="cpu", batch=4),
    }
    found = {each.what: each for each in differences(stores)}
    assert list(found) == ["Order of seeds", "Bound b"]
    assert found["Order of seeds"].values == (("Random", ("one", "two")), ("Nearest first", ("three",)))
    assert found["Bound b"].values == (("no bound", ("one", "three")), ("0.3", ("two",)))
    assert found["Bound b"].why


def test_what_decides_nothing_is_no_difference(tmp_path: Path) -> None:
    stores = {"one": made(tmp_path, "a", omega=0.1, generator="lp"), "two": made(tmp_path, "b", generator="lp")}
    assert differences(stores) == ()


def test_weights_data_and_state_that_differ_under_one_name(tmp_path: Path) -> None:
    other = dataclasses.replace(card(), fingerprint="e" * 64)
    one = campaign(tmp_path / "a.dnncov", pending=2)
    two = campaign(tmp_path / "b.dnncov", network=other)
    with two.database.transaction() as connection:
        connection.execute("UPDATE campaign SET data = 'other'")
    found = {each.what for each in differences({"one": one, "two": two})}
    assert {"Content of data mnist", "Weights of network mnist-n1"} <= found


def test_what_was_tried_again_and_an_effect_are_not_said_to_cover_more_or_less(tmp_path: Path) -> None:
    plain = campaign(tmp_path / "a.dnncov", spec=CampaignSpec("mnist-n1", "mnist", effect="none"))
    record = Retry(("without_effect",), (), 47, (41, 400, 20), (41, 400, 20), effect="needed")
    asked = CampaignSpec("mnist-n1", "mnist", effect="needed").retried(record)
    found = {each.what: each for each in differences({"a": plain, "b": campaign(tmp_path / "b.dnncov", spec=asked)})}
    again, effect = found["Tried again"], found["Effect of the condition"]
    assert again.values == (("no", ("a",)), ("tried again with effect needed: 47 test conditions", ("b",)))
    assert again.why == "What was tried again had more attempts."
    assert effect.values == (("None", ("a",)), ("Needed", ("b",)))
    assert effect.why.startswith("Where an effect is asked for, only pairs that show it count: ")


def test_versions_of_the_program_that_differ_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnncov_core.resources.metadata.version", lambda package: "0.1.0")
    old = CampaignStore.create(tmp_path / "a.dnncov", CampaignSpec("toy", "toy"), versions())
    monkeypatch.setattr("dnncov_core.resources.metadata.version", lambda package: "0.2.0")
    new = CampaignStore.create(tmp_path / "b.dnncov", CampaignSpec("toy", "toy"), versions())
    (found,) = differences({"old": old, "new": new})
    assert (found.what, found.values) == ("Version of dnncov", (("0.1.0", ("old",)), ("0.2.0", ("new",))))


def test_value_functions_of_one_criterion_are_compared_and_those_of_two_are_not(tmp_path: Path) -> None:
    usual, other = made(tmp_path, "a", criterion="sv"), made(tmp_path, "b", criterion="sv", sigma=3.0)
    vv = made(tmp_path, "c", criterion="vv")
    assert [each.what for each in differences({"a": usual, "b": other})] == ["Value functions"]
    assert differences({"a": usual, "c": vv}) == ()


def test_long_value_functions_are_compared_whole(tmp_path: Path) -> None:
    bounds = {"criterion": "sv", "value_function": "upper_boundary"}
    names = [
        f"road-signs-of-the-training-data-with-a-very-long-name-indeed-recorded-in-{year}" for year in (2025, 2026)
    ]
    stores = {name: made(tmp_path, str(i), **bounds, reference=name) for i, name in enumerate(names)}
    assert [each.what for each in differences(stores)] == ["Value functions"]


def test_value_functions_tell_names_settings_and_rows_apart(tmp_path: Path) -> None:
    specs = {str(sigma): CampaignSpec("net", "mnist", criterion="sv", sigma=sigma) for sigma in (2.0, 5.0)}
    assert names_apart(specs)["5.0"] == "net · SV, g: ratio (sigma = 5)"
    rows = main_table(named([made(tmp_path, "a", criterion="sv"), made(tmp_path, "b", criterion="vv", sigma=3.0)])).rows
    assert [(list(row.cells), row.setting) for row in rows] == [
        (["sv"], ""),
        (["vv"], "g1: any, g2: ratio (sigma = 3)"),
    ]


def test_rows_of_one_network_say_what_tells_them_apart(tmp_path: Path) -> None:
    same = {"a": {}, "b": {}, "c": {"top_weights": 10}}
    rows = main_table(named([made(tmp_path, name, **changes) for name, changes in same.items()])).rows
    assert [row.setting for row in rows] == ["all connections, a", "all connections, b", "w10"]
    assert [row.setting for row in main_table(named([made(tmp_path, "d"), made(tmp_path, "e", "net")])).rows] == [
        "",
        "",
    ]


def test_names_say_no_more_than_tells_apart() -> None:
    specs = {
        "a": CampaignSpec("net", "mnist", pairs=200),
        "b": CampaignSpec("net", "mnist", pairs=200, seed_order="random"),
        "c": CampaignSpec("net", "mnist", pairs=200, top_weights=10),
        "d": CampaignSpec("other", "mnist"),
    }
    assert names_apart(specs) == {
        "a": "net · SS, nearest order",
        "b": "net · SS, random order",
        "c": "net · SS^w10",
        "d": "other · SS",
    }
    twice = names_apart({"x": specs["a"], "y": specs["a"]})
    assert twice == {"x": "net · SS · x", "y": "net · SS · y"}
    own = names_apart(specs, {"a": "mine", "b": "mine", "c": "other · SS", "d": ""})
    assert own == {"a": "mine · a", "b": "mine · b", "c": "other · SS · c", "d": "other · SS · d"}
    assert len(set(names_apart(specs, {"a": "mine", "b": "mine", "c": "mine · a"}).values())) == 4


def test_names_that_would_be_long_have_the_fewest_settings_that_tell_apart() -> None:
    long = {
        "a": CampaignSpec("ACASXU_run2a_1_1_batch_2000", "encounters", max_seeds=41),
        "b": CampaignSpec(
            "ACASXU_run2a_1_1_batch_2000", "encounters_labelled", pairs=100, max_seeds=82, effect="needed"
        ),
    }
    assert names_apart(long) == {
        "a": "ACASXU_run2a_1_1_batch_2000 · SS, data encounters",
        "b": "ACASXU_run2a_1_1_batch_2000 · SS, data encounters_labelled",
    }


def test_settings_are_those_that_are_not_usual() -> None:
    assert settings_in_words(CampaignSpec("net", "photos")) == "data photos"
    free = CampaignSpec("net", "photos", feature_mode="free", omega=0.01, bound=0.1)
    assert settings_in_words(free) == "data photos, free features, ω = 1 %, b = 0.1"


def test_layers_are_those_of_each_campaign(tmp_path: Path) -> None:
    table = layerwise_table({"one": made(tmp_path, "a"), "two": made(tmp_path, "b", found=9)})
    assert table.by is By.LAYER_PAIR
    for series, name in zip(table.series, "ab", strict=True):
        with CampaignStore(tmp_path / f"{name}.dnncov") as store:
            pairs = store.pairs.page()
            targets = store.targets.all()
        assert series.sample
        for place, covered, effect, own, share in zip(
            series.places, series.covered, series.with_effect, series.of_pairs, series.of_adversarial, strict=True
        ):
            edge = (place.condition_layers[0], place.decision_layer)
            here = [pair for pair in pairs if pair.target.edge == edge]
            adversarial = sum(pair.adversarial for pair in here)
            assert covered == Ratio(len(here), sum(target.edge == edge for target in targets))
            assert effect == Ratio(sum(pair.needed is True for pair in here), covered.total)
            assert own == Ratio(adversarial, len(here))
            assert share == Ratio(adversarial, sum(pair.adversarial for pair in pairs))


def test_one_network_with_branches_makes_all_rows_decision_layers(tmp_path: Path) -> None:
    table = layerwise_table({"one": made(tmp_path, "a"), "two": branched(tmp_path / "b.dnncov")})
    assert table.by is By.DECISION_LAYER
    assert [[place.decision_layer for place in series.places] for series in table.series] == [[3, 4, 5], [3, 4, 5]]


def test_top_weights_are_compared_with_all_pairs(tmp_path: Path) -> None:
    everything, strongest = made(tmp_path, "a", found=4), made(tmp_path, "b", found=7, top_weights=10, pairs=9)
    made(tmp_path, "c", seed_order="random")
    (row,) = weights_table(named([made(tmp_path, "d", seed_order="random"), strongest, everything]))
    assert (row.everything, row.strongest, row.top_weights, row.network) == ("a", "b", 10, "mnist-n8")
    assert row.covered == (Ratio(4, 6), Ratio(7, 9))
    assert row.adversarial == (Ratio(2, 4), Ratio(3, 7))
    low, high = row.covered_interval or (0.0, 0.0)
    assert low < 4 / 6 - 7 / 9 < high
    assert not row.counted


def test_top_weights_without_a_partner_have_no_row(tmp_path: Path) -> None:
    stores = [made(tmp_path, "a", "mnist-n9"), made(tmp_path, "b", top_weights=10)]
    assert weights_table(named(stores)) == ()
