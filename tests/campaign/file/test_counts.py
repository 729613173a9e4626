"""What a campaign file counts: by layer pair, and all of one moment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import EffectCounts, Outcome, TargetResult, TestPair
from tests import builders


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "c.dnncov"


def test_layer_counts_agree_with_the_pairs(path: Path) -> None:
    with builders.campaign(path, found=7, exhausted=3, pending=2, adversarial=5, survivors=4) as store:
        pairs = store.pairs.page()
        for counts in store.counts.layers():
            mine = [p for p in pairs if p.target.decision_layer == counts.decision_layer]
            distances = np.array([p.distance for p in mine])
            bad = np.array([p.distance for p in mine if p.adversarial])
            assert counts.found == len(mine)
            assert counts.adversarial == len(bad)
            assert counts.holds_8bit == sum(bool(p.holds_8bit) for p in mine)
            assert counts.effects == counted(mine)
            assert counts.mean_distance == pytest.approx(distances.mean())
            assert counts.std_distance == pytest.approx(distances.std())
            assert counts.mean_adversarial_distance == pytest.approx(bad.mean())
            assert counts.std_adversarial_distance == pytest.approx(bad.std())
            assert counts.pending == counts.pairs - counts.found - counts.exhausted
        assert sum(c.pairs for c in store.counts.layers()) == 12


def counted(pairs: list[TestPair]) -> EffectCounts:
    """The effects of test pairs, one by one."""
    shares = [pair.effect_share for pair in pairs if pair.effect_share is not None]
    return EffectCounts(
        needed=sum(pair.needed is True for pair in pairs),
        sufficient=sum(pair.sufficient is True for pair in pairs),
        both=sum(pair.needed is True and pair.sufficient is True for pair in pairs),
        needed_8bit=sum(pair.needed_8bit is True for pair in pairs),
        sufficient_8bit=sum(pair.sufficient_8bit is True for pair in pairs),
        both_8bit=sum(pair.needed_8bit is True and pair.sufficient_8bit is True for pair in pairs),
        unknown=sum(pair.needed is None for pair in pairs),
        shares=len(shares),
        share_sum=pytest.approx(sum(min(max(share, 0), 1) for share in shares)),
    )


def test_effects_that_nobody_knows_are_counted_apart(path: Path) -> None:
    with builders.campaign(path, needed=None) as store:
        assert [counts.effects for counts in store.counts.layers()] == [EffectCounts(unknown=2)] * 3


def test_shares_beyond_none_and_all_count_as_these(path: Path) -> None:
    with builders.campaign(path, found=3, exhausted=0) as store:
        pairs = store.pairs.page()
        store.worker.claim()
        store.pairs.record_effects(
            [replace(pair, effect_share=share) for pair, share in zip(pairs, (-7.0, 0.5, 30.0), strict=True)]
        )
        total = sum((counts.effects for counts in store.counts.layers()), EffectCounts())
        assert total.mean_share == pytest.approx((0 + 0.5 + 1) / 3)
        assert EffectCounts().mean_share is None


def test_counts_read_indexes_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with builders.campaign(path) as store:
        asked, rows = list[str](), store.database.rows

        def noted(sql: str, parameters: Any = ()) -> list[Any]:
            asked.append(sql)
            return rows(sql, parameters)

        monkeypatch.setattr(store.database, "rows", noted)
        store.counts.layers()
        plans = [str(row) for sql in asked if "test_pair" in sql for row in rows(f"EXPLAIN QUERY PLAN {sql}")]
        read = [plan for plan in plans if " p " in plan or " t " in plan]
        assert read
        assert all("USING COVERING INDEX" in plan for plan in read)


def test_what_is_read_at_one_moment_is_of_that_moment(path: Path) -> None:
    with builders.campaign(path, found=2, exhausted=0, pending=1) as store, CampaignStore(path) as reader:
        (target,) = store.targets.pending()
        with reader.at_one_moment():
            before = reader.counts.progress()
            store.worker.claim()
            store.record([TargetResult(target, Outcome.EXHAUSTED, (), None, 0.1)])
            assert reader.counts.progress() == before
            assert len(reader.targets.pending()) == 1
        assert reader.counts.progress().done == before.done + 1
        assert reader.targets.pending() == []


def test_an_empty_campaign_has_no_distances(path: Path) -> None:
    with builders.campaign(path, found=0, exhausted=1) as store:
        assert store.counts.layers()[0].mean_distance is None
        assert store.pairs.adversarial_distances().size == 0
