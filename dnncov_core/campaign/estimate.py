"""How much work a campaign will be, told before it starts and without loading the network."""

from __future__ import annotations

from dataclasses import dataclass

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.campaign.speed import Speed, most_seeds
from dnncov_core.records import NetworkCard
from dnncov_core.types import Edge


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
        most_seeds: seeds tried at most for one condition.
        programmes: size of the paper's linear programme by layer pair.
        seconds: rough working time from start to end, baseline searches included; None where no speed is known.
    """

    conditions: int
    available: int
    most_seeds: int
    programmes: tuple[ProgrammeSize, ...]
    seconds: float | None

    @property
    def most_attempts(self) -> int:
        """Seeds tried at most, over all conditions."""
        return self.conditions * self.most_seeds


def estimate(card: NetworkCard, spec: CampaignSpec, speed: Speed | None = None, inputs: int | None = None) -> Estimate:
    """The work that ``spec`` asks for on the network of ``card``.

    Args:
        card: the network's.
        spec: what is asked.
        speed: of such campaigns, if it is known.
        inputs: how many the data have, of which seeds are some; None where that is not known yet.

    Raises:
        SpecificationError: a decision layer that the network does not have.
    """
    spec, pairs = spec.for_network(card), spec.feature_pairs(card)
    counts = pairs.counts
    if (most := spec.top_weights) is not None:
        counts = [min(most, card.layer(k).neurons) * card.layer(decision).neurons for k, decision in pairs.edges]
    available = sum(counts)
    conditions = min(available, spec.pairs or available)
    sizes = tuple(
        ProgrammeSize(edge, count, *programme_size(card, edge)) for edge, count in zip(pairs.edges, counts, strict=True)
    )
    return Estimate(
        conditions=conditions,
        available=available,
        most_seeds=most_seeds(spec, inputs),
        programmes=sizes,
        seconds=None if speed is None else speed.seconds(conditions),
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
