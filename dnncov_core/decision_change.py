"""What carries a change of the decision feature."""

from __future__ import annotations

from dataclasses import dataclass

from dnncov_core.types import FloatArray, Neurons


@dataclass(frozen=True)
class DecisionChange:
    """u of the decision feature's neurons, ``(decision neurons,)`` each, and what carries its change from x1 to x2.

    What a neuron of layer k carries is u[x2] minus u with its v alone put back to that at x1. What is left beside
    condition feature and named neurons is carried by all others of layer k, by other layers that feed the decision
    layer, and, where a pooling lies between, by neurons only if they change together.

    Attributes:
        u1: at x1.
        alone: with the condition feature's v as at x2, and all else as at x1.
        put_back: with the condition feature's v as at x1, and all else as at x2.
        u2: at x2.
        neurons: other neurons of layer k, 0-based, the one first that carries most, over all of the decision's neurons.
        others: what each of them carries, ``(len(neurons), decision neurons)``.
    """

    u1: FloatArray
    alone: FloatArray
    put_back: FloatArray
    u2: FloatArray
    neurons: Neurons
    others: FloatArray
