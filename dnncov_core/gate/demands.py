"""What people ask of coverage before a build may pass, and the verdicts: each a line that says by how much."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

from dnncov_core.campaign.parameter_kinds import Reader
from dnncov_core.errors import SpecificationError
from dnncov_core.gate.coverage import TOTAL, Counts, Coverage
from dnncov_core.phrases.numbers import counted
from dnncov_core.ratios import Ratio
from dnncov_core.suites.criterion_names import key_of

MOST_NAMED = 6
"""Layer pairs or conditions that a line names; of the others it says how many there are."""
Percentages = Mapping[str, Decimal]
"""What is asked of each criterion, by its name."""


def _percentage(text: str) -> Decimal:
    if not re.fullmatch(r"\d{1,3}(\.\d{1,9})?", text, re.ASCII) or Decimal(text) > 100:
        raise ValueError
    return Decimal(text)


def _percentages(text: str) -> Percentages:
    parts = [part.rpartition("=") for part in text.split(",")]
    found = {name or TOTAL: _percentage(share) for name, _, share in parts}
    if len(found) < len(parts):
        raise ValueError
    return found


PERCENTAGE = Reader("a percentage from 0 to 100, such as 95 or 99.5", _percentage)
PERCENTAGES = Reader(f"NAME=PERCENT, separated by commas, each name once, PERCENT {PERCENTAGE.expected}", _percentages)


@dataclass(frozen=True)
class Verdict:
    """Whether a demand, named as the command's option, is met: ``n`` of ``total`` count for it, as a line says."""

    demand: str
    passed: bool
    words: str
    n: int
    total: int


@dataclass(frozen=True)
class Demands:
    """What is asked, by the names of the command's options. Where there is nothing to count, it is not met."""

    fail_under: Percentages = field(default_factory=dict)
    fail_under_feasible: Percentages = field(default_factory=dict)
    fail_under_8bit: Decimal | None = None
    no_open_gaps: bool = False
    baseline: Coverage | None = None
    junit: Path | None = None

    def check(self, texts: Sequence[str]) -> None:
        """Refuses what cannot be asked of these criteria, before they are worked on.

        Raises:
            SpecificationError: an unknown name, or a baseline of other criteria, or one that is not finished.
        """
        for name in (*self.fail_under, *self.fail_under_feasible):
            if name != TOTAL and not _named(name, texts):
                expected = f"a criterion whose test conditions are counted here, one of {', '.join((*texts, TOTAL))}"
                raise SpecificationError(expected, repr(name), "choose one of these names")
        if (old := self.baseline) is not None and (old.unfinished or set(old.texts) != set(texts)):
            got = f"{old.name} with {', '.join(old.texts)}" + (f", {old.unfinished}" if old.unfinished else "")
            raise SpecificationError(f"a finished baseline of {', '.join(texts)}", got, "choose another --baseline")

    def verdicts(self, coverage: Coverage) -> Iterator[Verdict]:
        """The verdict of each demand; a campaign that is not finished gets one more, and passes nothing.

        Raises:
            SpecificationError: what `check` refuses, or a baseline that asked something else.
        """
        self.check(coverage.texts)
        total = coverage.of(TOTAL)
        if self != Demands(junit=self.junit):
            yield from unfinished(coverage)
        for each, asked in _chosen(self.fail_under, coverage):
            yield _enough("fail-under", each, Ratio(each.covered, each.total), asked)
        for each, asked in _chosen(self.fail_under_feasible, coverage):
            rest = Ratio(each.covered, each.total - each.proved_infeasible)
            yield _enough("fail-under-feasible", each, rest, asked, " of what is not proved infeasible")
        if (asked_8bit := self.fail_under_8bit) is not None:
            what, witnesses = "of witnesses hold when x2 is rounded", ("witness", "witnesses")
            yield _judged(f"fail-under-8bit {asked_8bit}", "8 bits", coverage.holds_8bit, asked_8bit, what, witnesses)
        if self.no_open_gaps:
            gaps = _some([f"{row.open:,} in {row.criterion}, {row.where}" for row in coverage.rows if row.open], "; ")
            words = f"open gaps: {total.open:,} of {counted(total.total, 'condition')}"
            passed, closed = bool(total.total) and not total.open, total.total - total.open
            yield Verdict("no-open-gaps", passed, words + (f": {gaps}" if gaps else ""), closed, total.total)
        if (old := self.baseline) is not None:
            lost = _losses(old, coverage)
            kept = "no layer pair covers less" if total.total else "there is nothing to count"
            words = f"baseline {old.name}: {_some(lost, '; ') or kept}"
            yield Verdict(f"baseline {old.name}", bool(total.total) and not lost, words, total.covered, total.total)


def unfinished(coverage: Coverage) -> Iterator[Verdict]:
    """The verdict of a campaign that is not finished; none of another one, and of a measurement."""
    if coverage.unfinished:
        words, total = f"{coverage.unfinished}: a campaign that is not finished passes no gate", coverage.of(TOTAL)
        yield Verdict("finished", False, words, total.covered, total.total)


def failures(verdicts: Iterable[Verdict]) -> str:
    """What is not met, in one line; empty where everything is."""
    return "; ".join(each.words for each in verdicts if not each.passed)


def _named(name: str, texts: Sequence[str]) -> list[str]:
    """The criteria of a name, which stands for all of its kind unless it has parameters itself."""
    return [text for text in texts if name in (text, key_of(text))]


def _chosen(asked: Percentages, coverage: Coverage) -> Iterator[tuple[Counts, Decimal]]:
    for name, percentage in asked.items():
        for text in [TOTAL] if name == TOTAL else _named(name, coverage.texts):
            yield coverage.of(text), percentage


def _enough(option: str, of: Counts, ratio: Ratio, asked: Decimal, what: str = "") -> Verdict:
    bound = "or more " if of.is_bound and ratio.n < ratio.total else ""
    nouns = ("condition", "conditions")
    return _judged(f"{option} {of.criterion}={asked}", of.criterion, ratio, asked, f"{bound}covered{what}", nouns)


def _judged(demand: str, name: str, ratio: Ratio, asked: Decimal, what: str, nouns: tuple[str, str]) -> Verdict:
    """Compares the counts themselves."""
    short = int(-(-Fraction(asked) * ratio.total // 100)) - ratio.n
    missing = f": {counted(short, *nouns)} short" if short > 0 else ""
    if not ratio.total:
        what, missing = "", ": there is nothing to count"
    share = f"{ratio.percent_beside(asked)} {what}".rstrip()
    words = f"{name}: {share} ({ratio.counts}), {asked} % asked{missing}"
    return Verdict(demand, not missing, words, ratio.n, ratio.total)


def _losses(old: Coverage, new: Coverage) -> list[str]:
    """Of each layer pair that covers less than before, by how much, and of a campaign which conditions were lost."""
    theirs, ours = old.question, new.question
    differ = [what for what in {**ours, **theirs} if ours.get(what) != theirs.get(what)]
    if "kind" in differ:
        differ = ["kind"]  # all else is told in other words
    if differ:
        said = (f"{what}: {theirs.get(what, 'none')} instead of {ours.get(what, 'none')}" for what in differ)
        got = f"{'; '.join(said)} in {old.name}"
        raise SpecificationError("a baseline that asked the same of the same network", got, "choose another --baseline")
    before = {(row.criterion, row.place): row.covered for row in old.rows}
    pairs = ((row, before[row.criterion, row.place]) for row in new.rows)
    return [_lost(row, n, old, new) for row, n in pairs if row.covered < n]


def _lost(row: Counts, before: int, old: Coverage, new: Coverage) -> str:
    lost = sorted(old.witnessed.get(row.place, frozenset()) - new.witnessed.get(row.place, frozenset()))
    which = f" (lost: {_some(lost, ', ')})" if lost else ""
    counts = f"{row.covered:,} of {row.total:,} covered, {before:,} before"
    return f"{row.criterion}, {row.where}: {counts}, {counted(before - row.covered, 'condition')} fewer{which}"


def _some(things: Sequence[object], separator: str) -> str:
    more = f" and {len(things) - MOST_NAMED:,} more" if len(things) > MOST_NAMED else ""
    return separator.join(map(str, things[:MOST_NAMED])) + more
