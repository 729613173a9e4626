"""Signs of a layer as packed bits: an eighth of a byte a neuron, since layers may have millions of them."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

BITS = 8


def pack(signs: Tensor) -> Tensor:
    """``(batch, n)`` of bool as ``(batch, ceil(n / 8))`` of uint8."""
    padded = functional.pad(signs, (0, -signs.shape[1] % BITS)).view(len(signs), -1, BITS)
    return (padded.to(torch.uint8) << _places(signs)).sum(dim=2, dtype=torch.uint8)


def unpack(packed: Tensor, n: int) -> Tensor:
    """The inverse of `pack`, ``(batch, n)`` of bool."""
    return ((packed[:, :, None] & (1 << _places(packed))) != 0).flatten(1)[:, :n]


def count(signs: Tensor) -> Tensor:
    """How many are true, ``(batch,)``, of ``(batch, n)`` of bool; a plain sum would first make 8 bytes of each."""
    return signs.view(torch.uint8).sum(dim=1, dtype=torch.int32)


def _places(like: Tensor) -> Tensor:
    return torch.arange(BITS, dtype=torch.uint8, device=like.device)
