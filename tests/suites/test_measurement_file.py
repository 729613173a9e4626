"""The file of a measurement: where it cannot be written."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.errors import DataError
from dnncov_core.suites.measurement_file import write


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a file that can be written; got No such file or directory; choose another"):
        write(tmp_path / "no" / "one.json", {})
