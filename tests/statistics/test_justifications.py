"""What became of each justification, from the file alone."""

from __future__ import annotations

from pathlib import Path

from dnncov_core.statistics.justifications import justification_history
from tests.builders import campaign, say


def test_entries_are_by_condition_and_then_by_time(tmp_path: Path) -> None:
    with campaign(tmp_path / "a.dnncov", found=1, exhausted=2) as store:
        covered, one, two = (target.ordinal for target in store.targets.all())
        say(store, [covered], "never seen", "A", "2026-01-02")
        for reason in ("first", "second", "third"):
            store.justifications.add([one], reason=reason, author="A", replace=True)
        store.justifications.withdraw([one])
        store.justifications.add([one, two], reason="fourth", author="B")
        found = justification_history(store)
        expected = [(one, "first", "replaced"), (one, "second", "replaced"), (one, "third", "withdrawn")]
        expected += [(one, "fourth", "stands"), (two, "fourth", "stands")]
        expected = sorted([(covered, "never seen", f"refuted by pair {covered}"), *expected], key=lambda each: each[0])
        told = [(each.justification.ordinal, each.justification.reason, each.became) for each in found]
        assert told == expected
        assert justification_history(store, [two]) == [each for each in found if each.justification.ordinal == two]


def test_a_campaign_without_any_has_no_history(tmp_path: Path) -> None:
    with campaign(tmp_path / "a.dnncov") as store:
        assert justification_history(store) == []
