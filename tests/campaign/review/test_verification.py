"""The replay of what is stored: a tampered pair is found and named."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from torch import Tensor

from dnncov_core.campaign.file.encoding import pack, unpack
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.verification import Verification, verify
from dnncov_core.campaign.work.inputs import network_of
from dnncov_core.cli import main
from dnncov_core.errors import CampaignError
from dnncov_core.networks.graph import CanonicalGraph
from dnncov_core.records import Outcome
from tests import runs


@pytest.fixture
def path(toy_campaigns: dict[str, Path], tmp_path: Path) -> Path:
    path = tmp_path / "c.dnncov"
    shutil.copy(toy_campaigns["ss"], path)
    return path


def tamper(path: Path, column: str, change: Callable[[object], object]) -> int:
    """Changes one column of the first stored pair; returns the pair's ordinal."""
    connection = sqlite3.connect(path)
    target, value = connection.execute(f"SELECT target, {column} FROM test_pair ORDER BY target LIMIT 1").fetchone()
    connection.execute(f"UPDATE test_pair SET {column} = ? WHERE target = ?", (change(value), target))
    connection.commit()
    (ordinal,) = connection.execute("SELECT ordinal FROM target WHERE id = ?", (target,)).fetchone()
    connection.close()
    return int(ordinal)


def check(path: Path) -> Verification:
    with CampaignStore(path) as store:
        return verify(store)


@pytest.mark.parametrize(
    ("column", "change", "reason"),
    [
        ("x2", lambda blob: pack(unpack(blob) * 0), "the covering method does not hold"),
        ("x2", lambda blob: pack(unpack(blob) + 100), "an input leaves the network's bounds, -10.0 to 10.0"),
        ("label2", lambda label: 1 - label, "the labels differ from those stored"),  # type: ignore[operator]
        ("distance", lambda value: value / 2, "the distance or the oracle's verdict differs from that stored"),  # type: ignore[operator]
        ("adversarial", lambda flag: 1 - flag, "the distance or the oracle's verdict differs from that stored"),  # type: ignore[operator]
    ],
)
def test_a_tampered_pair_is_named(
    path: Path,
    column: str,
    change: Callable[[object], object],
    reason: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ordinal = tamper(path, column, change)
    found = check(path)
    assert found.failing == {ordinal: reason}
    assert found.holding == found.pairs - 1
    assert main(["verify", str(path)]) == 1
    out = capsys.readouterr().out
    assert f"pair {ordinal}: {reason}" in out
    assert f"{found.holding} of {found.pairs} stored test pairs hold" in out


def test_each_input_goes_through_the_network_once(
    path: Path, free_campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All layers at once: signs, outputs, and what is near zero; effects go on from values of layers."""
    whole, run = list[int](), CanonicalGraph.run

    def counted(self: CanonicalGraph, state: Any, x: Tensor, **given: Any) -> Tensor:
        whole.extend([] if given.get("given") else [len(x)])
        return run(self, state, x, **given)

    monkeypatch.setattr(CanonicalGraph, "run", counted)
    for each in (path, free_campaign):
        with CampaignStore(each) as store:
            network_of(store)
            loading = whole.copy()
            pairs = verify(store).pairs
        assert whole == [*loading, *loading, *[1] * 2 * pairs]
        whole.clear()


@pytest.mark.parametrize("flipped", [None, "", "0 1 2", "wrong"])
def test_other_neurons_of_a_free_feature_are_named(free_campaign: Path, tmp_path: Path, flipped: str | None) -> None:
    path = tmp_path / "c.dnncov"
    shutil.copy(free_campaign, path)
    assert check(path).failing == {}
    reason = "other neurons of the condition layer change their sign than those stored"
    if flipped == "wrong":
        tamper(path, "flipped", lambda value: value)
        with CampaignStore(path) as store:
            (first, *_) = store.pairs.page()
        flipped = " ".join(str(i) for i in range(3) if i not in first.condition_neurons)
    ordinal = tamper(path, "flipped", lambda _: flipped)
    assert check(path).failing == {ordinal: reason}
    assert main(["verify", str(path)]) == 1


def test_neurons_near_zero_may_have_another_sign_than_stored(
    free_campaign: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.dnncov"
    shutil.copy(free_campaign, path)
    tamper(path, "flipped", lambda _: "0 1 2")
    monkeypatch.setattr("dnncov_core.layer_values.NEAR_ZERO", 1e9)
    found = check(path)
    assert found.failing == {}
    assert found.near_zero == found.pairs > 0


def test_flipped_neurons_of_a_named_feature_are_named(path: Path) -> None:
    ordinal = tamper(path, "flipped", lambda _: "0")
    assert set(check(path).failing) == {ordinal}


def test_flipped_neurons_that_are_no_numbers_are_damage(
    free_campaign: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.dnncov"
    shutil.copy(free_campaign, path)
    tamper(path, "flipped", lambda _: "a b")
    assert main(["verify", str(path)]) == 2
    assert "damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("x2", pack(np.full(2, np.nan)), "inputs that are not finite"),
        ("x2", pack(np.zeros(3)), "inputs of shapes (2,) and (3,)"),
        ("flipped", "7", "neuron 7, which layer 2 of the network does not have"),
    ],
)
def test_a_pair_that_is_none_of_the_network_is_damage_and_named(
    path: Path, column: str, value: object, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ordinal = tamper(path, column, lambda _: value)
    assert main(["verify", str(path)]) == 2
    assert f"a damaged one, c.dnncov (test pair {ordinal}: {reason})" in capsys.readouterr().err


def test_an_x2_that_is_no_array_of_numbers_is_damage(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tamper(path, "x2", lambda blob: pack(np.array(["a", "b"])))
    assert main(["verify", str(path)]) == 2
    assert "damaged" in capsys.readouterr().err


def test_a_pair_moved_to_another_target_is_named(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("UPDATE target SET condition_neurons = '2', decision_neurons = '2' WHERE id = 1")
    connection.commit()
    connection.close()
    assert len(check(path).failing) == 1


def test_another_network_is_refused(path: Path) -> None:
    with CampaignStore(path) as store, pytest.raises(CampaignError, match="the network of this campaign"):
        verify(store, "mnist-n9")


def test_signs_near_zero_are_counted(toy_campaigns: dict[str, Path]) -> None:
    """The first input of the toy data has u of n2,2 = 0 exactly."""
    for path in toy_campaigns.values():
        with CampaignStore(path) as store:
            on_the_edge = sum(pair.seed == 0 and pair.target.condition_layer == 2 for pair in store.pairs.page())
            found = verify(store)
        assert on_the_edge <= found.near_zero <= found.pairs


def test_a_campaign_without_pairs(tmp_path: Path) -> None:
    assert check(runs.create(tmp_path / "c.dnncov", runs.toy_spec())) == Verification()


def test_all_pages_of_pairs_are_replayed(toy_campaigns: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dnncov_core.campaign.review.verification.CHUNK", 4)
    with CampaignStore(toy_campaigns["vs"]) as store:
        assert verify(store).pairs == store.counts.outcomes()[Outcome.FOUND] == 15
