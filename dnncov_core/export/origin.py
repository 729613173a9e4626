"""Where something exported comes from: what every file says of it, whatever its kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import cache
from importlib import metadata
from typing import Any

from dnncov_core import __version__

PRODUCT = "DNN Coverage Explorer"
WRITERS = ("matplotlib", "plotly", "pyarrow", "pillow")
"""Packages that decide, with this one, how a file looks."""
SHORT = 12
"""Digits of a fingerprint in a caption; metadata have all of them."""


@dataclass(frozen=True)
class Origin:
    """What all kinds of provenance have in common; no path of a machine is in it.

    Attributes:
        kind: "campaign", "measurement", "comparison", "playground" or "definition".
        id: what files are named after.
        date: when the numbers were made, in UTC; empty where they have no date.
        source: what figures say below their titles.
        written_with: versions of the packages that decide how a file looks.
    """

    kind: str
    id: str
    date: str
    source: str
    written_with: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The provenance as a dictionary for JSON."""
        return asdict(self)

    def to_json(self) -> str:
        """The provenance in one line of ASCII, the same for the same provenance."""
        return json.dumps(self.to_dict(), sort_keys=True)

    @property
    def when(self) -> datetime | None:
        """The date, if there is one."""
        return datetime.fromisoformat(self.date) if self.date else None

    @property
    def version(self) -> str:
        """Name and version of this program."""
        return f"{PRODUCT} {self.written_with['dnncov-explorer']}"

    def closing(self) -> str:
        """The end of every caption: where the numbers come from, and the program."""
        raise NotImplementedError


def writers() -> dict[str, str]:
    """Versions of the packages that decide how a file looks."""
    return {"dnncov-explorer": __version__} | {package: _version(package) for package in WRITERS}


@cache
def _version(package: str) -> str:
    return metadata.version(package)


def named(name: str, fingerprint: str | None) -> str:
    """A network or data with the beginning of its fingerprint.

    >>> named("mnist", "0123456789abcdef"), named("mnist", None)
    ('mnist (SHA-256 0123456789ab…)', 'mnist')
    """
    return name if fingerprint is None else f"{name} (SHA-256 {fingerprint[:SHORT]}…)"
