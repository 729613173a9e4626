"""Justifications as people give them, and the command for it."""

from __future__ import annotations

import dataclasses
import json
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import CampaignError
from dnncov_core.records import Justification, KnownJustification, Outcome
from tests.builders import campaign, say
from tests.command import call, is_whole, refused


@pytest.fixture
def path(folder: Path) -> Path:
    """Eight targets: three covered, two exhausted, three pending."""
    campaign(folder / "c.dnncov", found=3, exhausted=2, pending=3).close()
    return folder / "c.dnncov"


WITHOUT_A_HISTORY = """
DROP TABLE justification_history;
ALTER TABLE justification RENAME TO later;
CREATE TABLE justification (
    ordinal INTEGER PRIMARY KEY, reason TEXT NOT NULL, author TEXT NOT NULL, date TEXT NOT NULL
);
INSERT INTO justification SELECT ordinal, reason, author, date FROM later;
DROP TABLE later;
"""
"""Makes a file's tables those of schema 10."""


def ordinals(path: Path) -> list[int]:
    with CampaignStore(path) as store:
        return [target.ordinal for target in store.targets.all()]


def justified(path: Path) -> list[Justification]:
    with CampaignStore(path) as store:
        return store.justifications.all()


def past(path: Path) -> list[KnownJustification]:
    """Those that were replaced or withdrawn."""
    return [said for said in history(path) if said.ended]


def history(path: Path) -> list[KnownJustification]:
    with CampaignStore(path) as store:
        return store.justifications.history()


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def without_time(said: list[Justification]) -> list[Justification]:
    """The justifications, whose times are some second of today."""
    assert all(each.time is None or re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", each.time) for each in said)
    return [dataclasses.replace(each, time=None) for each in said]


def test_a_justification_has_its_second_in_utc_and_is_in_one_line(path: Path) -> None:
    ordinal, before = ordinals(path)[4], datetime.now(UTC).replace(microsecond=0)
    with CampaignStore(path) as store:
        store.justifications.add([ordinal], reason=" no such\nimages ", author=" A. Engineer ")
    (said,) = justified(path)
    assert without_time([said]) == [Justification(ordinal, "no such images", "A. Engineer", today())]
    assert before <= datetime.fromisoformat(str(said.time)) <= datetime.now(UTC)
    with CampaignStore(path) as store:
        store.justifications.withdraw([ordinal])
    assert justified(path) == []


@pytest.mark.parametrize(("reason", "author", "asked"), [("", "A", "a reason"), ("why", " ", "an author")])
def test_reason_and_author_are_both_required(path: Path, reason: str, author: str, asked: str) -> None:
    with CampaignStore(path) as store, pytest.raises(CampaignError, match=f"expected {asked} in words; got none"):
        store.justifications.add(ordinals(path)[3:4], reason=reason, author=author)
    assert justified(path) == []


def test_they_come_back_are_replaced_and_withdrawn(path: Path) -> None:
    chosen, first = sorted(ordinals(path)[4:7]), "2026-01-02"
    words = "the camera never gives such images", "A. Engineer"
    expected = {n: Justification(n, *words, first) for n in chosen}
    with CampaignStore(path) as store:
        store.justifications.add(chosen, reason=words[0], author=words[1])
        with store.database.transaction() as connection:
            connection.execute("UPDATE justification SET date = ?, time = NULL", (first,))
        with pytest.raises(CampaignError, match=f"got {chosen[0]} .'the camera .* by A. Engineer, {first}"):
            store.justifications.add(chosen[:1], reason="not needed", author="B")
        assert store.justifications.all() == [expected[n] for n in chosen]
        replaced = store.justifications.add(chosen[:1], reason="not needed", author="B", replace=True)
        assert replaced == [expected[chosen[0]]]
        expected[chosen[0]] = Justification(chosen[0], "not needed", "B", today())
        assert without_time(store.justifications.all()) == [expected[n] for n in chosen]
        store.justifications.withdraw(chosen[1:])
        assert without_time(store.justifications.all()) == [expected[chosen[0]]]
        assert store.counts.outcomes() == {Outcome.FOUND: 3, Outcome.EXHAUSTED: 2, Outcome.PENDING: 3}


def test_one_of_no_target_stores_nothing(path: Path) -> None:
    with (
        CampaignStore(path) as store,
        pytest.raises(CampaignError, match="ordinals of this campaign's test conditions; got 99999"),
    ):
        store.justifications.add([ordinals(path)[0], 99999], reason="why", author="who")
    assert justified(path) == []


def test_the_command(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = ordinals(path)[3:5]
    text = f"{one},{two}"
    assert call("justify", path, "--ordinals", text, "--reason", "no such images", "--author", "A. Engineer") == 0
    assert capsys.readouterr().out == "justified: 2 test conditions\n"
    assert call("show", path, "--json") == 0
    shown = json.loads(capsys.readouterr().out)
    assert [shown[name] for name in ("covered", "justified", "proved_infeasible", "open", "pairs")] == [3, 2, 0, 3, 8]
    assert call("show", path) == 0
    assert "covered: 3, justified: 2, proved infeasible: 0, open: 3" in capsys.readouterr().out.splitlines()
    assert call("justify", path, "--ordinals", str(one), "--withdraw") == 0
    assert capsys.readouterr().out == "withdrawn: 1 test condition\n"
    assert [justification.ordinal for justification in justified(path)] == [two]


def test_what_is_covered_or_proved_needs_no_reason(path: Path) -> None:
    covered, exhausted, pending = (ordinals(path)[at] for at in (0, 3, 5))
    with CampaignStore(path) as store:
        store.certificates.record((), {pending: (2, 0)})
        for asked, got in (
            ([covered, exhausted], f"got {covered}, covered; leave them out"),
            ([covered, pending], f"got {covered}, covered; {pending}, proved infeasible; leave them out"),
        ):
            with pytest.raises(CampaignError, match=got):
                store.justifications.add(asked, reason="why", author="A")
        assert store.justifications.all() == []


def test_a_reason_is_replaced_only_if_asked(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = ordinals(path)[3:5]
    command = ("justify", path, "--author", "B", "--ordinals")
    assert call(*command, str(one), "--reason", "first") == 0
    before = justified(path)
    line = refused(capsys, *command, f"{one},{two}", "--reason", "second")
    assert f"that nobody has justified; got {one} ('first' by B, " in line
    assert "--replace" in line
    assert justified(path) == before
    assert call(*command, f"{one},{two}", "--reason", "second", "--replace") == 0
    assert f"condition {one}, replaced: first (B, {today()})" in capsys.readouterr().err
    assert [said.reason for said in justified(path)] == ["second", "second"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--ordinals", "0", "--author", "A"), "expected a reason in words; got none"),
        (("--ordinals", "0", "--reason", "why"), "expected an author in words; got none"),
        (
            ("--ordinals", "99", "--reason", "why", "--author", "A"),
            "ordinals of this campaign's test conditions; got 99; list them with 'dnncov gaps FILE'",
        ),
        (
            ("--ordinals", "0", "--withdraw"),
            "of justified test conditions; got 0; list those with 'dnncov gaps FILE --status justified,refuted'",
        ),
        (("--ordinals", "1,x", "--withdraw"), "expected whole numbers separated by commas, such as 3,4; got '1,x'"),
    ],
)
def test_bad_input_is_one_line(
    path: Path, options: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    line = refused(capsys, "justify", path, *options)
    assert expected in line
    assert is_whole(line)
    assert justified(path) == []


def test_ordinals_are_asked_for(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "the following arguments are required: --ordinals" in refused(capsys, "justify", path, "--reason", "why")
    assert justified(path) == []


def test_what_is_replaced_or_withdrawn_keeps_its_author_and_times(path: Path) -> None:
    one, two, *_ = sorted(ordinals(path)[4:7])
    with CampaignStore(path) as store:
        store.justifications.add([one, two], reason="first", author="A")
        first = store.justifications.all()
        store.justifications.add([one], reason="second", author="B", replace=True)
        second = store.justifications.all()[0]
        store.justifications.withdraw([one, two], " C.\nD. ")
    ends = [each.ended for each in past(path)]
    assert ends == sorted(ends)
    assert [said.how for said in history(path)] == ["replaced", "withdrawn", "withdrawn"]
    assert all(datetime.fromisoformat(end) >= datetime.fromisoformat(str(first[0].time)) for end in ends)
    assert [(each.ordinal, each.how, each.ended_by) for each in past(path)] == [
        (one, "replaced", "B"),
        (one, "withdrawn", "C. D."),
        (two, "withdrawn", "C. D."),
    ]
    names = [each.name for each in dataclasses.fields(Justification)]
    kept = [Justification(**{name: getattr(each, name) for name in names}) for each in past(path)]
    assert kept == [first[0], second, first[1]]


def test_what_is_refused_leaves_no_history(path: Path) -> None:
    covered, _, _, one, two, *_ = ordinals(path)
    with CampaignStore(path) as store:
        store.justifications.add([one], reason="first", author="A")
        with pytest.raises(CampaignError, match="covered"):
            store.justifications.add([one, covered], reason="second", author="B", replace=True)
        with pytest.raises(CampaignError, match="of justified test conditions"):
            store.justifications.withdraw([one, two])
    assert past(path) == []


def test_a_file_without_a_history_gets_one_and_its_reasons_keep_their_day(path: Path) -> None:
    ordinal = ordinals(path)[4]
    with CampaignStore(path) as store:
        store.justifications.add([ordinal], reason="first", author="A")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"{WITHOUT_A_HISTORY} PRAGMA user_version = 10;")
    assert justified(path) == [Justification(ordinal, "first", "A", today())]
    with CampaignStore(path) as store:
        assert store.conditions.one(ordinal).justification == justified(path)[0]  # type: ignore[union-attr]
        store.justifications.add([ordinal], reason="second", author="B", replace=True)
    (first,) = past(path)
    assert (first.reason, first.date, first.time, first.how, first.ended_by) == (
        "first",
        today(),
        None,
        "replaced",
        "B",
    )
    assert justified(path)[0].time is not None


def test_a_history_that_is_damaged_is_refused(path: Path) -> None:
    with CampaignStore(path) as store:
        store.justifications.add(ordinals(path)[4:5], reason="first", author="A")
        store.justifications.withdraw(ordinals(path)[4:5])
        with store.database.transaction() as connection:
            connection.execute("UPDATE justification_history SET how = 'lost'")
        with pytest.raises(CampaignError, match=r"a damaged one.*how: 'lost' instead of one of stands, refuted"):
            store.justifications.history()


def test_the_command_withdraws_in_somebodys_name(path: Path) -> None:
    ordinal = ordinals(path)[3]
    assert call("justify", path, "--ordinals", str(ordinal), "--reason", "why", "--author", "A") == 0
    assert call("justify", path, "--ordinals", str(ordinal), "--withdraw", "--author", "B") == 0
    assert [(each.how, each.ended_by) for each in past(path)] == [("withdrawn", "B")]


def test_the_history_is_by_condition_and_then_by_time(tmp_path: Path) -> None:
    with campaign(tmp_path / "a.dnncov", found=1, exhausted=2) as store:
        covered, one, two = (target.ordinal for target in store.targets.all())
        say(store, [covered], "never seen", "A", "2026-01-02")
        for reason in ("first", "second", "third"):
            store.justifications.add([one], reason=reason, author="A", replace=True)
        store.justifications.withdraw([one])
        store.justifications.add([one, two], reason="fourth", author="B")
        told = [(one, "first", "replaced"), (one, "second", "replaced"), (one, "third", "withdrawn")]
        told += [(one, "fourth", "stands"), (two, "fourth", "stands")]
        refuted = (covered, "never seen", f"refuted by pair {covered}")
        expected = sorted([refuted, *told], key=lambda each: each[0])
        assert [(each.ordinal, each.reason, each.became) for each in store.justifications.history()] == expected
        assert [each.refuted_by for each in store.justifications.history()].count(covered) == 1
        store.justifications.withdraw([covered])
        (refuted_and_withdrawn,) = [each for each in store.justifications.history() if each.ordinal == covered]
        assert refuted_and_withdrawn.became == f"refuted by pair {covered}, withdrawn"
        assert refuted_and_withdrawn.refuted_by == covered


def test_a_campaign_without_any_has_no_history(path: Path) -> None:
    assert history(path) == []
