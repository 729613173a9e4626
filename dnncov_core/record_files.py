"""Small JSON files of the user's: each is whole at any time, and is judged as a record when it is read."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from dnncov_core.errors import DataError, unwritable
from dnncov_core.outside_text import json_value
from dnncov_core.outside_values import record

T = TypeVar("T")


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes a text, or bytes, beside the file, and renames it; of two at a time, one is there in the end.

    Raises:
        OSError: it cannot be written; nothing is left beside the file.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.part")
    try:
        beside.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise


@contextmanager
def writing(option: str) -> Iterator[None]:
    """Says of a file that cannot be written by which option of a command it was asked for.

    Raises:
        DataError: it cannot be written.
    """
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError("a file that can be written", reason, f"choose another {option}") from error


def write_record(path: Path, value: Any) -> None:
    """Writes a dataclass, into a folder that is made if need be.

    Raises:
        DataError: the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(asdict(value)))
    except OSError as error:
        raise unwritable(error) from error


def read_record(kind: Callable[..., T], path: Path, *, ignore_unknown: bool = False) -> T:
    """Reads a dataclass of this kind; see `record`.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no such record.
    """
    return record(kind, json_value(path.read_text(encoding="utf-8")), ignore_unknown=ignore_unknown)


def read_or_refuse(kind: Callable[..., T], path: Path, expected: str, fix: str) -> T:
    """Reads a dataclass of this kind; fields that it does not know are left out.

    Raises:
        DataError: there is none; with what was expected, and what to do.
    """
    try:
        return read_record(kind, path, ignore_unknown=True)
    except (OSError, ValueError) as error:
        raise DataError(expected, f"{path.name}: {error}", fix) from error
