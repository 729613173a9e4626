"""Readers of tables with a header, ``.csv`` and Parquet files: a row is an input, a column a feature or ``label``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dnncov_core.arrays import Array, check_size
from dnncov_core.data.files import Arrays
from dnncov_core.errors import DataError, DnncovError, give_network
from dnncov_core.outside_values import shown
from dnncov_core.types import FloatArray, Shape

LABEL = "label"
TABLES = (".csv", ".parquet")
"""Suffixes of the files that are tables."""


def read_table(
    path: Path,
    input_shape: Shape | None,
    *,
    features: Sequence[str],
    quantities: Sequence[str],
    classes: Sequence[str],
    labelled: bool,
) -> Arrays:
    """Inputs ``(N, columns)``, or of the network's shape where they have as many numbers, and labels.

    Args:
        path: the file; its suffix says what it is.
        input_shape: the network's, if there is one.
        features: the columns to be read, in this order; all but ``label`` and the targets if there are none.
        quantities: the columns with targets, which count if they are all there.
        classes: the network's class names, which labels may be instead of numbers.
        labelled: whether there must be a column ``label``.

    Raises:
        DataError: no such file, a damaged one, columns that are missing, text or nothing in place of a number, or a
            label that is none.
    """
    read = _parquet if path.suffix == ".parquet" else _csv
    try:
        table = read(path, partial(_wanted, path, features, (LABEL, *quantities), labelled))
    except DnncovError:
        raise
    except Exception as error:  # whatever Arrow raises for a damaged file
        got = f"{path}: {(str(error) or type(error).__name__).splitlines()[0][:200]}"
        raise DataError(f"a readable {path.suffix} file", got, "correct the path or the file") from error
    columns = [name for name in table.column_names if name not in (LABEL, *quantities)]
    if not columns or not table.num_rows:
        raise DataError(f"at least one row and one feature below the header of {path}", "none", "add them")
    inputs = _numbers(path, table, columns)
    if input_shape is not None and math.prod(input_shape) == len(columns):
        inputs = inputs.reshape(-1, *input_shape)
    labels = _labels(path, table[LABEL].to_pylist(), classes) if LABEL in table.column_names else None
    targets = _numbers(path, table, quantities) if quantities and {*quantities} <= {*table.column_names} else None
    return Arrays(inputs, labels, targets=targets)


def feature_names(path: Path, others: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns of a table but for ``label`` and the ``others``; none for a file of another kind."""
    return tuple(name for name in header(path) if name not in (LABEL, *others)) if path.suffix in TABLES else ()


def header(path: Path) -> list[str]:
    """The names of the columns of a table."""
    from pyarrow import csv, parquet

    names: list[str] = (csv.open_csv(path) if path.suffix == ".csv" else parquet.ParquetFile(path)).schema.names
    return names


def _csv(path: Path, wanted: Any) -> Any:
    from pyarrow import csv  # half a second, which only those spend who read tables

    table = csv.read_csv(path)
    return table.select(wanted(table.column_names))


def _parquet(path: Path, wanted: Any) -> Any:
    from pyarrow import parquet

    file = parquet.ParquetFile(path)
    columns = wanted(file.schema_arrow.names)
    check_size(8 * file.metadata.num_rows * len(columns), f"{len(columns)} columns", path)
    return file.read(columns)


def _wanted(
    path: Path, features: Sequence[str], others: Sequence[str], labelled: bool, there: Sequence[str]
) -> list[str]:
    """The columns that are read, of those that are there."""
    if len(set(there)) < len(there):
        double = next(name for name in there if there.count(name) > 1)
        raise DataError(f"columns with a name each in {path}", f"{double!r} twice", "rename one")
    columns = [*features] or [name for name in there if name not in others]
    missing = [name for name in [*columns, *([LABEL] if labelled else [])] if name not in there]
    if missing:
        expected = f"columns {', '.join(missing)} in {path}"
        raise DataError(expected, shown(", ".join(there)), _how_to_add(missing, there))
    return [*columns, *(name for name in others if name in there)]


def _how_to_add(missing: Sequence[str], there: Sequence[str]) -> str:
    """What mends a table that lacks columns."""
    if len(there) == 1 and ";" in there[0]:
        return "write commas between the columns"
    if missing == [LABEL]:
        return "add it, or take the network's own decisions (dnncov check NETWORK --data DATA --own-decisions)"
    return "add them, or correct the header"


def _numbers(path: Path, table: Any, columns: Sequence[str]) -> FloatArray:
    """The numbers of some columns, ``(rows, columns)``."""
    return np.stack([_numbers_of(path, name, table[name].to_pylist()) for name in columns], axis=1)


def _numbers_of(path: Path, column: str, values: Sequence[object]) -> FloatArray:
    """The numbers of a column; refuses the first value that is none, or not finite."""
    numbers = list(map(_number, values))
    for row, number in enumerate(numbers):
        if number is None or not math.isfinite(number):
            raise _wrong(path, column, row, values[row], "a number")
    return np.array(numbers, np.float64)


def _labels(path: Path, values: Sequence[object], classes: Sequence[str]) -> Array:
    """Class numbers, from whole numbers or from names of classes."""
    numbers = {name: float(number) for number, name in enumerate(classes)}
    found = [numbers.get(str(value), _number(value)) for value in values]
    for row, number in enumerate(found):
        if number is None or not number.is_integer() or abs(number) > 2**53:
            names = f"correct it, leave the row out, or {give_network('the names of its classes')}"
            raise _wrong(path, LABEL, row, values[row], "a class number from 0, or the name of a class,", names)
    return np.array(found, np.int64)


def _number(value: object) -> float | None:
    """A number, also one that a text says: where one value of a column says none, Arrow leaves all of them as texts."""
    try:
        return float(value) if isinstance(value, int | float | str | bytes) and not isinstance(value, bool) else None
    except ValueError:
        return None


def _wrong(
    path: Path, column: str, row: int, value: object, expected: str, fix: str = "correct it, or leave the row out"
) -> DataError:
    got = f"{'nothing' if value is None else shown(value)} in row {row + 1} below the header"
    return DataError(f"{expected} in column {column} of {path}", got, fix)
