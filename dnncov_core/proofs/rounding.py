"""Rounding errors: what a sum of products may be wrong by, and results rounded outwards.

A value that is made of products and sums, each input passing at most n roundings on its way, is computed with an error
of at most gamma_n times the same sum of absolute values, in any order of summation (Higham, Accuracy and Stability of
Numerical Algorithms, chapter 3). Bounds here hold for the exact real network and for the network as it is evaluated in
its own precision, float32 or float64, since what covers a test condition is a forward pass. Ways to evaluate that are
no plain sums of products, such as Winograd's convolutions, or reduced precision on GPUs, are not meant.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from dnncov_core.errors import NetworkError

EPS64 = torch.finfo(torch.float64).eps
PRECISIONS = (torch.float32, torch.float64)
TINY = 1e-25
"""Added to magnitudes at each operator, so that gamma of them is more than any underflow."""


def gamma(n: int, eps: float) -> float:
    """The relative error of n roundings of up to eps each; infinite where nothing can be said.

    >>> gamma(2, 0.25)
    1.0
    """
    return n * eps / (1 - n * eps) if n * eps < 1 else math.inf


def precision(dtype: torch.dtype) -> float:
    """Distance from 1 to the next number, twice the largest relative error of one rounding.

    Raises:
        NetworkError: a precision in which proofs have little to say.
    """
    if dtype not in PRECISIONS:
        raise NetworkError("a network in float32 or float64 for proofs", str(dtype), "convert it to one of them")
    return float(torch.finfo(dtype).eps)


def down(values: Tensor) -> Tensor:
    """The next smaller float64 numbers."""
    return torch.nextafter(values, torch.full_like(values, -math.inf))


def up(values: Tensor) -> Tensor:
    """The next larger float64 numbers."""
    return torch.nextafter(values, torch.full_like(values, math.inf))
