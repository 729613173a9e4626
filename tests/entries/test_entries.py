"""Campaigns and measurements as one list: rows, names, the trash, and what to begin with."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from dnncov_core.campaign import library
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.entries.kinds import ENTRY_KINDS, Note, files_of, known_stem, left_out, read_note, stamp, write_note
from dnncov_core.entries.ready_made import READY_MADE, start_ready_made
from dnncov_core.entries.rows import entries, entry_row
from dnncov_core.entries.trash import discard, empty_trash, name_of, restore, trashed
from dnncov_core.errors import DataError
from dnncov_core.ratios import Ratio
from dnncov_core.records import State
from dnncov_core.registry import networks
from dnncov_core.suites import library as measuring
from dnncov_core.suites.spec import MeasurementSpec
from tests.builders import campaign
from tests.suites.made import patterns, save


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path))
    return tmp_path


def made(home: Path, name: str = "abc", **options: object) -> Path:
    path = home / "campaigns" / f"{name}.dnncov"
    campaign(path, **options).close()
    return path


def measured(home: Path, name: str = "20260102-030405-abcdef") -> Path:
    path = home / "measurements" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    save(path, patterns(7))
    return path


def row_of(kind: str, name: str) -> object:
    return entry_row(kind, name, known_stem(kind, name))


def test_a_campaign_in_a_line(home: Path) -> None:
    made(home, spec=CampaignSpec("mnist-n8", "mnist", seed_order="random", pairs=8), found=6, adversarial=3)
    row = row_of("campaign", "abc")
    assert (row.title, row.network, row.criteria) == ("mnist-n8 · SS", "mnist-n8", ("SS",))
    assert row.settings == "data mnist, generator lp, 8 pairs, random order, effect needed"
    assert (row.measured[0].ratio, row.adversarial, row.available) == (Ratio(6, 8), Ratio(3, 6), 62)
    assert (row.state, row.busy, row.seconds, row.error) == (State.FINISHED, False, 12.5, "")
    assert row.created == pytest.approx(time.time(), abs=60)


def test_a_measurement_in_a_line(home: Path) -> None:
    measured(home)
    row = row_of("measurement", "20260102-030405-abcdef")
    stored = measuring.open_measurement(row.id)
    assert [each.percent for each in row.measured] == [each.percent for each in stored.criteria]
    assert (row.state, row.adversarial, row.seconds) == (State.FINISHED, None, stored.seconds)
    assert time.strftime("%Y%m%d-%H%M%S", time.gmtime(row.created)) == "20260102-030405"


def test_a_damaged_file_is_a_row_that_says_so(home: Path) -> None:
    path = made(home)
    path.write_bytes(b"SQLite format 3\0" + b"x" * 4000)
    (home / "measurements").mkdir()
    (home / "measurements" / "m.json").write_text("{")
    for kind, name in (("campaign", "abc"), ("measurement", "m")):
        row = row_of(kind, name)
        assert (row.state, row.title, row.busy) == (None, name, False)
        assert row.error


def test_a_campaign_without_conditions_has_no_ratio(home: Path) -> None:
    (home / "campaigns").mkdir()
    CampaignStore.create(home / "campaigns" / "new.dnncov", CampaignSpec("toy", "toy"), {}).close()
    row = row_of("campaign", "new")
    assert (row.measured[0].ratio, row.adversarial, row.baselines) == (None, None, None)


def test_a_stamp_changes_with_the_files(home: Path) -> None:
    path = made(home)
    stem = known_stem("campaign", "abc")
    before = stamp("campaign", stem)
    assert stamp("campaign", stem) == before
    row_of("campaign", "abc")
    assert stamp("campaign", stem) == before
    os.utime(path, (1, 1))
    changed = stamp("campaign", stem)
    assert changed != before
    write_note("campaign", "abc", Note("named"))
    assert stamp("campaign", stem) != changed


def test_names_and_notes_leave_the_file_as_it_is(home: Path) -> None:
    path = made(home)
    before = path.read_bytes()
    write_note("campaign", "abc", Note("  for the  safety case ", " of\nJanuary "))
    assert row_of("campaign", "abc").note == Note("for the safety case", "of\nJanuary")
    assert row_of("campaign", "abc").name == "for the safety case"
    assert path.read_bytes() == before
    write_note("campaign", "abc", Note())
    assert row_of("campaign", "abc").name == "mnist-n1 · SS"
    assert [each.name for each in path.parent.iterdir()] == ["abc.dnncov"]


def test_notes_that_cannot_be_are_refused(home: Path) -> None:
    made(home)
    with pytest.raises(DataError, match="a name of at most 80 letters; got 81"):
        write_note("campaign", "abc", Note("x" * 81))
    with pytest.raises(DataError, match="the id of a campaign"):
        write_note("campaign", "../abc", Note("x"))
    (home / "campaigns" / "abc.note").write_text("[]")
    assert read_note(known_stem("campaign", "abc")) == Note()


@pytest.mark.parametrize("kind", ENTRY_KINDS)
def test_what_is_deleted_comes_back_whole(home: Path, kind: str) -> None:
    path = made(home) if kind == "campaign" else measured(home, "abc")
    write_note(kind, "abc", Note("named"))
    neighbour = path.with_name("abc.d" + path.suffix)
    neighbour.write_bytes(path.read_bytes())
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    discard(kind, "abc")
    assert list(path.parent.iterdir()) == [neighbour]
    assert [(each.kind, each.id, name_of(each)) for each in trashed()] == [(kind, "abc", "named")]
    assert trashed()[0].size > 0
    assert [(each, name) for each, name, _ in entries()] == [(kind, "abc.d")]
    restore(kind, "abc")
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before
    assert trashed() == []


def test_a_campaign_with_a_worker_stays(home: Path) -> None:
    path = made(home, pending=2, state=State.RUNNING)
    with pytest.raises(DataError, match="cancel it first"):
        discard("campaign", "abc")
    assert path.exists()


def test_damaged_files_can_be_deleted_and_restored(home: Path) -> None:
    path = made(home)
    path.write_bytes(b"no database")
    discard("campaign", "abc")
    assert name_of(trashed()[0]) == "abc"
    restore("campaign", "abc")
    assert path.read_bytes() == b"no database"


def test_nothing_is_written_over(home: Path) -> None:
    made(home)
    discard("campaign", "abc")
    made(home, found=2, adversarial=1)
    with pytest.raises(DataError, match="an id that is free"):
        restore("campaign", "abc")
    with pytest.raises(DataError, match="empty the trash first"):
        discard("campaign", "abc")
    assert row_of("campaign", "abc").measured[0].ratio == Ratio(2, 4)


@pytest.mark.parametrize("asked", ["nothing", "../campaigns/abc", "abc.dnncov", ""])
def test_ids_are_looked_up(home: Path, asked: str) -> None:
    path = made(home)
    for do in (discard, restore):
        with pytest.raises(DataError):
            do("campaign", asked)
    assert path.exists()


def test_what_another_session_took_out_of_the_trash_is_named_by_its_id(home: Path) -> None:
    made(home)
    discard("campaign", "abc")
    (entry,) = trashed()
    assert name_of(entry) == "mnist-n1 · SS"
    empty_trash()
    assert name_of(entry) == "abc"


def test_an_emptied_trash_is_empty_and_nothing_else_is_gone(home: Path) -> None:
    made(home)
    made(home, "def")
    measured(home)
    discard("campaign", "abc")
    discard("measurement", "20260102-030405-abcdef")
    assert empty_trash() == 2
    assert trashed() == []
    assert [path for path in (home / "trash").rglob("*") if path.is_file()] == []
    assert [name for _, name, _ in entries()] == ["def"]


def test_a_move_that_breaks_off_is_taken_back(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(home)
    write_note("campaign", "abc", Note("named"))
    rename = Path.rename

    def breaking(self: Path, to: Path) -> Path:
        if self.suffix == ".note":
            raise OSError(28, "No space left on device")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", breaking)
    with pytest.raises(DataError, match="No space left"):
        discard("campaign", "abc")
    assert sorted(each.name for each in path.parent.iterdir()) == ["abc.dnncov", "abc.note"]
    assert trashed() == []


@pytest.mark.parametrize("key", READY_MADE)
def test_ready_made_ones_are_of_embedded_networks_and_start(
    home: Path, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    commands = []
    monkeypatch.setattr("dnncov_core.workers.start", lambda command, *options: commands.append(command))
    ready = READY_MADE[key]
    card = networks()[ready.spec.network]
    assert card is not None
    started = start_ready_made(key)
    if isinstance(ready.spec, CampaignSpec):
        assert ready.spec.feature_pairs(card)
        with library.open_campaign(started) as store:
            assert store.spec() == ready.spec.resolved()
    else:
        assert isinstance(ready.spec, MeasurementSpec)
        assert json.loads((home / "measurements" / f"{started}.asked").read_text())["suite"] == "mnist"
    assert commands == ["resume" if ready.kind == "campaign" else "measure"]


def test_files_that_vanish_amid_the_listing_take_no_room(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(home)
    discard("campaign", "abc")
    gone = home / "trash" / "campaigns" / "abc.dnncov-shm"
    monkeypatch.setattr("dnncov_core.entries.trash.files_of", lambda kind, stem: [*files_of(kind, stem), gone])
    assert trashed()[0].size == (home / "trash" / "campaigns" / "abc.dnncov").stat().st_size


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the names of files are always text")
def test_a_file_whose_name_is_no_text_is_left_out_and_said_to_be(home: Path) -> None:
    measured(home)
    made(home)
    for path in (made(home, "c"), measured(home, "m")):
        path.rename(path.with_name(os.fsdecode(f"{path.stem}\xff".encode("latin-1")) + path.suffix))
    assert [entry_id for _, entry_id, _ in entries()] == ["abc", "20260102-030405-abcdef"]
    assert left_out() == [r"c\udcff.dnncov", r"m\udcff.json"]
