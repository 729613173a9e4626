"""The canonical form of a network: one graph of ATen operators, its activation layers, and one interpreter over it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypedDict, TypeVar, Unpack

import torch
from torch import Tensor, fx
from torch.export import ExportedProgram

from dnncov_core.errors import NetworkError
from dnncov_core.networks import operators
from dnncov_core.networks.channels import channels_last
from dnncov_core.networks.composites import composites
from dnncov_core.networks.places import check_extent, described, place_of, size_of
from dnncov_core.networks.program_ends import before_heads, inputs_of, output_of
from dnncov_core.records import LayerInfo
from dnncov_core.types import Edge

MOST_VALUES = 2**26
"""Of what one operator gives for one input; a network in a file could ask for all of the memory."""
Mark = TypeVar("Mark", int, str)
Apply = Callable[[Tensor], Tensor]
OnActivation = Callable[[int, Tensor, Apply], Tensor]
"""Called with the layer's number, u, and the activation function; returns v."""
OnMaxPool = Callable[[str, Tensor, "fx.Node"], Tensor]
"""Called with the node's name, its input and the node; returns the pooled values."""
OnOperator = Callable[["fx.Node", tuple[Any, ...], dict[str, Any], Callable[..., Any]], Any]
"""Called with any other operator's node, its arguments, and the function that evaluates it; returns its result."""


class Hooks(TypedDict, total=False):
    """What sees, and may replace, the values of operators while a graph is evaluated."""

    on_activation: OnActivation
    on_max_pool: OnMaxPool
    on_operator: OnOperator


class CanonicalGraph:
    """Graph of a functional exported program, with the paper's layer numbers on its activation nodes.

    Attributes:
        depends: the nodes whose values depend on the input.
        functions: the activation function of each activation layer.
        obstacle: the first operator, by its module, that is neither affine, a max pooling, nor a piecewise-linear
            activation; empty if there is none.
        heads: the softmax or sigmoid after the logits at the end, if there is one.
        passed: the names of the operators that are passed through, each once.
        passed_into: for each layer, the names of the nodes that are passed through on the way to it from the
            activation layers just before it.

    Raises:
        NetworkError: an operator that is random or overwrites values, an input or output that is not one tensor, no
            hidden layer.
    """

    def __init__(self, program: ExportedProgram, output: str | int | None = None) -> None:
        self.nodes = list(program.graph.nodes)
        self.input, self.state = inputs_of(program)
        self.parameters = sum(parameter.numel() for parameter in program.parameters())
        self.output, self.heads = before_heads(output_of(program, output))
        self.depends = self._depending_on_input() - set(self.heads)
        self.composites = composites(self.nodes, self.depends, self.state)
        self._absorbed = set[fx.Node]().union(*(group.absorbed() for group in self.composites.values()))
        found = {node: self._activation_of(node) for node in self.nodes if node in self.depends - self._absorbed}
        known = {node: function for node, function in found.items() if function is not None}
        self.activations = {node: number for number, node in enumerate(known, start=2)}
        self.functions = dict(enumerate(known.values(), start=2))
        self.max_pools = {node for node in self.depends if operators.name_of(node) in operators.MAX_POOLS}
        self._refuse_unsafe()
        if not self.activations:
            raise NetworkError("a network with a hidden activation layer", "none in its graph", "check its layers")
        self.depth = len(self.activations) + 2
        self.layers = self._layers()
        self.edges, self.ancestors = self._edges()
        self.sources = {number: tuple(k for k, layer in self.edges if layer == number) for _, number in self.edges}
        self.max_pools_into = self.directly_into({node: node.name for node in self.max_pools})
        passed = [node for node in self.nodes if node in self.depends and self._is_passed(node)]
        self.passed_into = self.directly_into({node: described(node) for node in passed})
        self.passed = tuple(dict.fromkeys(map(operators.name_of, passed)))
        self.obstacle = self._obstacle(passed)
        self._names = {node: operators.name_of(node) for node in self.nodes}
        self._evaluated = [node for node in self.nodes if node not in self._absorbed]
        self._dead_after = self._last_uses()
        self.last_node = {number: node for node, number in self.activations.items()} | {self.depth: self.output}
        self._between: dict[tuple[frozenset[fx.Node], fx.Node], list[fx.Node]] = {}

    def run(
        self,
        state: Mapping[fx.Node, Tensor],
        x: Tensor,
        *,
        last_layer: int | None = None,
        given: Mapping[int, Tensor] | None = None,
        **hooks: Unpack[Hooks],
    ) -> Tensor:
        """Evaluates the graph on a batch; the hooks see, and may replace, what an operator gives.

        With ``given`` values v of some activation layers, each of the layer's own shape, only what lies between them
        and ``last_layer`` is evaluated.

        Returns the logits, or what the activation layer ``last_layer`` gives, where evaluation stops.
        """
        stop = self.last_node[self.depth if last_layer is None else last_layer]
        values: dict[fx.Node, Any] = {self.input: x, **state}
        nodes = self._evaluated
        if given:
            values |= {self.last_node[layer]: v for layer, v in given.items()}
            nodes = self._nodes_between(frozenset(map(self.last_node.__getitem__, given)), stop)

        for node in nodes:
            if node in self.composites:
                values[node] = self._activated(node, values, x, hooks)
            elif node.op == "call_function":
                args, kwargs = fx.map_arg((node.args, node.kwargs), values.__getitem__)
                values[node] = self._evaluate(node, args, kwargs, x, hooks)
            if node is stop:
                break
            for dead in self._dead_after.get(node, ()):
                values.pop(dead, None)
        result: Tensor = values[stop]
        return result[:, None] if result.ndim == 1 else result

    def ends_with(self, name: str) -> bool:
        """Whether this operator comes after the logits."""
        return any(operators.name_of(node) == name for node in self.heads)

    def after_heads(self, logits: Tensor) -> Tensor:
        """What the program itself gives, from its logits."""
        for node in self.heads:
            if operators.name_of(node) != "squeeze":
                logits = node.target(logits, *node.args[1:], **node.kwargs)  # type: ignore[operator]
        return logits

    def _nodes_between(self, given: frozenset[fx.Node], stop: fx.Node) -> list[fx.Node]:
        """The nodes that ``stop`` depends on without one of the given nodes between, in their order."""
        if (given, stop) not in self._between:
            wanted = {stop}
            for node in reversed(self.nodes):
                if node in wanted and node not in given:
                    wanted.update(node.all_input_nodes)
            self._between[given, stop] = [node for node in self._evaluated if node in wanted - given]
        return self._between[given, stop]

    def _activated(self, node: fx.Node, values: Mapping[fx.Node, Any], x: Tensor, hooks: Hooks) -> Tensor:
        """What a composite activation function gives."""
        group = self.composites[node]
        others = {other: values[other] for other in group.inputs}

        def apply(u: Tensor) -> Tensor:
            return group.value(u, others, lambda inner, args, kwargs: self._plain(inner, args, kwargs, x))

        if "on_activation" in hooks:
            return hooks["on_activation"](self.activations[node], values[group.u], apply)
        return apply(values[group.u])

    def _evaluate(self, node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any], x: Tensor, hooks: Hooks) -> Any:
        target: Any = node.target
        if "on_activation" in hooks and node in self.activations:
            return hooks["on_activation"](self.activations[node], args[0], lambda u: target(u, *args[1:], **kwargs))
        if "on_max_pool" in hooks and node in self.max_pools:
            return hooks["on_max_pool"](node.name, args[0], node)

        def plain(*args: Any, **kwargs: Any) -> Any:
            return self._plain(node, args, kwargs, x)

        return hooks["on_operator"](node, args, kwargs, plain) if "on_operator" in hooks else plain(*args, **kwargs)

    def _plain(self, node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any], x: Tensor) -> Any:
        target: Any = node.target
        name = self._names[node]
        if name in operators.CASTS:
            kind = node.meta["val"].dtype
            return args[0].to(x.dtype if kind.is_floating_point else kind)
        if name in operators.DETACHED:
            return args[0]
        if name in operators.VIEWS:
            return args[0].reshape(args[1])
        if name == "squeeze" and node in self.depends:
            return self._squeezed(node, args)
        if name in operators.ASSERTIONS:
            return None
        return target(*args, **(_placed(node, kwargs, x) if {"device", "dtype"} & kwargs.keys() else kwargs))

    def _squeezed(self, node: fx.Node, args: tuple[Any, ...]) -> Tensor:
        """What squeeze gives, which would drop the batch as well where there is one input."""
        before, after = node.args[0].meta["val"], node.meta["val"]  # type: ignore[union-attr]
        result: Tensor
        if before.ndim == after.ndim:
            return args[0]  # type: ignore[no-any-return]
        if len(args) > 1:
            result = node.target(*args)  # type: ignore[operator]
            return result
        dropped = [i for i, size in enumerate(before.shape) if isinstance(size, int) and size == 1]
        return args[0].squeeze(dropped)  # type: ignore[no-any-return]

    def fingerprint(self, state: Mapping[fx.Node, Tensor], *context: object) -> str:
        """SHA-256 over the graph's operators and arguments, the weights, and the context; hexadecimal."""
        digest = hashlib.sha256(repr(context).encode())
        place = {node: f"%{i}" for i, node in enumerate(self.nodes)}
        for node in self.nodes:
            args = fx.map_arg((node.args, node.kwargs), lambda n: _Name(place[n]))
            digest.update(f"{node.op} {node.target if node.op == 'call_function' else ''} {args}\n".encode())
            if node in state:
                tensor = state[node].detach().cpu().contiguous()
                digest.update(f"{tensor.dtype} {tuple(tensor.shape)}".encode())
                digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
        return digest.hexdigest()

    def _depending_on_input(self) -> set[fx.Node]:
        depends = {self.input}
        for node in self.nodes:
            constant = node.op != "call_function" or operators.name_of(node) in operators.CONSTANT
            if not constant and any(argument in depends for argument in node.all_input_nodes):
                depends.add(node)
        return depends

    def _activation_of(self, node: fx.Node) -> operators.Activation | None:
        group = self.composites.get(node)
        return group.activation if group else operators.activation_of(node) if node.op == "call_function" else None

    def _refuse_unsafe(self) -> None:
        for node in self.nodes:
            if node is self.input or node.op == "call_function":
                check_extent(node, max(MOST_VALUES, self.parameters))
            if node.op in ("placeholder", "output"):
                continue
            refusal = operators.refusal(node)
            if refusal is not None:
                expected = "operators that always give the same"
                raise NetworkError(expected, described(node, refusal.what), refusal.remedy)
            if node in self.depends and isinstance(node.meta["val"], Tensor):
                self._refuse_other_precision(node)

    def _refuse_other_precision(self, node: fx.Node) -> None:
        """Values that are not whole numbers or truth values have the precision of the logits."""
        value, logits = node.meta["val"], self.output.meta["val"]
        if value.dtype != logits.dtype and value.dtype.is_floating_point:
            got = f"{value.dtype} at {place_of(node)} and {logits.dtype} at the output"
            raise NetworkError("one floating-point precision", got, "remove the cast")

    def _is_passed(self, node: fx.Node) -> bool:
        """Whether an operator is passed through: it is no layer, and not known to be affine."""
        known = node in self.activations or node in self.max_pools or node in self._absorbed or node is self.input
        return not known and not operators.is_affine(node, self.depends)

    def _obstacle(self, passed: Sequence[fx.Node]) -> str:
        curved = [node for node, number in self.activations.items() if self.functions[number].breaks is None]
        first = next((node for node in self.nodes if node in {*passed, *curved}), None)
        return "" if first is None else described(first, self._kind(first))

    def _kind(self, node: fx.Node) -> str:
        return self.functions[self.activations[node]].kind if node in self.activations else operators.name_of(node)

    @cached_property
    def may_mix(self) -> bool:
        """Whether the answer for one input of a batch may depend on the others, for all that the operators say."""
        batch = self.input.meta["val"].shape[0]
        values = [node.meta["val"] for node in self.depends if isinstance(node.meta.get("val"), Tensor)]
        apart = all(value.ndim and value.shape[0] == batch for value in values)
        along = any(operators.name_of(node) in operators.ALONG for node in self.depends)
        return along or not apart or any(map(self._is_passed, self.depends))

    def _layers(self) -> tuple[LayerInfo, ...]:
        batch = self.input.meta["val"].shape[0]
        names: dict[str, int] = {}
        layers = [LayerInfo(1, "input", "input", *size_of(self.input, batch))]
        for node, number in self.activations.items():
            kind = self.functions[number].kind
            name = place_of(node)
            names[name] = names.get(name, 0) + 1
            unique = name if names[name] == 1 else f"{name} #{names[name]}"
            size, last = size_of(node, batch), channels_last(node, self.depends)
            layers.append(LayerInfo(number, unique, kind, *size, channels_last=last))
        outputs, shape = size_of(self.output, batch)
        if len(shape) > 1:
            raise NetworkError("logits of shape (batch, classes)", f"(batch, {shape})", "flatten the output")
        layers.append(LayerInfo(self.depth, "output", "logits", outputs, shape or (1,)))
        return tuple(layers)

    def _edges(self) -> tuple[tuple[Edge, ...], dict[int, frozenset[int]]]:
        """Pairs of neighbouring layers, and the layers that each layer's u depends on."""
        into = self.directly_into(self.activations)
        ancestors: dict[int, frozenset[int]] = {}
        for number in sorted(into):
            ancestors[number] = into[number].union(*(ancestors[k] for k in into[number]))
        return tuple((k, number) for number in sorted(into) for k in sorted(into[number])), ancestors

    def directly_into(self, marks: Mapping[fx.Node, Mark]) -> dict[int, frozenset[Mark]]:
        """For each layer, the marks of the nodes that its u depends on without an activation layer between."""
        reaching: dict[fx.Node, frozenset[Mark]] = {}
        into: dict[int, frozenset[Mark]] = {}
        for node in self.nodes:
            reaching[node] = frozenset[Mark]().union(*(reaching[argument] for argument in node.all_input_nodes))
            if node in self.activations:
                into[self.activations[node]] = reaching[node]
                reaching[node] = frozenset()
            if node in marks:
                reaching[node] |= {marks[node]}
        into[self.depth] = reaching[self.output]
        return into

    def is_affine_into(self, layer: int) -> bool:
        """Whether u of a layer is affine in the values of the activation layers just before it."""
        return not (self.max_pools_into[layer] or self.passed_into[layer])

    def _last_uses(self) -> dict[fx.Node, list[fx.Node]]:
        last: dict[fx.Node, fx.Node] = {}
        for node in self._evaluated:
            group = self.composites.get(node)
            last |= dict.fromkeys(group.inputs if group else node.all_input_nodes, node)
        dead: dict[fx.Node, list[fx.Node]] = {}
        for argument, node in last.items():
            dead.setdefault(node, []).append(argument)
        return dead


class _Name(str):
    """A string that prints without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _placed(node: fx.Node, kwargs: dict[str, Any], x: Tensor) -> dict[str, Any]:
    """The keywords of an operator that names a device or a precision, with those of a batch."""
    device = {"device": x.device} if "device" in kwargs else {}
    return {**kwargs, **device, **({"dtype": x.dtype} if node.meta["val"].dtype.is_floating_point else {})}
