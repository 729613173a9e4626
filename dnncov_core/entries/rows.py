"""An entry in a line: what was asked, where it stands, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import SUFFIX, is_proving
from dnncov_core.entries.kinds import ENTRY_KINDS, Note, read_note
from dnncov_core.errors import DnncovError
from dnncov_core.ratios import Estimate, Ratio
from dnncov_core.records import State
from dnncov_core.statistics.adversarial import BaselineRow, adversarial_table, baselines_by_layer
from dnncov_core.statistics.coverage import coverage_table, short_criterion
from dnncov_core.statistics.settings import search_in_words, settings_in_words, title_of
from dnncov_core.suites.library import RESULT, standing
from dnncov_core.suites.measurement_reader import read
from dnncov_core.suites.remarks import measurement_settings, measurement_title
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.workers import ACTIVE


@dataclass(frozen=True)
class CriterionCoverage:
    """A criterion with what was covered of it.

    Attributes:
        criterion: its short name.
        percent: in words, marked where it is a lower bound.
        ratio: None where the total is not known.
    """

    criterion: str
    percent: str
    ratio: Ratio | None


@dataclass(frozen=True)
class EntryRow:
    """One campaign or measurement.

    Attributes:
        kind: a key of `ENTRY_KINDS`.
        id: the stem of its files.
        title: what it is about, or its id where it cannot be read.
        note: the user's own name and note.
        network: empty where it cannot be read.
        settings: what tells it from others of the same title.
        asked: how a campaign searches; reference data, features and criteria of a measurement.
        state: None where it cannot be read.
        measured: coverage; one entry for a campaign, one a criterion for a measurement, none without a result.
        with_effect: test conditions covered, with effect; None for a measurement, and where that is not known.
        available: feature pairs from which a campaign's test conditions come; None for a measurement.
        estimate: what is covered of all of them; None where nothing more than the sample's share is known.
        adversarial: the share of the test pairs; None for a measurement, and before there are test conditions.
        adversarial_seeds: the different seeds of the adversarial pairs.
        baselines: what baseline searches find; None likewise.
        seconds: working time; None where it is not known.
        created: in seconds since the epoch; None where it is not known.
        busy: whether a worker is at it.
        error: why it cannot be read; else empty.
    """

    kind: str
    id: str
    title: str
    note: Note = field(default_factory=Note)
    network: str = ""
    settings: str = ""
    asked: str = ""
    state: State | None = None
    measured: tuple[CriterionCoverage, ...] = ()
    with_effect: Ratio | None = None
    available: int | None = None
    estimate: Estimate | None = None
    adversarial: Ratio | None = None
    adversarial_seeds: int = 0
    baselines: BaselineRow | None = None
    seconds: float | None = None
    created: float | None = None
    busy: bool = False
    error: str = ""

    @property
    def name(self) -> str:
        """The user's own name, or the title."""
        return self.note.name or self.title

    @property
    def criteria(self) -> tuple[str, ...]:
        """Short names of the criteria."""
        return tuple(each.criterion for each in self.measured)


def entries() -> list[tuple[str, str, Path]]:
    """The kind, the id and the stem of everything that the user has, newest first within its kind, campaigns first."""
    return [(kind, each, stem) for kind in ENTRY_KINDS for each, stem in ENTRY_KINDS[kind].stems().items()]


def entry_row(kind: str, entry_id: str, stem: Path) -> EntryRow:
    """An entry in a line; one that cannot be read has its reason in it. ``stem`` is its files without a suffix."""
    note = read_note(stem)
    try:
        if kind == "campaign":
            with CampaignStore(stem.with_name(stem.name + SUFFIX)) as store, store.at_one_moment():
                return _of_campaign(entry_id, store, note)
        return _of_measurement(entry_id, stem, note)
    except DnncovError as error:
        return EntryRow(kind, entry_id, entry_id, note, error=str(error))


def _of_campaign(entry_id: str, store: CampaignStore, note: Note) -> EntryRow:
    spec, state, total = store.spec(), store.state(), coverage_table(store).total
    progress, asked, adversarial = store.counts.progress(), total.covered.total > 0, adversarial_table(store).total
    covered = total.covered if asked else None
    return EntryRow(
        kind="campaign",
        id=entry_id,
        title=title_of(spec),
        note=note,
        network=spec.network,
        settings=settings_in_words(spec),
        asked=search_in_words(spec),
        state=state,
        measured=(CriterionCoverage(short_criterion(spec.criterion), total.covered.percent, covered),),
        with_effect=total.with_effect if total.with_effect.total else None,
        available=total.available if asked else None,
        estimate=total.estimate if spec.sampling == "even" else None,
        adversarial=adversarial.of_pairs if asked else None,
        adversarial_seeds=adversarial.seeds,
        baselines=baselines_by_layer(store).total if asked else None,
        seconds=progress.seconds,
        created=store.created(),
        busy=state in ACTIVE or is_proving(store),
    )


def _of_measurement(entry_id: str, stem: Path, note: Note) -> EntryRow:
    result = stem.with_name(stem.name + RESULT)
    if not result.is_file():
        found = standing(entry_id)
        return replace(_measurement(entry_id, found.spec, found.state, note), busy=found.state in ACTIVE)
    stored = read(result)
    row = _measurement(entry_id, stored.spec, State.FINISHED, note)
    measured = tuple(CriterionCoverage(each.name, each.percent, each.ratio) for each in stored.criteria)
    return replace(row, measured=measured, seconds=stored.seconds)


def _measurement(entry_id: str, spec: MeasurementSpec, state: State, note: Note) -> EntryRow:
    return EntryRow(
        kind="measurement",
        id=entry_id,
        title=measurement_title(spec),
        note=note,
        network=spec.network,
        settings=", ".join(["a measurement", *measurement_settings(spec)]),
        asked=", ".join([*measurement_settings(spec), *spec.criteria.split(",")]),
        state=state,
        created=_created(entry_id),
    )


def _created(entry_id: str) -> float | None:
    """The time in an id that the app gave."""
    try:
        return datetime.strptime(f"{entry_id[:15]} +0000", "%Y%m%d-%H%M%S %z").timestamp()
    except ValueError:
        return None
