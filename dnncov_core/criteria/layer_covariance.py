"""NLC: how much the outputs of each layer's neurons vary, and vary together, over a suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dnncov_core.criteria.layer_criteria import Known, LayerCriterion, LayerMeter, neurons_of, number_of_neurons
from dnncov_core.errors import SpecificationError

if TYPE_CHECKING:
    import torch

    from dnncov_core.layer_values import Activations
    from dnncov_core.networks.network import Network
    from dnncov_core.records import LayerInfo

MOST_ENTRIES = 2**27
"""Of the covariance matrices of all layers together, which take a GiB in double precision."""


class CovarianceMeter(LayerMeter):
    """The covariances of layers, kept in double precision and updated batch by batch (Chan, Golub and LeVeque)."""

    def __init__(self, layers: Sequence[LayerInfo]) -> None:
        self.layers = tuple(layer.index for layer in layers)
        self._infos, self._n = layers, 0
        self._means: dict[int, torch.Tensor] = {}
        self._sums: dict[int, torch.Tensor] = {}

    def add(self, first: int, values: Activations) -> None:
        for layer in self._infos:
            k, x = layer.index, neurons_of(values[layer.index].u, layer).double()
            mean, known = x.mean(dim=0), self._means.get(layer.index)
            scatter = (x - mean).T @ (x - mean)
            if known is None:
                self._means[k], self._sums[k] = mean, scatter
                continue
            share, apart = len(x) / (self._n + len(x)), mean - known
            self._sums[k] += scatter + self._n * share * apart.outer(apart)
            self._means[k] = known + share * apart
        self._n += len(next(iter(values.values())).u)

    @property
    def value(self) -> float:
        """The sum over layers of the mean absolute entry of the covariance matrix."""
        return sum(float(each.abs().mean()) for each in self._sums.values()) / max(1, self._n)


@dataclass(frozen=True)
class LayerCovariance(LayerCriterion):
    """NLC of Yuan, Pang and Wang, "Revisiting Neuron Coverage for DNN Testing" (ICSE 2023).

    cov(u_k) is the covariance matrix of the outputs of layer k over all inputs of the suite, by their number. As in
    the authors' program (NeuraL-Coverage), an output is what a linear layer or a convolution gives: u, also that of
    the output layer, and of feature maps the mean of each channel. Where a batch normalisation stands between, u is
    another value than theirs. The program differs from the formula, which is followed here: it keeps a batch's update
    of a layer only if that raises the layer's norm, so that the order of the inputs counts; it does not divide by the
    number of entries, and it starts from 1.
    """

    key: ClassVar[str] = "nlc"
    title: ClassVar[str] = "NLC (covariance)"
    words: ClassVar[str] = (
        "The sum over all layers of the mean absolute entry of the covariance matrix of the layer's u over the suite,"
        " where the mean of a feature map counts as one u. There is no share, only a number, in squared units of u."
    )
    formula: ClassVar[str] = r"\sum_k |cov(u_k)|_1 / s_k^2"
    has_total: ClassVar[bool] = False
    monotone: ClassVar[bool] = False

    def meter(self, network: Network, known: Known) -> CovarianceMeter:
        layers = network.layers[1:]
        if sum(number_of_neurons(layer) ** 2 for layer in layers) > MOST_ENTRIES:
            widest = max(layers, key=number_of_neurons)
            expected = f"covariance matrices of all layers with at most {MOST_ENTRIES:,} entries for NLC"
            got = f"more; layer {widest.index} ({widest.name}) has {number_of_neurons(widest):,} neurons or channels"
            raise SpecificationError(expected, got, "leave nlc out")
        return CovarianceMeter(layers)
