"""How records become rows: a field of every known type, and none of another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from dnncov_core.campaign.file.encoding import columns, record_from, to_row
from dnncov_core.records import Outcome
from dnncov_core.types import Neurons


@dataclass(frozen=True)
class Known:
    number: int
    words: str
    outcome: Outcome
    neurons: Neurons | None
    holds: bool | None


@dataclass(frozen=True)
class Unknown:
    path: Path


@pytest.mark.parametrize(
    "record", [Known(3, "a", Outcome.FOUND, (4, 5), True), Known(0, "", Outcome.ERROR, None, None)]
)
def test_a_record_is_read_as_it_was_written(record: Known) -> None:
    assert columns(Known) == "number, words, outcome, neurons, holds"
    assert record_from(Known, to_row(record)) == record


def test_a_type_that_nobody_reads_is_refused_by_name() -> None:
    with pytest.raises(KeyError, match="Path"):
        columns(Unknown)
