"""What the fork server of a pool imports beside PyTorch, and nothing else does.

A process that begins when its campaign has just ended finds the semaphores gone, and ends without a word.

PyTorch makes its pool of threads anew in a process that was forked, when it is first asked for. A first backward pass
asks from several threads at once, and now and then one of them finds none and ends the process
(https://github.com/pytorch/pytorch/issues/178535), so each process asks by itself first.
"""

from __future__ import annotations

import functools
import os
import sys
from types import TracebackType

import torch


def say_unless_too_late(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Takes the place of Python's own `sys.excepthook`."""
    if not issubclass(kind, FileNotFoundError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = say_unless_too_late
os.register_at_fork(after_in_child=functools.partial(torch.set_num_threads, 1))
