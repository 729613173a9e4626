"""What the fork server of a pool imports beside PyTorch, and nothing else does.

A process that begins when its campaign has just ended finds the semaphores gone, and ends without a word.
"""

from __future__ import annotations

import sys
from types import TracebackType


def say_unless_too_late(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Takes the place of Python's own `sys.excepthook`."""
    if not issubclass(kind, FileNotFoundError):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = say_unless_too_late
