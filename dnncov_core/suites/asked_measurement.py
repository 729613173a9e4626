"""A measurement by its specification, from names of networks and data to what its file holds."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from dnncov_core.campaign.work.plan import device_for
from dnncov_core.data import Data
from dnncov_core.features import FeaturePairs
from dnncov_core.networks.network import Network
from dnncov_core.networks.reference import name_alone
from dnncov_core.registry import network_source, open_data_for, open_network
from dnncov_core.resources import versions
from dnncov_core.suites.measurement import Measurement, measure
from dnncov_core.suites.measurement_file import SCHEMA, StoredMeasurement
from dnncov_core.suites.measurement_reader import measurement
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.suites.streams import open_suite
from dnncov_core.suites.summary import measurement_summary
from dnncov_core.types import OnProgress


@dataclass(frozen=True)
class AskedMeasurement:
    """What was measured: as ``spec`` asks, on these data, of these feature pairs."""

    spec: MeasurementSpec
    network: Network
    suite: Data
    reference: Data | None
    pairs: FeaturePairs
    found: Measurement

    @cached_property
    def summary(self) -> dict[str, Any]:
        """The numbers; see `measurement_summary`."""
        return measurement_summary(self.found)

    @property
    def named(self) -> MeasurementSpec:
        """What was asked, with files by their names alone, so that folders of this machine are not handed on."""
        spec = self.spec
        network, suite, reference = name_alone(spec.network), name_alone(spec.suite), spec.reference
        return replace(spec, network=network, suite=suite, reference=reference and name_alone(reference))

    @cached_property
    def document(self) -> dict[str, Any]:
        """What its file holds: the numbers, and what they depend on."""
        spec, network, suite, reference = self.named, self.network, self.suite, self.reference
        layers = [{"index": each.index, "name": each.name, "neurons": each.neurons} for each in network.layers]
        source = network_source(self.spec.network)
        known = None if reference is None else {"name": spec.reference, **_of_data(reference)}
        return {
            "schema": SCHEMA,
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "asked": {**asdict(spec), "parameters": {each.text: each.parameters for each in spec.asked()}},
            "network": {"name": spec.network, "fingerprint": network.fingerprint, "source": source, "layers": layers},
            "suite": {"name": spec.suite, **_of_data(suite), **self.summary["suite"]},
            "reference": known,
            "criteria": self.summary["criteria"],
            "seconds": self.summary["seconds"],
            "versions": versions(),
        }

    @property
    def stored(self) -> StoredMeasurement:
        """As it is read from that."""
        return measurement(self.document)


def _of_data(data: Data) -> dict[str, str]:
    return {"fingerprint": data.fingerprint, "source": data.source}


def measure_as_asked(
    spec: MeasurementSpec,
    *,
    network: Network | None = None,
    suite: Data | None = None,
    on_progress: OnProgress = lambda doing, done, total: None,
) -> AskedMeasurement:
    """Measures.

    Args:
        spec: what is asked; reference data are left out if none of the criteria needs them.
        network: the network, where it is loaded already.
        suite: the suite, likewise.
        on_progress: see `measure`.

    Raises:
        DnncovError: something that cannot be read or measured.
    """
    spec = spec.used()
    network = open_network(spec.network)[0] if network is None else network
    network, pairs = network.to(device=device_for(spec.device)), spec.pairs(network)
    suite = open_suite(network, spec.suite) if suite is None else suite
    reference = None if spec.reference is None else open_data_for(network, spec.reference, labelled=False)
    how: dict[str, Any] = {"mode": spec.feature_mode, "omega": spec.omega, "effect": spec.effect}
    found = measure(network, suite, spec.asked(), reference=reference, pairs=pairs, **how, on_progress=on_progress)
    return AskedMeasurement(spec, network, suite, reference, pairs, found)
