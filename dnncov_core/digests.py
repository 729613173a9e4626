"""Files by name and digest, as records say where networks and data come from."""

from __future__ import annotations

import hashlib
from pathlib import Path


def with_digest(path: Path, name: str = "") -> str:
    """A file's name, or another one that it is known by, with the digest that ``sha256sum`` prints of its content."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"{name or path.name} (SHA-256 of the file {digest})"
