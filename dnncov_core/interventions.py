"""What the network says where the condition feature is put back, or its change made alone; see `effect`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from dnncov_core.activations import capture, one_thread
from dnncov_core.effect import Interventions
from dnncov_core.features import FeaturePair
from dnncov_core.layer_values import Activations, LayerValues
from dnncov_core.networks.network import Network
from dnncov_core.relations import changes
from dnncov_core.types import FloatArray, Neurons


def layers_for(network: Network, pair: FeaturePair) -> set[int]:
    """The layers whose values decide whether a pair covers, and with what effect."""
    return {pair.condition.layer, pair.decision.layer, *network.graph.sources[pair.decision.layer]}


def interventions(
    network: Network, pair: FeaturePair, x1: Tensor, x2: Tensor, before: Activations, after: Activations
) -> Interventions:
    """What layer l would be; the decision's neurons do not matter.

    Args:
        network: the network.
        pair: the feature pair.
        x1: seeds, ``(batch, *input_shape)``.
        x2: inputs of the same shape.
        before: values at x1 of `layers_for` the pair.
        after: values at x2.

    Raises:
        NumericsError: a NaN or an infinite u.
    """
    chosen, layer = condition_mask(pair, before, after), pair.decision.layer
    return Interventions(
        put_back={layer: with_condition(network, pair, chosen, x2, after, before)},
        alone={layer: with_condition(network, pair, chosen, x1, before, after)},
    )


def condition_mask(pair: FeaturePair, before: Activations, after: Activations) -> Tensor:
    """Which neurons of layer k are the condition feature, ``(batch, s_k)`` of bool."""
    k = pair.condition.layer
    if pair.condition.most is not None:
        return changes(before[k], after[k])
    named = torch.zeros_like(after[k].u, dtype=torch.bool)
    named[:, list(pair.condition.neurons)] = True
    return named


def with_condition(
    network: Network, pair: FeaturePair, chosen: Tensor, x: Tensor, values: Activations, condition: Activations
) -> LayerValues:
    """Values of the decision layer at x, with v of the chosen neurons of layer k from elsewhere.

    Args:
        network: the network.
        pair: the feature pair.
        chosen: these neurons, ``(batch, s_k)`` of bool.
        x: ``(batch, *input_shape)``.
        values: at x, of the layers that feed the decision layer.
        condition: where v of the chosen neurons is from.

    Raises:
        NumericsError: a NaN or an infinite u.
    """
    k, layer = pair.condition.layer, pair.decision.layer
    given = {source: values[source].v.expand(len(chosen), -1) for source in network.graph.sources[layer]}
    given[k] = condition[k].v.where(chosen, values[k].v)
    return capture(network, x, [layer], given=given)[layer]


def contributions(
    network: Network, pair: FeaturePair, x1: FloatArray, x2: FloatArray, *, most: int = 8
) -> tuple[Neurons, FloatArray]:
    """Which neurons of layer k carry the decision's change.

    Each is put back by the network itself. Which ones are put back is chosen by the change of v times the gradient of
    the decision's u, at x1 and at x2, so that a neuron that no pooling lets through at either is left to the rest.

    Args:
        network: the network, on the CPU.
        pair: the feature pair.
        x1: the seed, ``input_shape``.
        x2: the other input.
        most: how many neurons beside the condition feature are named.

    Raises:
        NumericsError: a NaN or an infinite u.
    """
    layer, neurons = pair.decision.layer, list(pair.decision.neurons)
    inputs = [torch.from_numpy(x)[None] for x in (x1, x2)]
    with one_thread():
        with torch.no_grad():
            before, after = (capture(network, x, layers_for(network, pair)) for x in inputs)
        u1, u2 = (values[layer].u[:, neurons].double() for values in (before, after))
        condition = condition_mask(pair, before, after)
        influence = _influence(network, pair, inputs, before, after).masked_fill(condition[0], 0)
        largest = influence.argsort(descending=True, stable=True)[:most]
        named = largest[influence[largest] > 0]
        rows = torch.nn.functional.one_hot(named, condition.shape[1]).bool()
        if not len(rows):
            return (), np.empty((0, len(neurons)))
        with torch.no_grad():
            x = inputs[1].expand(len(rows), *x2.shape)
            carried = u2 - with_condition(network, pair, rows, x, after, before).u[:, neurons].double()
    order = (carried @ (u2 - u1)[0].sign()).abs().argsort(descending=True, stable=True)
    return tuple(named[order].tolist()), carried[order].numpy()


def _influence(
    network: Network, pair: FeaturePair, inputs: Sequence[Tensor], before: Activations, after: Activations
) -> Tensor:
    """How much each neuron of layer k moves the decision's u to first order, the larger of x1's and x2's, ``(s_k,)``.

    A pooling has other winners at x1 than at x2.
    """
    k, layer, neurons = pair.condition.layer, pair.decision.layer, list(pair.decision.neurons)
    direction, moved = (after[layer].u - before[layer].u).sign(), (after[k].v - before[k].v).abs()[0]
    found = torch.zeros_like(moved)
    for x, values in zip(inputs, (before, after), strict=True):
        given = {source: values[source].v for source in network.graph.sources[layer]}
        given[k] = given[k].clone().requires_grad_()
        u = capture(network, x, [layer], given=given)[layer].u
        (gradient,) = torch.autograd.grad((direction * u)[:, neurons].sum(), given[k])
        found = found.maximum(gradient[0].abs() * moved)
    return found
