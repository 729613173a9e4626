"""Certificates in the campaign file, and the targets that they decide."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import CampaignError
from dnncov_core.records import Certificate, Outcome, State
from tests import builders

CERTIFICATES = [Certificate(2, 1, 1, 0.5, 2.5, "linear", 0.25), Certificate(4, 0, -1, -3.0, -0.125, "mip", 1.5)]


@pytest.fixture
def store(tmp_path: Path) -> CampaignStore:
    """Eight targets: three covered, two exhausted, three pending."""
    return builders.campaign(tmp_path / "c.dnncov", found=3, exhausted=2, pending=3)


def test_proofs_come_back_and_decide_their_targets(store: CampaignStore) -> None:
    exhausted, pending = store.targets.all()[3], store.targets.all()[6]
    store.certificates.record(CERTIFICATES, {exhausted.ordinal: (2, 1), pending.ordinal: (4, 0)})
    assert store.certificates.all() == CERTIFICATES
    assert store.counts.outcomes() == {
        Outcome.FOUND: 3,
        Outcome.EXHAUSTED: 1,
        Outcome.PENDING: 2,
        Outcome.PROVED_INFEASIBLE: 2,
    }
    outcomes = dict(store.targets.with_outcomes())
    assert outcomes[exhausted] is outcomes[pending] is Outcome.PROVED_INFEASIBLE
    assert pending not in store.targets.pending()


def test_a_proof_that_a_test_pair_contradicts_stores_nothing(store: CampaignStore) -> None:
    found, pending = store.targets.all()[0], store.targets.all()[6]
    before = store.counts.outcomes()
    with pytest.raises(
        CampaignError, match=r"sign of neuron 1 of layer 2.*the test pair of condition 0; .*report this"
    ):
        store.certificates.record(CERTIFICATES, {pending.ordinal: (4, 0), found.ordinal: (2, 1)})
    assert (store.certificates.all(), store.counts.outcomes()) == ([], before)


def test_nothing_is_stored_beside_a_worker(store: CampaignStore) -> None:
    store.worker.claim()
    store.worker.enter(State.RUNNING)
    store.database._connection.execute("UPDATE worker SET pid = ?", (os.getppid(),))
    with pytest.raises(CampaignError, match="without a worker; got one that is running"):
        store.certificates.record(CERTIFICATES, {})
    assert store.certificates.all() == []


def test_covered_free_features_name_what_flipped(free_campaign: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(free_campaign, tmp_path / "free.dnncov"))
    with CampaignStore(path) as store:
        flipped = {pair.target.ordinal: pair.flipped for pair in store.pairs.page()}
        for target, outcome in store.targets.with_outcomes():
            assert outcome is Outcome.FOUND
            assert (target.condition_neurons, target.condition_most) == (flipped[target.ordinal], None)
