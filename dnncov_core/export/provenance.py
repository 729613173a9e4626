"""Where numbers come from: what every exported file says of itself, and the words that follow a figure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from typing import Any

from dnncov_core import __version__
from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.review.replayed import Replayed
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.entries.kinds import own_name
from dnncov_core.outside_text import with_codes
from dnncov_core.phrases.adversarial import adversarial_means
from dnncov_core.phrases.coverage import sample
from dnncov_core.phrases.inputs import searched_range
from dnncov_core.phrases.numbers import counted, fingerprinted
from dnncov_core.phrases.replayed import layer_words
from dnncov_core.phrases.states import done_of
from dnncov_core.records import NetworkCard, State
from dnncov_core.resources import PACKAGE
from dnncov_core.statistics.coverage import short_criterion
from dnncov_core.statistics.settings import DECIDING, RETRIES, facts
from dnncov_core.suites.measurement_file import StoredMeasurement
from dnncov_core.suites.remarks import classified, features_in_words, headline

SENTENCES = ("criterion", *(name for name in DECIDING if name not in ("data", "pairs", "sampling", "bound")), RETRIES)
"""Parameters of a campaign that have a sentence each; the other ones stand in a sentence with something else."""
PRODUCT = "DNN Coverage Explorer"
WRITERS = ("matplotlib", "plotly", "pyarrow", "pillow")
"""Packages that decide, with this one, how a file looks."""


@dataclass(frozen=True)
class Origin:
    """What all kinds of provenance have in common; no path of a machine is in it.

    Attributes:
        kind: "campaign", "measurement", "comparison", "playground" or "definition".
        id: what files are named after.
        date: when the numbers were made, in UTC; empty where they have no date.
        source: what figures say below their titles.
        written_with: versions of the packages that decide how a file looks.
    """

    kind: str
    id: str
    date: str
    source: str
    written_with: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The provenance as a dictionary for JSON."""
        return asdict(self)

    def to_json(self) -> str:
        """The provenance in one line of ASCII, the same for the same provenance."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @property
    def when(self) -> datetime | None:
        """The date, if there is one."""
        return datetime.fromisoformat(self.date) if self.date else None

    @property
    def version(self) -> str:
        """Name and version of this program."""
        return f"{PRODUCT} {self.written_with[PACKAGE]}"

    @property
    def maker(self) -> str:
        """The last sentence of every caption."""
        return f"Made by {self.version}."

    def closing(self) -> str:
        """The end of every caption: where the numbers come from, and the program."""
        raise NotImplementedError


def writers() -> dict[str, str]:
    """Versions of the packages that decide how a file looks."""
    return {PACKAGE: __version__} | {package: _version(package) for package in WRITERS}


@cache
def _version(package: str) -> str:
    return metadata.version(package)


@dataclass(frozen=True)
class Provenance(Origin):
    """Where the numbers of one campaign or measurement come from.

    Attributes:
        name: the user's own; empty where there is none.
        network: its name, with ``network_fingerprint``.
        data: likewise, of a measurement its suite.
        reference: likewise; None where there was none.
        criterion: in words, with value functions and their parameters.
        state: how far it was when the file was written.
        parameters: everything that was asked, by name.
        seeds: inputs that served as seeds and those left out; empty for a measurement.
        versions: of the packages that decide a result.
        how: how it was done, a sentence a question.
        origins: where ``network``, ``data``, ``suite`` and ``reference`` come from, as far as that is known.
    """

    name: str
    network: str
    network_fingerprint: str | None
    data: str
    data_fingerprint: str | None
    reference: str | None
    reference_fingerprint: str | None
    criterion: str
    state: str
    parameters: Mapping[str, Any]
    seeds: Mapping[str, int]
    versions: Mapping[str, str]
    how: Mapping[str, str]
    origins: Mapping[str, str] = field(default_factory=dict)

    @property
    def sentences(self) -> dict[str, str]:
        """What it was made of, and how, by what each sentence is about."""
        suite = "Data" if self.kind == "campaign" else "Suite"
        return {
            "network": f"Network: {fingerprinted(self.network, self.network_fingerprint)}.",
            "data": f"{suite}: {fingerprinted(self.data, self.data_fingerprint)}.",
            **self.how,
        }

    def closing(self) -> str:
        """Network, data, how it was done, which file, and the program."""
        own = f"“{self.name}”, " if self.name else ""
        return (
            f"The numbers are of the {self.kind} {own}{self.id} of {self.date[:10]}, {self.state}. Its settings are:"
            f" {listed(self.sentences.values())}. {self.maker}"
        )


def listed(sentences: Iterable[str]) -> str:
    """What sentences of a provenance say, as one list within a sentence.

    >>> listed(["Network: toy.", "The suite has 9 inputs."])
    'network = toy; the suite has 9 inputs'
    """
    return "; ".join(words[:1].lower() + words[1:].removesuffix(".").replace(": ", " = ", 1) for words in sentences)


def of_campaign(store: CampaignStore) -> Provenance:
    """Where the numbers of a campaign come from, as it stands now."""
    spec, card, report = store.spec(), store.card(), store.prepared.seeds()
    progress = store.counts.progress()
    date = datetime.fromtimestamp(store.created(), UTC).isoformat(timespec="seconds")
    name = own_name(store)
    own = f"“{name}”, " if name else ""
    seeds = {}
    if report is not None:
        seeds = {"seeds": len(report.rows), "inputs": report.inputs, "misclassified": report.misclassified}
    return Provenance(
        kind="campaign",
        id=with_codes(store.path.stem),
        name=name,
        date=date,
        network=spec.network,
        network_fingerprint=None if card is None else card.fingerprint,
        data=spec.data,
        data_fingerprint=store.prepared.data_fingerprint(),
        reference=spec.reference,
        reference_fingerprint=None,
        criterion=PARAMETERS["criterion"].said(spec),
        state=_state(store, progress),
        parameters=json.loads(spec.to_json()),
        seeds=seeds,
        versions=store.versions(),
        written_with=writers(),
        source=f"{spec.network} · {short_criterion(spec.criterion)} · campaign {own}{with_codes(store.path.stem)}",
        how=_how(spec, _conditions(spec, store, progress.total), card),
        origins=store.prepared.origins(),
    )


def of_replay(store: CampaignStore, replayed: Replayed) -> Provenance:
    """Where the numbers of a campaign's test pairs on another network come from."""
    campaign, other = of_campaign(store), fingerprinted(replayed.network, replayed.fingerprint)
    name = re.sub(r"[^\w.-]", "-", replayed.network)
    return replace(
        campaign,
        id=f"{campaign.id}-on-{name}",
        date=replayed.date,
        source=f"{campaign.source} · on {replayed.network}",
        how={**campaign.how, "other network": f"Replayed on: {other}. {layer_words(replayed)}".strip()},
    )


def _state(store: CampaignStore, progress: CampaignProgress) -> str:
    state: str = store.state().value
    if state == State.FINISHED.value:
        return state
    return f"{state}, {done_of(progress)}"


def _how(spec: CampaignSpec, conditions: str, card: NetworkCard | None) -> dict[str, str]:
    """What was asked, a sentence for each parameter; then the sample, what is adversarial, and where was searched."""
    said = {PARAMETERS[name].label: words for name, words in facts(spec).items() if name in SENTENCES}
    said |= {"Test conditions": conditions, "Adversarial": adversarial_means(spec, card)}
    how = {label.lower(): f"{label}: {words}." for label, words in said.items()}
    searched = searched_range(card)
    return how | ({"range": searched} if searched else {})


def _conditions(spec: CampaignSpec, store: CampaignStore, asked: int) -> str:
    return "not planned yet" if store.card() is None else sample(spec, asked, sum(store.available().values()))


def of_measurement(found: StoredMeasurement, measurement_id: str, name: str = "") -> Provenance:
    """Where the numbers of a measurement come from.

    Args:
        found: the measurement.
        measurement_id: the name of its file without suffix.
        name: the user's own; empty where there is none.
    """
    spec = found.spec
    names = "; ".join(each.name for each in found.criteria)
    reference, labels = found.fingerprints.get("reference"), classified(found.misclassified, spec.suite)
    beside = {}
    if spec.reference is not None:
        beside = {"reference": f"Reference data: {fingerprinted(spec.reference, reference)}."}
    return Provenance(
        kind="measurement",
        id=measurement_id,
        name=name,
        date=found.date,
        network=spec.network,
        network_fingerprint=found.fingerprints["network"],
        data=spec.suite,
        data_fingerprint=found.fingerprints["suite"],
        reference=spec.reference,
        reference_fingerprint=reference,
        criterion=names,
        state=State.FINISHED.value,
        parameters={**asdict(spec), "value_functions": dict(found.parameters)},
        seeds={},
        versions=found.versions,
        written_with=writers(),
        source=f"{f'“{name}”, ' if name else ''}{headline(spec)}",
        how={
            "inputs": f"The suite has {counted(found.inputs, 'input')} ({labels}).",
            "criterion": f"Criteria: {names}.",
            "features": f"Condition features: {features_in_words(spec)}.",
            **beside,
        },
        origins=found.origins,
    )
