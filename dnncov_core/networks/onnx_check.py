"""The check of each import: ONNX Runtime and the canonical network give the same numbers.

Where they do not, the operator is named from which on they differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from dnncov_core.errors import NetworkError
from dnncov_core.networks.exported_program import first_line
from dnncov_core.networks.onnx_file import OnnxGraph
from dnncov_core.networks.onnx_module import OnnxModule

AGREEMENT = 1e-5
"""The largest difference, as a share of the largest value; in half precision its rounding is larger."""
BATCHES = (1, 64)
MOST_AT_ONCE = 2**27
"""Values of one operator, of all inputs together; of larger networks fewer inputs are compared."""


def check_agreement(module: OnnxModule, answer: Callable[[Tensor], Tensor], batches: Sequence[Tensor]) -> None:
    """Compares what the canonical network answers with ONNX Runtime, on batches of inputs.

    Raises:
        NetworkError: they differ, and where; or ONNX Runtime cannot run the file.
    """
    outputs = (module.graph.output,)
    for x in batches:
        with torch.no_grad():
            logits = answer(x)
        (rows,) = zip(*_answers(module, outputs, x), strict=True)
        if not _agree(logits.reshape(len(x), -1), torch.cat([row.reshape(-1, logits[0].numel()) for row in rows])):
            got = f"other logits from {_first_parting(module, x)} on"
            expected = f"the logits of ONNX Runtime for a batch of {len(x)}"
            raise NetworkError(expected, got, "leave that operator out, or ask for it to be corrected")


def batch_sizes(module: OnnxModule) -> list[int]:
    """`BATCHES`, or a smaller one where values of more inputs do not fit into memory."""
    return sorted({min(n, max(2, MOST_AT_ONCE // module.most_values)) for n in BATCHES})


def _first_parting(module: OnnxModule, x: Tensor) -> str:
    """The first operator that gives other values than in ONNX Runtime, in the order of the file."""
    with torch.no_grad():
        values = module.evaluated(x.to(module.graph.dtype))
    names = tuple(name for node in module.graph.nodes for name in node.outputs if name in values)
    expected = dict(zip(names, zip(*_answers(module, names, x), strict=True), strict=True))
    for operator in module.operators:
        for name in operator.node.outputs:
            if name in expected and not _agree(values[name], _joined(expected[name], values[name])):
                return f"the operator {operator.node.op} {operator.node.label}"
    return "the exported graph"


def _joined(rows: Sequence[Tensor], like: Tensor) -> Tensor:
    """Values of single inputs in the places that they have in a batch."""
    if rows[0].ndim != like.ndim:
        return torch.stack(list(rows))
    grows = [d for d in range(like.ndim) if rows[0].shape[d] != like.shape[d]]
    return torch.cat(list(rows), grows[0]) if grows else rows[0]


def _answers(module: OnnxModule, outputs: Sequence[str], x: Tensor) -> list[list[Tensor]]:
    """Outputs of ONNX Runtime without optimisations: of the batch, or of each input where the file takes one.

    Raises:
        NetworkError: ONNX Runtime does not run the file.
    """
    import onnxruntime

    graph = module.graph
    x = x.reshape(len(x), *module.row).to(graph.dtype)
    inputs = [x] if graph.sizes[0] is None else [each.reshape([size or -1 for size in graph.sizes]) for each in x]
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(_with_outputs(graph, outputs), options, ["CPUExecutionProvider"])
        return [[torch.from_numpy(y) for y in session.run(outputs, {graph.input: x.numpy()})] for x in inputs]
    except Exception as error:  # whatever ONNX Runtime raises
        fix = "export the network again"
        raise NetworkError("an ONNX file that ONNX Runtime runs", first_line(error), fix) from error


def _with_outputs(graph: OnnxGraph, outputs: Sequence[str]) -> bytes:
    """The file with these values among its outputs."""
    import onnx

    model = onnx.load_model_from_string(graph.content)
    more = (name for name in outputs if name != graph.output)
    model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in more)
    return bytes(model.SerializeToString())


def _agree(got: Tensor, expected: Tensor) -> bool:
    """Whether the largest difference is at most `AGREEMENT` of the largest value."""
    if got.numel() != expected.numel():
        return False
    expected = expected.double()
    finite = expected[expected.isfinite()].abs()
    share = max(AGREEMENT, 8 * torch.finfo(got.dtype).eps) if got.is_floating_point() else AGREEMENT
    most = share * float(finite.max()) if len(finite) else 0.0
    return torch.allclose(got.double().reshape(expected.shape), expected, rtol=0, atol=most, equal_nan=True)
