"""What criteria take from reference data, computed once for any number of suites."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from dnncov_core.criteria.layer_criteria import neurons_of
from dnncov_core.criteria.neuron_criteria import Ranges
from dnncov_core.criteria.surprise import SURPRISES, Surprise, labels_of
from dnncov_core.criteria.surprise_coverage import SurpriseCoverage
from dnncov_core.data import Data
from dnncov_core.networks.network import Network
from dnncov_core.suites import streams
from dnncov_core.suites.criterion_names import AskedCriterion
from dnncov_core.suites.progress import Progress
from dnncov_core.suites.streams import Suite, Tell
from dnncov_core.types import FloatArray, IntArray


@dataclass(frozen=True)
class KnownReference:
    """The ranges of each layer, and kinds of surprise by their key and layer, as far as criteria need them."""

    ranges: Ranges = field(default_factory=dict)
    surprises: Mapping[tuple[str, int], Surprise] = field(default_factory=dict)


def known_reference(
    network: Network, data: Data, asked: Sequence[AskedCriterion], progress: Progress | None = None
) -> KnownReference:
    """What these criteria need of reference data; nothing where they need none.

    Raises:
        SpecificationError: a layer that the network does not have.
        DataError: the reference data are too few for a kind of surprise.
        NumericsError: NaN or infinite values of u.
    """
    progress, suite = progress or Progress(), Suite(network, data)
    surprising = [each.method for each in asked if isinstance(each.method, SurpriseCoverage)]
    by_ranges = any(each.by_reference and not isinstance(each.method, SurpriseCoverage) for each in asked)
    wanted = {(method.kind.key, method.layer_of(network)): None for method in surprising}
    values = sum(layer.neurons for layer in network.layers)
    progress.expect((by_ranges + bool(wanted)) * len(data) * values)
    tell = progress.stage("reference data", values)
    ranges = streams.ranges(suite, range(2, network.depth + 1), tell) if by_ranges else {}
    known, labels = layer_values(suite, {layer for _, layer in wanted}, tell) if wanted else ({}, np.empty(0, np.int64))
    return KnownReference(ranges, {(key, layer): SURPRISES[key](known[layer], labels) for key, layer in wanted})


def layer_values(
    suite: Suite, layers: Collection[int], tell: Tell = lambda inputs: None
) -> tuple[dict[int, FloatArray], IntArray]:
    """The v of some layers for all inputs, as kinds of surprise take them, and the classes that the network gives them.

    Returns:
        By layer ``(inputs, n)``, where n counts channels in place of neurons of feature maps, and ``(inputs,)``.
    """
    network, found = suite.network, dict[int, list[FloatArray]]()
    labels: list[IntArray] = []
    for part in suite.parts:
        _, values = suite.capture(part, {*layers, network.depth})
        for layer in layers:
            v = neurons_of(values[layer].v, network.layers[layer - 1])
            found.setdefault(layer, []).append(v.cpu().numpy())
        labels.append(labels_of(network, values[network.depth].u))
        tell(part.stop - part.start)
    return {layer: np.concatenate(parts) for layer, parts in found.items()}, np.concatenate(labels)
