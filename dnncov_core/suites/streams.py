"""The inputs of a suite, sent through a network a batch at a time: signs, ranges, and values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from dnncov_core.activations import capture, take_own_signs
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import SUFFIX
from dnncov_core.criteria.layer_criteria import LayerMeter
from dnncov_core.criteria.neuron_criteria import Range
from dnncov_core.data import Data, check_for_network
from dnncov_core.data.files import of_pairs
from dnncov_core.errors import DataError
from dnncov_core.layer_values import Activations, LayerValues
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.registry import open_data_for
from dnncov_core.suites.patterns import Words, packed
from dnncov_core.types import BoolArray, IntArray

Tell = Callable[[int], None]
"""Told of how many inputs more a pass is done, or their own signs are known."""
Correct = BoolArray | None
"""Whether each input of a suite has its label, ``(inputs,)``; None for a suite without labels."""


class Taker(Protocol):
    """What takes the values of a layer, such as a `Meter`."""

    def add(self, first: int, values: LayerValues) -> None:
        """Takes the next batch, whose first input is row ``first`` of the suite."""


@dataclass(frozen=True)
class Suite:
    """A network, on its device, and the inputs that are sent through it."""

    network: Network
    data: Data

    def __len__(self) -> int:
        return len(self.data)

    @cached_property
    def parts(self) -> Sequence[slice]:
        """The rows of each batch. All passes have the same ones, as a value differs by a rounding in another batch."""
        return list(batches(self.network, len(self)))

    def capture(self, part: slice, layers: Collection[int]) -> tuple[Tensor, Activations]:
        """The inputs of a batch, and their values of some layers; values near zero may have either sign."""
        x = torch.from_numpy(self.data.pixels(part))
        with torch.no_grad():
            return x, capture(self.network, x, layers)

    def take_own_signs(self, x: Tensor, values: Activations, rows: IntArray, tell: Tell) -> None:
        """Gives inputs of a batch the signs that they have alone; see `activations.take_own_signs`."""
        take_own_signs(self.network, x, values, rows, tell)


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
    x1, x2 = (np.stack([getattr(pair, name) for pair in pairs]) for name in ("x1", "x2"))
    found = of_pairs(x1, x2, np.array([pair.label1 for pair in pairs], np.int64))
    data = Data(path.name, found.images, found.labels, (), f"the test pairs of {path.name}")
    check_for_network(data, network.box, len(network.classes), len(network.quantities))
    return data


def ranges(suite: Suite, layers: Collection[int], tell: Tell) -> dict[int, Range]:
    """The least and the greatest v, and the greatest u, of each neuron by layer."""
    found: dict[int, Range] = {}
    for part in suite.parts:
        _, values = suite.capture(part, layers)
        for layer in layers:
            least, greatest = (edge.cpu().numpy() for edge in torch.aminmax(values[layer].v, dim=0))
            here = Range(least, greatest, values[layer].u.amax(dim=0).cpu().numpy())
            found[layer] = found[layer] | here if layer in found else here
        tell(part.stop - part.start)
    return found


def read(
    suite: Suite,
    layers: Collection[int],
    tell: Tell,
    takers: Mapping[int, Mapping[str, Taker]] | None = None,
    layer_meters: Collection[LayerMeter] = (),
) -> tuple[dict[int, Words], Correct]:
    """Sends all inputs through the network, and notes their signs in some layers.

    Args:
        suite: network and inputs.
        layers: in which the signs are wanted.
        tell: told of each batch, and of own signs where some are wanted.
        takers: of each layer, which take its values. Whether inputs have their label is looked at with them.
        layer_meters: those that take the values of several layers.

    Returns:
        The packed signs of all inputs by layer, ``(inputs, words)``, and which inputs have their label.
    """
    signs: dict[int, list[Words]] = {layer: [] for layer in layers}
    truth = suite.data.truth(targets=bool(suite.network.quantities))
    correct = None if takers is None or truth is None else np.zeros(len(suite), bool)
    measured = {} if takers is None else {suite.network.depth: {}, **takers}
    wanted = {*measured, *layers, *(layer for meter in layer_meters for layer in meter.layers)}
    for part in suite.parts:
        x, values = suite.capture(part, wanted)
        for whole in layer_meters:
            whole.add(part.start, values)
        for layer, those in measured.items():
            for taker in those.values():
                taker.add(part.start, values[layer])
        if correct is not None and truth is not None:
            correct[part] = suite.network.decision.agrees(values[suite.network.depth].u, truth[part])
        tell(part.stop - part.start)
        if layers:
            own = {layer: values[layer] for layer in layers}
            suite.take_own_signs(x, own, np.arange(len(x)), tell)
        for layer in layers:
            signs[layer].append(packed((values[layer].u >= 0).cpu().numpy()))
    return {layer: np.concatenate(words) for layer, words in signs.items()}, correct
