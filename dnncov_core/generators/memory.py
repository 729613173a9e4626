"""How many inputs a search takes at the same time."""

from __future__ import annotations

import os

import torch

from dnncov_core.networks.network import Network

COPIES = 5
"""Tensors of a layer's size that a forward and a backward pass keep."""
MOST_ON_CPU, MOST_ON_GPU = 32, 512
BYTES_ON_CPU = 2**30
SHARE = 0.5
"""Of free memory."""


def fitting_batch(network: Network) -> int:
    """The largest number of inputs whose forward and backward passes fit into free memory; at least 1."""
    neurons = sum(layer.neurons for layer in network.layers)
    each = COPIES * neurons * torch.finfo(network.dtype).bits // 8
    free, most = _free(network.device)
    return max(1, min(most, int(free / each)))


def _free(device: torch.device) -> tuple[float, int]:
    """Bytes to spend, and inputs beyond which more at the same time gain nothing."""
    if device.type == "cuda":
        return SHARE * torch.cuda.mem_get_info(device)[0], MOST_ON_GPU
    pages = os.sysconf("SC_AVPHYS_PAGES") if hasattr(os, "sysconf") else 2**20
    return min(BYTES_ON_CPU, SHARE * 4096 * pages), MOST_ON_CPU


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether PyTorch ran out of memory, on a GPU or on the CPU."""
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
