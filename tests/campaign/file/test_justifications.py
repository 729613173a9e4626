"""Justifications as people give them, and the command for it."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import CampaignError
from dnncov_core.records import Justification, Outcome
from tests.builders import campaign
from tests.command import call, is_whole, refused


@pytest.fixture
def path(folder: Path) -> Path:
    """Eight targets: three covered, two exhausted, three pending."""
    campaign(folder / "c.dnncov", found=3, exhausted=2, pending=3).close()
    return folder / "c.dnncov"


def ordinals(path: Path) -> list[int]:
    with CampaignStore(path) as store:
        return [target.ordinal for target in store.targets.all()]


def justified(path: Path) -> list[Justification]:
    with CampaignStore(path) as store:
        return store.justifications.all()


def test_a_justification_is_dated_today_and_in_one_line(path: Path) -> None:
    ordinal = ordinals(path)[4]
    with CampaignStore(path) as store:
        store.justifications.add([ordinal], reason=" no such\nimages ", author=" A. Engineer ")
    assert justified(path) == [Justification(ordinal, "no such images", "A. Engineer", date.today().isoformat())]
    with CampaignStore(path) as store:
        store.justifications.withdraw([ordinal])
    assert justified(path) == []


@pytest.mark.parametrize(("reason", "author", "asked"), [("", "A", "a reason"), ("why", " ", "an author")])
def test_reason_and_author_are_both_required(path: Path, reason: str, author: str, asked: str) -> None:
    with CampaignStore(path) as store, pytest.raises(CampaignError, match=f"expected {asked} in words; got none"):
        store.justifications.add(ordinals(path)[3:4], reason=reason, author=author)
    assert justified(path) == []


def test_they_come_back_are_replaced_and_withdrawn(path: Path) -> None:
    chosen, first, today = sorted(ordinals(path)[4:7]), "2026-01-02", date.today().isoformat()
    words = "the camera never gives such images", "A. Engineer"
    expected = {n: Justification(n, *words, first) for n in chosen}
    with CampaignStore(path) as store:
        store.justifications.add(chosen, reason=words[0], author=words[1])
        with store.database.transaction() as connection:
            connection.execute("UPDATE justification SET date = ?", (first,))
        with pytest.raises(CampaignError, match=f"got {chosen[0]} .'the camera .* by A. Engineer, {first}"):
            store.justifications.add(chosen[:1], reason="not needed", author="B")
        assert store.justifications.all() == [expected[n] for n in chosen]
        replaced = store.justifications.add(chosen[:1], reason="not needed", author="B", replace=True)
        assert replaced == [expected[chosen[0]]]
        expected[chosen[0]] = Justification(chosen[0], "not needed", "B", today)
        assert store.justifications.all() == [expected[n] for n in chosen]
        store.justifications.withdraw(chosen[1:])
        assert store.justifications.all() == [expected[chosen[0]]]
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
    assert f"condition {one}, replaced: first (B, {date.today().isoformat()})" in capsys.readouterr().err
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
