"""Single test conditions: SQL counts and pages against a slow reference, and what is known of each."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dnncov_core.campaign.file.conditions import COVERED, OPEN, UNCOVERED, LayerPairMatrix, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.records import Outcome, Target
from tests import runs
from tests.builders import campaign, card, mixed

EXPECTED = {
    Status.COVERED: 2,
    Status.WITHOUT_EFFECT: 1,
    Status.PROVED_INFEASIBLE: 2,
    Status.JUSTIFIED: 2,
    Status.EXHAUSTED: 3,
    Status.ERROR: 1,
    Status.PENDING: 2,
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> CampaignStore:
    return mixed(tmp_path_factory.mktemp("gaps") / "a.dnncov")


def reference(store: CampaignStore) -> dict[int, Status]:
    """By ordinal: covered wins over proved, proved over justified, justified over the outcome."""
    without = {pair.target.ordinal for pair in store.pairs.page() if pair.needed is False}
    justified = {justification.ordinal for justification in store.justifications.all()}

    def status(target: Target, outcome: Outcome) -> Status:
        if target.ordinal in without:
            return Status.WITHOUT_EFFECT
        if outcome in (Outcome.FOUND, Outcome.PROVED_INFEASIBLE):
            return Status(outcome.value)
        return Status.JUSTIFIED if target.ordinal in justified else Status(outcome.value)

    return {target.ordinal: status(target, outcome) for target, outcome in store.targets.with_outcomes()}


def test_every_condition_has_one_status(store: CampaignStore) -> None:
    counts = store.counts.statuses_by_edge()
    assert {status: sum(row.get(status, 0) for row in counts.values()) for status in Status} == EXPECTED
    assert list(counts) == [(2, 3), (3, 4), (4, 5)]
    slow = reference(store)
    for target in store.targets.all():
        condition = store.conditions.one(target.ordinal)
        assert condition is not None
        assert (condition.target, condition.status) == (target, slow[target.ordinal])


@given(
    edge=st.sampled_from([None, (2, 3), (3, 4), (4, 5), (7, 8)]),
    statuses=st.sets(st.sampled_from(Status)),
    limit=st.integers(0, 14),
    offset=st.integers(0, 14),
)
def test_pages_are_those_of_a_slow_reference(
    store: CampaignStore, edge: tuple[int, int] | None, statuses: set[Status], limit: int, offset: int
) -> None:
    slow = reference(store)
    wanted = [
        target
        for target in sorted(store.targets.all(), key=lambda target: target.ordinal)
        if slow[target.ordinal] in statuses and edge in (None, target.edge)
    ]
    found = store.conditions.page(edge=edge, statuses=statuses, limit=limit, offset=offset)
    assert [condition.target for condition in found] == wanted[offset : offset + limit]


@given(rows=st.integers(1, 6), columns=st.integers(1, 5))
def test_blocks_are_those_of_a_slow_reference(store: CampaignStore, rows: int, columns: int) -> None:
    slow, counted = reference(store), {}
    for target in store.targets.all():
        if target.edge == (2, 3):
            (i,), (j,) = target.condition_neurons, target.decision_neurons
            key = (i // rows, j // columns, slow[target.ordinal])
            counted[key] = counted.get(key, 0) + 1
    found = store.conditions.blocks(LayerPairMatrix(first=0, width=4, pairs=20), rows, columns)
    assert {(i, j, status): n for i, j, status, n in found} == counted


def test_what_is_known_of_a_condition(store: CampaignStore) -> None:
    targets = store.targets.all()
    failed, justified, covered = (store.conditions.one(targets[at].ordinal) for at in (9, 5, 0))
    assert failed is not None
    assert failed.message == "expected finite values; got NaN; check the weights"
    assert (failed.seeds_tried, failed.justification) == (1, None)
    assert justified is not None
    assert justified.justification is not None
    assert (justified.justification.author, justified.outcome) == ("A. Engineer", Outcome.EXHAUSTED)
    assert covered is not None
    assert covered.status is Status.COVERED
    assert [store.conditions.one(ordinal) for ordinal in (61, -1, 2**63, 10**30)] == [None] * 4


@pytest.mark.parametrize(("effect", "shown"), [("none", (2, 4)), ("sufficient", (3, 3)), ("both", (1, 5))])
def test_without_effect_is_what_does_not_show_the_one_that_is_asked_for(
    tmp_path: Path, effect: str, shown: tuple[int, int]
) -> None:
    """Of six witnesses the condition's change is needed in the first two, and sufficient in every second one."""
    spec = CampaignSpec(network="mnist-n1", data="mnist", effect=effect)
    with campaign(tmp_path / "a.dnncov", spec=spec) as store:
        records = store.conditions.page(statuses=COVERED)
        assert tuple(sum(each.with_effect is said for each in records) for said in (True, False)) == shown
        counts = store.counts.statuses_by_edge().values()
        assert tuple(sum(row.get(status, 0) for row in counts) for status in COVERED) == shown
        for each in records:
            pair = store.pairs.of(each.target)
            assert pair is not None
            assert (each.needed, each.sufficient) == (pair.needed, pair.sufficient)


def test_nothing_is_without_effect_while_nobody_knows(tmp_path: Path) -> None:
    with campaign(tmp_path / "a.dnncov", needed=None) as store:
        assert store.conditions.page(statuses=[Status.WITHOUT_EFFECT]) == []
        assert [each.with_effect for each in store.conditions.page(statuses=Status)] == [None] * 8
        assert {status for row in store.counts.statuses_by_edge().values() for status in row} == {
            Status.COVERED,
            Status.EXHAUSTED,
        }


def test_a_witness_comes_by_its_condition(store: CampaignStore) -> None:
    covered, pending = store.targets.all()[0], store.targets.all()[-1]
    pair = store.pairs.of(covered)
    assert pair is not None
    assert (pair.target, pair.seed) == (covered, covered.ordinal)
    assert store.pairs.of(pending) is None


def test_asked_features_are_listed(store: CampaignStore) -> None:
    grid = LayerPairMatrix(first=0, width=4, pairs=20)
    asked = sorted((t.condition_neurons[0], t.decision_neurons[0]) for t in store.targets.all() if t.edge == (2, 3))
    assert store.conditions.matrix_rows(grid) == sorted({i for i, _ in asked})
    assert store.conditions.matrix_columns(grid, 0) == [j for i, j in asked if i == 0]
    for target in store.targets.all():
        if target.edge == (2, 3):
            place = (target.condition_neurons[0], target.decision_neurons[0])
            assert (grid.place(target.ordinal), grid.ordinal(*place)) == (place, target.ordinal)


@given(i=st.integers(0, 4), j=st.integers(0, 3), rows=st.integers(1, 5), columns=st.integers(1, 5))
def test_the_first_open_condition_of_a_block(store: CampaignStore, i: int, j: int, rows: int, columns: int) -> None:
    slow, grid = reference(store), LayerPairMatrix(first=0, width=4, pairs=20)
    inside = [
        target.ordinal
        for target in sorted(store.targets.all(), key=lambda target: target.ordinal)
        if target.edge == (2, 3)
        and target.condition_neurons[0] in range(i, i + rows)
        and target.decision_neurons[0] in range(j, j + columns)
    ]
    expected = next((n for n in inside if slow[n] in OPEN), inside[0] if inside else None)
    assert store.conditions.first_of_block(grid, range(i, i + rows), range(j, j + columns)) == expected


def test_a_hundred_thousand_conditions_stay_quick(tmp_path: Path) -> None:
    path = tmp_path / "large.dnncov"
    network = card(hidden=(700, 1000, 3))
    campaign(path, found=0, exhausted=0, adversarial=0, survivors=0, network=network).close()
    connection = sqlite3.connect(path)
    rows = (
        (n, n * 7, str(n * 7 // 1000), str(n * 7 % 1000), ("exhausted", "found", "pending", "error")[n % 4])
        for n in range(100_000)
    )
    connection.executemany(
        "INSERT INTO target"
        " (id, ordinal, condition_neurons, decision_neurons, outcome, condition_layer, decision_layer)"
        " VALUES (?, ?, ?, ?, ?, 2, 3)",
        rows,
    )
    connection.execute(
        "INSERT INTO attempt (target, place, seed, outcome, seconds, margin, objective, calls, variables, constraints,"
        " iterations, solver_seconds, passes, message)"
        " SELECT id, 0, 1, outcome, 0, 0, 0, 0, 0, 0, 0, 0, 0, '' FROM target"
    )
    connection.commit()
    connection.close()
    with CampaignStore(path) as store:
        start = time.perf_counter()
        store.counts.statuses_by_edge()
        page = store.conditions.page(statuses=OPEN, limit=50, offset=70_000)
        store.conditions.blocks(LayerPairMatrix(0, 1000, 700_000), 10, 10)
        store.conditions.page(edge=(2, 3), statuses=UNCOVERED, limit=50)
        assert time.perf_counter() - start < runs.allowed(3.0)
        assert len(page) == 50
