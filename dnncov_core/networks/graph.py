"""The canonical form of a network: one graph of ATen operators, its activation layers, and one interpreter over it."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping
from typing import Any, TypedDict, TypeVar, Unpack

import torch
from torch import Tensor, fx
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind

from dnncov_core.errors import NetworkError
from dnncov_core.networks import operators
from dnncov_core.records import LayerInfo
from dnncov_core.types import Edge, Shape

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

    ``depends`` are the nodes whose values depend on the input.

    Raises:
        NetworkError: an operator that is not supported, an input or output that is not one tensor, no hidden layer.
    """

    def __init__(self, program: ExportedProgram) -> None:
        self.nodes = list(program.graph.nodes)
        self.input, self.state = _inputs(program)
        self.parameters = sum(parameter.numel() for parameter in program.parameters())
        self.output = _output(program)
        self.depends = self._depending_on_input()
        activations = filter(self._is_activation, self.nodes)
        self.activations = {node: number for number, node in enumerate(activations, start=2)}
        self.max_pools = {node for node in self.depends if operators.name_of(node) in operators.MAX_POOLS}
        self._refuse_unknown()
        if not self.activations:
            raise NetworkError("a network with a hidden activation layer", "none in its graph", "check its layers")
        self.depth = len(self.activations) + 2
        self.layers = self._layers()
        self.edges, self.ancestors = self._edges()
        self.sources = {number: tuple(k for k, layer in self.edges if layer == number) for _, number in self.edges}
        self.max_pools_into = self._directly_into({node: node.name for node in self.max_pools})
        self._names = {node: operators.name_of(node) for node in self.nodes}
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
        nodes = self.nodes
        if given:
            values |= {self.last_node[layer]: v for layer, v in given.items()}
            nodes = self._nodes_between(frozenset(map(self.last_node.__getitem__, given)), stop)

        def look_up(argument: Any) -> Any:
            return fx.map_arg(argument, values.__getitem__)

        for node in nodes:
            if node.op == "call_function":
                args, kwargs = look_up(node.args), look_up(node.kwargs)
                values[node] = self._evaluate(node, args, kwargs, x.dtype, hooks)
            if node is stop:
                break
            for dead in self._dead_after.get(node, ()):
                values.pop(dead, None)
        result: Tensor = values[stop]
        return result

    def _nodes_between(self, given: frozenset[fx.Node], stop: fx.Node) -> list[fx.Node]:
        """The nodes that ``stop`` depends on without one of the given nodes between, in their order."""
        if (given, stop) not in self._between:
            wanted = {stop}
            for node in reversed(self.nodes):
                if node in wanted and node not in given:
                    wanted.update(node.all_input_nodes)
            self._between[given, stop] = [node for node in self.nodes if node in wanted - given]
        return self._between[given, stop]

    def _evaluate(
        self, node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: torch.dtype, hooks: Hooks
    ) -> Any:
        target: Any = node.target
        if "on_activation" in hooks and node in self.activations:
            return hooks["on_activation"](self.activations[node], args[0], lambda u: target(u, *args[1:], **kwargs))
        if "on_max_pool" in hooks and node in self.max_pools:
            return hooks["on_max_pool"](node.name, args[0], node)

        def plain(*args: Any, **kwargs: Any) -> Any:
            return self._plain(node, args, kwargs, dtype)

        return hooks["on_operator"](node, args, kwargs, plain) if "on_operator" in hooks else plain(*args, **kwargs)

    def _plain(self, node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any], dtype: torch.dtype) -> Any:
        target: Any = node.target
        name = self._names[node]
        if name in operators.CASTS:
            return args[0].to(dtype)
        if name in operators.DETACHED:
            return args[0]
        if name in operators.VIEWS:
            return args[0].reshape(args[1])
        if name == "squeeze" and node in self.depends:  # without a dimension it would also drop a batch of one
            return args[0].reshape(len(args[0]), *node.meta["val"].shape[1:])
        return None if name in operators.ASSERTIONS else target(*args, **kwargs)

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
            computes = node.op == "call_function" and operators.name_of(node) not in operators.BOOKKEEPING
            if computes and any(argument in depends for argument in node.all_input_nodes):
                depends.add(node)
        return depends

    def _is_activation(self, node: fx.Node) -> bool:
        return node in self.depends and node.op == "call_function" and operators.activation_kind(node) is not None

    def _refuse_unknown(self) -> None:
        for node in self.nodes:
            if node is self.input or node.op == "call_function":
                _check_extent(node, max(MOST_VALUES, self.parameters))
            if node.op in ("placeholder", "output") or node in self.activations or node in self.max_pools:
                continue
            reason = operators.refusal(node, self.depends)
            if reason is not None:
                raise NetworkError("supported operators", f"{reason}{_within(node)}", operators.remedy(reason))
            if node in self.depends and isinstance(node.meta["val"], Tensor):
                self._refuse_other_kinds(node)

    def _refuse_other_kinds(self, node: fx.Node) -> None:
        """Each value belongs to one input of the batch and has the precision of the logits."""
        value, logits = node.meta["val"], self.output.meta["val"]
        _size(node, self.input.meta["val"].shape[0])
        if value.dtype != logits.dtype:
            got = f"{value.dtype} at {_place(node)} and {logits.dtype} at the output"
            raise NetworkError("one floating-point precision", got, "remove the cast")

    def _layers(self) -> tuple[LayerInfo, ...]:
        batch = self.input.meta["val"].shape[0]
        names: dict[str, int] = {}
        layers = [LayerInfo(1, "input", "input", *_size(self.input, batch))]
        for node, number in self.activations.items():
            kind = str(operators.activation_kind(node))
            name = _place(node)
            names[name] = names.get(name, 0) + 1
            unique = name if names[name] == 1 else f"{name} #{names[name]}"
            layers.append(LayerInfo(number, unique, kind, *_size(node, batch)))
        layers.append(LayerInfo(self.depth, "output", "logits", *_size(self.output, batch)))
        if not layers[-1].shape:
            fix = "return the logits of both classes, with one logit z: z[:, None] * torch.tensor([0.0, 1.0])"
            raise NetworkError("at least two outputs, one for each class", "one number for each input", fix)
        if len(layers[-1].shape) != 1:
            raise NetworkError("logits of shape (batch, classes)", f"(batch, {layers[-1].shape})", "flatten the output")
        return tuple(layers)

    def _edges(self) -> tuple[tuple[Edge, ...], dict[int, frozenset[int]]]:
        """Pairs of neighbouring layers, and the layers that each layer's u depends on."""
        into = self._directly_into(self.activations)
        ancestors: dict[int, frozenset[int]] = {}
        for number in sorted(into):
            ancestors[number] = into[number].union(*(ancestors[k] for k in into[number]))
        return tuple((k, number) for number in sorted(into) for k in sorted(into[number])), ancestors

    def _directly_into(self, marks: Mapping[fx.Node, Mark]) -> dict[int, frozenset[Mark]]:
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

    def _last_uses(self) -> dict[fx.Node, list[fx.Node]]:
        last = {a: node for node in self.nodes for a in node.all_input_nodes}
        dead: dict[fx.Node, list[fx.Node]] = {}
        for argument, node in last.items():
            dead.setdefault(node, []).append(argument)
        return dead


class _Name(str):
    """A string that prints without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _inputs(program: ExportedProgram) -> tuple[fx.Node, dict[fx.Node, Tensor]]:
    nodes = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    user: list[fx.Node] = []
    state: dict[fx.Node, Tensor] = {}
    for spec in program.graph_signature.input_specs:
        node = nodes[spec.arg.name]
        if spec.kind is InputKind.USER_INPUT:
            user.append(node)
        else:
            tensor = program.state_dict.get(str(spec.target), program.constants.get(str(spec.target)))
            if not isinstance(tensor, Tensor):
                what = f"{spec.kind.name} {spec.target}"
                raise NetworkError("weights that are tensors", what, "keep it out of forward")
            state[node] = tensor.detach()
    if len(user) != 1:
        raise NetworkError("forward with one tensor, a batch of inputs", f"{len(user)} inputs", "wrap the module")
    return user[0], state


def _output(program: ExportedProgram) -> fx.Node:
    """The logits; that forward also overwrites its input, as in ``x.sub_(mean)``, does not matter here."""
    returned: list[Any] = []
    output = next(node for node in program.graph.nodes if node.op == "output")
    for result, spec in zip(output.args[0], program.graph_signature.output_specs, strict=True):
        if spec.kind is OutputKind.BUFFER_MUTATION:
            raise NetworkError("forward that leaves buffers alone", f"one that changes {spec.target}", "remove that")
        if spec.kind is OutputKind.USER_OUTPUT:
            returned.append(result)
    if len(returned) != 1 or not isinstance(returned[0], fx.Node):
        raise NetworkError("forward that returns one tensor of logits", f"{returned}", "return the logits alone")
    return returned[0]


def _within(node: fx.Node) -> str:
    """The module that an operator stands in, by its path, where it is one of the network's parts."""
    stack = [path for path, _ in (node.meta.get("nn_module_stack") or {}).values() if path]
    return f" in the module {stack[-1]}" if stack else ""


def _place(node: fx.Node) -> str:
    """A readable name: the module's path, or the parent's path and the operator for a functional call."""
    stack = [entry for entry in (node.meta.get("nn_module_stack") or {}).values() if entry[0]]
    if not stack:
        return operators.name_of(node)
    path, kind = stack[-1]
    is_own_module = any(module in str(kind) for module in ("torch.nn.modules.activation", "onnx_trials.Operator"))
    return str(path) if is_own_module else f"{path}.{operators.name_of(node)}"


def _check_extent(node: fx.Node, most: int) -> None:
    value = node.meta.get("val")
    for part in value if isinstance(value, list | tuple) else (value,):
        sizes = [size for size in part.shape if isinstance(size, int)] if isinstance(part, Tensor) else []
        if math.prod(sizes) > most:
            expected = f"operators of at most {most:,} values for one input"
            raise NetworkError(expected, f"{tuple(sizes)} at {_place(node)}", "use smaller inputs or layers")


def _size(node: fx.Node, batch: Any) -> tuple[int, Shape]:
    shape = node.meta["val"].shape
    if not shape or shape[0] != batch or not all(isinstance(size, int) for size in shape[1:]):
        raise NetworkError(
            "layers of fixed shape whose first dimension is the batch",
            f"{tuple(shape)} at {_place(node)}",
            "keep the batch dimension first",
        )
    sizes = tuple(int(size) for size in shape[1:])
    return int(torch.Size(sizes).numel()), sizes
