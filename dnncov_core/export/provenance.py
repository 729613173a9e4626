"""Where numbers come from: what every exported file says of itself, and the words that follow a figure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria import CRITERIA
from dnncov_core.distances import NORM_NAMES
from dnncov_core.entries import own_name
from dnncov_core.export.origin import Origin, named, writers
from dnncov_core.features import SAMPLINGS, strongest
from dnncov_core.generators import AUTO, GENERATORS, GRIDS, OBJECTIVES, SEED_ORDERS
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.records import State
from dnncov_core.statistics import short_criterion
from dnncov_core.suites.measurement_file import StoredMeasurement
from dnncov_core.suites.remarks import classified


@dataclass(frozen=True)
class Provenance(Origin):
    """Of one campaign or measurement.

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

    @property
    def sentences(self) -> dict[str, str]:
        """What it was made of, and how, by what each sentence is about."""
        suite = "Data" if self.kind == "campaign" else "Suite"
        return {
            "network": f"Network: {named(self.network, self.network_fingerprint)}.",
            "data": f"{suite}: {named(self.data, self.data_fingerprint)}.",
            **self.how,
        }

    def closing(self) -> str:
        """Network, data, how it was done, which file, and the program."""
        kind, own = self.kind.capitalize(), f"“{self.name}”, " if self.name else ""
        return (
            f"{' '.join(self.sentences.values())} {kind} {own}{self.id} of {self.date[:10]}, {self.state}."
            f" {self.version}."
        )


def of_campaign(store: CampaignStore) -> Provenance:
    """Of a campaign as it stands now."""
    spec, card, report = store.spec(), store.card(), store.seed_report()
    method, progress = store.covering_method(), store.progress()
    criterion = CRITERIA[spec.criterion].title + (f", {method.functions}" if method.functions else "")
    date = datetime.fromtimestamp(store.created(), UTC).isoformat(timespec="seconds")
    name = own_name(store)
    own = f"“{name}”, " if name else ""
    known = {} if report is None else {"seeds": len(report.rows), "inputs": report.inputs}
    return Provenance(
        kind="campaign",
        id=store.path.stem,
        name=name,
        date=date,
        network=spec.network,
        network_fingerprint=None if card is None else card.fingerprint,
        data=spec.data,
        data_fingerprint=store.data_fingerprint(),
        reference=spec.reference,
        reference_fingerprint=None,
        criterion=criterion,
        state=_state(store, progress),
        parameters=json.loads(spec.to_json()),
        seeds=known if report is None else {**known, "misclassified": report.misclassified},
        versions=store.versions(),
        written_with=writers(),
        source=f"{spec.network} · {short_criterion(spec.criterion)} · campaign {own}{store.path.stem}",
        how=_how(spec, criterion, _sample(spec, store, progress.total)),
    )


def _state(store: CampaignStore, progress: CampaignProgress) -> str:
    state: str = store.state().value
    if state == State.FINISHED.value:
        return state
    return f"{state}, {progress.done:,} of {progress.total:,} test conditions done"


def _how(spec: CampaignSpec, criterion: str, sample: str) -> dict[str, str]:
    """Criterion, features, sample, search and oracle in sentences."""
    features = FEATURE_MODES[spec.feature_mode].title.lower()
    share = "" if spec.feature_mode == "neuron" else f" (ω = {spec.omega:g})"
    norm = NORM_NAMES[spec.norm]
    bound = f"no bound on the {norm} distance" if spec.bound is None else f"{norm} distance at most {spec.bound:g}"
    return {
        "criterion": f"Criterion: {criterion}.",
        "features": f"Features: {features}{share}.",
        "test conditions": f"Test conditions: {sample}.",
        "search": f"Search: {_search(spec)}.",
        "adversarial": f"Adversarial: another label, {bound}.",
        "random seed": f"Random seed: {spec.random_seed}.",
    }


def _sample(spec: CampaignSpec, store: CampaignStore, asked: int) -> str:
    card, available = store.card(), sum((store.available() or {}).values())
    if card is None:
        return "not planned yet"
    available = available or sum(spec.feature_pairs(card).counts)
    among = "" if spec.top_weights is None else f" among {strongest(spec.top_weights)}"
    if asked == available:
        return f"all {asked:,} feature pairs{among}"
    how = "" if spec.sampling == CampaignSpec.sampling else f", {SAMPLINGS[spec.sampling].title.lower()}"
    return f"a random sample of {asked:,} of {available:,} feature pairs{among}{how}"


def _search(spec: CampaignSpec) -> str:
    generator = "not chosen yet" if spec.generator == AUTO else GENERATORS[spec.generator].title
    parts = [
        generator,
        f"objective {OBJECTIVES[spec.objective].title.lower()}",
        f"seeds {SEED_ORDERS[spec.seed_order].title.lower()}, at most {spec.max_seeds:,} a condition",
        f"x2: {GRIDS[spec.grid].title.lower()}",
        *(["one test pair may cover several conditions"] if spec.reuse else []),
    ]
    return "; ".join(parts)


def of_measurement(found: StoredMeasurement, measurement_id: str, name: str = "") -> Provenance:
    """Of a measurement; ``measurement_id`` is the name of its file without suffix, ``name`` the user's own."""
    spec = found.spec
    features = f"free, ω = {spec.omega:g}" if spec.feature_mode == "free" else "single neurons"
    names = "; ".join(each.name for each in found.criteria)
    reference = found.fingerprints.get("reference")
    beside = {} if spec.reference is None else {"reference": f"Reference data: {named(spec.reference, reference)}."}
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
        source=f"{f'“{name}”, ' if name else ''}{spec.network}, suite {spec.suite}"
        + (f", reference data {spec.reference}" if spec.reference else ""),
        how={
            "inputs": f"The suite has {found.inputs:,} inputs ({classified(found.misclassified)}).",
            "criterion": f"Criteria: {names}.",
            "features": f"Condition features: {features}.",
            **beside,
        },
    )
