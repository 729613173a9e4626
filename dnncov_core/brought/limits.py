"""What a check of files from outside may take: time, memory, and room in the user's folder."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from dnncov_core.errors import DataError
from dnncov_core.resources import gib_in, home

SECONDS, MEMORY_GIB, LARGEST_GIB = 600, 6, 2
"""What a check may take: seconds by the clock, memory, and any file that it writes."""
QUOTA_GIB, QUOTA = 4.0, "DNNCOV_BROUGHT_GIB"
"""Room for all files that were brought, those in the trash included, and the environment variable that changes it."""
GIB = 2**30


def confine() -> None:
    """Limits the memory, the processor's time and the files of this process, where its system can do that."""
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = {
        resource.RLIMIT_DATA: MEMORY_GIB * GIB,
        resource.RLIMIT_CPU: SECONDS * (os.cpu_count() or 1),
        resource.RLIMIT_FSIZE: LARGEST_GIB * GIB,
        resource.RLIMIT_CORE: 0,
    }
    for what, most in wanted.items():
        with suppress(ValueError, OSError):  # what the system already limits further
            resource.setrlimit(what, (most, most))


@contextmanager
def in_time(late: Callable[[], None]) -> Iterator[None]:
    """Calls ``late``, in a thread of its own, where the work takes longer than `SECONDS`."""
    timer = threading.Timer(SECONDS, late)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def room() -> int:
    """Bytes that files may still take.

    Raises:
        SpecificationError: the environment variable `QUOTA` has no number.
    """
    folders = (home() / "brought", home() / "trash" / "brought")
    return round(gib_in(QUOTA, QUOTA_GIB) * GIB) - sum(map(_bytes_in, folders))


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):  # it has just gone
            total += path.stat().st_size
    return total


def check_room(n_bytes: int, left: int) -> None:
    """Refuses a file that is larger than what is left.

    Raises:
        DataError: it is.
    """
    if n_bytes > left:
        fix = f"delete files, empty the trash on the page Overview, or set {QUOTA} to allow more GiB"
        raise DataError(f"a file of at most {max(left, 0) / 1e6:,.0f} MB", "a larger one", fix)
