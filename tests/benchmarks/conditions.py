"""Test conditions to measure on: random feature pairs of a layer pair, each with the first seed of its order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.work.seeds import Seeds, correctly_classified
from dnncov_core.generators.base import Seed
from dnncov_core.networks.network import Network
from dnncov_core.records import Target
from dnncov_core.registry import open_data_for, open_network
from dnncov_core.types import Edge

POOL = 2000
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]


@dataclass
class Sample:
    """A network with a pool of seeds, and ``rounds`` random test conditions of each layer pair."""

    network: Network
    seeds: Seeds
    targets: dict[Edge, list[Target]]

    def seed(self, target: Target) -> Seed:
        """The first seed of a target."""
        (seeds,) = self.seeds.of([target])
        return next(iter(seeds))


def sample(spec: CampaignSpec, rounds: int, pool: int = POOL) -> Sample:
    """The sample of a specification, drawn by its random seed."""
    network, _ = open_network(spec.network)
    spec = spec.for_network(network)
    data = open_data_for(network, spec.data)
    rows = np.flatnonzero(correctly_classified(network, data))[:pool]
    pairs = spec.feature_pairs(network)
    rng, start, targets = np.random.default_rng(spec.random_seed), 0, {}
    for edge, count in zip(pairs.edges, pairs.counts, strict=True):
        ordinals = start + rng.choice(count, min(rounds, count), replace=False)
        targets[edge] = [pairs[int(ordinal)].target(int(ordinal)) for ordinal in ordinals]
        start += count
    everything = [target for group in targets.values() for target in group]
    there, method = network.to(device=spec.device), spec.covering_method()
    seeds = Seeds(rows.astype(np.int64), data, there, spec, method=method, targets=everything)
    return Sample(network, seeds, targets)
