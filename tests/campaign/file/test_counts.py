"""What a campaign file counts: by layer pair, and all of one moment."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import Outcome, TargetResult
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
            assert counts.mean_distance == pytest.approx(distances.mean())
            assert counts.std_distance == pytest.approx(distances.std())
            assert counts.mean_adversarial_distance == pytest.approx(bad.mean())
            assert counts.std_adversarial_distance == pytest.approx(bad.std())
            assert counts.pending == counts.pairs - counts.found - counts.exhausted
        assert sum(c.pairs for c in store.counts.layers()) == 12


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
