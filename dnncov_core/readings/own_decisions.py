"""Data without labels, and the network's own decisions as their labels."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import torch

from dnncov_core.data import Data
from dnncov_core.errors import DataError, DnncovError, unwritable
from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.memory import batches
from dnncov_core.networks.network import Network
from dnncov_core.readings.check import leaves
from dnncov_core.readings.steps import is_vector
from dnncov_core.registry import open_data_for, read_data_for


def unlabelled(network: Network, name: str, refused: DnncovError, *, beyond: bool = False) -> Data:
    """Data that fit a network and have neither labels nor targets.

    Args:
        network: the network.
        name: of the data, or their path.
        refused: why they cannot be used with labels; raised where that is all there is to say.
        beyond: whether vectors may leave the network's bounds.

    Raises:
        DnncovError: they have labels or targets, cannot be read, or do not fit, whatever their labels are.
    """
    try:
        data = open_data_for(network, name, labelled=False)
    except DnncovError as error:
        found = _leaving(network, name) if beyond else None
        if found is None:
            with suppress(DnncovError):
                if _has_none(read_data_for(network, name, None, labelled=False)):
                    refused = error
            raise refused from None
        data = found
    if not _has_none(data):
        raise refused
    return data


def _leaving(network: Network, name: str) -> Data | None:
    """Vectors that leave a network's bounds; images mostly need another reading then, which only labels tell."""
    with suppress(DnncovError):
        data = read_data_for(network, name, network.input_shape, labelled=False)
        if is_vector(data.shape) and leaves(network, data):
            return data
    return None


def _has_none(data: Data) -> bool:
    return data.labels is None and data.targets is None


def save_own_decisions(network: Network, data: Data, path: Path) -> None:
    """Writes an ``.npz`` file of the data with the classes that the network gives them as labels.

    Raises:
        DataError: the network has no classes, or the file cannot be written.
    """
    decision = network.decision
    if not isinstance(decision, LabelDecision):
        fix = "start a campaign on the data as they are: without targets, all inputs are seeds"
        raise DataError("a network with classes, for its own decisions as labels", "a regression", fix)
    with torch.no_grad():
        parts = [network(torch.from_numpy(data.pixels(part))).cpu() for part in batches(network, len(data))]
    try:
        np.savez_compressed(path, images=data.images, labels=decision.labels(torch.cat(parts)).numpy())
    except OSError as error:
        raise unwritable(error) from error
