"""The campaigns and measurements of a pack, each with its network, its tables and its claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dnncov_core import registry
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.inputs import network_of
from dnncov_core.entries.kinds import read_note
from dnncov_core.errors import DataError, NetworkError
from dnncov_core.evidence import definitions
from dnncov_core.evidence.claims import Claim, campaign_claims, measurement_claims
from dnncov_core.evidence.suite_tables import suite_tables
from dnncov_core.evidence.tables import OUTCOMES, Tables, campaign_tables
from dnncov_core.export.provenance import Provenance, of_campaign, of_measurement
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.networks.reference import is_file
from dnncov_core.partitions import block_size
from dnncov_core.records import State
from dnncov_core.statistics.coverage import short_criterion
from dnncov_core.suites.measurement_file import StoredMeasurement
from dnncov_core.suites.measurement_reader import read
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.suites.streams import open_suite


@dataclass(frozen=True)
class EvidenceSource:
    """One campaign or measurement.

    Attributes:
        path: its file.
        folder: of its tables in the pack; empty, or ends in a slash.
        network: what it is about.
        provenance: where its numbers come from.
        claims: what the pack says of it.
        tables: what they rest on.
        told: its criteria, and what else verify.py has to know.
        held: the campaign, which is open, or the measurement.
    """

    path: Path
    folder: str
    network: Network
    provenance: Provenance
    claims: tuple[Claim, ...]
    tables: Tables
    told: Mapping[str, Any]
    held: CampaignStore | StoredMeasurement

    @property
    def name(self) -> str:
        """That of its file, without suffix."""
        return self.path.stem

    @property
    def is_finished(self) -> bool:
        """Whether nothing of it is left to do."""
        return self.provenance.state == State.FINISHED.value

    def document(self) -> dict[str, Any]:
        """What claims.json says of it, beside its model."""
        network = self.network
        return {
            "name": self.name,
            "kind": self.provenance.kind,
            "folder": self.folder,
            "state": self.provenance.state,
            "network": {"name": self.provenance.network, "fingerprint": network.fingerprint},
            "layers": definitions.layers(network.layers),
            "inputs": definitions.inputs(network.box),
            "decision": definitions.decision(network.decision),
            "outcomes": OUTCOMES,
            **self.told,
            "claims": [_fields(claim) for claim in self.claims],
        }


def _fields(claim: Claim) -> dict[str, Any]:
    """A claim without its sentence, which a program cannot check: the reader makes one of the numbers."""
    return {name: value for name, value in asdict(claim).items() if name != "text"}


def campaign_source(store: CampaignStore, folder: str, reference: str | None) -> EvidenceSource:
    """A campaign.

    Args:
        store: stays open as long as the source is used.
        folder: of its tables in the pack.
        reference: the network, if it is not found by its name.

    Raises:
        CampaignError: another network.
        NetworkError: the network cannot be loaded.
    """
    spec = store.spec()
    if store.card() is None:
        raise DataError("a campaign that has begun", f"{store.path.name}, which has planned nothing", "resume it")
    _check_name(reference, spec.network)
    network, free = network_of(store, reference)[0], spec.feature_mode == "free"
    criterion = definitions.criterion(short_criterion(spec.criterion), store.covering_method(), free=free)
    tables, pairs = campaign_tables(store), spec.feature_pairs(network)
    ordered, n = spec.feature_mode in ("neuron", "free"), len(tables.conditions["ordinal"])
    told = {
        **_told([criterion], spec, network, pairs),
        "ordered": ordered,
        "planned": None if ordered and n == len(pairs) else n,
        "norm": spec.norm,
        "bound": spec.bound,
    }
    known = of_campaign(store), campaign_claims(store), tables
    return EvidenceSource(store.path, folder, network, *known, told, store)


def _check_name(reference: str | None, name: str) -> None:
    """Refuses a network that only a file names, which may come from elsewhere: it names no code to run here.

    A ``.pt2`` or ``.onnx`` file of that name in the working folder is none.
    """
    here = is_file(name) and Path(name).name == name and Path(name).exists()
    if reference is None and not registry.is_allowed(name) and not here:
        got = f"{name}, which is neither embedded nor registered"
        raise NetworkError("a network that is found by its name", got, "give it with --network")


def _told(
    criteria: list[definitions.Table], spec: CampaignSpec | MeasurementSpec, network: Network, pairs: FeaturePairs
) -> dict[str, Any]:
    """What verify.py has to know of either; a measurement has no order of a plan, and no norm."""
    most = [block_size(layer.neurons, spec.omega) for layer in network.layers]
    known = {"criteria": criteria, "ordered": False, "planned": None, "edges": pairs.edges, "most": most}
    return known | {"norm": None, "bound": None}


def measurement_source(path: Path, folder: str, reference: str | None, data: str | None) -> EvidenceSource:
    """A measurement, which is made again; see `suite_tables`.

    Args:
        path: its file.
        folder: of its tables in the pack.
        reference: the network, if it is not found by its name.
        data: the suite, likewise.

    Raises:
        DataError: another suite, or other numbers.
        NetworkError: the network cannot be loaded, or is another.
    """
    found = read(path)
    spec = found.spec
    if (there := [each.text for each in found.criteria]) != [each.text for each in spec.asked()]:
        raise DataError(f"numbers of {spec.criteria}, as {path.name} asks", ",".join(there), "measure again")
    _check_name(reference, spec.network)
    network = registry.open_network(reference or spec.network)[0]
    if network.fingerprint != found.fingerprints["network"]:
        got = f"{reference or spec.network}, which is another"
        raise NetworkError("the network that was measured", got, "give it with --network")
    suite, free, asked = open_suite(network, data or spec.suite), spec.feature_mode == "free", spec.asked()
    criteria = [definitions.criterion(each.text, each.method, free=free) for each in asked]
    told = _told(criteria, spec, network, spec.pairs(network))
    provenance = of_measurement(found, path.stem, read_note(path.with_suffix("")).name)
    known = provenance, measurement_claims(found), suite_tables(found, network, suite)
    return EvidenceSource(path, folder, network, *known, told, found)
