"""What an ONNX file holds: nodes, constants, one input and one output. Nothing is run, and no other file is opened."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from dnncov_core.errors import NetworkError
from dnncov_core.networks.exported_program import first_line
from dnncov_core.networks.onnx_operators import TYPES
from dnncov_core.networks.reference import install

MOST_BYTES = 2**31 - 1
"""What one message of protocol buffers may have."""
MOST_NODES = 100_000
ODD = re.compile(r"[^\w ./:;-]", re.ASCII)
"""What a label does not show of a name: it stands in tables and on pages, and whoever made the file chose it."""
LONGEST_LABEL = 100


@dataclass(frozen=True)
class Node:
    """One operator: its name in ONNX, a label that nobody else has, names of inputs (empty for none) and of outputs."""

    op: str
    label: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: dict[str, Any] = field(default_factory=dict)

    def error(self, expected: str, got: str, fix: str) -> NetworkError:
        """An error about this operator, which it names."""
        return NetworkError(expected, f"{got} at the operator {self.op} {self.label}", fix)


@dataclass(frozen=True)
class OnnxGraph:
    """What a file holds.

    Attributes:
        content: the file's bytes.
        version: of ONNX's own operators.
        nodes: in an order in which they can be evaluated.
        constants: initial values by name.
        input: name of the only input; ``sizes`` are its sizes, None where the file leaves one open.
        dtype: of the input.
        output: name of the output that counts.
    """

    content: bytes
    version: int
    nodes: tuple[Node, ...]
    constants: dict[str, Tensor]
    input: str
    sizes: tuple[int | None, ...]
    dtype: torch.dtype
    output: str


def content_of(source: str | Path | bytes) -> bytes:
    """The bytes of a file, or those that were given.

    Raises:
        NetworkError: it cannot be read, or is larger than an ONNX file can be.
    """
    try:
        if isinstance(source, bytes):
            return source
        path = Path(os.path.expanduser(source))
        if path.stat().st_size > MOST_BYTES:
            raise NetworkError(f"an ONNX file of at most {MOST_BYTES:,} bytes", f"{path}", "export a smaller network")
        return path.read_bytes()
    except OSError as error:
        raise NetworkError("a readable ONNX file", f"{source!s}: {error.strerror}", "correct the path") from error


def read_graph(content: bytes, output: str | int | None = None) -> OnnxGraph:
    """The graph in the bytes of an ONNX file.

    Args:
        content: the bytes.
        output: name or place of the output that counts; only needed where there are several.

    Raises:
        NetworkError: they are no such file, or hold what no network needs: operators of other domains, functions,
            graphs within the graph, data in other files.
    """
    onnx = _package()
    try:
        return _graph(onnx, onnx.load_model_from_string(content), content, output)
    except NetworkError:
        raise
    except Exception as error:  # whatever a damaged file makes the readers raise
        got = f"bytes that the package onnx does not take: {first_line(error)}"
        raise NetworkError("an ONNX file", got, "export the network again") from error


def _package() -> Any:
    try:
        import onnx
        import onnx.numpy_helper
        import onnxruntime  # noqa: F401  a network is imported only if it can be compared
    except ImportError as error:
        expected = "the packages onnx and onnxruntime, to read ONNX files"
        raise NetworkError(expected, first_line(error), install(".onnx")) from error
    return onnx


def _graph(onnx: Any, model: Any, content: bytes, output: str | int | None) -> OnnxGraph:
    graph = model.graph
    tensors = [*graph.initializer, *(a.t for node in graph.node for a in node.attribute if a.HasField("t"))]
    _refuse_what_no_network_needs(onnx, model, tensors)
    constants = {each.name: _tensor(onnx, each) for each in graph.initializer}
    inputs = [each for each in graph.input if each.name not in constants]  # old files list constants among the inputs
    if len(inputs) != 1:
        got = f"{len(inputs)} ({', '.join(each.name for each in inputs)})"
        raise NetworkError("an ONNX graph with one input", got, "export the network with one")
    outputs = [each.name for each in graph.output]
    output = dict(enumerate(outputs)).get(output, "") if isinstance(output, int) else output
    if output not in outputs if output is not None else len(outputs) != 1:
        expected = f"output, one of {', '.join(outputs)}"
        raise NetworkError(expected, str(output), "choose one with Network.from_onnx(..., output=...)")
    of_input = inputs[0].type.tensor_type
    dims, dtype = of_input.shape.dim, TYPES.get(of_input.elem_type)
    if dtype is None or not dtype.is_floating_point:
        got = str(dtype or f"element type {of_input.elem_type}").removeprefix("torch.")
        raise NetworkError("an input of floating-point numbers", got, "export the network without what comes before")
    return OnnxGraph(
        content=content,
        version=next(each.version for each in model.opset_import if each.domain in ("", "ai.onnx")),
        nodes=tuple(_nodes(onnx, graph.node)),
        constants=constants,
        input=inputs[0].name,
        sizes=tuple(d.dim_value if d.HasField("dim_value") and d.dim_value > 0 else None for d in dims),
        dtype=dtype,
        output=output or outputs[0],
    )


def _refuse_what_no_network_needs(onnx: Any, model: Any, tensors: Iterable[Any]) -> None:
    """Code, other files, and operators whose meaning ONNX does not fix."""
    fix = "export the network with ONNX's own operators alone, and with all weights in the file"
    expected = "an ONNX file that holds operators of the domain ai.onnx and weights"
    for node in model.graph.node:
        if node.domain not in ("", "ai.onnx"):
            raise NetworkError(expected, f"the operator {node.op_type} of the domain {node.domain}", fix)
        if any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute):
            raise NetworkError(expected, f"a graph within the operator {node.op_type}", fix)
    if model.functions or model.graph.sparse_initializer:
        got = "functions of its own" if model.functions else "sparse tensors"
        raise NetworkError(expected, got, fix)
    if any(each.data_location == onnx.TensorProto.EXTERNAL or each.external_data for each in tensors):
        raise NetworkError(expected, "weights in another file", fix)
    if len(model.graph.node) > MOST_NODES:
        raise NetworkError(f"at most {MOST_NODES:,} operators", f"{len(model.graph.node):,}", "use a smaller network")


def _nodes(onnx: Any, nodes: Iterable[Any]) -> Iterable[Node]:
    """The nodes with labels: their names in plain letters, numbered where one is empty or taken."""
    taken: set[str] = set()
    for number, node in enumerate(nodes):
        label = ODD.sub("_", node.name.strip("/"))[:LONGEST_LABEL] or f"{node.op_type}_{number}"
        label = label if label not in taken else f"{label} #{number}"
        taken.add(label)
        attributes = {each.name: _attribute(onnx, each) for each in node.attribute}
        if node.op_type == "Split":
            attributes.setdefault("num_outputs", len(node.output))
        yield Node(node.op_type, label, tuple(node.input), tuple(node.output), attributes)


def _attribute(onnx: Any, attribute: Any) -> Any:
    value = onnx.helper.get_attribute_value(attribute)
    if isinstance(value, onnx.TensorProto):
        return _tensor(onnx, value)
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, int | float) else list(value)


def _tensor(onnx: Any, tensor: Any) -> Tensor:
    return torch.from_numpy(onnx.numpy_helper.to_array(tensor).copy())
