"""Certificates and justifications in the campaign file."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import CampaignError
from dnncov_core.records import Certificate, Justification, Outcome, State
from tests import builders

CERTIFICATES = [Certificate(2, 1, 1, 0.5, 2.5, "linear", 0.25), Certificate(4, 0, -1, -3.0, -0.125, "mip", 1.5)]


@pytest.fixture
def store(tmp_path: Path) -> CampaignStore:
    """Eight targets: three covered, two exhausted, three pending."""
    return builders.campaign(tmp_path / "c.dnncov", found=3, exhausted=2, pending=3)


def test_proofs_come_back_and_decide_their_targets(store: CampaignStore) -> None:
    exhausted, pending = store.targets()[3], store.targets()[6]
    store.record_proofs(CERTIFICATES, {exhausted.ordinal: (2, 1), pending.ordinal: (4, 0)})
    assert store.certificates() == CERTIFICATES
    assert store.outcomes() == {
        Outcome.FOUND: 3,
        Outcome.EXHAUSTED: 1,
        Outcome.PENDING: 2,
        Outcome.PROVED_INFEASIBLE: 2,
    }
    outcomes = dict(store.targets_with_outcomes())
    assert outcomes[exhausted] is outcomes[pending] is Outcome.PROVED_INFEASIBLE
    assert pending not in store.pending()


def test_a_proof_that_a_test_pair_contradicts_stores_nothing(store: CampaignStore) -> None:
    found, pending = store.targets()[0], store.targets()[6]
    before = store.outcomes()
    with pytest.raises(
        CampaignError, match=r"sign of neuron 1 of layer 2.*the test pair of condition 0; .*report this"
    ):
        store.record_proofs(CERTIFICATES, {pending.ordinal: (4, 0), found.ordinal: (2, 1)})
    assert (store.certificates(), store.outcomes()) == ([], before)


def test_nothing_is_stored_beside_a_worker(store: CampaignStore) -> None:
    store.claim()
    store.enter(State.RUNNING)
    store._connection.execute("UPDATE worker SET pid = ?", (os.getppid(),))
    with pytest.raises(CampaignError, match="without a worker; got one that is running"):
        store.record_proofs(CERTIFICATES, {})
    assert store.certificates() == []


def test_covered_free_features_name_what_flipped(free_campaign: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(free_campaign, tmp_path / "free.dnncov"))
    with CampaignStore(path) as store:
        flipped = {pair.target.ordinal: pair.flipped for pair in store.test_pairs()}
        for target, outcome in store.targets_with_outcomes():
            assert outcome is Outcome.FOUND
            assert (target.condition_neurons, target.condition_most) == (flipped[target.ordinal], None)


def test_justifications_come_back_are_replaced_and_withdrawn(store: CampaignStore) -> None:
    ordinals = [target.ordinal for target in store.targets()[4:7]]
    store.justify(ordinals, "the camera never gives such images", "A. Engineer", "2026-01-02")
    expected = {
        n: Justification(n, "the camera never gives such images", "A. Engineer", "2026-01-02") for n in ordinals
    }
    with pytest.raises(CampaignError, match=f"got {ordinals[0]} .'the camera .* by A. Engineer, "):
        store.justify(ordinals[:1], "not needed", "B", "2026-02-03")
    assert store.justifications() == [expected[n] for n in sorted(ordinals)]
    assert store.justify(ordinals[:1], "not needed", "B", "2026-02-03", replace=True) == [expected[ordinals[0]]]
    expected[ordinals[0]] = Justification(ordinals[0], "not needed", "B", "2026-02-03")
    assert store.justifications() == [expected[n] for n in sorted(ordinals)]
    store.withdraw(ordinals[1:])
    assert store.justifications() == [expected[ordinals[0]]]
    assert store.outcomes() == {Outcome.FOUND: 3, Outcome.EXHAUSTED: 2, Outcome.PENDING: 3}


def test_a_justification_of_no_target_stores_nothing(store: CampaignStore) -> None:
    with pytest.raises(CampaignError, match="ordinals of this campaign's test conditions; got 99999"):
        store.justify([store.targets()[0].ordinal, 99999], "why", "who", "2026-01-02")
    assert store.justifications() == []
