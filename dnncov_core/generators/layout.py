"""A network as gradient search evaluates it."""

from __future__ import annotations

import torch

from dnncov_core.networks.network import Network


def for_gradients(network: Network) -> Network:
    """The network in single precision or its own where that is finer, channels last in memory.

    Convolutions on the CPU are up to 1.5 times as quick so.
    """
    return network.to(dtype=torch.promote_types(network.dtype, torch.float32), memory_format=torch.channels_last)
