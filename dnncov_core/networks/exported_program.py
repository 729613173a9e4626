"""From a user's module to a functional graph of ATen operators, through torch.export."""

from __future__ import annotations

import copy
import io
import logging
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr
from typing import Any

import torch
from torch import fx, nn
from torch.export import Dim, ExportedProgram

from dnncov_core.errors import NetworkError, give_network
from dnncov_core.types import Shape

PRECISIONS = (torch.float16, torch.float32, torch.float64)
"""Those that a network may have; NumPy has no others."""
_ALONE = threading.RLock()
"""Held while modules are called or traced: torch.export changes `nn.Module` for all threads while it traces."""


def evaluated_copy(module: nn.Module) -> nn.Module:
    """A copy of the module on the CPU and in eval mode; the module itself is left alone.

    Raises:
        NetworkError: it cannot be copied, or is no module.
    """
    if not isinstance(module, nn.Module):
        raise NetworkError("a torch.nn.Module", f"a {type(module).__name__}", "give an object of such a class")
    try:
        return copy.deepcopy(module, _computed(module)).cpu().eval()
    except Exception as error:  # whatever the user's own code raises
        fix = "keep open files, locks and hooks out of it"
        raise NetworkError("a module that can be copied", first_line(error), fix) from error


def _computed(module: nn.Module) -> dict[int, torch.Tensor]:
    """Copies of tensors that a module has made of its weights and keeps, as pruning does; by identity."""
    kept = (value for part in module.modules() for value in vars(part).values() if isinstance(value, torch.Tensor))
    return {id(value): value.detach().clone() for value in kept if not value.is_leaf}


def export_module(module: nn.Module, input_shape: Shape, output: str | int | None = None) -> ExportedProgram:
    """Exports a module that is in eval mode, with a dynamic batch dimension; ``output`` as `answer_of` takes it.

    Raises:
        NetworkError: the module cannot be run or exported on a batch of this shape, or in its precision.
    """
    try:
        example = torch.zeros(2, *input_shape, dtype=dtype_of(module.state_dict()))
        with torch.no_grad(), _quietly():
            answer_of(module, example, output)
            program = torch.export.export(module, (example,), dynamic_shapes=({0: Dim("batch")},))
        return functional(program)
    except NetworkError:
        raise
    except Exception as error:  # whatever the user's own code raises
        raise NetworkError(
            f"a module that torch.export takes on a batch of shape (batch, {', '.join(map(str, input_shape))})",
            first_line(error),
            _what_to_do(module),
        ) from error


def answer_of(module: nn.Module, x: torch.Tensor, output: str | int | None = None) -> torch.Tensor:
    """What a module gives for a batch, without gradients; whatever it raises passes.

    Args:
        module: the module.
        x: the batch.
        output: which of several outputs, by its key or its place.

    Raises:
        NetworkError: it gives something else than one tensor, or has no such output.
    """
    with torch.no_grad(), _ALONE:
        answer: torch.Tensor = chosen(module(x), output)
    return answer


def chosen(answer: Any, output: str | int | None) -> Any:
    """One output of what a module, or its graph, returns.

    Raises:
        NetworkError: there are several or none, and ``output`` names none of them.
    """
    is_sequence = isinstance(answer, list | tuple)
    names = list(answer) if isinstance(answer, Mapping) else list(range(len(answer))) if is_sequence else []
    if output is None and not names and isinstance(answer, torch.Tensor | fx.Node):
        return answer
    if output is None and len(names) == 1:
        output = names[0]
    if output in names:
        return chosen(answer[output], None)
    if not names:
        got = f"a {type(answer).__name__}" if output is None else f"output={output!r} of one"
        raise NetworkError("forward that returns one tensor of logits", got, "return the logits alone")
    got = f"a {type(answer).__name__} of {len(names)}" if output is None else repr(output)
    expected = f"output, which of {', '.join(map(repr, names))} are the logits"
    raise NetworkError(expected, got, f"{give_network(f'output = {names[0]!r}')}; or return the logits alone")


def _what_to_do(module: nn.Module) -> str:
    """What may help a module that cannot be exported."""
    kinds = {tensor.dtype for tensor in module.parameters()}
    if len(kinds) > 1 or not all(kind.is_floating_point for kind in kinds):
        return f"give all weights one precision with module.float(): they are {_named(kinds)}"
    if any(".quantized" in type(part).__module__ for part in module.modules()):
        return "give the module from before it was quantised"
    return "check the input shape, and control flow that depends on values or on the batch size"


def functional(program: ExportedProgram) -> ExportedProgram:
    """The program without in-place operators; no operator is decomposed."""
    with torch.no_grad(), _quietly():
        without_in_place: ExportedProgram = program.run_decompositions({})
        return without_in_place


@contextmanager
def _quietly() -> Iterator[None]:
    """Keeps PyTorch's warnings, and the graph that it prints beside an error, off standard error.

    One thread at a time, also since standard error is the process's.
    """
    with _ALONE, warnings.catch_warnings(), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        before = logging.root.manager.disable
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(before)


def dtype_of(state: Mapping[str, Any]) -> torch.dtype:
    """The precision of a network: that of its first floating-point weight, float32 without any.

    Raises:
        NetworkError: it is none of `PRECISIONS`.
    """
    kinds = [value.dtype for value in state.values() if isinstance(value, torch.Tensor)]
    dtype = next((kind for kind in kinds if kind.is_floating_point or kind.is_complex), torch.float32)
    if dtype not in PRECISIONS:
        fix = "convert the module with module.float(), and export it again if it is in a file"
        raise NetworkError("weights in float16, float32 or float64", _named([dtype]), fix)
    return dtype


def _named(kinds: Iterable[torch.dtype]) -> str:
    """Names of precisions: ``float32 and float64``."""
    return " and ".join(sorted(str(kind).removeprefix("torch.") for kind in kinds))


def first_line(error: BaseException) -> str:
    """The first line of an exception's text, or its type's name."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__) or type(error).__name__
