"""A copy of a network whose weights can be trained, and a ``.pt2`` file of it."""

from __future__ import annotations

import copy
import io
import json
from functools import cached_property
from pathlib import Path

import torch
from torch import fx, nn

from dnncov_core.errors import DataError, NetworkError
from dnncov_core.networks.companion import path_beside
from dnncov_core.networks.network import Network
from dnncov_core.networks.told import told

PRECISIONS = (torch.float32, torch.float64)
"""Those in which a network is trained."""
FILE = "a new file with the ending .pt2"


class Trainable:
    """A copy of a network whose weights can be trained; the network, and the module that it is of, stay as they are.

    The weights are the parameters of the exported program, those left out that do not require a gradient; where none
    does, as in a network from an ONNX file, they are all. The graph is that of eval mode: a batch norm keeps its
    running mean and variance, and its scale and shift are trained; a dropout drops nothing.

    Attributes:
        original: the network that was copied.
        module: the copied module of the program.
        network: the network with the copied weights, which changes with them.

    Raises:
        NetworkError: it has no weights, or they have half precision.
    """

    def __init__(self, network: Network) -> None:
        if network.dtype not in PRECISIONS:
            fix = "convert the module with module.float()"
            raise NetworkError("weights in float32 or float64, to train them", str(network.dtype), fix)
        self.original, self.module = network, copy.deepcopy(network.program.module())
        names = network.program.graph_signature.inputs_to_parameters
        weights = {node: self.module.get_parameter(names[node.name]) for node in _weights(network)}
        for parameter in self.module.parameters():
            parameter.requires_grad_(any(parameter is each for each in weights.values()))
        if not self.parameters:
            raise NetworkError("a network with weights that can be trained", "none", "export it with its parameters")
        self.network = network.with_weights(weights)

    @cached_property
    def parameters(self) -> list[nn.Parameter]:
        """The weights that are trained, each once."""
        return [parameter for parameter in self.module.parameters() if parameter.requires_grad]

    def freeze(self) -> None:
        """Ends the training: no gradient reaches the weights any more."""
        for parameter in self.parameters:
            parameter.requires_grad_(False).grad = None

    def save(self, path: Path) -> Network:
        """Writes the network as it is now, with all that it was told, to a file that is not there yet.

        Raises:
            DataError: the file is there, or cannot be written.
            NetworkError: the program cannot be exported again.
        """
        arguments = told(self.original)
        saved, content = Network(self.module, self.original.input_shape, **arguments), io.BytesIO()
        torch.export.save(saved.program, content, extra_files={"dnncov.json": json.dumps(arguments)})
        check_new(path)
        try:
            with path.open("xb") as file:
                file.write(content.getvalue())
        except OSError as error:
            raise DataError(FILE, f"{path.name}: {error.strerror}", "choose another name") from error
        return saved


def check_new(path: Path) -> None:
    """Refuses a file for a network that is there already, has another ending, or beside which a TOML file lies.

    Raises:
        DataError: it is refused.
    """
    if path.suffix != ".pt2":
        raise DataError(FILE, path.name, "give it that ending")
    for there in (path, path_beside(path)):
        if there.exists():
            raise DataError(FILE, f"{there.name}, which is there already", "choose another name")


def _weights(network: Network) -> list[fx.Node]:
    """The nodes of weights: floating-point parameters without the running means and variances of batch norms."""
    program = network.program
    names = program.graph_signature.inputs_to_parameters
    kept = {each for node in network.graph.nodes if "batch_norm" in node.name for each in node.args[3:5]}
    found = {
        node: program.state_dict[names[node.name]]
        for node, value in network.graph.state.items()
        if node.name in names and value.is_floating_point() and node not in kept
    }
    return [node for node, value in found.items() if value.requires_grad] or list(found)
