"""What a network was told besides its module: the arguments that make it again from its program, as JSON has them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dnncov_core.networks.decision import LabelDecision
from dnncov_core.networks.network import Network


def told(network: Network) -> dict[str, Any]:
    """All arguments of `Network` besides its module and its shape."""
    return told_of_inputs(network) | told_of_outputs(network)


def told_of_inputs(network: Network, bounds: tuple[ArrayLike, ArrayLike] | None = None) -> dict[str, Any]:
    """What inputs are, and which output counts.

    Args:
        network: which was told.
        bounds: smallest and largest values; the network's own if left out.
    """
    box = network.box
    low, high = bounds or (network.bounds if box.ranges is None else (box.low, box.high))
    found: dict[str, Any] = {"bounds": [np.asarray(low).tolist(), np.asarray(high).tolist()], "output": network.output}
    found |= {"resize": network.resize, "bicubic": network.bicubic or None, "embedded": box.embedded or None}
    found |= {"features": list(box.features) or None, "units": list(box.units) or None}
    return {name: value for name, value in found.items() if value is not None}


def told_of_outputs(network: Network, rule: str | None = None) -> dict[str, Any]:
    """What the outputs mean; with another ``rule`` than the network's own if one is given."""
    if not isinstance(network.decision, LabelDecision):
        parts = {"tolerance": "tolerance", "quantities": "name", "quantity_units": "unit"}
        meant = {name: [getattr(each, of) for each in network.quantities] for name, of in parts.items()}
        return {"classes": None, **meant}
    rule, limit = rule or network.decision.rule, network.decision.threshold
    if rule != "threshold":
        return {"classes": list(network.classes), "decision": rule}
    limit = 1 / (1 + math.exp(-limit)) if network.graph.ends_with("sigmoid") else limit
    return {"classes": list(network.classes), "threshold": limit}
