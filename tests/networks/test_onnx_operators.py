"""Each operator of ONNX gives what ONNX Runtime gives, in files for batches of any size and of one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch

from dnncov_core.errors import NetworkError
from dnncov_core.networks.onnx_check import check_agreement
from dnncov_core.networks.onnx_file import read_graph
from dnncov_core.networks.onnx_module import OnnxModule, row_of
from tests.networks.onnx_models import model, node, weights

POINTWISE = {
    **{op: {} for op in ("Abs", "Ceil", "Cos", "Erf", "Exp", "Floor", "HardSwish", "Identity", "Mish", "Neg")},
    **{
        op: {}
        for op in ("Reciprocal", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Sin", "Softplus", "Softsign", "Tanh")
    },
    "Celu": {"alpha": 0.7},
    "Elu": {"alpha": 0.5},
    "HardSigmoid": {"alpha": 0.3, "beta": 0.4},
    "LeakyRelu": {"alpha": 0.2},
}
AXES = np.array([1])
Case = tuple[str, Sequence[int], dict[str, Any], dict[str, Any], int]


def case(op: str, shape: Sequence[int], given: dict[str, Any] | None = None, opset: int = 18, **attributes: Any) -> Any:
    told = ",".join(f"{key}={value}" for key, value in attributes.items())
    return pytest.param((op, shape, given or {}, attributes, opset), id=f"{op}{opset}({told})")


IMAGE, ROW, TOKENS = (4, 6, 6), (6,), (3, 4)
CASES = [
    *(case(op, ROW, **told) for op, told in POINTWISE.items()),
    *(case(op, ROW, {"b": weights(6)}) for op in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Sum", "Mean")),
    *(case(op, ROW, {"n": np.float32(2)}) for op in ("Pow", "Add", "Sub", "Mul", "Div")),
    case("HardSigmoid", ROW, alpha=1 / 6),
    case("Selu", ROW, alpha=1.5, gamma=1.1),
    case("Gelu", ROW, opset=20),
    case("Gelu", ROW, opset=20, approximate="tanh"),
    case("PRelu", ROW, {"s": weights(6)}),
    case("PRelu", IMAGE, {"s": weights(4, 1, 1)}),
    case("PRelu", IMAGE, {"s": weights(1)}),
    case("PRelu", IMAGE, {"s": weights(1, 6, 6)}),
    case("Clip", ROW, {"min": np.float32(-0.5), "max": np.float32(0.7)}),
    case("Clip", ROW, {"min": np.float32(0)}),
    case("Clip", ROW, opset=6, min=0.0, max=6.0),
    case("Gemm", ROW, {"b": weights(6, 3), "c": weights(1, 3)}, alpha=0.5, beta=2.0),
    case("Gemm", ROW, {"b": weights(3, 6), "c": weights(3)}, transB=1),
    case("MatMul", TOKENS, {"b": weights(4, 2)}),
    case("Einsum", TOKENS, {"b": weights(4, 2)}, equation="btc,cd->btd"),
    case("Conv", IMAGE, {"w": weights(2, 4, 3, 3), "b": weights(2)}, pads=[1, 1, 1, 1], strides=[2, 1]),
    case("Conv", IMAGE, {"w": weights(4, 1, 3, 2)}, group=4, pads=[0, 1, 2, 0], dilations=[1, 2]),
    case("Conv", IMAGE, {"w": weights(2, 4, 3, 3)}, auto_pad="SAME_UPPER", strides=[2, 2]),
    case("Conv", IMAGE, {"w": weights(2, 4, 4, 4)}, auto_pad="SAME_LOWER", strides=[1, 1]),
    case("Conv", IMAGE, {"w": weights(2, 4, 3, 3)}, auto_pad="VALID"),
    case("Conv", (3, 9), {"w": weights(2, 3, 3)}, strides=[2]),
    case("ConvTranspose", IMAGE, {"w": weights(4, 2, 3, 3), "b": weights(2)}, strides=[2, 2], pads=[1, 1, 1, 1]),
    case("ConvTranspose", IMAGE, {"w": weights(4, 2, 3, 3)}, strides=[2, 2], pads=[0, 1, 1, 0], output_padding=[1, 1]),
    case("MaxPool", IMAGE, kernel_shape=[2, 2], strides=[2, 2]),
    case("MaxPool", IMAGE, kernel_shape=[3, 3], pads=[0, 0, 1, 1], strides=[2, 2]),
    case("MaxPool", IMAGE, kernel_shape=[3, 2], ceil_mode=1, strides=[2, 2]),
    case("AveragePool", IMAGE, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[2, 2]),
    case("AveragePool", IMAGE, kernel_shape=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1),
    case("AveragePool", IMAGE, kernel_shape=[3, 3], pads=[0, 1, 1, 0]),
    case("AveragePool", IMAGE, kernel_shape=[2, 2], auto_pad="SAME_UPPER", count_include_pad=1),
    case("GlobalAveragePool", IMAGE),
    case("GlobalMaxPool", IMAGE),
    case("BatchNormalization", IMAGE, {"s": weights(4), "b": weights(4), "m": weights(4), "v": weights(4) ** 2}),
    case("LayerNormalization", TOKENS, {"s": weights(4), "b": weights(4)}, epsilon=1e-3),
    case("LayerNormalization", IMAGE, {"s": weights(6, 6)}, axis=2),
    case("InstanceNormalization", IMAGE, {"s": weights(4), "b": weights(4)}),
    case("GroupNormalization", IMAGE, {"s": weights(4), "b": weights(4)}, opset=21, num_groups=2),
    case("LRN", IMAGE, size=3),
    *(case(op, TOKENS, axis=-1) for op in ("Softmax", "LogSoftmax")),
    *(case(op, TOKENS, axis=1, opset=11) for op in ("Softmax", "LogSoftmax")),
    case("Flatten", IMAGE),
    case("Flatten", IMAGE, axis=-3),
    case("Reshape", IMAGE, {"shape": np.array([0, -1])}),
    case("Transpose", IMAGE, perm=[0, 2, 3, 1]),
    case("Squeeze", (1, 4, 1), {"axes": AXES}),
    case("Squeeze", (1, 4, 1), opset=11, axes=[1, 3]),
    case("Unsqueeze", ROW, {"axes": np.array([1, -1])}),
    case(
        "Slice", IMAGE, {"s": np.array([1, -1]), "e": np.array([3, -9]), "a": np.array([1, 3]), "t": np.array([1, -2])}
    ),
    case("Slice", IMAGE, opset=9, starts=[0, 2], ends=[2, 9999], axes=[1, 2]),
    case("Slice", IMAGE, {"s": np.array([-2]), "e": np.array([2**63 - 1]), "a": np.array([-1])}),
    case("Gather", IMAGE, {"i": np.array([[0, -1], [2, 2]])}, axis=1),
    case("Gather", IMAGE, {"i": np.array(-2)}, axis=2),
    case("Expand", (1, 4), {"shape": np.array([1, 3, 1])}),
    case("Tile", TOKENS, {"r": np.array([1, 2, 3])}),
    case("Pad", IMAGE, {"p": np.array([0, 0, 1, 2, 0, 1, 0, 0]), "v": np.float32(0.5)}),
    case("Pad", IMAGE, {"p": np.array([0, 0, 1, 2, 0, 0, 2, 0])}, mode="reflect"),
    case("Pad", IMAGE, {"p": np.array([0, 0, 1, 2, 0, 0, 2, 0])}, mode="edge"),
    case("Cast", ROW, to=1),
    case("Dropout", ROW, {"ratio": np.float32(0.3)}),
    case("ReduceMean", IMAGE, {"a": np.array([2, 3])}, keepdims=0),
    *(case(f"Reduce{name}", IMAGE, {"axes": AXES}) for name in ("L1", "L2", "LogSumExp", "Max", "Min", "Prod", "Sum")),
    case("ReduceSumSquare", IMAGE, opset=11, axes=[1, 2]),
    case("Resize", IMAGE, {"r": weights(0), "k": np.float32([1, 1, 2, 1.5])}, mode="linear"),
    case(
        *("Resize", IMAGE, {"r": weights(0), "k": np.float32([1, 1, 2, 2])}),
        coordinate_transformation_mode="asymmetric",
        nearest_mode="floor",
    ),
    case("Resize", IMAGE, {"r": weights(0), "k": np.float32([1, 1, 2, 3])}),
    case("Upsample", IMAGE, {"k": np.float32([1, 1, 2, 2])}, opset=9),
    case("DepthToSpace", IMAGE, blocksize=2),
    case("DepthToSpace", IMAGE, blocksize=2, mode="CRD"),
    case("SpaceToDepth", IMAGE, blocksize=3),
]


def compared(content: bytes) -> None:
    """Raises where the module of a file and ONNX Runtime differ, for one input and for several; or of a warning."""
    graph = read_graph(content)
    row = row_of(graph, None)
    draw = torch.Generator().manual_seed(1)
    batches = [torch.randn(n, *row, generator=draw).to(graph.dtype) for n in (1, 5)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module = OnnxModule(graph, row)
        check_agreement(module, module, batches)


@pytest.mark.parametrize("batch", ["batch", 1])
@pytest.mark.parametrize("tried", CASES)
def test_an_operator_is_that_of_onnx_runtime(tried: Case, batch: int | str) -> None:
    op, shape, given, attributes, opset = tried
    names = " ".join(["x", *given])
    if op == "Clip" and "max" not in given:
        names = "x min" if given else "x"
    compared(model([node(op, names, "y", **attributes)], (batch, *shape), given, opset=opset))


def test_an_image_is_resized_to_given_sizes() -> None:
    given = {"roi": weights(0), "scales": weights(0), "sizes": np.array([1, 4, 9, 12])}
    compared(model([node("Resize", "x roi scales sizes", "y", mode="cubic")], (1, *IMAGE), given))


@pytest.mark.parametrize("batch", ["batch", 1])
def test_a_constant_that_is_written_place_by_place_is_one(batch: int | str) -> None:
    """As the masks of shifted windows are exported."""
    given = {"c": weights(4, 4), "i": np.array([[[0, 1], [3, -1]]]), "u": weights(1, 2)}
    compared(model([node("ScatterND", "c i u", "m"), node("Add", "x m", "y")], (batch, 4, 4), given))


def test_a_network_that_mixes_inputs_parts_at_the_operator_that_does() -> None:
    nodes = [node("Relu", "x", "v"), node("ReduceMean", "v axes", "m"), node("Sub", "v m", "y")]
    with pytest.raises(NetworkError, match=r"ONNX Runtime for a batch of 5; got other logits from .* ReduceMean m on"):
        compared(model(nodes, (1, 4), {"axes": np.array([0])}))


@pytest.mark.parametrize("heads", [2, 4])
def test_a_reshape_that_merges_the_batch_with_heads_is_for_any_batch(heads: int) -> None:
    """As attention is exported: tokens first, and batch times heads in the middle."""
    nodes = [
        node("Transpose", "x", "t", perm=[1, 0, 2]),
        node("Reshape", "t split", "h"),
        node("Transpose", "h", "q", perm=[1, 0, 2]),
        node("Transpose", "h", "k", perm=[1, 2, 0]),
        node("MatMul", "q k", "s"),
        node("Softmax", "s", "a", axis=-1),
        node("MatMul", "a q", "o"),
        node("Transpose", "o", "back", perm=[1, 0, 2]),
        node("Reshape", "back merge", "m"),
        node("Transpose", "m", "z", perm=[1, 0, 2]),
        node("Flatten", "z", "y"),
    ]
    compared(model(nodes, (1, 5, 8), {"split": np.array([5, heads, 8 // heads]), "merge": np.array([5, 1, 8])}))
