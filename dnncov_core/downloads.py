"""How anything is downloaded: progress on standard error, and no waiting for a server that does not answer."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from http.client import HTTPException

TIMEOUT = 30.0
"""Seconds without an answer after which a download gives up."""
FAILURES = (RuntimeError, OSError, EOFError, HTTPException)
"""What torch and torchvision raise on a download that fails, one with a wrong checksum included."""


@contextmanager
def downloading() -> Iterator[None]:
    """Sends what a download prints to standard error, and gives up after `TIMEOUT`."""
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(TIMEOUT)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        socket.setdefaulttimeout(before)
