"""The inputs of a suite: data by name, file or folder, or the test pairs of a campaign."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import SUFFIX
from dnncov_core.data import Data, check_for_network
from dnncov_core.errors import DataError
from dnncov_core.networks.network import Network
from dnncov_core.registry import open_data_for


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
        pairs = store.test_pairs()
    if not pairs:
        raise DataError("a campaign with a test pair", f"none in {path.name}", "resume it, or name other data")
    inputs = np.stack([x for pair in pairs for x in (pair.x1, pair.x2)])
    labels = np.repeat([pair.label1 for pair in pairs], 2)
    _, first = np.unique(inputs.reshape(len(inputs), -1), axis=0, return_index=True)
    first.sort()
    data = Data(path.name, inputs[first], labels[first].astype(np.int64), (), f"the test pairs of {path.name}", "")
    check_for_network(data, network.input_shape, network.bounds, len(network.classes))
    return data
