"""How far, to first order, inputs are from other labels."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from dnncov_core.networks.network import Network
from dnncov_core.types import FloatArray

TINY = 1e-30


def label_distances(network: Network, x: Tensor, others: Sequence[int] | None = None) -> FloatArray:
    """(z_y - z_j) / ||grad_x (z_y - z_j)||_1 of each input, with y the label of largest z, ``(batch,)``.

    Args:
        network: the network.
        x: inputs, ``(batch, *input_shape)``, on its device and in its precision.
        others: the label j of each input; that of the next largest z if left out.
    """
    x = x.detach().requires_grad_()
    z = network.scores(network(x))
    best = z.topk(2, dim=1).values
    lead = best[:, 0] - (best[:, 1] if others is None else z[range(len(x)), list(others)])
    (gradient,) = torch.autograd.grad(lead.sum(), x)
    found: FloatArray = (lead / gradient.flatten(1).abs().sum(dim=1).clamp(min=TINY)).detach().double().cpu().numpy()
    return found
