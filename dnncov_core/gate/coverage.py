"""How many test conditions a campaign or a measurement covers, by criterion and layer pair: what a gate judges."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.phrases.states import done_of
from dnncov_core.ratios import Ratio
from dnncov_core.records import FINGERPRINT_SHOWN, Outcome
from dnncov_core.statistics.coverage import coverage_table
from dnncov_core.statistics.gaps import gap_table
from dnncov_core.suites import measurement_reader
from dnncov_core.suites.measurement_file import MEASUREMENT_SUFFIX, StoredMeasurement
from dnncov_core.suites.remarks import features_in_words
from dnncov_core.suites.spec import MeasurementSpec

TOTAL = "total"
"""The name of all criteria together."""
ASKED = ("criterion", "feature_mode", "omega", "effect", "grid", "objective")
"""Parameters of a campaign that say what counts as covered; others say how hard to search for it."""
ASKED_OF_ADVERSARIAL = ("norm", "bound")
"""Those that do so where nothing but adversarial pairs counts."""


@dataclass(frozen=True)
class Counts:
    """Test conditions of one criterion in one layer pair or layer, by its numbers as in "2 to 3", or in all of them.

    Whether they are proved infeasible or justified is known of campaigns alone; ``is_bound`` says of a measurement that
    more may be covered than was found.
    """

    criterion: str
    place: str
    total: int
    covered: int
    proved_infeasible: int = 0
    justified: int = 0
    is_bound: bool = False

    @property
    def open(self) -> int:
        """Those that are neither covered nor proved infeasible nor justified."""
        return self.total - self.covered - self.proved_infeasible - self.justified

    @property
    def where(self) -> str:
        """The place in words."""
        return f"layer{'s' * (' ' in self.place)} {self.place}"


@dataclass(frozen=True)
class Coverage:
    """What a campaign or a measurement covers.

    Attributes:
        name: the campaign's id, the name of the suite, or that of the file.
        texts: the criteria as they were asked for, without safety coverage, of which nobody knows the total.
        rows: the counts by criterion and layer pair.
        facts: what they were found on: names, fingerprints, versions.
        seconds: it took.
        question: what has to be the same where two of these are compared, in words by what it is.
        unfinished: how far a campaign is that has conditions to try; empty where none is left.
        holds_8bit: witnesses that hold when x2 is rounded to 8 bits, of all; nothing of nothing without pixels.
        witnessed: by layer pair of a campaign, the ordinals of covered test conditions.
    """

    name: str
    texts: tuple[str, ...]
    rows: tuple[Counts, ...]
    facts: Mapping[str, str]
    seconds: float
    question: Mapping[str, str]
    unfinished: str = ""
    holds_8bit: Ratio = field(default_factory=lambda: Ratio(0, 0))
    witnessed: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def of(self, text: str) -> Counts:
        """The counts of a criterion, or of "total", all layer pairs together."""
        rows = [row for row in self.rows if text in (row.criterion, TOTAL)]
        names = ("total", "covered", "proved_infeasible", "justified")
        numbers = {name: sum(getattr(row, name) for row in rows) for name in names}
        return Counts(text, "", **numbers, is_bound=any(row.is_bound for row in rows))

    @property
    def criteria(self) -> Mapping[str, Counts]:
        """The counts of each criterion."""
        return {text: self.of(text) for text in self.texts}


def of_file(path: Path) -> Coverage:
    """What a campaign file covers, or a measurement, whose file ends in ``.json``.

    Raises:
        CampaignError, DataError: it cannot be read.
    """
    if path.suffix == MEASUREMENT_SUFFIX:
        found = of_measurement(measurement_reader.read(path))
    else:
        with CampaignStore(path) as store, store.at_one_moment():
            found = of_campaign(store)
    return replace(found, name=path.name)


def of_campaign(store: CampaignStore) -> Coverage:
    """What a campaign covers."""
    spec, card, progress, targets = store.spec(), store.card(), store.counts.progress(), store.targets.with_outcomes()
    prints = {"network": card.fingerprint if card else "", "data": store.prepared.data_fingerprint() or ""}
    gaps = {_place(edge): row for edge, row in gap_table(store).rows.items()}
    witnessed: dict[str, list[int]] = {place: [] for place in gaps}
    for target, outcome in targets:
        if outcome is Outcome.FOUND:
            witnessed[_place(target.edge)].append(target.ordinal)
    ordinals = sorted(target.ordinal for target, _ in targets)
    names = (*ASKED, *(ASKED_OF_ADVERSARIAL if spec.objective == "adversarial" else ()))
    parameters = (PARAMETERS[name] for name in names)
    asked = {"network": _digits(prints["network"])}
    asked |= {row.label.lower(): row.said(spec) for row in parameters if row.counts(spec)}
    return Coverage(
        name=store.path.stem,
        texts=(spec.criterion,),
        rows=tuple(
            Counts(spec.criterion, place, row.total, row.covered.n, row.proved_infeasible, row.justified)
            for place, row in gaps.items()
        ),
        facts={"campaign": store.path.stem, **_facts(spec, prints, store.versions())},
        seconds=progress.seconds,
        question={"kind": "campaign", **asked, "test conditions": _told(len(ordinals), ordinals)},
        unfinished=done_of(progress) if card is None or progress.done < progress.total else "",
        holds_8bit=coverage_table(store).total.holds_8bit,
        witnessed={place: frozenset(those) for place, those in witnessed.items()},
    )


def of_measurement(found: StoredMeasurement) -> Coverage:
    """What a suite covers."""
    known = [each for each in found.criteria if each.total is not None]
    rows = [
        Counts(each.text, row.place, row.total, row.covered, is_bound=row.is_bound)
        for each in known
        for row in each.rows
    ]
    asked = {name: _digits(print_) for name, print_ in found.fingerprints.items() if name != "suite"}
    asked |= {"criteria": ", ".join(sorted(each.text for each in known)), "features": features_in_words(found.spec)}
    conditions = sorted((row.criterion, row.place, row.total) for row in rows)
    return Coverage(
        name=found.spec.suite,
        texts=tuple(each.text for each in known),
        rows=tuple(rows),
        facts=_facts(found.spec, found.fingerprints, found.versions),
        seconds=found.seconds,
        question={"kind": "measurement", **asked, "test conditions": _told(sum(row.total for row in rows), conditions)},
    )


def _place(edge: tuple[int, int]) -> str:
    return "{} to {}".format(*edge)


def _facts(
    spec: CampaignSpec | MeasurementSpec, prints: Mapping[str, str], versions: Mapping[str, str]
) -> dict[str, str]:
    named = {name: value for name in ("network", "data", "suite", "reference") if (value := getattr(spec, name, None))}
    known = {f"{name}_fingerprint": print_ for name, print_ in prints.items()}
    return named | known | {f"version_{package}": version for package, version in versions.items()}


def _digits(fingerprint: str) -> str:
    return f"SHA-256 {fingerprint[:FINGERPRINT_SHOWN]}"


def _told(n: int, conditions: Sequence[object]) -> str:
    """So many test conditions, told from others by a digest."""
    return f"{n:,} ({_digits(hashlib.sha256(repr(conditions).encode()).hexdigest())})"
