from __future__ import annotations

from pathlib import Path

from dnncov_core.ratios import Ratio
from dnncov_core.statistics.adversarial import adversarial_table
from dnncov_core.statistics.grouping import By
from tests.builders import campaign
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
    assert sum(row.of_adversarial.n for row in table.rows) == 9
    assert table.total == adversarial_table(store).total
