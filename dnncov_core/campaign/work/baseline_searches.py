"""Baseline searches: what random perturbations and plain gradient ascent find from a campaign's seeds."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import numpy as np
import torch

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.inputs import network_of
from dnncov_core.errors import CampaignError
from dnncov_core.generators import GRIDS
from dnncov_core.generators.base import unit_of
from dnncov_core.generators.baseline_searches import BASELINE_SEARCHES, Starts
from dnncov_core.networks.memory import fitting_batch, for_gradients
from dnncov_core.networks.network import Network
from dnncov_core.records import BaselineSearch, TestPair

PASSES = 40
"""Passes of a baseline search where the campaign's own search counted none: linear programmes make no passes."""


def run_baseline_searches(store: CampaignStore, network_reference: str | None = None) -> int:
    """Makes the baseline searches that a campaign lacks, with the same budgets; returns how many were made.

    Raises:
        CampaignError: no test pair yet, or another network.
    """
    if store.card() is None or not store.pairs.count():
        raise CampaignError("a campaign with test pairs", "one without", "let it find some first")
    made = run_missing_searches(store, for_gradients(network_of(store, network_reference)[0]), lambda: None)
    store.worker.forget_failure()
    return made


def run_missing_searches(store: CampaignStore, network: Network, check: Callable[[], None]) -> int:
    """Makes the baseline searches that a campaign lacks; returns how many were made.

    The network is laid out for gradients, on the device that is to work. ``check`` is called before each batch; what it
    raises ends the work, and what is stored stays.
    """
    sample, missing = store.baseline_searches.sample(store.spec().random_seed)
    size = fitting_batch(network)
    for part in (missing[start : start + size] for start in range(0, len(missing), size)):
        check()
        store.baseline_searches.record(sample, _results(store, network, part))
    if not missing:
        store.baseline_searches.record(sample, [])
    return len(missing)


def _results(store: CampaignStore, network: Network, ordinals: Sequence[int]) -> list[BaselineSearch]:
    spec = store.spec()
    pairs = [_pair(store, ordinal) for ordinal in ordinals]
    grid, unit = GRIDS[spec.grid], unit_of(box := GRIDS[spec.grid].working_box(network.box), network.box)
    radius = [pair.distance if spec.bound is None else spec.bound for pair in pairs]
    passes = [n or PASSES for n in store.attempts.passes(ordinals)]
    x1, network = box.shares(np.stack([pair.x1 for pair in pairs])), network.in_shares(box)
    seeds = torch.from_numpy(x1).to(network.device, network.dtype)
    with torch.no_grad():
        outputs = network(seeds)
    starts = Starts(
        x1=seeds,
        outputs=outputs,
        radius=torch.tensor(radius, device=network.device, dtype=network.dtype) / unit,
        passes=torch.tensor(passes, device=network.device),
        rngs=_rngs(spec.random_seed, ordinals),
    )
    changed = {name: search(network, starts, spec.norm, grid) for name, search in BASELINE_SEARCHES.items()}
    return [
        BaselineSearch(ordinal, radius[i], passes[i], **{name: bool(labels[i]) for name, labels in changed.items()})
        for i, ordinal in enumerate(ordinals)
    ]


def _rngs(random_seed: int, ordinals: Sequence[int]) -> list[torch.Generator]:
    return [torch.Generator().manual_seed(zlib.crc32(f"{random_seed} {n}".encode())) for n in ordinals]


def _pair(store: CampaignStore, ordinal: int) -> TestPair:
    condition = store.conditions.one(ordinal)
    pair = None if condition is None else store.pairs.of(condition.target)
    with store.database.judging():
        if pair is None:
            raise ValueError(f"test condition {ordinal} is covered without a test pair")
    return pair
