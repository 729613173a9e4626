"""The parts of a covering method's definition, one by one, for whoever asks why a pair of inputs covers or does not.

The bullets of Definitions 4 to 7: together they say what `CoveringMethod.holds` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from dnncov_core.criteria.covering_methods import Change, CoveringMethod
from dnncov_core.criteria.value_function_base import Quantity, ValueFunction
from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePair
from dnncov_core.relations import sign_changed, sign_kept

if TYPE_CHECKING:
    from dnncov_core.layer_values import Activations


class Asks(Enum):
    """What a part asks of which neurons."""

    CONDITION_SIGN = "sc of the condition feature"
    REST_KEPT = "nsc of the rest of layer k"
    CONDITION_VALUE = "vc of the condition feature"
    LAYER_KEPT = "nsc of layer k"
    DECISION_SIGN = "sc of the decision feature"
    DECISION_VALUE = "vc of the decision feature"
    DECISION_KEPT = "nsc of the decision feature"


@dataclass(frozen=True)
class Part:
    """One part: what it asks of which neurons of a layer, by which value function, and whether that holds.

    ``quantities`` are what the value function compares.
    """

    asks: Asks
    layer: int
    neurons: tuple[int, ...]
    holds: bool
    function: ValueFunction | None = None
    quantities: tuple[Quantity, ...] = ()


def parts(method: CoveringMethod, pair: FeaturePair, before: Activations, after: Activations) -> tuple[Part, ...]:
    """The parts of the definition in its order, for the first input of ``before`` (x1) and of ``after`` (x2).

    Args:
        method: the covering method.
        pair: the feature pair; its condition feature names its neurons.
        before: values of its two layers for x1, by layer number.
        after: values of its two layers for x2.

    Raises:
        SpecificationError: a free feature, which is whatever set changed its sign.
    """
    k, decision = pair.condition, pair.decision
    if k.most is not None:
        raise SpecificationError("a condition feature that names its neurons", "a free feature", "name its neurons")
    layer = tuple(range(before[k.layer].u.shape[1]))
    feature = set(k.neurons)
    rest = tuple(i for i in layer if i not in feature)

    def changed(asks: Asks, layer: int, neurons: tuple[int, ...]) -> Part:
        return Part(asks, layer, neurons, bool(sign_changed(before[layer], after[layer], neurons)[0]))

    def kept(asks: Asks, layer: int, neurons: tuple[int, ...]) -> Part:
        return Part(asks, layer, neurons, bool(sign_kept(before[layer], after[layer], neurons)[0]))

    def value(asks: Asks, g: ValueFunction, layer: int, neurons: tuple[int, ...]) -> Part:
        holds = g.at(layer, [neurons])(before[layer], after[layer], neurons)
        compared = g.quantities(layer, before[layer], after[layer], neurons)
        return Part(asks, layer, neurons, bool(holds[0]), g, compared)

    if method.condition is Change.SIGN:
        first = changed(Asks.CONDITION_SIGN, k.layer, k.neurons), kept(Asks.REST_KEPT, k.layer, rest)
    else:
        first = value(Asks.CONDITION_VALUE, method.g1, k.layer, k.neurons), kept(Asks.LAYER_KEPT, k.layer, layer)
    if method.decision is Change.SIGN:
        return *first, changed(Asks.DECISION_SIGN, decision.layer, decision.neurons)
    return (
        *first,
        value(Asks.DECISION_VALUE, method.g2, decision.layer, decision.neurons),
        kept(Asks.DECISION_KEPT, decision.layer, decision.neurons),
    )
