"""How far, to first order, inputs are from other labels."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from dnncov_core.networks.network import Network
from dnncov_core.types import FloatArray

TINY = 1e-30


def label_distances(network: Network, x: Tensor, others: Sequence[int] | None = None) -> FloatArray:
    """lead / ||grad_x lead||_1 of each input, ``(batch,)``; for labels the lead is z_y - z_j, with y that of largest z.

    Args:
        network: the network.
        x: inputs, ``(batch, *input_shape)``, on its device and in its precision.
        others: which other decision each leads before, as `Decision.leads` has them; the nearest if left out.
    """
    x = x.detach().requires_grad_()
    outputs = network(x)
    leads = network.decision.leads(outputs, outputs.detach())
    lead = leads.amin(dim=1) if others is None else leads[range(len(x)), list(others)]
    (gradient,) = torch.autograd.grad(lead.sum(), x)
    found: FloatArray = (lead / gradient.flatten(1).abs().sum(dim=1).clamp(min=TINY)).detach().double().cpu().numpy()
    return found
