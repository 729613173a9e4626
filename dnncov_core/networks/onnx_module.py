"""From the graph of an ONNX file to a module for batches of any size.

The graph is evaluated beforehand for batches of 1, 2 and 3 inputs: in shapes alone where values depend on the input,
and in numbers where they do not. So constants and the arithmetic of shapes end here, and what remains are operators
whose sizes are plain numbers, or whole numbers that grow with the batch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.export import ExportedProgram

from dnncov_core.errors import NetworkError
from dnncov_core.networks.exported_program import export_module, first_line
from dnncov_core.networks.onnx_file import Node, OnnxGraph
from dnncov_core.networks.onnx_operators import NUMBERS, ONLY, Function, function_of
from dnncov_core.types import Shape

BATCHES = (1, 2, 3)
FIX_BATCH = "export the network with a dynamic batch dimension"
MOST_VALUES = 2**26
"""Of what one operator gives for one input; a small file could ask for all of the memory."""
Trial = tuple[Tensor, ...]
"""A value for each of `BATCHES`; on PyTorch's meta device, which knows shapes alone, where it depends on the input."""


@dataclass(frozen=True)
class Sizes:
    """A whole number, or a list of some, that grows with the batch: ``fixed + each * batch``."""

    fixed: Any
    each: Any

    def at(self, batch: int) -> Any:
        """The numbers for a batch of this size, which may be symbolic."""
        if isinstance(self.fixed, int):
            return self.fixed + self.each * batch
        return [fixed + each * batch if each else fixed for fixed, each in zip(self.fixed, self.each, strict=True)]


class Operator(nn.Module):
    """One operator that is evaluated with the network; its path is the operator's label."""

    def __init__(self, node: Node, function: Function, inputs: Sequence[str | None], told: dict[str, Any]) -> None:
        super().__init__()
        self.node, self.function, self.inputs, self.told = node, function, inputs, told

    def forward(self, values: dict[str, Tensor], batch: int) -> Any:
        """What the operator gives for the values so far."""
        told = {name: each.at(batch) if isinstance(each, Sizes) else each for name, each in self.told.items()}
        return self.function(*(None if name is None else values[name] for name in self.inputs), **told)


class OnnxModule(nn.Module):
    """The network of an ONNX file, for batches ``(batch, *input_shape)`` of any size.

    Args:
        graph: what the file holds.
        row: shape of one input in the file.

    Attributes:
        operators: those that are evaluated with the network, in their order.

    Raises:
        NetworkError: an operator is not supported, or a file for a batch of one cannot be used for more.
    """

    def __init__(self, graph: OnnxGraph, row: Shape) -> None:
        super().__init__()
        self.graph, self.row = graph, row
        trials = _Trials(graph, row)
        self.operators = trials.operators
        for number, operator in enumerate(self.operators):
            self.add_module(f"n{number}", operator)
        self._weights: dict[str, str] = {}
        for name in dict.fromkeys(name for each in self.operators for name in each.inputs if name is not None):
            value = trials.values[name][0]
            if not value.is_meta:
                self._add_weight(name, value)

    def _add_weight(self, name: str, value: Tensor) -> None:
        key = self._weights[name] = f"w{len(self._weights)}"
        if value.is_floating_point():
            self.register_parameter(key, nn.Parameter(value, requires_grad=False))
        else:
            self.register_buffer(key, value)

    def forward(self, x: Tensor) -> Tensor:
        """The output for a batch."""
        return self.evaluated(x)[self.graph.output]

    def evaluated(self, x: Tensor) -> dict[str, Tensor]:
        """The values of all operators for a batch, by their names in the file."""
        values: dict[str, Tensor] = {name: getattr(self, key) for name, key in self._weights.items()}
        values[self.graph.input] = x if x.shape[1:] == self.row else x.reshape(x.shape[0], *self.row)
        for operator in self.operators:
            results = _several(operator(values, x.shape[0]))
            values.update((name, each) for name, each in zip(operator.node.outputs, results, strict=False) if name)
        return values


class _Trials:
    """Evaluates the nodes of a graph for each of `BATCHES`, and keeps as operators those that depend on the input."""

    def __init__(self, graph: OnnxGraph, row: Shape) -> None:
        self.version = graph.version
        self.is_for_one = graph.sizes[0] is not None
        self.operators: list[Operator] = []
        self.values: dict[str, Trial] = {name: (value,) * len(BATCHES) for name, value in graph.constants.items()}
        self.values[graph.input] = tuple(torch.empty(n, *row, dtype=graph.dtype, device="meta") for n in BATCHES)
        for node in graph.nodes:
            try:
                self._add(node)
            except NetworkError:
                raise
            except Exception as error:  # whatever PyTorch raises on arguments that do not fit
                fix = "leave the operator out, or ask for it to be supported"
                raise node.error("an operator as PyTorch has it", first_line(error), fix) from error

    def _add(self, node: Node) -> None:
        function = function_of(node.op, self.version)
        if function is None:
            fix = "leave the operator out, or ask for it to be supported"
            raise node.error("operators of ONNX that are supported", "another one", fix)
        slots = NUMBERS.get(node.op, ())
        named = [(slots[i] if i < len(slots) else "", name) for i, name in enumerate(node.inputs)]
        inputs = [name or None for slot, name in named if not slot]
        numbers = {slot: self._numbers(node, slot, name) for slot, name in named if slot and name}
        told = {name: value for name, value in (node.attributes | numbers).items() if ONLY.get(name, ...) != value}
        if node.op == "Reshape" and self.is_for_one:
            told["shape"] = self._for_any_batch(node, function, told)
        results = [self._evaluated(node, function, inputs, told, i) for i in range(len(BATCHES))]
        trials = [_known(trial) for trial in zip(*results, strict=True)]
        self.values.update((name, trial) for name, trial in zip(node.outputs, trials, strict=False) if name)
        if any(trial[0].is_meta for trial in trials):
            self._refuse_growing(node, inputs)
            self.operators.append(Operator(node, function, inputs, told))

    def _numbers(self, node: Node, slot: str, name: str) -> Any:
        """The numbers of an input, as `Sizes` if they grow with the batch."""
        trial = self.values[name]
        if trial[0].is_meta:
            got = f"{slot} that depends on the input's values"
            raise node.error("sizes and indices that are known before the network runs", got, "leave the operator out")
        if all(torch.equal(trial[0], other) for other in trial):
            return trial[0].tolist()
        each = trial[1] - trial[0]
        return Sizes((trial[0] - each).tolist(), each.tolist())

    def _evaluated(self, node: Node, function: Function, inputs: Sequence[str | None], told: Any, i: int) -> Trial:
        """What the node gives for one of `BATCHES`: first in shapes, whose sizes are checked, then in numbers."""
        args = [None if name is None else self.values[name][i] for name in inputs]
        told = {name: each.at(BATCHES[i]) if isinstance(each, Sizes) else each for name, each in told.items()}
        with torch.device("meta"):
            results = _several(function(*(None if each is None else each.to("meta") for each in args), **told))
        largest = max(each.numel() for each in results)
        if largest > MOST_VALUES * BATCHES[i]:
            expected = f"operators of at most {MOST_VALUES:,} values for one input"
            raise node.error(expected, f"{largest:,}", "use smaller inputs or layers")
        if any(each.is_meta for each in results) and not any(each is not None and each.is_meta for each in args):
            return _several(function(*args, **told))
        return results

    def _for_any_batch(self, node: Node, function: Function, told: dict[str, Any]) -> Any:
        """The target of a reshape in a file for a batch of one, with the batch in its place.

        Values lie in memory in the order of their indices, so the batch stays where as many values lie before it.
        """
        before, after = self.values[node.inputs[0]][0], self.values[node.inputs[0]][1]
        grows = [d for d, (one, two) in enumerate(zip(before.shape, after.shape, strict=True)) if one != two]
        if not grows or isinstance(told["shape"], Sizes):
            return told["shape"]
        outside = math.prod(before.shape[: grows[0]])
        sizes = list(function(before.to("meta"), **told).shape)
        places = [d for d in range(len(sizes)) if math.prod(sizes[:d]) == outside]
        if not places or len(grows) > 1:
            got = f"a reshape from {tuple(before.shape)} to {tuple(sizes)}, which mixes the batch with other sizes"
            raise node.error("a network that can be used for batches of any size", got, FIX_BATCH)
        place = next((d for d in places if sizes[d] == 1), places[-1])
        each = [0] * len(sizes)
        each[place], sizes[place] = sizes[place], 0
        return Sizes(sizes, each)

    def _refuse_growing(self, node: Node, inputs: Sequence[str | None]) -> None:
        for name in inputs:
            trial = self.values[name] if name else ()
            if trial and not trial[0].is_meta and not torch.equal(trial[0], trial[1]):
                got = "a value that grows with the batch"
                raise node.error("values that are constants or depend on the input", got, "export the network again")


def _several(result: Any) -> Trial:
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def _known(trial: Trial) -> Trial:
    """The trial as it is where it holds constants, or whole numbers that grow with the batch; else shapes alone."""
    if not any(each.is_meta for each in trial) and trial[0].shape == trial[1].shape == trial[2].shape:
        one, two, three = trial
        if torch.equal(one, two) and torch.equal(two, three):
            return trial
        if one.dtype is torch.int64 and one.ndim < 2 and torch.equal(two - one, three - two):
            return trial
    return tuple(each.to("meta") for each in trial)


def row_of(graph: OnnxGraph, given: Shape | None) -> Shape:
    """The shape of one input in the file: without the batch, and with the given sizes where the file leaves them open.

    Raises:
        NetworkError: the file's batch is neither open nor one, a size is open, or ``given`` has as many values not.
    """
    if len(graph.sizes) == 1 and graph.sizes[0] is not None:
        return (graph.sizes[0],)  # a vector, without a batch
    batch, *sizes = graph.sizes or (None,)
    if batch not in (None, 1):
        got = f"a batch of {batch}"
        raise NetworkError("an ONNX file for batches of any size, or of one", got, FIX_BATCH)
    if given is not None and len(given) == len(sizes):
        sizes = [own or new for own, new in zip(sizes, given, strict=True)]
    row = tuple(size for size in sizes if size is not None)
    if len(row) < len(sizes):
        got = f"({', '.join(str(size or '?') for size in sizes)}) in the file"
        raise NetworkError("input_shape, the sizes of one input", got, "give input_shape")
    if given is not None and math.prod(given) != math.prod(row):
        expected = f"input_shape of {math.prod(row)} values, as the file's {row}"
        raise NetworkError(expected, str(given), "change the input shape")
    return row


def export_onnx(module: OnnxModule, input_shape: Shape) -> ExportedProgram:
    """The program of a module, in which operators have the labels of the file."""
    program = export_module(module, input_shape)
    labels = {name: each.node.label for name, each in module.named_modules() if isinstance(each, Operator)}
    for node in program.graph.nodes:
        stack = node.meta.get("nn_module_stack") or {}
        node.meta["nn_module_stack"] = {key: (labels.get(path, path), kind) for key, (path, kind) in stack.items()}
    return program
