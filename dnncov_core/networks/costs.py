"""What a part of a pass costs, as a share of the whole pass."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from dnncov_core.networks.graph import CanonicalGraph
from dnncov_core.networks.network import Network

_KNOWN: WeakKeyDictionary[CanonicalGraph, dict[int, float]] = WeakKeyDictionary()


def share_before(network: Network, layer: int) -> float:
    """How many of a whole pass's multiplications lie between a layer and the activation layers that feed it.

    They depend on the network alone, not on the machine.
    """
    known = _KNOWN.setdefault(network.graph, {})
    if layer not in known:
        x = torch.zeros(1, *network.input_shape)
        sizes = {source: network.layers[source - 1].neurons for source in network.graph.sources[layer]}
        given = {source: x.new_zeros(1, n).to(network.device, network.dtype) for source, n in sizes.items()}
        part = _multiplications(lambda: network.run(x, given=given, last_layer=layer))
        known[layer] = part / max(1, _multiplications(lambda: network.run(x)))
    return known[layer]


def _multiplications(evaluate: Callable[[], Tensor]) -> int:
    from torch.utils.flop_counter import FlopCounterMode

    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        evaluate()
    return int(counter.get_total_flops()) // 2
