"""The network as an ONNX file whose further outputs are u and v of every hidden layer."""

from __future__ import annotations

from itertools import product

import numpy as np
import torch
from torch import Tensor, nn

from dnncov_core.errors import NetworkError
from dnncov_core.networks.exported_program import first_line
from dnncov_core.networks.graph import Apply
from dnncov_core.networks.module_check import drawn
from dnncov_core.networks.network import Network

INPUT, SCORES = "x", "scores"
TRIED = (1, 5)
"""Inputs at a time on which ONNX Runtime is compared with the network."""
AGREEMENT = 1e-5
"""The largest difference, as a share of the largest value of a layer, or of 1 where that is less."""


class _Values(nn.Module):
    """The scores of a batch, then u and v of each hidden layer, ``(batch, neurons)``."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self._network = network
        hidden = range(2, network.depth)
        self.names = [SCORES, *(f"{values}{layer}" for layer, values in product(hidden, "uv"))]

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        """See the class."""
        found: dict[int, tuple[Tensor, Tensor]] = {}

        def keep(layer: int, u: Tensor, apply: Apply) -> Tensor:
            v = apply(u)
            found[layer] = u.flatten(1), v.flatten(1)
            return v

        scores = self._network.run(x, on_activation=keep)
        return (scores, *(values for layer in sorted(found) for values in found[layer]))


def onnx_model(network: Network) -> bytes:
    """The ONNX file, in the network's own precision and for batches of any size, once ONNX Runtime gives the same.

    Raises:
        NetworkError: an operator cannot be written, or runs otherwise in ONNX Runtime.
    """
    values, x = _Values(network), drawn(network, 2)
    try:
        with torch.no_grad():
            program = torch.export.export(values, (x,), dynamic_shapes=({0: torch.export.Dim("batch")},), strict=False)
            written = torch.onnx.export(
                program, dynamo=True, input_names=[INPUT], output_names=values.names, optimize=False, verbose=False
            )
        assert written is not None, "a program is returned where no file is named"
        content: bytes = written.model_proto.SerializeToString()
        parting = _parting(values, content)
    except Exception as error:  # whatever an operator makes PyTorch's exporter or ONNX Runtime raise
        expected = "a network whose operators ONNX can hold"
        raise NetworkError(expected, first_line(error), "read the pack without model.onnx") from error
    if parting:
        raise NetworkError("the values of the network from ONNX Runtime", parting, "read the pack without model.onnx")
    return content


def _parting(values: _Values, content: bytes) -> str:
    """The first layer in which ONNX Runtime gives other values than the network; empty if none does."""
    import onnxruntime

    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    for n in TRIED:
        x = drawn(values._network, n)
        with torch.no_grad():
            expected = values(x)
        for name, own, other in zip(values.names, expected, session.run(values.names, {INPUT: x.numpy()}), strict=True):
            most = max(1.0, float(own.abs().max()))
            apart = float(np.abs(own.numpy() - other).max()) / most
            if not apart <= AGREEMENT:
                return f"{name} differs by {apart:.2g} of its largest value"
    return ""
