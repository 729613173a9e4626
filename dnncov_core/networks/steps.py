"""The operators of a graph as steps: functions that are made once, so that a pass neither looks names up nor walks
through arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from torch import Tensor, fx

from dnncov_core.networks import operators
from dnncov_core.networks.composites import Composite

if TYPE_CHECKING:
    from dnncov_core.networks.graph import Hooks

Values = dict[fx.Node, Any]
Step = Callable[[Values, Tensor, "Hooks"], Any]
"""What a node gives, from the values of nodes before it, the batch at the input, and the hooks."""
Operation = Callable[..., Any]
"""What an operator gives, from the batch at the input, and its own arguments and keywords."""


def operation(node: fx.Node, *, depends: bool) -> Operation:
    """What the operator of a node computes on a batch of any size, device and precision.

    Args:
        node: the node.
        depends: whether its value depends on the input.
    """
    target: Any = node.target
    name = operators.name_of(node)
    if name in operators.CASTS:
        kind = node.meta["val"].dtype
        return lambda x, value, *_, **__: value.to(x.dtype if kind.is_floating_point else kind)
    if name in operators.DETACHED:
        return lambda x, value: value
    if name in operators.VIEWS:
        return lambda x, value, shape: value.reshape(shape)
    if name == "squeeze" and depends:
        return _squeeze(node)
    if name in operators.ASSERTIONS:
        return lambda *_, **__: None
    if {"device", "dtype"} & node.kwargs.keys():
        return lambda x, *args, **kwargs: target(*args, **_placed(node, kwargs, x))
    return lambda x, *args, **kwargs: target(*args, **kwargs)


def operator_step(node: fx.Node, operate: Operation) -> Step:
    """The step of an operator that is neither an activation nor a pooling, or is not looked at as one."""
    args_of, kwargs_of = _reader(node.args), _reader(node.kwargs)

    def step(values: Values, x: Tensor, hooks: Hooks) -> Any:
        args, kwargs = args_of(values), kwargs_of(values)
        if "on_operator" in hooks:
            return hooks["on_operator"](node, args, kwargs, partial(operate, x))
        return operate(x, *args, **kwargs)

    return step


def activation_step(node: fx.Node, layer: int, unseen: Step) -> Step:
    """The step of an activation layer; where nobody looks at these it is another."""
    target: Any = node.target
    args_of, kwargs_of = _reader(node.args), _reader(node.kwargs)

    def step(values: Values, x: Tensor, hooks: Hooks) -> Any:
        if "on_activation" not in hooks:
            return unseen(values, x, hooks)
        (u, *others), kwargs = args_of(values), kwargs_of(values)
        return hooks["on_activation"](layer, u, lambda u: target(u, *others, **kwargs))

    return step


def composite_step(group: Composite, layer: int, operations: Mapping[fx.Node, Operation]) -> Step:
    """The step of an activation layer of several operators."""
    inputs = group.inputs

    def step(values: Values, x: Tensor, hooks: Hooks) -> Any:
        others = {other: values[other] for other in inputs}

        def apply(u: Tensor) -> Tensor:
            return group.value(u, others, lambda node, args, kwargs: operations[node](x, *args, **kwargs))

        u = values[group.u]
        return hooks["on_activation"](layer, u, apply) if "on_activation" in hooks else apply(u)

    return step


def max_pool_step(node: fx.Node, unseen: Step) -> Step:
    """The step of a max pooling; where nobody looks at these it is another."""
    values_of = _reader(node.args[0])

    def step(values: Values, x: Tensor, hooks: Hooks) -> Any:
        if "on_max_pool" not in hooks:
            return unseen(values, x, hooks)
        return hooks["on_max_pool"](node.name, values_of(values), node)

    return step


def _reader(argument: Any) -> Callable[[Values], Any]:
    """A function that gives an argument with the values of the nodes that it names."""
    if isinstance(argument, fx.Node):
        return itemgetter(argument)
    if not operators.nodes_in(argument):
        return lambda values: argument
    if type(argument) is not tuple:
        return lambda values: fx.map_arg(argument, values.__getitem__)
    if len(argument) > 1 and all(isinstance(part, fx.Node) for part in argument):
        return itemgetter(*argument)
    parts = list(map(_reader, argument))
    return lambda values: tuple([part(values) for part in parts])


def _squeeze(node: fx.Node) -> Operation:
    """What squeeze gives, which would drop the batch as well where there is one input."""
    target: Any = node.target
    before, after = node.args[0].meta["val"], node.meta["val"]  # type: ignore[union-attr]
    if before.ndim == after.ndim:
        return lambda x, value, *_: value
    if len(node.args) > 1:
        return lambda x, *args: target(*args)
    dropped = [i for i, size in enumerate(before.shape) if isinstance(size, int) and size == 1]
    return lambda x, value: value.squeeze(dropped)


def _placed(node: fx.Node, kwargs: dict[str, Any], x: Tensor) -> dict[str, Any]:
    """The keywords of an operator that names a device or a precision, with those of a batch."""
    device = {"device": x.device} if "device" in kwargs else {}
    return {**kwargs, **device, **({"dtype": x.dtype} if node.meta["val"].dtype.is_floating_point else {})}
