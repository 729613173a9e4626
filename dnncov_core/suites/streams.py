"""The inputs of a suite, sent through a network a batch at a time: signs, ranges, meters, and values of some inputs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from dnncov_core.activations import Activations, capture, capture_signs
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import SUFFIX
from dnncov_core.criteria.neuron_criteria import Meter, Range
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.data import Data, check_for_network
from dnncov_core.errors import DataError
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.registry import open_data_for
from dnncov_core.suites.patterns import Words, packed
from dnncov_core.types import BoolArray, FloatArray, IntArray

Tell = Callable[[int], None]
"""Told how many inputs more have been sent through."""
Correct = BoolArray | None
"""Whether each input of a suite has its label, ``(inputs,)``; None for a suite without labels."""


@dataclass(frozen=True)
class Suite:
    """A network, on its device, and the inputs that are sent through it."""

    network: Network
    data: Data

    def __len__(self) -> int:
        return len(self.data)

    def batches(self, layers: Collection[int]) -> Iterator[tuple[slice, Activations]]:
        """The values of some layers for all inputs, each batch with its rows; values near zero may have either sign."""
        for part in batches(self.network, len(self)):
            with torch.no_grad():
                yield part, capture(self.network, torch.from_numpy(self.data.pixels(part)), layers)

    def with_signs(self, layers: Collection[int], rows: IntArray) -> Iterator[tuple[slice, Activations]]:
        """The values of some layers for some rows, each batch with its places among these, with each input's signs."""
        for part in batches(self.network, len(rows)):
            with torch.no_grad():
                yield part, capture_signs(self.network, torch.from_numpy(self.data.pixels(rows[part])), layers)


def open_suite(network: Network, reference: str) -> Data:
    """Data as `open_data_for` reads them, or every different x1 and x2 of a campaign file, with the label of x1.

    Raises:
        DataError: they cannot be read, do not fit the network, or there is no test pair.
        CampaignError: no campaign file.
    """
    path = Path(reference)
    if path.suffix != SUFFIX:
        return open_data_for(network, reference, labelled=False)
    with CampaignStore(path) as store:
        pairs = store.pairs.page()
    if not pairs:
        raise DataError("a campaign with a test pair", f"none in {path.name}", "resume it, or name other data")
    inputs = np.stack([x for pair in pairs for x in (pair.x1, pair.x2)])
    labels = np.repeat([pair.label1 for pair in pairs], 2)
    _, first = np.unique(inputs.reshape(len(inputs), -1), axis=0, return_index=True)
    first.sort()
    data = Data(path.name, inputs[first], labels[first].astype(np.int64), (), f"the test pairs of {path.name}")
    check_for_network(data, network.input_shape, network.bounds, len(network.classes))
    return data


def signs(suite: Suite, layers: Collection[int], tell: Tell) -> dict[int, Words]:
    """The packed signs of all inputs by layer, ``(inputs, words)``."""
    found: dict[int, list[Words]] = {layer: [] for layer in layers}
    for part, values in suite.with_signs(layers, np.arange(len(suite))):
        for layer in layers:
            found[layer].append(packed((values[layer].u >= 0).cpu().numpy()))
        tell(part.stop - part.start)
    return {layer: np.concatenate(words) for layer, words in found.items()}


def ranges(suite: Suite, layers: Collection[int], tell: Tell) -> dict[int, Range]:
    """The least and the greatest v, and the greatest u, of each neuron by layer."""
    found: dict[int, Range] = {}
    for part, values in suite.batches(layers):
        for layer in layers:
            least, greatest = (edge.cpu().numpy() for edge in torch.aminmax(values[layer].v, dim=0))
            here = Range(least, greatest, values[layer].u.amax(dim=0).cpu().numpy())
            found[layer] = found[layer] | here if layer in found else here
        tell(part.stop - part.start)
    return found


def fill(suite: Suite, meters: Mapping[int, Collection[Meter]], tell: Tell) -> Correct:
    """Sends all inputs through all meters of each layer."""
    labels = suite.data.labels
    correct = None if labels is None else np.zeros(len(suite), bool)
    depth = suite.network.depth
    for part, values in suite.batches([*meters, depth]):
        for layer, those in meters.items():
            for meter in those:
                meter.add(part.start, values[layer])
        if correct is not None and labels is not None:
            correct[part] = values[depth].u.argmax(dim=1).cpu().numpy() == labels[part]
        tell(part.stop - part.start)
    return correct


def u_of(suite: Suite, rows: IntArray, layer: int, neurons: IntArray | None = None) -> FloatArray:
    """u of a layer's neurons, or of some, for some inputs, ``(len(rows), n)``."""
    chosen = slice(None) if neurons is None else torch.from_numpy(neurons).to(suite.network.device)
    return np.concatenate([values[layer].u[:, chosen].cpu().numpy() for _, values in suite.with_signs([layer], rows)])


def met_of(
    suite: Suite, rows: IntArray, layer: int, function: Meets, neurons: IntArray | None = None
) -> Iterator[tuple[IntArray, BoolArray]]:
    """Whether inputs meet a criterion's condition for the neurons of a layer, by the values that its meter sees.

    The inputs go through in the batches of all inputs, as a value differs by a rounding in another batch.

    Yields:
        Places among the rows, each once, and what these inputs meet, ``(len(places), n)``.
    """
    known = function.at(layer, []).known
    chosen = np.arange(suite.network.layers[layer - 1].neurons) if neurons is None else neurons
    for part in batches(suite.network, len(suite)):
        places = np.flatnonzero((rows >= part.start) & (rows < part.stop))
        if places.size:
            with torch.no_grad():
                values = capture(suite.network, torch.from_numpy(suite.data.pixels(part)), [layer])[layer]
            yield places, function.condition.met(values, chosen, known).cpu().numpy()[rows[places] - part.start]
