"""The canonical form of a network: one graph of ATen operators, its activation layers, and one interpreter over it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypedDict, TypeVar, Unpack

import torch
from torch import Tensor, fx
from torch.export import ExportedProgram

from dnncov_core.errors import NetworkError
from dnncov_core.networks import operators, steps
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


class _Step(NamedTuple):
    """What a node gives, and the nodes whose values nobody needs after it."""

    node: fx.Node
    value: steps.Step
    dead: Sequence[fx.Node]


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
        self._steps = self._all_steps()
        self.last_node = {number: node for node, number in self.activations.items()} | {self.depth: self.output}
        self._between: dict[tuple[frozenset[fx.Node], fx.Node], list[_Step]] = {}

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
        values: steps.Values = {self.input: x, **state}
        needed = self._steps
        if given:
            values |= {self.last_node[layer]: v for layer, v in given.items()}
            needed = self._steps_between(frozenset(map(self.last_node.__getitem__, given)), stop)
        for node, step, dead in needed:
            values[node] = step(values, x, hooks)
            if node is stop:
                break
            for argument in dead:
                values.pop(argument, None)
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

    def _steps_between(self, given: frozenset[fx.Node], stop: fx.Node) -> list[_Step]:
        """The steps that ``stop`` depends on without one of the given nodes between, in their order."""
        if (given, stop) not in self._between:
            wanted = {stop}
            for node in reversed(self.nodes):
                if node in wanted and node not in given:
                    wanted.update(node.all_input_nodes)
            self._between[given, stop] = [each for each in self._steps if each.node in wanted - given]
        return self._between[given, stop]

    def _all_steps(self) -> list[_Step]:
        nodes = [node for node in self.nodes if node.op == "call_function"]
        operations = {node: steps.operation(node, depends=node in self.depends) for node in nodes}
        evaluated = [node for node in nodes if node not in self._absorbed]
        dead = self._last_uses(evaluated)
        return [_Step(node, self._step(node, operations), dead.get(node, ())) for node in evaluated]

    def _step(self, node: fx.Node, operations: Mapping[fx.Node, steps.Operation]) -> steps.Step:
        if node in self.composites:
            return steps.composite_step(self.composites[node], self.activations[node], operations)
        unseen = steps.operator_step(node, operations[node])
        if node in self.activations:
            return steps.activation_step(node, self.activations[node], unseen)
        return steps.max_pool_step(node, unseen) if node in self.max_pools else unseen

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

    def _last_uses(self, evaluated: Sequence[fx.Node]) -> dict[fx.Node, list[fx.Node]]:
        last: dict[fx.Node, fx.Node] = {}
        for node in evaluated:
            group = self.composites.get(node)
            last |= dict.fromkeys(group.inputs if group else node.all_input_nodes, node)
        dead: dict[fx.Node, list[fx.Node]] = {}
        for argument, node in last.items():
            if argument.op == "call_function":
                dead.setdefault(node, []).append(argument)
        return dead


class _Name(str):
    """A string that prints without quotes."""

    def __repr__(self) -> str:
        return str(self)
