"""Steps of a graph: each gives what its operator gives when its arguments are walked through and called by name."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import fx

from dnncov_core.networks.network import Network
from tests.networks.ordinary_modules import RUN

NAMES = (
    "where(u > 0, u, u / 10)",
    "u * (u > 0)",
    "topk",
    "stack",
    "index",
    "rounding",
    "max pooling",
    "LSTM",
    "squeeze and excite",
)
"""With composites, arguments within arguments, several values of one operator, casts, and constants of a shape."""


@pytest.mark.parametrize("name", NAMES)
def test_operators_give_what_a_plain_walk_gives(name: str) -> None:
    """Reference: every node in order, by its own operator, with the arguments that `fx.map_arg` makes."""
    network = Network(RUN[name].make(), RUN[name].shape)
    x = torch.rand(3, *network.input_shape, generator=torch.Generator().manual_seed(3))
    slow: dict[fx.Node, Any] = {network.graph.input: x, **network.graph.state}
    for node in network.graph.nodes:
        if node.op == "call_function":
            args, kwargs = fx.map_arg((node.args, node.kwargs), slow.__getitem__)
            slow[node] = node.target(*args, **kwargs)
    seen: dict[fx.Node, Any] = {}

    def note(node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any], compute: Any) -> Any:
        seen[node] = compute(*args, **kwargs)
        return seen[node]

    logits = network.run(x, on_operator=note)
    assert torch.equal(logits, network(x))
    assert torch.equal(logits, slow[network.graph.output].reshape(logits.shape))
    for node, value in seen.items():
        if value is not None:
            torch.testing.assert_close(value, slow[node], rtol=0, atol=0, equal_nan=True)
    assert seen
