"""How much work a campaign will be, told before it starts and without loading the network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.generators import GENERATORS
from dnncov_core.records import NetworkCard
from dnncov_core.types import Edge

ATTEMPTS_PER_CONDITION = 2
"""Rough number of seeds that a test condition needs, for estimates without an earlier campaign."""

KIND = tuple(row.name for row in PARAMETERS.values() if row.speed)
"""What campaigns must have in common to be of like speed: seeds in random order need many more attempts."""


@dataclass(frozen=True)
class ProgrammeSize:
    """Size of the paper's linear programme for one layer pair, None where the layers are not fully connected."""

    edge: Edge
    pairs: int
    variables: int | None
    constraints: int | None


@dataclass(frozen=True)
class Estimate:
    """What a campaign asks for.

    Attributes:
        conditions: test conditions it will try.
        available: feature pairs in the chosen layers; with top weights an upper bound, since a neuron may have fewer
            connections.
        most_attempts: seeds tried at most, over all conditions.
        programmes: size of the paper's linear programme by layer pair.
        seconds: rough working time.
        measured: whether the time comes from earlier campaigns rather than from a stated rate.
    """

    conditions: int
    available: int
    most_attempts: int
    programmes: tuple[ProgrammeSize, ...]
    seconds: float
    measured: bool


def estimate(card: NetworkCard, spec: CampaignSpec, seconds_per_condition: float | None = None) -> Estimate:
    """The work that ``spec`` asks for on the network of ``card``, by the speed of earlier campaigns if it is known.

    Raises:
        SpecificationError: a decision layer that the network does not have.
    """
    spec, pairs = spec.for_network(card), spec.feature_pairs(card)
    counts = pairs.counts
    if (most := spec.top_weights) is not None:
        counts = [min(most, card.layer(k).neurons) * card.layer(decision).neurons for k, decision in pairs.edges]
    available = sum(counts)
    conditions = min(available, spec.pairs or available)
    seeds = min(spec.max_seeds, spec.seeds or spec.max_seeds) + spec.seeds_beyond
    rate = seconds_per_condition or GENERATORS[spec.generator].seconds_per_attempt * min(seeds, ATTEMPTS_PER_CONDITION)
    sizes = tuple(
        ProgrammeSize(edge, count, *programme_size(card, edge)) for edge, count in zip(pairs.edges, counts, strict=True)
    )
    return Estimate(
        conditions=conditions,
        available=available,
        most_attempts=conditions * seeds,
        programmes=sizes,
        seconds=conditions * rate,
        measured=seconds_per_condition is not None,
    )


def programme_size(card: NetworkCard, edge: Edge) -> tuple[int | None, int | None]:
    """Variables and constraints of the paper's linear programme for one neuron pair of a fully connected network.

    Variables are the inputs, u of the neurons of layers 2..k, u of the decision neuron, and the distance. Constraints
    are four an input (the box, and the distance) and two a neuron (its equation, and its sign).
    """
    hidden, chain = card.layers[1 : edge[0]], tuple((k, k + 1) for k in range(2, len(card.layers)))
    if any(len(layer.shape) != 1 for layer in hidden) or card.edges != chain:
        return None, None
    inputs = card.layer(1).neurons
    neurons = sum(layer.neurons for layer in hidden) + 1
    return inputs + neurons + 1, 4 * inputs + 2 * neurons


def seconds_per_condition(stores: Iterable[CampaignStore], spec: CampaignSpec) -> float | None:
    """Mean working time of a finished test condition in the campaigns that agree with ``spec`` in `KIND`."""
    seconds, done = 0.0, 0
    for store in stores:
        other = store.spec()
        if all(getattr(other, name) == getattr(spec, name) for name in KIND):
            progress = store.counts.progress()
            seconds, done = seconds + progress.seconds, done + progress.done
    return seconds / done if done else None
