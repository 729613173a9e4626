"""From a user's module to a functional graph of ATen operators, through torch.export."""

from __future__ import annotations

import copy
import io
import logging
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr

import torch
from torch import nn
from torch.export import Dim, ExportedProgram

from dnncov_core.errors import NetworkError
from dnncov_core.types import Shape

_ALONE = threading.RLock()


def evaluated_copy(module: nn.Module) -> nn.Module:
    """A copy of the module on the CPU and in eval mode; the module itself is left alone.

    Raises:
        NetworkError: it cannot be copied.
    """
    try:
        return copy.deepcopy(module).cpu().eval()
    except Exception as error:  # whatever the user's own code raises
        fix = "keep open files, locks and hooks out of it"
        raise NetworkError("a module that can be copied", first_line(error), fix) from error


def export_module(module: nn.Module, input_shape: Shape) -> ExportedProgram:
    """Exports a module that is in eval mode, with a dynamic batch dimension.

    Raises:
        NetworkError: the module cannot be run or exported on a batch of this shape.
    """
    try:
        example = torch.zeros(2, *input_shape, dtype=dtype_of(module.state_dict()))
        with torch.no_grad(), _quietly():
            module(example)
            program = torch.export.export(module, (example,), dynamic_shapes=({0: Dim("batch")},))
        return functional(program)
    except NetworkError:
        raise
    except Exception as error:  # whatever the user's own code raises
        raise NetworkError(
            f"a module that torch.export takes on a batch of shape (batch, {', '.join(map(str, input_shape))})",
            first_line(error),
            "check the input shape, and control flow that depends on values or on the batch size",
        ) from error


def functional(program: ExportedProgram) -> ExportedProgram:
    """The program without in-place operators; no operator is decomposed."""
    with torch.no_grad(), _quietly():
        without_in_place: ExportedProgram = program.run_decompositions({})
        return without_in_place


@contextmanager
def _quietly() -> Iterator[None]:
    """Keeps PyTorch's warnings, and the graph that it prints beside an error, off standard error.

    One thread at a time: torch.export changes PyTorch itself while it traces, and standard error is the process's.
    """
    with _ALONE, warnings.catch_warnings(), redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        before = logging.root.manager.disable
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(before)


def dtype_of(state: dict[str, torch.Tensor]) -> torch.dtype:
    """The precision of a network: that of its first floating-point weight, float32 without any."""
    return next((t.dtype for t in state.values() if t.is_floating_point()), torch.float32)


def first_line(error: BaseException) -> str:
    """The first line of an exception's text, or its type's name."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__) or type(error).__name__
