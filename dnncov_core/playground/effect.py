"""The effect of the condition feature for two inputs in the paper's example network, where layer k alone feeds layer l.

`dnncov_core.effect` says what it is; here are the values with the condition put back, and with its change alone.
"""

from __future__ import annotations

import numpy as np

from dnncov_core.criteria import CoveringMethod
from dnncov_core.effect import DecisionChange, Interventions, effects
from dnncov_core.features import FeaturePair
from dnncov_core.layer_values import Activations
from dnncov_core.playground.two_inputs import TwoInputs, zeros_divide
from dnncov_core.records import Effect
from dnncov_core.types import FloatArray, Neurons


@zeros_divide
def effect(inputs: TwoInputs, method: CoveringMethod, pair: FeaturePair) -> Effect:
    """Whether the condition's change is needed and sufficient, and how much of the decision's goes away with it."""
    return effects(method, pair, inputs.before, inputs.after, _interventions(inputs, pair)).first


def decision_change(inputs: TwoInputs, pair: FeaturePair) -> DecisionChange:
    """How u of the decision feature's neurons gets from x1 to x2, and which other neurons of layer k carry it."""
    before, after, (k, condition) = inputs.before, inputs.after, (pair.condition.layer, pair.condition.neurons)
    made, u1, u2 = _interventions(inputs, pair), _u(pair, before), _u(pair, after)
    weights = inputs.network.weights[pair.decision.layer - 2][:, list(pair.decision.neurons)]
    influence = abs(weights @ np.sign(u2 - u1)) * abs(np.asarray(after[k].v - before[k].v)[0])
    influence[list(condition)] = 0
    order = np.argsort(-influence, stable=True)
    named = tuple(order[influence[order] > 0].tolist())
    carried = [u2 - _u(pair, _decided(inputs, pair, (neuron,), before, after)) for neuron in named]
    return DecisionChange(
        u1=u1,
        alone=_u(pair, made.alone),
        put_back=_u(pair, made.put_back),
        u2=u2,
        neurons=named,
        others=np.array(carried).reshape(len(named), len(u1)),
    )


def _interventions(inputs: TwoInputs, pair: FeaturePair) -> Interventions:
    before, after, condition = inputs.before, inputs.after, pair.condition.neurons
    return Interventions(
        put_back=_decided(inputs, pair, condition, before, after),
        alone=_decided(inputs, pair, condition, after, before),
    )


def _decided(inputs: TwoInputs, pair: FeaturePair, chosen: Neurons, of: Activations, rest: Activations) -> Activations:
    """The decision layer if v of the chosen neurons of layer k were that of ``of``, and of the others of ``rest``."""
    k, layer, neurons = pair.condition.layer, pair.decision.layer, list(chosen)
    v = np.array(rest[k].v)
    v[:, neurons] = of[k].v[:, neurons]
    return {layer: inputs.network.layer(layer, v)}


def _u(pair: FeaturePair, values: Activations) -> FloatArray:
    """u of the decision feature's neurons."""
    return np.asarray(values[pair.decision.layer].u)[0, list(pair.decision.neurons)]
