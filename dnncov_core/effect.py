"""The effect of a condition feature on a decision feature: does the decision depend on the condition?

It is the direct effect along a layer pair (k, l). Some activation layers feed u of layer l, and k is one of them; what
lies between them and l is evaluated as the network has it, whatever pieces, poolings and branches there are.

    put back    v of these layers as at x2, but the condition feature's as at x1
    alone       v of these layers as at x1, but the condition feature's as at x2

The change is *needed* if the decision's change is undone in the first, *sufficient* if the decision does what the
covering method asks in the second. A free condition feature is the neurons of layer k that change their sign.

Everything here works on batches, of tensors or NumPy arrays; `interventions` asks the network for the values, and
`replay` asks it of two inputs, each sent alone through the network.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.effects import meets
from dnncov_core.features import FeaturePair
from dnncov_core.layer_values import Activations, library_of
from dnncov_core.records import Effect
from dnncov_core.types import FloatArray, Neurons

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True)
class Interventions:
    """Values of the decision layer with the condition put back, and with its change alone, for a batch of pairs."""

    put_back: Activations
    alone: Activations


@dataclass(frozen=True)
class Effects:
    """The effects of a batch of pairs of inputs on one feature pair, ``(batch,)`` each.

    Attributes:
        needed: whether the condition's change is needed.
        sufficient: whether it is sufficient.
        share: how much of the decision's change of u goes away where the condition is put back: with s_j the sign of
            u_j[x2] - u_j[x1], the sum of s_j (u_j[x2] - u_j[put back]) over the decision's neurons j, divided by that
            of \\|u_j[x2] - u_j[x1]\\|. NaN where nothing changed.
    """

    needed: Tensor
    sufficient: Tensor
    share: Tensor

    def meet(self, effect: str) -> Tensor:
        """Whether a pair shows what an effect of `EFFECTS` asks, ``(batch,)``."""
        return meets(effect, self.needed, self.sufficient)

    @property
    def first(self) -> Effect:
        """The effects of the first pair as a record."""
        share = float(self.share[0])
        return Effect(bool(self.needed[0]), bool(self.sufficient[0]), share if math.isfinite(share) else None)


def effects(
    method: CoveringMethod, pair: FeaturePair, before: Activations, after: Activations, made: Interventions
) -> Effects:
    """The effects of pairs of inputs.

    Args:
        method: the covering method, which says what a change of the decision is.
        pair: the feature pair.
        before: values at x1 of its decision layer.
        after: values at x2.
        made: what that layer would be.
    """
    layer, neurons = pair.decision.layer, list(pair.decision.neurons)
    library = library_of(before[layer].u)
    u1, u2, back = (
        library.asarray(values[layer].u[:, neurons], dtype=library.float64) for values in (before, after, made.put_back)
    )
    change = u2 - u1
    return Effects(
        needed=method.decision_undone(pair, before, made.put_back),
        sufficient=method.decision_holds(pair, before, made.alone),
        share=(library.sign(change) * (u2 - back)).sum(1) / abs(change).sum(1),
    )


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
