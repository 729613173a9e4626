"""Readers of tables with a header, ``.csv`` and Parquet files: a row is an input, a column a feature or ``label``."""

from __future__ import annotations

import csv
import math
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from dnncov_core.arrays import Array, check_size
from dnncov_core.data.files import Arrays
from dnncov_core.errors import DataError
from dnncov_core.types import FloatArray, Shape

LABEL = "label"
MOST_NAMED = 5
"""Columns that a message names."""
MOST_SHOWN = 40
"""Characters of a text that a message shows."""
LARGEST = 2**53
"""Labels from here on are no whole numbers in float64."""


def read_table(
    path: Path, input_shape: Shape | None, *, features: Sequence[str], classes: Sequence[str], labelled: bool
) -> Arrays:
    """Inputs ``(N, columns)``, or of the network's shape where they have as many numbers, and labels.

    Args:
        path: the file; its suffix says what it is.
        input_shape: the network's, if there is one.
        features: the columns to be read, in this order; all but ``label`` if there are none.
        classes: the network's class names, which labels may be instead of numbers.
        labelled: whether there must be a column ``label``.

    Raises:
        DataError: no such file, a damaged one, columns that are missing, text or nothing in place of a number, or a
            label that is none.
    """
    table = TABLES[path.suffix](path)
    columns = list(features) or [name for name in table.names if name != LABEL]
    _check_columns(table, [*columns, LABEL] if labelled else columns)
    inputs = table.numbers(columns) if columns else np.zeros(0)
    if not inputs.size:
        raise DataError(f"at least one row and one feature below the header of {path}", "none", "add them")
    wrong = np.argwhere(~np.isfinite(inputs))
    if len(wrong):
        row, column = map(int, wrong[0])
        raise table.wrong(row, columns[column], f"{inputs[row, column]:g}", "a finite number")
    if input_shape is not None and math.prod(input_shape) == len(columns):
        inputs = inputs.reshape(-1, *input_shape)
    return Arrays(inputs, _labels(table, classes) if LABEL in table.names else None)


def _check_columns(table: Table, wanted: Sequence[str]) -> None:
    """Refuses a header that lacks a column, or has two of one name."""
    if len(set(table.names)) < len(table.names):
        double = next(name for name in table.names if table.names.count(name) > 1)
        raise DataError(f"columns with a name each in {table.path}", f"{double!r} twice", "rename one")
    if missing := [name for name in wanted if name not in table.names]:
        there = ", ".join(table.names[:MOST_NAMED]) + (", …" if len(table.names) > MOST_NAMED else "")
        named = ", ".join(missing[:MOST_NAMED]) + (", …" if len(missing) > MOST_NAMED else "")
        raise DataError(f"columns {named} in {table.path}", there or "none", "add them, or correct the header")


def _labels(table: Table, classes: Sequence[str]) -> Array:
    """The labels: whole numbers, or names of classes."""
    numbers: dict[str, float] = {name: float(number) for number, name in enumerate(classes)}
    found = []
    for row, text in enumerate(table.texts(LABEL)):
        number = numbers[text] if text in numbers else _number(text)
        if number is None or not number.is_integer() or abs(number) > LARGEST:
            raise table.wrong(row, LABEL, repr(text[:MOST_SHOWN]), "a class number from 0, or the name of a class")
        found.append(int(number))
    return np.array(found, np.int64)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


class Table(ABC):
    """A table of a file, with the names of its columns in their order."""

    names: tuple[str, ...]

    def __init__(self, path: Path) -> None:
        self.path = path

    @abstractmethod
    def row(self, number: int) -> str:
        """What a message calls a row, by its number from 0."""

    @abstractmethod
    def numbers(self, columns: Sequence[str]) -> FloatArray:
        """The numbers of some columns, ``(rows, columns)``, NaN where there is none."""

    @abstractmethod
    def texts(self, column: str) -> list[str]:
        """A column as texts."""

    def wrong(self, row: int, column: str, got: str, expected: str) -> DataError:
        """The error for one value."""
        where = f"in column {column} of {self.path}"
        return DataError(f"{expected} {where}", f"{got} in {self.row(row)}", "correct it, or leave the row out")


class CsvTable(Table):
    """Values that are separated by commas, in UTF-8; empty lines are passed over."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.names = tuple(name.strip() for name in next(self._lines(), (1, []))[1])

    def row(self, number: int) -> str:
        return f"line {next(line for place, (line, _) in enumerate(self._lines()) if place == number + 1)}"

    def numbers(self, columns: Sequence[str]) -> FloatArray:
        found = array("d")
        for number, texts in enumerate(self._fields(columns)):
            values = list(map(_number, texts))
            if None in values:
                wrong = values.index(None)
                raise self.wrong(number, columns[wrong], repr(texts[wrong][:MOST_SHOWN]), "a number")
            found.extend(value for value in values if value is not None)
        return np.array(found).reshape(-1, len(columns))

    def texts(self, column: str) -> list[str]:
        return [text.strip() for (text,) in self._fields([column])]

    def _fields(self, columns: Sequence[str]) -> Iterator[list[str]]:
        """The fields of some columns, line by line below the header."""
        places, lines = [self.names.index(name) for name in columns], self._lines()
        next(lines, None)
        for line, fields in lines:
            if len(fields) != len(self.names):
                expected = f"{len(self.names)} fields in each line of {self.path}, as in its header"
                raise DataError(expected, f"{len(fields)} in line {line}", "separate columns by commas")
            yield [fields[place] for place in places]

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        """Each line with its number in the file, from 1."""
        try:
            with self.path.open(encoding="utf-8-sig", newline="") as file:
                reader = csv.reader(file)
                yield from ((reader.line_num, fields) for fields in reader if fields)
        except (OSError, ValueError, csv.Error) as error:
            got = f"{self.path}: {getattr(error, 'strerror', None) or error}"
            raise DataError("a readable .csv file in UTF-8", got, "correct the path or the file") from error


class ParquetTable(Table):
    """A Parquet file; only the columns that are asked for are read."""

    def __init__(self, path: Path) -> None:
        from pyarrow import parquet  # half a second, which only those spend who read Parquet

        super().__init__(path)
        with self._reading():
            self._file = parquet.ParquetFile(path)
            self.names = tuple(self._file.schema_arrow.names)

    def row(self, number: int) -> str:
        return f"row {number}, counted from 0"

    def numbers(self, columns: Sequence[str]) -> FloatArray:
        check_size(8 * self._file.metadata.num_rows * len(columns), f"{len(columns)} columns", self.path)
        return np.stack([self._numbers(name) for name in columns], axis=1)

    def texts(self, column: str) -> list[str]:
        with self._reading():
            values = self._file.read([column])[column].to_pylist()
        return ["" if value is None else str(value) for value in values]

    def _numbers(self, column: str) -> FloatArray:
        kind = str(self._file.schema_arrow.field(column).type)
        if not kind.startswith(("int", "uint", "float", "halffloat", "double")):
            raise DataError(f"numbers in column {column} of {self.path}", f"the type {kind}", "convert the column")
        with self._reading():
            found: FloatArray = self._file.read([column])[column].to_numpy().astype(np.float64)
        return found

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Whatever Arrow raises for a damaged file becomes a DataError."""
        try:
            yield
        except Exception as error:
            got = f"{self.path}: {(str(error) or type(error).__name__).splitlines()[0][:200]}"
            raise DataError("a readable Parquet file", got, "correct the path or the file") from error


TABLES: dict[str, type[Table]] = {".csv": CsvTable, ".parquet": ParquetTable}
"""Suffix of a file -> how it is read."""
