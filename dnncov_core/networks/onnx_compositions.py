"""Activation functions that ONNX writes as several operators, such as SiLU as x times sigmoid of x, made one again.

They are recognised by their values, whichever way they are written: operators that are pointwise, depend on one value
and serve nothing else are the function whose values they have between -8 and 8.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from dnncov_core.networks.onnx_file import Node
from dnncov_core.networks.onnx_operators import Function
from dnncov_core.networks.onnx_trials import Operator, Trial

POINTWISE = {"Add", "Clip", "Div", "Erf", "HardSigmoid", "Mul", "Pow", "Sigmoid", "Softplus", "Tanh"}
FUNCTIONS: dict[str, Function] = {
    "Gelu": F.gelu,
    "Gelu with tanh": functools.partial(F.gelu, approximate="tanh"),
    "HardSwish": F.hardswish,
    "Mish": F.mish,
    "SiLU": F.silu,
}
"""What is recognised."""
MOST_OPERATORS = 10
TOLERANCE = 1e-5


def joined(operators: Sequence[Operator], values: Mapping[str, Trial], output: str) -> list[Operator]:
    """The operators, of which each group that is one of `FUNCTIONS` is a single one.

    Args:
        operators: in their order.
        values: constants are known, see `onnx_trials`.
        output: name of the network's output.
    """
    makers = {name: operator for operator in operators for name in operator.node.outputs}
    users: dict[str, set[object]] = {output: {output}}  # whoever asks for the output is none of the operators
    for operator in operators:
        for name in filter(None, operator.inputs):
            users.setdefault(name, set()).add(operator)
    found: dict[Operator, Operator | None] = {}
    for end in reversed(operators):
        if end.node.op in ("Div", "Mul") and end not in found:
            for group, leaf in _groups(end, makers, users, values):
                if name := _recognised(group, leaf, values):
                    node = Node(name, end.node.label, (leaf,), end.node.outputs)
                    found |= dict.fromkeys(group) | {end: Operator(node, FUNCTIONS[name], [leaf], {})}
                    break
    return [kept for each in operators if (kept := found.get(each, each)) is not None]


def _groups(
    end: Operator, makers: Mapping[str, Operator], users: Mapping[str, set[object]], values: Mapping[str, Trial]
) -> Iterator[tuple[list[Operator], str]]:
    """Groups of pointwise operators that end here and depend on one value, each with its name; small ones first."""
    order = {name: number for number, name in enumerate(makers)}
    group = [end]
    while len(group) <= MOST_OPERATORS:
        made = {name for each in group for name in each.node.outputs}
        taken = {name for each in group for name in filter(None, each.inputs)} - made
        leaves = [name for name in taken if values[name][0].is_meta]
        if any(values[name][0].numel() != 1 for name in taken.difference(leaves)):
            return
        if len(leaves) == 1:
            yield group, leaves[0]
        latest = max(leaves, key=lambda name: order.get(name, -1))
        maker = makers.get(latest)
        if maker is None or maker.node.op not in POINTWISE or not users[latest] <= set(group):
            return
        group = [maker, *group]


def _recognised(group: Sequence[Operator], leaf: str, values: Mapping[str, Trial]) -> str:
    """The name of the function that a group is; empty if it is another one."""
    x = torch.linspace(-8, 8, 513)
    found: dict[str, Tensor] = {leaf: x}
    for operator in group:
        found |= {name: values[name][0] for name in filter(None, operator.inputs) if name not in found}
        found[operator.node.outputs[0]] = operator(found, 1)
    y = found[group[-1].node.outputs[0]]
    far = {name: float((function(x) - y).abs().max()) for name, function in FUNCTIONS.items()}
    return next((name for name, difference in far.items() if difference < TOLERANCE), "")
