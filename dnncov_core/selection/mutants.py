"""Which mutants of a network the inputs of a pool kill, from a file of seeded faults."""

from __future__ import annotations

from pathlib import Path

from dnncov_core.data import Data
from dnncov_core.errors import DataError
from dnncov_core.faults.fault_file import FaultFile
from dnncov_core.networks.network import Network
from dnncov_core.types import BoolArray


def kills_of(path: Path, network: Network, data: Data) -> BoolArray:
    """Which mutant each input kills, ``(mutants, inputs)``.

    Raises:
        CampaignError: no file of seeded faults.
        DataError: it is of another network, or of other inputs.
    """
    with FaultFile(path) as file:
        spec, found = file.spec, file.kills()
    for what, known, own, fix in (
        ("network", spec.network_fingerprint, network.fingerprint, "name the network of the mutants"),
        ("inputs", spec.suite_fingerprint, data.fingerprint, f"name their suite, {spec.suite}, with --pool"),
    ):
        if known != own:
            raise DataError(f"mutants of the same {what}", f"those of another in {path.name}", fix)
    return found
