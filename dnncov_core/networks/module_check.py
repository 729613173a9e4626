"""The checks of each network that is made: bounds, the module's own answers, and inputs of a batch that stay apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from dnncov_core.errors import NetworkError
from dnncov_core.networks.exported_program import answer_of, first_line

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

BATCHES = (1, 3)


def check_bounds(network: Network) -> None:
    """Refuses bounds that are infinite or equal in the network's own precision.

    Raises:
        NetworkError: with the first bounds that are.
    """
    given = network.box.ranges or (network.bounds,)
    ends = torch.tensor(given, dtype=torch.float64)
    own, fixed = ends.to(network.dtype), ends[:, 0] == ends[:, 1]
    right = torch.isfinite(own).all(dim=1) & ((own[:, 0] < own[:, 1]) | fixed)
    if not right.all():
        expected = f"bounds that are two different numbers in {network.dtype}".replace("torch.", "")
        fix = "change the bounds, or convert it with module.double()"
        raise NetworkError(expected, repr(given[int(right.int().argmin())]), fix)


def check_module(network: Network, module: nn.Module) -> None:
    """Refuses a module whose answers its graph does not give, for batches of one and of several inputs.

    Raises:
        NetworkError: with the difference.
    """
    for batch in BATCHES:
        got = _difference(network, module, drawn(network, batch))
        if got:
            raise NetworkError(
                f"a module whose exported graph gives its own logits for a batch of {batch}",
                got,
                "keep control flow that depends on the batch size, and randomness, out of forward",
            )


def check_apart(network: Network) -> None:
    """Refuses a graph whose answer for one input depends on the other inputs of its batch.

    Raises:
        NetworkError: with the difference.
    """
    if not network.graph.may_mix:
        return
    x = drawn(network, max(BATCHES))
    together, alone = network(x), torch.cat([network(x[i : i + 1]) for i in range(len(x))])
    if not torch.allclose(together, alone, rtol=1e-3, atol=1e-4, equal_nan=True):
        got = f"a difference of {float((together - alone).abs().max()):.3g} between a batch and its inputs alone"
        expected = "answers that do not depend on the other inputs of a batch"
        raise NetworkError(expected, got, "keep the batch dimension apart in forward")


def drawn(network: Network, batch: int) -> Tensor:
    """Inputs drawn at random, always the same ones, ``(batch, *input_shape)``."""
    low, width = network.ends()
    x = torch.rand(batch, *network.input_shape, generator=torch.Generator().manual_seed(batch)).to(network.dtype)
    return low + width * x


def _difference(network: Network, module: nn.Module, x: Tensor) -> str:
    """How the module's answer differs from the graph's, in words; empty if they agree."""
    answer = network.answer(x)
    try:
        expected = answer_of(module, x.clone(), network.output).to(network.dtype)
    except Exception as error:  # whatever the user's own code raises
        return first_line(error)
    if answer.numel() != expected.numel():
        return f"shape {tuple(expected.shape)} instead of {tuple(answer.shape)}"
    difference = (answer - expected.reshape(answer.shape)).abs()
    agree = torch.allclose(answer, expected.reshape(answer.shape), rtol=1e-4, atol=1e-5, equal_nan=True)
    return "" if agree else f"a difference of {float(difference.max()):.3g}"
