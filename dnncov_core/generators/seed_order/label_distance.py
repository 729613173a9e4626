"""How far, to first order, a seed is from another label."""

from __future__ import annotations

import torch
from torch import Tensor

from dnncov_core.networks.network import Network
from dnncov_core.types import FloatArray

TINY = 1e-30


def label_distances(network: Network, x: Tensor) -> FloatArray:
    """(z_y - z_j) / ||grad_x (z_y - z_j)||_1 of the two largest logits of each input, ``(batch,)``.

    Args:
        network: the network.
        x: inputs, ``(batch, *input_shape)``, on its device and in its precision.
    """
    x = x.detach().requires_grad_()
    best = network(x).topk(2, dim=1).values
    lead = best[:, 0] - best[:, 1]
    (gradient,) = torch.autograd.grad(lead.sum(), x)
    found: FloatArray = (lead / gradient.flatten(1).abs().sum(dim=1).clamp(min=TINY)).detach().double().cpu().numpy()
    return found
