"""Several operators that together are one activation function: softsign, maximum(u, 0), where(u > 0, ...), SiLU.

SiLU, GELU and others that are products of functions of u are recognised by their values, however they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, fx

from dnncov_core.networks.operators import OF_SHAPE, SMOOTH, SWITCH, Activation, name_of

COMPARISONS = {"gt", "ge", "lt", "le"}
MAXIMA = {"maximum", "max"}
LINEAR = COMPARISONS | OF_SHAPE | {"add", "mul", "neg", "rsub", "sub", "to", "_to_copy"}
Evaluate = Callable[[fx.Node, tuple[Any, ...], dict[str, Any]], Any]
"""What an operator gives, from the node, its arguments and its keywords."""
POINTWISE = OF_SHAPE | {"elu", "hardswish", "leaky_relu", "log_sigmoid", "to", "_to_copy"}
"""Operators on single values that PyTorch does not mark as such."""
COPIES = {"lift_fresh_copy", "clone", "to", "_to_copy", "expand", "detach"}
PRODUCTS: tuple[tuple[str, Callable[[Tensor], Tensor]], ...] = (
    ("silu", F.silu),
    ("gelu", F.gelu),
    ("gelu", partial(F.gelu, approximate="tanh")),
    ("hardswish", F.hardswish),
    ("mish", F.mish),
)
"""Kinds of layers, and functions that are recognised by their values between -`FAR` and `FAR`."""
FAR, TOLERANCE = 8.0, 1e-5
MOST_OPERATORS = 10


@dataclass(frozen=True)
class Composite:
    """A function of u alone, made of the operators ``nodes``, the last of which gives v."""

    activation: Activation
    u: fx.Node
    nodes: tuple[fx.Node, ...]

    @property
    def inputs(self) -> set[fx.Node]:
        """u, and whatever else the operators take."""
        return {self.u, *(a for node in self.nodes for a in node.all_input_nodes)} - set(self.nodes)

    def absorbed(self) -> set[fx.Node]:
        """The operators before the last one that nobody else uses."""
        return {node for node in self.nodes[:-1] if set(node.users) <= set(self.nodes)}

    def value(self, u: Tensor, others: Mapping[fx.Node, Any], evaluate: Evaluate) -> Tensor:
        """v of a batch of u, with the values of the other `inputs`."""
        values = dict(others)
        for node in values:
            if name_of(node) in OF_SHAPE:  # one of its values, for u of another batch than it was made for
                values[node] = values[node].reshape(-1)[:1]
        values[self.u] = u
        for node in self.nodes:
            args, kwargs = fx.map_arg((node.args, node.kwargs), values.__getitem__)
            values[node] = evaluate(node, args, kwargs)
        result: Tensor = values[self.nodes[-1]]
        return result


def composites(
    nodes: Sequence[fx.Node], depends: Collection[fx.Node], state: Mapping[fx.Node, Tensor]
) -> dict[fx.Node, Composite]:
    """The composite activation functions of a graph, by their last operator."""
    reader = _Reader(nodes, depends, state)
    found = {node: reader.composite(node) for node in nodes if node in depends and node.op == "call_function"}
    return {node: composite for node, composite in found.items() if composite is not None}


class _Reader:
    def __init__(self, nodes: Sequence[fx.Node], depends: Collection[fx.Node], state: Mapping[fx.Node, Tensor]) -> None:
        self._place = {node: i for i, node in enumerate(nodes)}
        self._depends, self._state = depends, state

    def composite(self, node: fx.Node) -> Composite | None:
        name, args = name_of(node), node.args
        if name in MAXIMA and len(args) == 2:
            return self._maximum(node, args[0], args[1]) or self._maximum(node, args[1], args[0])
        if name == "where" and len(args) == 3:
            return self._where(node, *args)
        if name == "mul":
            masked = self._masked(node, args[0], args[1]) or self._masked(node, args[1], args[0])
            return masked or self._product(node)
        if name == "div" and self._is_one_more_than_size(args[1], args[0]):
            return self._group(node, args[0], Activation("softsign", SMOOTH))
        return self._product(node) if name == "div" else None

    def _product(self, last: fx.Node) -> Composite | None:
        """One of `PRODUCTS` that ends here: pointwise operators that depend on one value, and serve nothing else."""
        nodes = {last}
        while len(nodes) <= MOST_OPERATORS:
            leaves = {a for node in nodes for a in node.all_input_nodes if a in self._depends} - nodes
            latest = max(leaves, key=self._place.__getitem__)
            if len(leaves) == 1:
                group = Composite(Activation("", SMOOTH), latest, tuple(sorted(nodes, key=self._place.__getitem__)))
                if kind := self._kind(group):
                    return replace(group, activation=Activation(kind, SMOOTH))
            if not _is_pointwise(latest) or not set(latest.users) <= nodes:
                return None
            nodes.add(latest)
        return None

    def _kind(self, group: Composite) -> str:
        """The kind of `PRODUCTS` that operators are; empty if they are none."""
        others = {node: self._constant(node) for node in group.inputs - {group.u}}
        factors = [[a for a in node.args if a in self._depends] for node in group.nodes if name_of(node) == "mul"]
        if not any(len(each) > 1 for each in factors) or any(v is None or v.numel() != 1 for v in others.values()):
            return ""
        u = torch.linspace(-FAR, FAR, 257, dtype=torch.float64)
        v = group.value(u, others, lambda node, args, kwargs: node.target(*args, **kwargs))  # type: ignore[operator]
        far = ((kind, float((function(u) - v).abs().max())) for kind, function in PRODUCTS)
        return next((kind for kind, difference in far if difference < TOLERANCE), "")

    def _constant(self, node: fx.Node) -> Tensor | None:
        """The value of a constant, or of a copy of one."""
        if name_of(node) in COPIES and node not in self._depends:
            return self._constant(node.args[0])  # type: ignore[arg-type]
        return self._state.get(node)

    def _maximum(self, node: fx.Node, u: Any, other: Any) -> Composite | None:
        return self._group(node, u, Activation("relu", SWITCH)) if self._is_zero(other) else None

    def _masked(self, node: fx.Node, u: Any, mask: Any) -> Composite | None:
        """``u * (u > 0)``."""
        is_mask = isinstance(mask, fx.Node) and name_of(mask) in ("gt", "ge") and mask.args[0] is u
        return self._maximum(node, u, mask.args[1]) if is_mask else None

    def _where(self, node: fx.Node, test: Any, one: Any, other: Any) -> Composite | None:
        """``where(u > 0, ...)``, or another comparison with 0, of two functions of u alone."""
        if not isinstance(test, fx.Node) or name_of(test) not in COMPARISONS or not self._is_zero(test.args[1]):
            return None
        u = test.args[0]
        positive, negative = (one, other) if name_of(test) in ("gt", "ge") else (other, one)
        if positive is u and self._is_zero(negative):
            return self._group(node, u, Activation("relu", SWITCH))
        group = self._group(node, u, Activation("where", SMOOTH))
        if group is None or not all(name_of(part) in LINEAR for part in group.nodes[:-1]):
            return group
        return replace(group, activation=Activation("where", SWITCH))

    def _group(self, last: fx.Node, u: Any, activation: Activation) -> Composite | None:
        """The operators between u and the last one; None unless they are pointwise and depend on u alone."""
        if u not in self._depends or u.meta["val"].shape != last.meta["val"].shape:
            return None
        nodes, waiting = {last}, [last]
        while waiting:
            for argument in waiting.pop().all_input_nodes:
                if argument is u or argument in nodes or not self._varies(argument, u):
                    continue
                if not _is_pointwise(argument):
                    return None
                nodes.add(argument)
                waiting.append(argument)
        return Composite(activation, u, tuple(sorted(nodes, key=self._place.__getitem__)))

    def _varies(self, node: fx.Node, u: fx.Node) -> bool:
        """Whether a value depends on the input, or has the shape of u."""
        return node in self._depends or (name_of(node) in OF_SHAPE and node.args[0] is u)

    def _is_one_more_than_size(self, value: Any, u: Any) -> bool:
        """Whether a value is 1 + |u|."""
        if not isinstance(value, fx.Node) or name_of(value) != "add" or 1 not in value.args[:2]:
            return False
        sizes = [argument for argument in value.all_input_nodes if name_of(argument) == "abs"]
        return len(sizes) == 1 and sizes[0].args[0] is u

    def _is_zero(self, value: Any) -> bool:
        """Whether a value is 0 for every input."""
        if not isinstance(value, fx.Node):
            return isinstance(value, int | float) and value == 0
        if value in self._state:
            return not bool(self._state[value].any())
        name = name_of(value)
        if name in ("full", "full_like", "new_full", "scalar_tensor"):
            return bool(value.args[0 if name == "scalar_tensor" else 1] == 0)
        if name in COPIES:
            return self._is_zero(value.args[0])
        return name in ("zeros", "zeros_like", "new_zeros")


def _is_pointwise(node: fx.Node) -> bool:
    tags = getattr(node.target, "tags", ())
    return torch.Tag.pointwise in tags or name_of(node) in POINTWISE
