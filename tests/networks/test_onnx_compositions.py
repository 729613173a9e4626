"""Activation functions that are written as several operators become one, and nothing else does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from dnncov_core.networks.onnx_check import check_agreement
from dnncov_core.networks.onnx_file import read_graph
from dnncov_core.networks.onnx_module import OnnxModule
from tests.networks.onnx_models import model, node, weights

HALF, ONE, ROOT = {"half": np.float32(0.5)}, {"one": np.float32([1])}, {"root": np.float32(np.sqrt(2))}
CUBE = {"three": np.float32(3), "a": np.float32(0.044715), "b": np.float32(np.sqrt(2 / np.pi))}
CLIP = {"three": np.float32(3), "zero": np.float32(0), "six": np.float32(6)}
COMPOSED: dict[str, tuple[str, dict[str, Any]]] = {
    "SiLU": ("Sigmoid:x:s Mul:x,s:v", {}),
    "Mish": ("Softplus:x:s Tanh:s:t Mul:t,x:v", {}),
    "Gelu": ("Div:x,root:a Erf:a:e Add:e,one:p Mul:x,p:m Mul:m,half:v", HALF | ONE | ROOT),
    "Gelu of halves": ("Mul:x,half:h Div:x,root:a Erf:a:e Add:one,e:p Mul:h,p:v", HALF | ONE | ROOT),
    "HardSwish": ("Add:x,three:a Clip:a,zero,six:b Mul:x,b:c Div:c,six:v", CLIP),
    "Gelu with tanh": (
        "Pow:x,three:c Mul:c,a:d Add:x,d:e Mul:e,b:f Tanh:f:t Add:t,one:p Mul:x,half:h Mul:h,p:v",
        HALF | ONE | CUBE,
    ),
    "-": ("Sigmoid:x:s Add:s,one:v", ONE),
    "- asked for twice": ("Sigmoid:x:s Mul:x,s:m Add:m,s:v", {}),
}


def composed(words: str, given: dict[str, Any]) -> bytes:
    """A network of one hidden layer, whose activation is written as ``Operator:inputs:output`` each."""
    steps = [step.split(":") for step in words.split()]
    nodes = [node(op, inputs.replace(",", " "), output) for op, inputs, output in steps]
    return model([*nodes, node("MatMul", "v w", "y")], ("n", 4), {**given, "w": weights(4, 3)})


@pytest.mark.parametrize("name", COMPOSED)
def test_an_activation_written_as_several_operators_is_one(name: str) -> None:
    words, given = COMPOSED[name]
    written = [step.split(":")[0] for step in words.split()]
    module = OnnxModule(read_graph(composed(words, given)), (4,))
    one = [name.removesuffix(" of halves")]
    assert [each.node.op for each in module.operators] == [*(written if name.startswith("-") else one), "MatMul"]
    check_agreement(module, module, [torch.linspace(-9, 9, 36).reshape(9, 4)])
