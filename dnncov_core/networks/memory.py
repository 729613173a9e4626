"""How a network lies in memory, and how many inputs go through it at the same time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import torch

from dnncov_core.networks.network import Network

MOST_AT_ONCE, VALUES_AT_ONCE = 4096, 2**22
"""Inputs of a small network, so that each operator has enough to do, and their values in all layers together."""
COPIES = 5
"""Tensors of a layer's size that a forward and a backward pass keep."""
MOST_ON_CPU, MOST_ON_GPU = 32, 512
"""Inputs beyond which more at the same time gain nothing in a large network: what they share leaves the CPU's cache."""
BYTES_ON_CPU = 2**30
SHARE = 0.5
"""The share of free memory that a batch may take."""
WEIGHTS = 4
"""Copies of the weights that a process holds: the network's, in float64, which are two, and with channels last."""
MEMORY = Path("/proc/meminfo")
"""What Linux says of the memory; other systems have no such file."""


def for_gradients(network: Network) -> Network:
    """The network as gradient search evaluates it: in single precision or its own where that is finer, channels last.

    Convolutions on the CPU are up to 1.5 times as quick with channels last in memory.
    """
    return network.to(dtype=torch.promote_types(network.dtype, torch.float32), memory_format=torch.channels_last)


def fitting_batch(network: Network, most: int | None = None) -> int:
    """The largest number of inputs whose forward and backward passes fit into free memory; at least 1.

    Args:
        network: on its device.
        most: inputs beyond which more at the same time gain nothing; the device's own number if left out.
    """
    each = COPIES * _neurons(network) * network.dtype.itemsize
    if most is None:
        most = MOST_ON_GPU if network.device.type == "cuda" else MOST_ON_CPU
    return max(1, min(most, int(_free(network.device) / each)))


def processes_fit(network: Network, processes: int, batch: int) -> bool:
    """Whether so many processes on the CPU, each with weights and a batch of its own, fit into free memory."""
    values = WEIGHTS * network.parameters + COPIES * _neurons(network) * batch
    return processes * values * network.dtype.itemsize <= SHARE * _unused()


def batches(network: Network, n: int) -> Iterator[slice]:
    """Slices of n inputs, each of as many as go through the network at the same time."""
    most = min(MOST_AT_ONCE, VALUES_AT_ONCE // _neurons(network))
    size = max(fitting_batch(network), fitting_batch(network, most))
    return (slice(start, min(start + size, n)) for start in range(0, n, size))


def _free(device: torch.device) -> float:
    """Bytes that a batch may take."""
    if device.type == "cuda":
        return SHARE * torch.cuda.mem_get_info(device)[0]
    return min(BYTES_ON_CPU, SHARE * _unused())


def _unused() -> float:
    """Bytes of memory that are free, or that only keep files at hand; infinite where the system does not tell."""
    if not MEMORY.exists():
        return math.inf
    told = dict(line.split(":") for line in MEMORY.read_text().splitlines())
    return 1024 * int(told["MemAvailable"].split()[0])


def _neurons(network: Network) -> int:
    return sum(layer.neurons for layer in network.layers)


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether PyTorch ran out of memory, on a GPU or on the CPU."""
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
