"""Proofs that a campaign's test conditions are infeasible."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterator, Sequence

from dnncov_core.campaign.file.certificates import ProofCounts, contradiction
from dnncov_core.campaign.file.justifications import refuse_unknown
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.inputs import network_of
from dnncov_core.errors import CampaignError
from dnncov_core.networks.network import Network
from dnncov_core.proofs import PAIRS, PROOF_METHODS, SECONDS_BY_BOXES, Neuron, constant_of, must_change, why_infeasible
from dnncov_core.proofs.box_bounds import BoxBounds
from dnncov_core.proofs.box_pairs import asks_pairs, no_pair
from dnncov_core.proofs.certificates import Step, check_methods, prove
from dnncov_core.records import Outcome, Target

DECIDED = (Outcome.FOUND, Outcome.PROVED_INFEASIBLE)
"""Outcomes that need no proof."""


def prove_campaign(
    store: CampaignStore,
    network_reference: str | None = None,
    *,
    methods: Sequence[str] = (*PROOF_METHODS, PAIRS),
    time_limit: float | None = None,
    ordinals: Collection[int] = (),
    on_step: Callable[[Step], None] = lambda step: None,
) -> ProofCounts:
    """Looks for neurons of constant sign, then for conditions that no two inputs cover, and stores each at once.

    Args:
        store: the campaign.
        network_reference: where the network is; by the name in the file if left out.
        methods: some of those of `proofs`.
        time_limit: in seconds, for all methods.
        ordinals: conditions that time is spent on, all if left out; what their neurons decide besides is stored too.
        on_step: told after each step.

    Raises:
        CampaignError: no targets yet, no condition of an ordinal, another network, a worker at the campaign, or a test
            pair that contradicts.
        NetworkError: a network that proofs do not know.
        SpecificationError: unknown methods or a wrong time limit.
    """
    start = time.monotonic()
    check_methods(methods)
    network = network_of(store, network_reference)[0]
    if store.card() is None:
        raise CampaignError("a campaign with test conditions", "one that was not started", "start it first")
    refuse_unknown(sorted(ordinals), {target.ordinal for target in store.targets.all()})
    method, asked = store.covering_method(), None
    if ordinals:
        asked = {neuron for target in _open(store, ordinals) for neuron in must_change(method, target)}
    constant = constant_of(store.certificates.all())
    store.certificates.record((), infeasible_targets(store, constant))
    for step in prove(network, methods, time_limit, constant, asked):
        if step.certificates:
            constant = constant | constant_of(step.certificates)
            store.certificates.record(step.certificates, infeasible_targets(store, constant))
        on_step(step)
    if PAIRS in methods:
        left = math.inf if time_limit is None else start + time_limit - time.monotonic()
        for step in _pairs_proved(store, network, ordinals, time.monotonic() + left):
            on_step(step)
    return store.proof_counts(time.monotonic() - start)


def _open(store: CampaignStore, ordinals: Collection[int]) -> list[Target]:
    """Conditions that nothing decides yet, of these ordinals, or without any of all."""
    return [
        target
        for target, outcome in store.targets.with_outcomes()
        if outcome not in DECIDED and (not ordinals or target.ordinal in ordinals)
    ]


def _pairs_proved(store: CampaignStore, network: Network, ordinals: Collection[int], end: float) -> Iterator[Step]:
    """Proves open conditions one by one, and stores each; every one gets a little time before any gets much.

    Each round of more time begins its count anew, with the conditions that the last one left.
    """
    method = store.covering_method()
    still = [target for target in _open(store, ordinals) if asks_pairs(method, target)]
    if not still or not (bounds := BoxBounds(network)).fits:
        return
    for seconds in SECONDS_BY_BOXES:
        asked, still = still, []
        for place, target in enumerate(asked, 1):
            stop = min(end, time.monotonic() + seconds)
            if time.monotonic() >= end:
                return
            if no_pair(bounds, target, stop):
                store.certificates.record((), {target.ordinal: None})
            else:
                still.append(target)
            yield Step(PAIRS, place, len(asked))


def infeasible_targets(store: CampaignStore, constant: set[Neuron]) -> dict[int, Neuron]:
    """By ordinal, the targets that neurons of constant sign decide, and the neuron that does.

    Raises:
        CampaignError: one of them has a test pair.
    """
    method, infeasible = store.covering_method(), {}
    for target, outcome in store.targets.with_outcomes():
        neuron = why_infeasible(method, target, constant)
        if neuron is not None:
            if outcome is Outcome.FOUND:
                raise contradiction(neuron, target.ordinal)
            infeasible[target.ordinal] = neuron
    return infeasible
