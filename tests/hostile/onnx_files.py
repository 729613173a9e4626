"""``.onnx`` files that are damaged, lie about sizes, name other files, or ask for all of the memory."""

from __future__ import annotations

import functools
import random
from pathlib import Path
from typing import Any

import numpy as np

from tests.hostile.trials import Case
from tests.hostile.values import MARKDOWN, bytes_changed
from tests.networks.onnx_models import model, node, onnx, weights

NETWORK = (("measure", "net.onnx", "--suite", "d.npz", "--criteria", "n,ss"),)
NUMBERS = (*range(-3, 12), 10**5, 2**31, 2**40, 2**62, 2**63 - 1, -(2**63))


@functools.cache
def whole() -> bytes:
    """An honest network of four inputs and three classes, with a reshape, a convolution and a pooling."""
    nodes = [
        node("Reshape", "x shape", "image"),
        node("Conv", "image w b", "h", pads=[1, 1, 1, 1], strides=[1, 1]),
        node("Relu", "h", "v"),
        node("MaxPool", "v", "p", kernel_shape=[2, 2], strides=[1, 1]),
        node("Flatten", "p", "f", axis=1),
        node("Gemm", "f u", "y", alpha=1.0, transB=1),
    ]
    given = {"shape": np.array([0, 1, 2, 2]), "w": weights(2, 1, 3, 3), "b": weights(2), "u": weights(3, 2)}
    return model(nodes, ("batch", 4), given)


def make(rng: random.Random, folder: Path) -> Case:
    """A file that is wrong in one way, and data for it."""
    if rng.random() < 0.4:
        content, words = bytes_changed(rng, whole())
    else:
        made = onnx.load_model_from_string(whole())
        words = rng.choice((_size, _number, _name, _operator, _bomb, _elsewhere))(rng, made)
        content = made.SerializeToString()
    (folder / "net.onnx").write_bytes(content)
    np.savez(folder / "d.npz", images=np.random.default_rng(0).random((6, 4), np.float32), labels=np.arange(6) % 3)
    return Case(words, NETWORK)


def _size(rng: random.Random, made: Any) -> str:
    """A size of a weight, or of the input."""
    dims = rng.choice([each.dims for each in made.graph.initializer] + [made.graph.input[0].type.tensor_type.shape.dim])
    value, place = rng.choice(NUMBERS), rng.randrange(len(dims))
    if isinstance(dims[place], int):
        dims[place] = value
    else:
        dims[place].dim_value = value
    return f"size {place} is {value}"


def _number(rng: random.Random, made: Any) -> str:
    """A number of an attribute, or of the shape that the input gets."""
    told = [each for every in made.graph.node for each in every.attribute]
    attribute, value = rng.choice(told), rng.choice(NUMBERS)
    if rng.random() < 0.3:
        shape = np.array([rng.choice(NUMBERS) for _ in range(rng.randrange(6))], np.int64)
        made.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(shape, "shape"))
        return f"shape is {shape}"
    if attribute.ints:
        attribute.ints[rng.randrange(len(attribute.ints))] = value
    else:
        attribute.CopyFrom(onnx.helper.make_attribute(attribute.name, rng.choice((value, float(value), "text"))))
    return f"{attribute.name} has {value}"


def _name(rng: random.Random, made: Any) -> str:
    """A name that is missing, odd or taken."""
    every, value = rng.choice(made.graph.node), rng.choice(("", "x", "y", "v", MARKDOWN, "\x1b[31m\n", "nobody"))
    if rng.random() < 0.3:
        every.name = value
        return f"a name is {value!r:.40}"
    names = rng.choice((every.input, every.output))
    names[rng.randrange(len(names))] = value
    return f"{every.op_type} takes or gives {value!r:.40}"


def _operator(rng: random.Random, made: Any) -> str:
    """Another operator, or another domain."""
    every = rng.choice(made.graph.node)
    every.op_type = rng.choice(
        ("Loop", "If", "RandomNormalLike", "Softmax", "Gather", "Pad", "Squeeze", "ArgMax", "Own")
    )
    every.domain = rng.choice(("", "", "", "ai.onnx.ml", "com.microsoft", MARKDOWN[:50]))
    return f"{every.domain} {every.op_type}"


def _bomb(rng: random.Random, made: Any) -> str:
    """A small file that asks for more memory than there is."""
    large = np.array(rng.choice(([2**20, 2**20], [2**15, 2**15], [2**40], [2**62, 4], [0, -1], [1, 2**27, 4])))
    made.graph.initializer.append(onnx.numpy_helper.from_array(large, "large"))
    made.graph.node.insert(0, node(rng.choice(("ConstantOfShape", "Identity")), "large", "much"))
    made.graph.node.insert(1, node(rng.choice(("Expand", "Tile", "Reshape", "Add")), "x much", "more"))
    made.graph.node[2].input[0] = rng.choice(("x", "more"))
    return f"sizes of {large.tolist()}"


def _elsewhere(rng: random.Random, made: Any) -> str:
    """Weights in another file."""
    weight = rng.choice(made.graph.initializer)
    place = rng.choice(("/etc/passwd", "../d.npz", "d.npz", "", MARKDOWN[:50]))
    onnx.external_data_helper.set_external_data(weight, place)
    if rng.random() < 0.5:
        weight.ClearField("raw_data")
    return f"weights in {place!r:.40}"
