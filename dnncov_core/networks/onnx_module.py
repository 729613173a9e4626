"""A module for batches of any size, from the graph of an ONNX file; and its program."""

from __future__ import annotations

import math

from torch import Tensor, nn
from torch.export import ExportedProgram

from dnncov_core.errors import NetworkError
from dnncov_core.networks.exported_program import export_module
from dnncov_core.networks.onnx_file import OnnxGraph
from dnncov_core.networks.onnx_trials import FIX_BATCH, MOST_VALUES, Operator, Trials, several
from dnncov_core.types import Shape


class OnnxModule(nn.Module):
    """The network of an ONNX file, for batches ``(batch, *input_shape)`` of any size.

    Args:
        graph: what the file holds.
        row: shape of one input in the file.

    Attributes:
        operators: those that are evaluated with the network, in their order.
        most_values: of what one of them gives for one input.

    Raises:
        NetworkError: an operator is not supported, or a file for a batch of one cannot be used for more.
    """

    def __init__(self, graph: OnnxGraph, row: Shape) -> None:
        super().__init__()
        self.graph, self.row = graph, row
        trials = Trials(graph, row)
        self.operators, self.most_values = trials.operators, trials.most_values
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
            results = several(operator(values, x.shape[0]))
            values.update((name, each) for name, each in zip(operator.node.outputs, results, strict=False) if name)
        return values


def row_of(graph: OnnxGraph, given: Shape | None) -> Shape:
    """The shape of one input in the file: without the batch, and with the given sizes where the file leaves them open.

    Raises:
        NetworkError: the file's batch is neither open nor one, a size is open, or ``given`` has as many values not.
    """
    most = math.prod(size or 1 for size in graph.sizes)
    if most > MOST_VALUES:
        raise NetworkError(f"an input of at most {MOST_VALUES:,} values", f"{most:,}", "use smaller inputs")
    if len(graph.sizes) == 1 and graph.sizes[0] is not None:
        return (graph.sizes[0],)  # a vector, without a batch
    batch, *sizes = graph.sizes or (0,)
    if batch not in (None, 1):
        got = f"a batch of {batch}" if graph.sizes else "none"
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
