"""The example that comes with the program: it is what the program itself would find, small, and never changed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dnncov_core.campaign.file.conditions import Status
from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.schema import SCHEMA_VERSION
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import (
    SUFFIX,
    campaigns,
    copy_of,
    open_campaign,
    resume,
    start_proof,
    try_again,
    viewable,
)
from dnncov_core.campaign.review.verification import verify
from dnncov_core.entries.kinds import Note, read_note, write_note
from dnncov_core.entries.ready_made import READY_MADE
from dnncov_core.entries.rows import entries
from dnncov_core.entries.trash import discard
from dnncov_core.errors import CampaignError, DataError
from dnncov_core.example import FOLDER, ID, is_example
from dnncov_core.preferences import prefer
from dnncov_core.records import State
from dnncov_core.statistics.adversarial import baselines_by_layer
from dnncov_core.suites.library import measurements, open_measurement, standing
from dnncov_core.suites.library import viewable as viewable_measurements
from tests import builders
from tests.example import AUTHOR, SPEC

FILE = FOLDER / f"{ID}{SUFFIX}"
MOST_BYTES = 300_000


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    """Whatever a test does, the example's folder stays as it is: to the last byte, and with no file beside."""
    before = {path.name: hashlib.sha256(path.read_bytes()).digest() for path in FOLDER.iterdir()}
    yield
    assert {path.name: hashlib.sha256(path.read_bytes()).digest() for path in FOLDER.iterdir()} == before


def exhausted(store: CampaignStore) -> int:
    """The ordinal of a test condition that nobody has justified and no search has covered."""
    return next(c.target.ordinal for c in store.conditions.page(limit=1000) if c.status is Status.EXHAUSTED)


def test_every_pair_replays() -> None:
    with CampaignStore(FILE) as store:
        result = verify(store)
    assert result.failing == {}
    assert result.holding == result.effects == result.pairs
    assert result.pairs > 30


def test_it_has_something_for_every_page() -> None:
    with CampaignStore(FILE) as store:
        assert store.state() is State.FINISHED
        assert store.spec() == SPEC.for_network(store.card())  # type: ignore[arg-type]
        found, adversarial = store.pairs.count(), store.pairs.count(PairFilter(adversarial=True))
        kinds = Counter(each.status for each in store.conditions.page(statuses=Status))
        assert all(pair.holds_8bit for pair in store.pairs.page())
        assert {said.author for said in store.justifications.all()} == {AUTHOR}
        assert len(store.counts.layers()) == 3
        assert baselines_by_layer(store).total.searched
    assert 0 < adversarial < found
    assert {Status.COVERED, Status.EXHAUSTED, Status.JUSTIFIED} <= set(kinds)
    measured = open_measurement(ID)
    assert measured.spec == READY_MADE["measure"].spec


def test_it_is_small_of_the_present_schema_and_names_no_folder_of_a_machine() -> None:
    content = FILE.read_bytes()
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < MOST_BYTES
    assert int.from_bytes(content[60:64]) == SCHEMA_VERSION  # SQLite's user version
    assert not any(folder in content for folder in (b"/home/", b"/root/", b"/tmp/", b"\\Users\\"))


def test_it_is_called_example_wherever_it_is_listed() -> None:
    assert read_note(FOLDER / ID).name == "Example"
    assert is_example(FILE)


def test_it_is_last_among_what_can_be_viewed_and_no_entry_of_the_users(folder: Path) -> None:
    builders.campaign(folder / "home" / "campaigns" / "own.dnncov").close()
    assert list(viewable()) == ["own", ID]
    assert list(viewable_measurements()) == [ID]
    assert list(campaigns()) == ["own"]
    assert measurements() == {}
    assert [entry_id for _, entry_id, _ in entries()] == ["own"]
    assert standing(ID).state is State.FINISHED
    prefer(example=False)
    assert list(viewable()) == ["own"]
    assert list(viewable_measurements()) == []


def test_a_campaign_of_the_user_by_its_id_goes_first(folder: Path) -> None:
    own = folder / "home" / "campaigns" / f"{ID}{SUFFIX}"
    builders.campaign(own).close()
    assert list(viewable().values()) == [own]


def test_nothing_changes_it_and_each_refusal_says_what_to_do(folder: Path) -> None:
    for change in (resume, start_proof, lambda campaign_id: try_again(campaign_id, max_seeds=SPEC.max_seeds + 1)):
        with pytest.raises(CampaignError, match=r"read-only here; work on a copy of it"):
            change(ID)
    with open_campaign(ID) as store:
        ordinal = exhausted(store)
        with pytest.raises(CampaignError, match="read-only here"):
            store.justifications.add([ordinal], reason="why", author="me")
    for change in (lambda: write_note("campaign", ID, Note("mine")), lambda: discard("campaign", ID)):
        with pytest.raises(DataError, match="choose one from the list"):
            change()


def test_a_copy_of_it_is_the_users_own(folder: Path) -> None:
    new = copy_of(ID)
    assert list(campaigns()) == [new]
    with open_campaign(ID) as example, open_campaign(new) as own:
        assert own.counts.outcomes() == example.counts.outcomes()
        assert not is_example(own.path)
        own.justifications.add([exhausted(own)], reason="why", author="me")


def test_examples_to_start_search_on_the_8_bit_grid_where_there_is_one() -> None:
    searches = [ready.spec for ready in READY_MADE.values() if ready.kind == "campaign"]
    assert [spec.network for spec in searches if spec.grid != "8bit"] == ["toy"]  # type: ignore[union-attr]


def test_first_campaigns_ask_each_layer_pair() -> None:
    searches = [ready.spec for ready in READY_MADE.values() if ready.kind == "campaign"]
    assert [spec.network for spec in searches if spec.pairs and spec.sampling != "even"] == []  # type: ignore[union-attr]


def test_pictures_of_examples_are_there() -> None:
    pictures = [ready.picture for ready in READY_MADE.values() if ready.picture]
    assert sorted(pictures) == sorted(path.name for path in FOLDER.glob("*.png"))
    assert all(ready.shown for ready in READY_MADE.values() if ready.picture)
