"""Small ONNX files, made node by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

Given = Mapping[str, Any]


def node(op: str, inputs: str, outputs: str, **attributes: Any) -> Any:
    """A node whose names of inputs and outputs are separated by blanks; ``_`` is an input that is left out."""
    names = ["" if name == "_" else name for name in inputs.split()]
    return onnx.helper.make_node(op, names, outputs.split(), name=outputs.split()[0], **attributes)


def model(
    nodes: Sequence[Any],
    shape: Sequence[int | str],
    given: Given | None = None,
    *,
    output: str = "y",
    opset: int = 18,
    dtype: Any = np.float32,
    listed: bool = False,
) -> bytes:
    """The bytes of a file with one input x of this shape; constants are ``listed`` among the inputs as in old files."""
    kind = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    constants = [onnx.numpy_helper.from_array(np.asarray(value), name) for name, value in (given or {}).items()]
    inputs = [onnx.helper.make_tensor_value_info("x", kind, list(shape))]
    if listed:
        inputs += [onnx.helper.make_tensor_value_info(each.name, each.data_type, each.dims) for each in constants]
    outputs = [onnx.helper.make_tensor_value_info(output, kind, None)]
    graph = onnx.helper.make_graph(list(nodes), "g", inputs, outputs, constants)
    imports = [onnx.helper.make_opsetid("", opset)]
    return onnx.helper.make_model(graph, opset_imports=imports, ir_version=8).SerializeToString()


def weights(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    """Random weights."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def perceptron(shape: Sequence[int | str] = ("batch", 4), **told: Any) -> bytes:
    """Four inputs, five ReLU neurons, three outputs."""
    nodes = [node("Gemm", "x w b", "h", transB=1), node("Relu", "h", "v"), node("MatMul", "v u", "y")]
    return model(nodes, shape, {"w": weights(5, 4), "b": weights(5), "u": weights(5, 3)}, **told)
