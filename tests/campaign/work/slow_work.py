"""Work that does nothing but take its time and note what it was given; Ray's processes import this without PyTorch."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dnncov_core.errors import DataError
from dnncov_core.records import Target


@dataclass(frozen=True)
class SlowWork:
    """In place of an `Assignment`, and of its `Task`."""

    notes: Path
    seconds: float
    wants_gpu = False

    def begun(self) -> SlowWork:
        return self

    def all_results(self, batches: Sequence[Sequence[Target]]) -> list[Any]:
        ordinals = [target.ordinal for batch in batches for target in batch]
        for ordinal in ordinals:
            with self.notes.open("a") as notes:
                notes.write(f"{os.getpid()} {ordinal}\n")
            time.sleep(self.seconds)
        return ordinals

    def noted(self) -> list[tuple[int, int]]:
        """Each process with a target that it began, in the order of time."""
        if not self.notes.exists():
            return []
        words = (line.split() for line in self.notes.read_text().splitlines())
        return [(int(pid), int(ordinal)) for pid, ordinal in words]


@dataclass(frozen=True)
class BrokenWork(SlowWork):
    """Work that cannot be begun, or that ends every process."""

    begins: bool = False

    def begun(self) -> SlowWork:
        if self.begins:
            os._exit(1)
        raise DataError("data", "none", "bring some")
