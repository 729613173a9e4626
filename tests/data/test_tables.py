"""Tables: columns by name or in order, labels as numbers or classes, and one line for what is wrong, with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dnncov_core.data import Data, load_data
from dnncov_core.data.files import described
from dnncov_core.errors import DataError
from dnncov_core.types import Shape

COLUMNS: dict[str, list[Any]] = {"b": [1.5, -2.0, 3.25], "label": [0, 2, 1], "a": [7, 8, 9]}
CLASSES = ("go", "halt", "wait")


def written(path: Path, columns: dict[str, list[Any]]) -> Path:
    """A table in the format of the file's suffix."""
    if path.suffix == ".parquet":
        parquet.write_table(pa.table(columns), path)
    else:
        rows = zip(*columns.values(), strict=True)
        lines = [",".join(columns), *(",".join("" if x is None else str(x) for x in row) for row in rows)]
        path.write_text("\n".join(lines), encoding="utf-8")
    return path


def read(path: Path, shape: Shape | None = (2,), **options: Any) -> Data:
    return load_data(path, shape, **{"classes": CLASSES, **options})


@pytest.fixture(params=[".csv", ".parquet"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / f"given{request.param}"


@pytest.mark.parametrize("features", [(), ("a", "b")])
def test_columns_are_read_in_the_order_of_features_or_of_the_file(file: Path, features: tuple[str, ...]) -> None:
    data = read(written(file, COLUMNS), features=features)
    wanted = [[1.5, 7], [-2, 8], [3.25, 9]]
    assert data.images.tolist() == [row[::-1] if features else row for row in wanted]
    assert data.labels is not None
    assert data.labels.tolist() == [0, 2, 1]
    assert data.images.dtype == np.float64
    assert (data.classes, data.fingerprint) == ((), read(file, features=features).fingerprint)


def test_other_columns_are_left_out_where_features_have_names(file: Path) -> None:
    path = written(file, {**COLUMNS, "note": ["x", "y", "z"]})
    assert read(path, features=("a", "b")).images.tolist() == [[7, 1.5], [8, -2], [9, 3.25]]


def test_rows_take_the_shape_of_inputs_that_have_as_many_numbers(file: Path) -> None:
    path = written(file, {f"t{n}": [float(n), n + 10.0] for n in range(6)} | {"label": [0, 1]})
    assert read(path, (2, 3)).images.tolist() == [[[0, 1, 2], [3, 4, 5]], [[10, 11, 12], [13, 14, 15]]]
    with pytest.raises(DataError, match=r"images of shape \(7,\); got \(6,\)"):
        read(path, (7,))


def test_labels_are_numbers_or_names_of_classes_or_missing(file: Path) -> None:
    for given in (["halt", "go", "wait"], ["1", "0", "2"], [1.0, 0.0, 2.0]):
        data = read(written(file, {**COLUMNS, "label": given}))
        assert data.labels is not None
        assert data.labels.tolist() == [1, 0, 2]
    without = {"b": COLUMNS["b"], "a": COLUMNS["a"]}
    assert read(written(file, without), labelled=False).labels is None
    with pytest.raises(
        DataError, match=r"columns label in .*; got 'b, a'; add it, or take the network's own decisions"
    ):
        read(file)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_is_named(file: Path, value: float) -> None:
    path = written(file, {**COLUMNS, "b": [1.0, value, value]})
    got = "nothing" if value != value and file.suffix == ".csv" else f"{value:g}"
    said = f"a number in column b of .*; got {got} in row 2 below the header; correct it"
    with pytest.raises(DataError, match=said):
        read(path)


@pytest.mark.parametrize("label", ["stop", "1.5", "", "nan", "1e300"])
def test_a_label_that_is_none_is_named(file: Path, label: str) -> None:
    said = f"a class number from 0, or the name of a class, in column label .* got '{label}' in row 2 below the header"
    with pytest.raises(DataError, match=said):
        read(written(file, {**COLUMNS, "label": ["go", label, "halt"]}))


def test_text_or_nothing_in_a_column_of_numbers_is_named(file: Path) -> None:
    path = written(file, {**COLUMNS, "a": ["7", "fast", "9"]})
    with pytest.raises(DataError, match=r"a number in column a of .*; got 'fast' in row 2 below the header; correct"):
        read(path)
    path = written(file, {**COLUMNS, "a": [7, None, 9]})
    with pytest.raises(DataError, match=r"a number in column a of .*; got nothing in row 2 below the header; correct"):
        read(path)
    path = written(file, {**COLUMNS, "a": [True, False, True]})
    with pytest.raises(DataError, match=r"a number in column a of .*; got True in row 1 below the header"):
        read(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a readable .csv file; got .*given.csv: Empty CSV file; correct the path"),
        ("a,b,label\n", "at least one row and one feature below the header of .*; got none"),
        ("label\n0\n", "at least one row and one feature below the header of .*; got none"),
        ("a,a,label\n1,2,0\n", "columns with a name each in .*; got 'a' twice; rename one"),
        ("a,b,label\n1,2,0\n\n1,2\n", "a readable .csv file; got .*Expected 3 columns, got 2: 1,2; correct the path"),
        ("a;b;label\n1;2;0\n", "columns label in .*; got 'a;b;label'; write commas between the columns"),
        (
            "a,b,label\n1,2,0\n1,\udcff,0\n",
            r"a number in column b of .*; got b'\\xff' in row 2 below the header; correct it",
        ),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "given.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError, match=said):
        read(tmp_path / "given.csv")


def test_a_file_that_is_missing_or_damaged_is_refused(file: Path) -> None:
    with pytest.raises(DataError, match=r"a readable .* got .*given\.(csv|parquet)"):
        read(file)
    file.write_bytes(b"PAR1" + b"\x00" * 40)
    with pytest.raises(DataError, match=r"^expected [^\n]*$"):
        read(file)


def test_a_table_larger_than_memory_allows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DNNCOV_ARRAY_GIB", "0.00001")
    path = written(tmp_path / "given.parquet", {"a": [0.0] * 100_000, "label": [0] * 100_000})
    with pytest.raises(DataError, match=r"2 columns in .* of at most .* GiB; got 0\.00149 GiB; set DNN"):
        read(path, (1,))


def test_a_table_is_described_by_its_name(file: Path) -> None:
    assert described(written(file, COLUMNS)) == f"{file.name}, a {file.suffix} file"
