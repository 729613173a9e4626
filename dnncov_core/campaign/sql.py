"""What the parts of a campaign file need from its connection, which `store` opens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any


class SpeaksSQL(ABC):
    """Queries and transactions whose failures are campaign errors."""

    @abstractmethod
    def _rows(self, sql: str, parameters: Sequence[object] = ()) -> list[Any]:
        """All rows of a query."""

    @abstractmethod
    def _row(self, sql: str) -> Any:
        """The only row of a query."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Any]:
        """A connection whose changes are stored all or not at all."""

    @abstractmethod
    def _decoding(self) -> AbstractContextManager[None]:
        """Around what turns rows into values: whatever it stumbles over is damage."""
