"""Networks of ONNX files: layers, shapes, batches, and one clear line for a file that cannot be used."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from dnncov_core.errors import NetworkError
from dnncov_core.networks import onnx_operators
from dnncov_core.networks.loader import load_network
from dnncov_core.networks.network import Network
from tests.networks.onnx_models import model, node, onnx, perceptron, weights


def plain(x: torch.Tensor) -> torch.Tensor:
    """The perceptron, by hand."""
    hidden = torch.relu(x @ torch.from_numpy(weights(5, 4)).T + torch.from_numpy(weights(5)))
    return hidden @ torch.from_numpy(weights(5, 3))


@pytest.mark.parametrize(("shape", "listed"), [(("batch", 4), True), ((1, 4), False), ((None, 4), False)])
def test_a_file_gives_the_network_of_its_nodes(shape: Any, listed: bool, tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    path.write_bytes(perceptron(shape, listed=listed, opset=8))
    network, card = load_network(str(path))
    assert [(layer.name, layer.kind, layer.neurons) for layer in network.layers] == [
        ("input", "input", 4),
        ("v", "relu", 5),
        ("output", "logits", 3),
    ]
    assert (card.name, network.input_shape, network.parameters) == ("net", (4,), 5 * 4 + 5 + 5 * 3)
    x = torch.rand(7, 4)
    torch.testing.assert_close(network(x), plain(x))
    assert network.fingerprint == Network.from_onnx(path.read_bytes()).fingerprint


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_a_network_keeps_its_precision(dtype: Any) -> None:
    nodes = [node("Gemm", "x w", "h", transB=1), node("Tanh", "h", "v"), node("MatMul", "v u", "y")]
    given = {"w": weights(5, 4).astype(dtype), "u": weights(5, 3).astype(dtype)}
    assert Network.from_onnx(model(nodes, ("n", 4), given, dtype=dtype)).dtype == getattr(torch, dtype.__name__)


@pytest.mark.parametrize("head", ["Softmax", "Sigmoid"])
def test_a_head_is_left_out(head: str) -> None:
    nodes = [
        node("Gemm", "x w", "h", transB=1),
        node("Relu", "h", "v"),
        node("MatMul", "v u", "z"),
        node(head, "z", "y"),
    ]
    network = Network.from_onnx(model(nodes, ("n", 4), {"w": weights(5, 4), "u": weights(5, 3)}))
    x = torch.rand(6, 4)
    torch.testing.assert_close(network.answer(x), getattr(torch, head.lower())(network(x), *[1] * (head == "Softmax")))
    assert [layer.kind for layer in network.layers] == ["input", "relu", "logits"]


def test_layers_are_called_as_in_the_file_but_for_odd_letters() -> None:
    made = onnx.load_model_from_string(perceptron())
    for name, label in (
        ("/a/b.0/Relu", "a/b.0/Relu"),
        ("![x](y)\n<b>", "__x__y___b_"),
        ("", "Relu_1"),
        ("a" * 999, "a" * 100),
    ):
        made.graph.node[1].name = name
        assert Network.from_onnx(made.SerializeToString()).layers[1].name == label


def test_bounds_and_classes_are_told() -> None:
    network = Network.from_onnx(perceptron(), bounds=(-1, 1), classes=["a", "b", "c"], inputs=torch.zeros(2, 4))
    assert (network.bounds, network.classes) == ((-1.0, 1.0), ("a", "b", "c"))


def test_another_input_shape_has_as_many_values() -> None:
    network = Network.from_onnx(perceptron(), input_shape=(1, 2, 2))
    assert network.input_shape == (1, 2, 2)
    x = torch.rand(3, 1, 2, 2)
    torch.testing.assert_close(network(x), plain(x.reshape(3, 4)))
    with pytest.raises(NetworkError, match=r"input_shape of 4 values, as the file's \(4,\); got \(3, 2\)"):
        Network.from_onnx(perceptron(), input_shape=(3, 2))


def test_open_sizes_are_those_of_the_given_shape() -> None:
    nodes = [
        node("Conv", "x w", "h"),
        node("Relu", "h", "v"),
        node("GlobalAveragePool", "v", "p"),
        node("Flatten", "p", "y"),
    ]
    content = model(nodes, ("n", 2, "h", "w"), {"w": weights(3, 2, 3, 3)})
    assert [layer.shape for layer in Network.from_onnx(content, (2, 5, 6)).layers] == [(2, 5, 6), (3, 3, 4), (3,)]
    with pytest.raises(NetworkError, match=r"input_shape, the sizes of one input; got \(2, \?, \?\) in the file"):
        Network.from_onnx(content)


def test_a_vector_without_a_batch_gets_one() -> None:
    nodes = [node("MatMul", "x w", "h"), node("Relu", "h", "v"), node("MatMul", "v u", "y")]
    network = Network.from_onnx(model(nodes, (4,), {"w": weights(4, 5), "u": weights(5, 3)}))
    assert network.input_shape == (4,)
    assert network(torch.rand(6, 4)).shape == (6, 3)


@pytest.mark.parametrize("target", [[1, 2, 2], [1, -1, 2], [-1, 2, 2], [0, 2, 2]])
def test_a_reshape_of_one_becomes_one_of_any_batch(target: list[int]) -> None:
    nodes = [
        node("Reshape", "x s", "a"),
        node("Relu", "a", "b"),
        node("Transpose", "b", "c", perm=[0, 2, 1]),
        node("Reshape", "c t", "d"),
        node("MatMul", "d w", "y"),
    ]
    given = {"s": np.array(target), "t": np.array([1, 4]), "w": weights(4, 3)}
    network = Network.from_onnx(model(nodes, (1, 4), given))
    x = torch.rand(5, 4) - 0.5
    expected = x.reshape(5, 2, 2).relu().transpose(1, 2).reshape(5, 4) @ torch.from_numpy(weights(4, 3))
    torch.testing.assert_close(network(x), expected)


@pytest.mark.parametrize("batch", ["batch", 1])
def test_arithmetic_on_shapes_ends_at_import(batch: int | str) -> None:
    nodes = [
        node("Shape", "x", "all"),
        node("Gather", "all zero", "n"),
        node("Unsqueeze", "n axes", "list"),
        node("Concat", "list rest", "target", axis=0),
        node("Relu", "x", "v"),
        node("Reshape", "v target", "two"),
        node("ReduceSum", "two last", "y", keepdims=0),
    ]
    given = {"zero": np.array(0), "axes": np.array([0]), "rest": np.array([3, -1]), "last": np.array([2])}
    network = Network.from_onnx(model(nodes, (batch, 6), given))
    x = torch.rand(4, 6) - 0.5
    torch.testing.assert_close(network(x), x.relu().reshape(4, 3, 2).sum(2))
    assert len(network.graph.nodes) < 12


def test_an_activation_that_is_written_as_several_operators_is_one() -> None:
    nodes = [
        node("Gemm", "x w", "h", transB=1),
        node("Div", "h root", "a"),
        node("Erf", "a", "e"),
        node("Add", "e one", "p"),
        node("Mul", "h p", "m"),
        node("Mul", "m half", "v"),
        node("Sigmoid", "v", "gate"),
        node("Mul", "gate v", "z"),
        node("MatMul", "z u", "y"),
    ]
    constants = {"root": np.float32(np.sqrt(2)), "one": np.float32([1]), "half": np.float32(0.5)}
    network = Network.from_onnx(model(nodes, ("n", 4), {"w": weights(5, 4), "u": weights(5, 3), **constants}))
    assert [(layer.name, layer.kind) for layer in network.layers[1:-1]] == [("v", "gelu"), ("z", "silu")]


def test_the_operator_is_named_from_which_on_numbers_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(onnx_operators.OPERATORS, "Relu", lambda x: torch.relu(x) * 1.0001)
    with pytest.raises(NetworkError, match="other logits from the operator Relu v on; leave that operator out"):
        Network.from_onnx(perceptron())


# Refusals

ANOTHER = onnx.helper.make_node("Relu", ["x"], ["y"], domain="com.example")
GRAPH = onnx.helper.make_graph([node("Relu", "x", "z")], "g", [], [])
REFUSED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", r"an ONNX graph with one input; got 0 \(\)"),
    "text": (b"what is this", "an ONNX file; got bytes that the package onnx does not take"),
    "cut": (perceptron()[:-100], "an ONNX file"),
    "another domain": (model([ANOTHER], (1, 4)), "the operator Relu of the domain com.example"),
    "a loop": (model([node("Loop", "x x x", "y", body=GRAPH)], (1, 4)), "a graph within the operator Loop"),
    "random": (
        model([node("RandomUniformLike", "x", "y")], (1, 4)),
        "got none at the operator RandomUniformLike y",
    ),
    "unknown attribute": (model([node("Relu", "x", "y", odd=1)], (1, 4)), "at the operator Relu y"),
    "large input": (perceptron(("n", 2**62)), r"an input of at most 67,108,864 values; got 4,611,[\d,]*; use smaller"),
    "batch of five": (perceptron((5, 4)), "for batches of any size, or of one; got a batch of 5"),
    "order": (
        model([node("Relu", "h", "y"), node("Relu", "x", "h")], (1, 4)),
        "got 'h', which none gives, at the operator Relu y",
    ),
    "too large": (
        model([node("ConstantOfShape", "s", "h"), node("Add", "x h", "y")], (1, 4), {"s": np.array([2**20, 2**20, 4])}),
        r"at most 67,108,864 values for one input; got [\d,]* at the operator ConstantOfShape h",
    ),
    "depends on values": (
        model([node("Cast", "x", "s", to=7), node("Expand", "x s", "y")], (1, 4)),
        "got shape, which the input's values decide, at the operator Expand y",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(name: str) -> None:
    content, words = REFUSED[name]
    with pytest.raises(NetworkError, match=words) as refusal:
        Network.from_onnx(content)
    assert "\n" not in str(refusal.value)


def test_weights_in_another_file_are_refused(tmp_path: Path) -> None:
    made = onnx.load_model_from_string(perceptron())
    onnx.save_model(made, tmp_path / "net.onnx", save_as_external_data=True, size_threshold=0)
    with pytest.raises(NetworkError, match=r"got weights in another file; export the network with .* all weights"):
        Network.from_onnx(tmp_path / "net.onnx")


def test_two_inputs_are_refused_by_name() -> None:
    made = onnx.load_model_from_string(perceptron())
    made.graph.input.append(onnx.helper.make_tensor_value_info("mask", 1, [1]))
    with pytest.raises(NetworkError, match=r"an ONNX graph with one input; got 2 \(x, mask\)"):
        Network.from_onnx(made.SerializeToString())


def test_one_of_several_outputs_is_chosen_by_name() -> None:
    made = onnx.load_model_from_string(perceptron())
    made.graph.output.insert(0, onnx.helper.make_tensor_value_info("h", 1, None))
    content = made.SerializeToString()
    for output in ("y", 1):
        assert Network.from_onnx(content, output=output).fingerprint == Network.from_onnx(perceptron()).fingerprint
    with pytest.raises(NetworkError, match=r"output, one of h, y; got None; choose one with .*output="):
        Network.from_onnx(content)
    with pytest.raises(NetworkError, match=r"output, one of h, y; got z"):
        Network.from_onnx(content, output="z")


def test_an_input_without_sizes_is_refused() -> None:
    made = onnx.load_model_from_string(perceptron())
    made.graph.input[0].type.tensor_type.ClearField("shape")
    with pytest.raises(NetworkError, match="for batches of any size, or of one; got none"):
        Network.from_onnx(made.SerializeToString())


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match=r"a readable ONNX file; got .*none\.onnx: No such file"):
        Network.from_onnx(tmp_path / "none.onnx")


def test_without_the_packages_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    said = r"onnxruntime.*; in the environment that runs this program: pip install onnx onnxruntime$"
    with pytest.raises(NetworkError, match=said):
        Network.from_onnx(perceptron())
