"""What evaluating a segment of a network may be wrong by: each linear operator's absolute twin, and its roundings.

What a segment does to values x is A x + c. Its twin has the absolute values of weights, offsets and factors: applied to
magnitudes m >= |x|, it gives at least |A| m + |c|, which bounds every partial sum. The error is at most gamma_n times
that, n being the number of roundings that a value passes on its way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from typing import Any

from torch import Tensor, fx

from dnncov_core.errors import NetworkError
from dnncov_core.networks import operators
from dnncov_core.networks.graph import CanonicalGraph
from dnncov_core.networks.network import Network
from dnncov_core.networks.places import described
from dnncov_core.proofs.rounding import TINY

Compute = Callable[..., Any]
Arguments = tuple[Any, ...]

PRODUCTS = {"addmm", "bmm", "conv1d", "conv2d", "conv3d", "convolution", "linear", "matmul", "mm"}
POOLINGS = {
    *("_adaptive_avg_pool2d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"),
    *("avg_pool1d", "avg_pool2d", "avg_pool3d"),
}
TOTALS = {"mean", "sum"}
NORMALISATIONS = {"_native_batch_norm_legit_no_training", "batch_norm"}
ELEMENTWISE = {"add", "sub", "rsub", "neg", "mul", "div"}
EXACT = operators.OF_SHAPE | {"full", "neg", "ones", "scalar_tensor", "zeros"}
"""Of weights and other constants."""
PADS = {"constant_pad_nd", "pad"}
_NORMALISING, _ELEMENT = 12, 4
"""Roundings of one value in a batch normalisation, and in an operator on single values; both are generous."""


def moves(node: fx.Node) -> bool:
    """Whether an operator only moves values, or computes no values of layers at all."""
    return operators.name_of(node) in operators.MOVES | operators.BOOKKEEPING or "aten" not in str(node.target)


def twin(node: fx.Node, args: Arguments, kwargs: dict[str, Any], compute: Compute) -> Any:
    """What the operator's twin gives for values that are not negative."""
    if moves(node):
        return compute(*args, **kwargs)
    result = _twin(operators.name_of(node), args, kwargs, compute)
    if isinstance(result, Tensor):
        return result + TINY
    return (result[0] + TINY, *result[1:])


def _twin(name: str, args: Arguments, kwargs: dict[str, Any], compute: Compute) -> Any:
    if name in ELEMENTWISE:
        numbers = [_absolute(argument, numbers=True) for argument in args]
        alpha = abs(args[2] if name == "rsub" and len(args) > 2 else kwargs.get("alpha", 1))
        match name:
            case "neg":
                return numbers[0]
            case "add" | "sub":
                return numbers[0] + alpha * numbers[1]
            case "rsub":
                return alpha * numbers[0] + numbers[1]
    if name in NORMALISATIONS:
        x, weight, bias, mean, *rest = args
        return compute(x, _absolute(weight), _absolute(bias), -mean.abs(), *rest, **kwargs)
    known = {key: _absolute(value, numbers=name in ("mul", "addmm")) for key, value in kwargs.items()}
    return compute(*(_absolute(argument, numbers=name in PADS | {"mul", "div"}) for argument in args), **known)


def _absolute(value: Any, *, numbers: bool = False) -> Any:
    """Absolute value of weights and factors; what gradients are followed through is not negative by itself."""
    if isinstance(value, Tensor):
        return value if value.requires_grad else value.abs()
    return abs(value) if numbers and isinstance(value, int | float) else value


def roundings(network: Network) -> dict[int | str, int]:
    """How many roundings a value passes at most into each layer's u and each max pooling, from the layers before.

    Sums count as many as they have terms, in both directions, so that the number also holds for the gradients.

    Raises:
        NetworkError: an operator that is not affine, or whose rounding is not known, or weights that the network
            computes.
    """
    graph = network.graph
    absorbed = set[fx.Node]().union(*(group.absorbed() for group in graph.composites.values()))
    others = graph.depends - absorbed - graph.max_pools - graph.activations.keys() - {graph.input}
    for node in graph.nodes:
        if node in others and not operators.is_affine(node, graph.depends):
            _refuse(node, "affine operators and max_pool2d between activation layers, for proofs", "")
    passed: dict[fx.Node, int] = {}
    found: dict[int | str, int] = {}
    for node in graph.nodes:
        if node in absorbed:
            continue
        before = max((passed.get(argument, 0) for argument in _arguments(graph, node)), default=0)
        if node in graph.activations or node in graph.max_pools:
            window = math.prod(operators.max_pool_geometry(node)[0]) if node in graph.max_pools else 0
            found[graph.activations.get(node, node.name)] = before + window + _ELEMENT
            passed[node] = len(node.users)
        elif node in graph.depends and node is not graph.input:
            passed[node] = before + _roundings(node) + len(node.users)
        elif node.op == "call_function":
            if not moves(node) and operators.name_of(node) not in EXACT:
                _refuse(node, "weights that are given, for proofs", "that computes weights")
            passed[node] = before + (operators.name_of(node) in operators.CASTS)
    found[network.depth] = passed[graph.output] + _ELEMENT
    return {place: n + len(found) for place, n in found.items()}


def _arguments(graph: CanonicalGraph, node: fx.Node) -> Collection[fx.Node]:
    return [graph.composites[node].u] if node in graph.composites else node.all_input_nodes


def _roundings(node: fx.Node) -> int:
    name = operators.name_of(node)
    if moves(node):
        return _repeats(node) if name in ("expand", "repeat") else 0
    if name in PRODUCTS:
        return _terms(node, name) + _ELEMENT
    if name in NORMALISATIONS and node.args[3] is not None:
        return _NORMALISING
    x: Any = node.args[0]
    if name in ELEMENTWISE | PADS and node.kwargs.get("rounding_mode") is None:
        return _ELEMENT + max(_repeats(node, argument) for argument in node.all_input_nodes)
    if name in TOTALS:
        return math.ceil(_values(x) / max(1, _values(node))) + _ELEMENT
    if name in POOLINGS:
        shape = x.meta["val"].shape
        return int(math.prod(shape[min(2, len(shape) - 1) :])) + _ELEMENT
    return _refuse(node, "operators with a known rounding error, for proofs", "")


def _refuse(node: fx.Node, expected: str, what: str) -> int:
    got = described(node, f"{operators.name_of(node)} {what}".strip())
    raise NetworkError(expected, got, "replace it, or leave out the proofs for this network")


def _terms(node: fx.Node, name: str) -> int:
    """Terms of one sum of products, forwards or backwards, by the operands that do not depend on the input."""
    shapes = [argument.meta["val"].shape for argument in node.all_input_nodes]
    weights = [shape for shape in shapes if shape and all(isinstance(size, int) for size in shape)]
    if "conv" in name:
        weights = [(max(shape[:2]), *shape[2:]) for shape in weights]
        return max(map(math.prod, weights))
    return max((max(shape) for shape in weights), default=max(map(_values, node.all_input_nodes)))


def _values(node: Any) -> int:
    """Values of one input of the batch."""
    return int(math.prod(node.meta["val"].shape[1:]))


def _repeats(node: fx.Node, argument: fx.Node | None = None) -> int:
    """In how many places of the result one value of an argument that depends on the input is found."""
    before = (argument or node.all_input_nodes[0]).meta["val"]
    if not isinstance(before, Tensor) or not before.ndim or isinstance(before.shape[0], int):
        return 1
    return math.ceil(_values(node) / max(1, _values(argument or node.all_input_nodes[0])))
