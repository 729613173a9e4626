"""Networks by name, from a ``.pt2`` or an ``.onnx`` file, or from a factory in a Python module.

A ``.pt2`` file is checked first and runs no code (see `pt2_check`), nor does an ``.onnx`` file or one of weights. A
factory is Python code that its user names on purpose.
"""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.pt2_archive._package import load_pt2

from dnncov_core.errors import NetworkError, unknown_name
from dnncov_core.networks.companion import TOLD, companion
from dnncov_core.networks.exported_program import first_line, functional
from dnncov_core.networks.network import Network
from dnncov_core.networks.origins import origin
from dnncov_core.networks.pretrained import PRETRAINED, is_pretrained, pretrained_card
from dnncov_core.networks.pt2_check import check
from dnncov_core.networks.reference import REFERENCES, is_factory, is_file, named_weights, without_folder
from dnncov_core.networks.scaled import told_network
from dnncov_core.networks.zoo import EMBEDDED, embedded_card, load_embedded
from dnncov_core.outside_text import json_value
from dnncov_core.records import NetworkCard
from dnncov_core.types import Shape

FIX_BATCH = "export it with dynamic_shapes=({0: torch.export.Dim('batch')},)"


def load_network(reference: str) -> tuple[Network, NetworkCard]:
    """A network and what is known of it.

    Args:
        reference: an embedded name; a name of torchvision's, whose weights are downloaded unless they are here;
            ``NAME=FILE`` for such a network with the weights of a file; a ``.pt2`` file of ``torch.export.save``; an
            ``.onnx`` file; or ``package.module:factory``, where factory() returns a `Network`, and the working folder
            is importable. What a file does not say stands in a TOML file beside it: see `companion`.

    Raises:
        SpecificationError: there is no network of this name; the message lists those that exist.
        NetworkError: the file or the factory gives no network that can be used.
    """
    if is_file(reference):
        path = Path(os.path.expanduser(reference))
        network = _from_onnx(path) if path.suffix == ".onnx" else _from_file(path)
        return network, network.card(Path(reference).stem, description=origin(reference))
    if is_factory(reference):
        network = _from_factory(*reference.split(":"))
        return network, network.card(reference)
    if reference in EMBEDDED:
        return load_embedded(reference), embedded_card(reference)
    if is_pretrained(reference):
        return _pretrained(reference)
    raise unknown_name(f"network (or {REFERENCES})", reference, (*EMBEDDED, *PRETRAINED))


def _pretrained(reference: str) -> tuple[Network, NetworkCard]:
    from dnncov_core.networks.pretrained_modules import load_pretrained  # torchvision takes a second to import

    if weights := named_weights(reference):
        name, file = weights
        network = load_pretrained(name, file)
        return network, network.card(without_folder(reference), description=origin(reference))
    network, known = load_pretrained(reference), pretrained_card(reference)
    return network, replace(known, layers=network.layers, edges=network.edges, fingerprint=network.fingerprint)


def _from_onnx(path: Path) -> Network:
    return told_network(partial(Network.from_onnx, path), companion(path))


def _from_file(path: Path) -> Network:
    checked, told = check(path), companion(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = load_pt2(checked.archive).exported_programs["model"]
            shape = _input_shape(program, path)
            network = told_network(partial(Network, functional(program), shape), _extra(checked.extra, path) | told)
            _check_that_it_runs(network)
    except NetworkError:
        raise
    except Exception as error:  # whatever a damaged program makes PyTorch raise
        got = f"{path}, which PyTorch {torch.__version__} cannot read: {first_line(error)}"
        raise NetworkError("a .pt2 file of torch.export.save", got, "export the network again") from error
    return network


def _check_that_it_runs(network: Network) -> None:
    """Sends one input and two through a network of a file, which may describe operators that do not fit together."""
    for batch in (1, 2):
        logits = network(torch.from_numpy(network.box.low).expand(batch, *network.input_shape))
        if logits.shape != (batch, network.layers[-1].neurons):
            raise ValueError(f"logits of shape {tuple(logits.shape)} for {batch} inputs")


def _input_shape(program: ExportedProgram, path: Path) -> Shape:
    """The shape of one input, from the program's only one, whose batch dimension must be dynamic."""
    names = program.graph_signature.user_inputs
    inputs = [node for node in program.graph.nodes if node.op == "placeholder" and node.name in names]
    values = [node.meta.get("val") for node in inputs]
    if len(values) != 1 or not isinstance(values[0], torch.Tensor) or values[0].ndim < 2:
        got = f"{len(values)} inputs in {path}" if len(values) != 1 else f"{values[0]} in {path}"
        raise NetworkError("forward with one tensor, a batch of inputs", got, "wrap the module and export it again")
    batch, *shape = values[0].shape
    if isinstance(batch, int):
        raise NetworkError("a program for batches of any size", f"batch size {batch} in {path}", FIX_BATCH)
    if not all(isinstance(size, int) for size in shape):
        got = f"{tuple(values[0].shape)} in {path}"
        raise NetworkError("a program whose batch dimension alone is dynamic", got, FIX_BATCH)
    return tuple(shape)


def _extra(text: str | None, path: Path) -> dict[str, Any]:
    """Bounds, classes and what else the file says of its inputs, for `Network` to check."""
    if text is None:
        return {}
    try:
        fields = json_value(text)
        told = {"bounds": fields["bounds"], "classes": fields["classes"]}
        return told | {name: fields.get(name) for name in TOLD}
    except (ValueError, KeyError, TypeError) as error:
        got = f"{path} with {first_line(error)}"
        raise NetworkError("bounds and classes in dnncov.json", got, "save the network again") from error


def _from_factory(module_name: str, name: str) -> Network:
    reference = f"{module_name}:{name}"
    with _working_folder_importable():
        network = _called(_factory(module_name, name), reference)
    if not isinstance(network, Network):
        raise NetworkError(f"a dnncov_core.Network from {reference}", type(network).__name__, "return a Network")
    return network


def _factory(module_name: str, name: str) -> Callable[[], Any]:
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        got = f"no module {error.name} from {Path.cwd()}"
        raise NetworkError(f"the module {module_name}", got, "change to its folder or install it") from error
    except Exception as error:  # whatever the user's own code raises
        got = f"{type(error).__name__}: {first_line(error)}"
        raise NetworkError(f"the module {module_name} to be importable", got, "correct the module") from error
    factory = getattr(module, name, None)
    if not callable(factory):
        names = ", ".join(key for key, value in vars(module).items() if callable(value) and not key.startswith("_"))
        raise NetworkError(
            f"a function {name} in {module_name}", f"only {names}" if names else "no function in it", "correct its name"
        )
    return factory  # type: ignore[no-any-return]


def _called(factory: Callable[[], Any], reference: str) -> Any:
    try:
        return factory()
    except NetworkError:
        raise
    except Exception as error:  # whatever the user's own code raises
        got = f"{type(error).__name__}: {first_line(error)}"
        raise NetworkError(f"a network from {reference}()", got, "correct the factory") from error


@contextmanager
def _working_folder_importable() -> Iterator[None]:
    """Puts the working folder first where modules are looked up, as ``python -m`` does."""
    folder = str(Path.cwd())
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
