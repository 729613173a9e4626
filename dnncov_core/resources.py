"""Where files are: the embedded assets, and the user's own folder."""

from __future__ import annotations

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_IN_WHEEL = _PACKAGE / "_assets"

ASSETS: Path = _IN_WHEEL if _IN_WHEEL.is_dir() else _PACKAGE.parent / "assets"
"""Embedded networks, their cards and images: ``assets/`` of a clone, or the copy of it inside an installed wheel."""


def home() -> Path:
    """The user's folder for downloads and campaigns: ``$DNNCOV_HOME``, or ``~/.dnncov``. It may not exist yet."""
    return Path(os.environ.get("DNNCOV_HOME") or "~/.dnncov").expanduser()
