"""From a specification to its targets: which, in which batches, and the boundaries of their neurons."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from dnncov_core.activations import capture
from dnncov_core.campaign.parameters import DEVICES
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.connections import strongest_connections
from dnncov_core.data import Data
from dnncov_core.errors import SpecificationError, unknown_name
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.records import WHOLE, Shard, Target
from dnncov_core.types import Edge, IntArray

CPU = torch.device("cpu")


def device_for(name: str, process: int = 0) -> torch.device:
    """The device that ``auto``, ``cpu``, ``cuda`` or ``mps`` stands for on this machine.

    Processes take GPUs in turn, by their number.

    Raises:
        SpecificationError: the device is not there, or there is none of this name.
    """
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if name not in DEVICES:
        raise unknown_name("device", name, DEVICES)
    if name == "auto":
        name = next(device for device in ("cuda", "mps", "cpu") if there[device])
    if not there[name]:
        here = ", ".join(device for device, is_there in there.items() if is_there)
        fix = "choose device auto or cpu (--device)"
        raise SpecificationError(f"a device of this machine ({here})", name, fix)
    return torch.device(name, process % torch.cuda.device_count()) if name == "cuda" else torch.device(name)


@dataclass(frozen=True)
class Plan:
    """The targets of a campaign in the order of work.

    Where top weights or a list leave pairs out, ``available`` says how many there are to choose from.
    """

    targets: list[Target]
    available: dict[Edge, int] | None = None


def plan_targets(network: Network, spec: CampaignSpec, listed: IntArray | None = None) -> Plan:
    """The sampled feature pairs of the asked layers, or of a list with the columns `LISTED`.

    Raises:
        SpecificationError: a layer that is no decision layer, or a list with a pair that is not there.
    """
    pairs = spec.feature_pairs(network)
    ordinals, among, available = None, None, None
    if spec.top_weights is not None:
        most = spec.top_weights
        ordinals = pairs.connected({edge: strongest_connections(network, edge, most) for edge in pairs.edges})
    if listed is not None:
        ordinals = pairs.among(listed)
    if ordinals is not None:
        among = np.concatenate(list(ordinals.values())).tolist()
        available = {edge: len(part) for edge, part in ordinals.items()}
    drawn = pairs.sample(spec.pairs, spec.random_seed, among, sampling=spec.sampling)
    return Plan([pairs[ordinal].target(ordinal) for ordinal in drawn], available)


WINDOW = 16
"""Targets among which those of a batch are looked for, in batches: the order of work is nearly kept."""
FIRST = 4
"""Targets of each of the first two batches, of which the next two have twice as many, and so on: the first results
come soon, and are kept where the work is cancelled soon."""


def in_batches(targets: Sequence[Target], size: int) -> list[list[Target]]:
    """The targets in batches of at most ``size`` that have the same layers and sizes of features; the first are small.

    They are all targets of a campaign in the order of work, so that its batches are always the same.
    """
    formed: list[list[Target]] = []
    for start in range(0, len(targets), WINDOW * size):
        filling: dict[object, tuple[list[Target], int]] = {}
        for target in targets[start : start + WINDOW * size]:
            kind = (target.edge, len(target.condition_neurons), target.condition_most, len(target.decision_neurons))
            if kind not in filling:
                filling[kind] = [], min(size, FIRST << min(len(formed) // 2, size.bit_length()))
                formed.append(filling[kind][0])
            batch, most = filling[kind]
            batch.append(target)
            if len(batch) == most:
                del filling[kind]
    return formed


def pending_batches(
    targets: Sequence[Target], pending: Iterable[Target], size: int, *, whole: bool, shard: Shard = WHOLE
) -> list[list[Target]]:
    """Those of a campaign's batches, or of a shard of them, that have a target without an outcome.

    ``whole`` batches keep their other targets, so that what a batch finds is always the same. Otherwise these are left
    out: batches are stored as a whole, so that only proofs and retries leave a part of one pending.
    """
    ordinals = {target.ordinal for target in pending}
    remaining = []
    for batch in shard.part(in_batches(targets, size)):
        left = [target for target in batch if target.ordinal in ordinals]
        if left:
            remaining.append(batch if whole else left)
    return remaining


def open_shards(targets: Sequence[Target], pending: Iterable[Target], size: int, of: int) -> dict[Shard, list[int]]:
    """By shard of so many, the ordinals of its targets without an outcome; shards that are done are left out."""
    ordinals, batches = {target.ordinal for target in pending}, in_batches(targets, size)
    left = {
        shard: [target.ordinal for batch in shard.part(batches) for target in batch if target.ordinal in ordinals]
        for shard in (Shard(number, of) for number in range(1, of + 1))
    }
    return {shard: some for shard, some in left.items() if some}


def reference_boundaries(network: Network, data: Data, targets: Iterable[Target]) -> dict[tuple[int, int], float]:
    """The largest u over all inputs of the reference data, by (layer, neuron), of each neuron that the targets name."""
    named: dict[int, set[int]] = {}
    for target in targets:
        named.setdefault(target.condition_layer, set()).update(target.condition_neurons)
        named.setdefault(target.decision_layer, set()).update(target.decision_neurons)
    highest = {layer: torch.tensor(-math.inf, dtype=torch.float64) for layer in named}
    for part in batches(network, len(data)):
        with torch.no_grad():
            values = capture(network, torch.from_numpy(data.pixels(part)), named)
        for layer, before in highest.items():
            highest[layer] = torch.maximum(before, values[layer].u.amax(dim=0).double().cpu())
    found = {layer: u.tolist() for layer, u in highest.items()}
    return {(layer, neuron): found[layer][neuron] for layer, neurons in named.items() for neuron in sorted(neurons)}
