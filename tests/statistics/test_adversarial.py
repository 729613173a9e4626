from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.ratios import Ratio
from dnncov_core.records import BaselineSearch
from dnncov_core.statistics.adversarial import adversarial_table, baselines_by_layer
from dnncov_core.statistics.grouping import By
from dnncov_core.statistics.omegas import omega_table
from tests.builders import campaign, card, named
from tests.statistics.branches import branched, pairs_of


def test_adversarial_pairs_over_both_denominators(tmp_path: Path) -> None:
    table = adversarial_table(campaign(tmp_path / "a.dnncov"))
    assert [row.of_pairs for row in table.rows] == [Ratio(1, 2)] * 3
    assert [row.of_adversarial for row in table.rows] == [Ratio(1, 3)] * 3
    assert (table.total.of_pairs, table.total.of_adversarial) == (Ratio(3, 6), Ratio(3, 3))


def test_a_decision_layer_has_the_pairs_of_all_its_layer_pairs(tmp_path: Path) -> None:
    store = branched(tmp_path / "a.dnncov")
    table = adversarial_table(store, By.DECISION_LAYER)
    for row in table.rows:
        every, adversarial = (pairs_of(store, row.place.decision_layer, adversarial=only) for only in (False, True))
        assert row.of_pairs == Ratio(len(adversarial), len(every))
        assert row.of_adversarial == Ratio(len(adversarial), 9)
        assert row.seeds == len({pair.seed for pair in adversarial}) > 0
        assert row.words.endswith(f"({row.of_pairs.counts}, from {row.seeds} seeds)")
    assert sum(row.of_adversarial.n for row in table.rows) == 9
    assert table.total == adversarial_table(store).total


def test_a_seed_that_several_layer_pairs_have_counts_once_in_all(tmp_path: Path) -> None:
    store = branched(tmp_path / "a.dnncov")
    with store.database.transaction() as connection:
        connection.execute("UPDATE test_pair SET seed = CASE WHEN target % 2 THEN 7 ELSE 3 END")
    table = adversarial_table(store)
    by_pair = {(*row.place.condition_layers, row.place.decision_layer): row.seeds for row in table.rows}
    pairs = store.pairs.page(PairFilter(adversarial=True))
    assert by_pair == {
        edge: len({pair.seed for pair in pairs if pair.target.edge == edge}) for edge in store.available()
    }
    assert table.total.seeds == 2
    assert sum(by_pair.values()) > 2


def test_a_campaign_of_a_network_with_one_output_has_no_rate(tmp_path: Path) -> None:
    """Earlier versions took such networks; argmax is 0 there for every input."""
    spec = CampaignSpec("mnist-n1", "mnist", feature_mode="free")
    store = campaign(tmp_path / "a.dnncov", adversarial=0, network=card(classes=1), spec=spec)
    nothing = Ratio(0, 0)
    table = adversarial_table(store)
    assert {row.of_pairs for row in (*table.rows, table.total)} == {nothing}
    assert baselines_by_layer(store).total.searched == nothing
    assert [row.of_pairs for row in omega_table(named([store])).rows] == [nothing]


@pytest.mark.parametrize(
    ("pairs", "searched", "sampled"), [(None, 6, False), (None, 5, True), (8, 6, True), (8, 5, True)]
)
def test_baseline_searches_have_an_interval_only_of_a_sample(
    tmp_path: Path, pairs: int | None, searched: int, sampled: bool
) -> None:
    """Of the test pairs, or of the feature pairs: a campaign of all of them that was tried wholly has none."""
    network = card(hidden=(2,)) if pairs is None else card()
    spec = CampaignSpec("mnist-n1", "mnist", pairs=pairs)
    store = campaign(tmp_path / "a.dnncov", spec=spec, network=network, found=6, exhausted=14 if pairs is None else 2)
    ordinals = [pair.target.ordinal for pair in store.pairs.page()][:searched]
    found = [BaselineSearch(ordinal, 0.1, 4, random=True, ascent=False) for ordinal in ordinals]
    store.baseline_searches.record(ordinals, found)
    total = baselines_by_layer(store).total
    assert total.sample == sampled
    assert total.interval("random") == (total.random.interval() if sampled else None)
