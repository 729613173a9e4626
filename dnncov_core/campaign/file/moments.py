"""Answers of a campaign file at one moment, each read once; those of a file at rest are kept for all sessions."""

from __future__ import annotations

import functools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import Any, TypeVar, cast

Moment = dict[Hashable, Any]
"""Answers, by the method that read them and its arguments."""
Stamp = tuple[tuple[int, int, int], ...]
"""Inode, time of change in nanoseconds, and size of each file that holds something."""

AT_REST_SECONDS = 3.0
"""A file that changed less long ago may change once more within the same tick of the clock of its file system."""
MOST_FILES = 64
"""Campaign files at rest of which answers are kept; the one that was asked for longest ago goes first."""

_at_rest: OrderedDict[tuple[str, Stamp], Moment] = OrderedDict()
_lock = threading.Lock()


Reading = TypeVar("Reading", bound=Callable[..., Any])


def once(read: Reading) -> Reading:
    """A reading method of a store or of one of its parts that reads once in each moment of its ``database``.

    Its arguments are hashable, and few are asked for; nobody changes its answer, which several sessions may share.
    """

    @functools.wraps(read)
    def answer(self: Any, *arguments: Hashable, **named: Hashable) -> Any:
        moment: Moment | None = self.database.moment
        if moment is None:
            return read(self, *arguments, **named)
        key = (read.__qualname__, arguments, tuple(named.items()))
        if key not in moment:
            moment[key] = read(self, *arguments, **named)
        return moment[key]

    return cast(Reading, answer)


def stamp_of(path: Path, suffixes: Iterable[str] = ("", "-wal")) -> Stamp:
    """What changes whenever a campaign file, or what SQLite keeps beside it, changes; or files of other suffixes."""
    parts = []
    for suffix in suffixes:
        try:
            status = path.with_name(path.name + suffix).stat()
        except OSError:
            continue
        if status.st_size:  # readers leave an empty file behind
            parts.append((status.st_ino, status.st_mtime_ns, status.st_size))
    return tuple(parts)


def moment_of(path: Path, before: Stamp, after: Stamp) -> Moment:
    """What was read before of a file as it stands, to be added to; nothing of a file that is being written.

    Its stamps are those before the moment began, and after.
    """
    newest = max((changed for _, changed, _ in after), default=0) / 1e9
    if before != after or abs(time.time() - newest) < AT_REST_SECONDS:
        return {}
    key = (str(path.resolve()), after)
    with _lock:
        moment = _at_rest.setdefault(key, {})
        _at_rest.move_to_end(key)
        while len(_at_rest) > MOST_FILES:
            _at_rest.popitem(last=False)
        return moment
