"""The files of a pack of evidence, each made when it is written, in one ZIP file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dnncov_core.errors import DataError
from dnncov_core.export.folder import File, zipped
from dnncov_core.export.provenance import Origin
from dnncov_core.record_files import write_whole


def write_pack(path: Path, files: Iterable[File], provenance: Origin, *, replace: bool = False) -> list[str]:
    """Writes the files into one ZIP file and returns their names.

    Args:
        path: the ZIP file; it is whole at any time.
        files: what the pack holds.
        provenance: where the numbers come from, which dates the entries.
        replace: whether a file that is there already is replaced.

    Raises:
        DataError: it is there already, or cannot be written.
    """
    if path.exists() and not replace:
        raise DataError("a file that is not there yet", path.name, "choose another --out, or give --replace")
    made = list(files)
    content = zipped(iter(made), provenance)
    try:
        write_whole(path, content)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError("a file that can be written", reason, "choose another --out") from error
    return [file.name for file in made]
