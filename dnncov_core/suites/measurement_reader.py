"""Reads the file of a measurement; whatever cannot be in it is one kind of error, before anything of it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from dnncov_core.errors import DataError, SpecificationError, reason_of
from dnncov_core.outside_text import json_value
from dnncov_core.outside_values import exact, reader, record, shown
from dnncov_core.suites.criterion_names import WITHOUT_TOTAL, key_of, parse
from dnncov_core.suites.measurement_file import SCHEMA, MeasuredCriterion, StoredMeasurement
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.types import Count, LayerNumber, Seconds

T = TypeVar("T")


def read(path: Path) -> StoredMeasurement:
    """Reads a measurement's file.

    Raises:
        DataError: there is none, it is damaged, its numbers cannot be, or it is of a newer version.
    """
    try:
        content = reader(dict[str, Any])(json_value(path.read_text(encoding="utf-8")))
        if content.get("schema") != SCHEMA:
            later = "schema" in content
            fix = "open it with the version that wrote it" if later else "take a file of dnncov measure --out"
            raise DataError(f"a measurement of schema {SCHEMA}", f"{_schema(content)} in {path.name}", fix)
        return measurement(content)
    except (OSError, ValueError, KeyError, SpecificationError) as error:
        got = f"{path.name}, which is damaged or something else ({reason_of(error)})"
        raise DataError("the file of a measurement", got, "measure again") from error


def _schema(content: Mapping[str, object]) -> str:
    return f"schema {shown(content['schema'])}" if "schema" in content else "no schema"


@dataclass(frozen=True)
class _Source:
    """A network or data, as a file describes it."""

    fingerprint: str
    source: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class _Suite(_Source):
    """A suite, likewise."""

    inputs: Count
    misclassified: Count | None


@dataclass(frozen=True)
class _LayerName:
    """A layer, likewise."""

    index: LayerNumber
    name: str


@dataclass(frozen=True)
class _Network(_Source):
    """A network, likewise."""

    layers: tuple[_LayerName, ...]


def measurement(content: Mapping[str, Any]) -> StoredMeasurement:
    """A measurement of what its file holds; raises what `read` makes a DataError of."""
    suite, spec = _part(_Suite, content["suite"]), MeasurementSpec.read(content["asked"])
    _check(suite.inputs, suite.misclassified or 0)
    names = [name for name in ("network", "suite", "reference") if content[name] is not None]
    sources = {name: _part(_Source, content[name]) for name in names}
    layers = {layer.index: layer.name for layer in _part(_Network, content["network"]).layers}
    criteria = measured(content["criteria"])
    _check_layers(layers, criteria)
    return StoredMeasurement(
        spec=spec,
        fingerprints={name: each.fingerprint for name, each in sources.items()},
        layers=layers,
        inputs=suite.inputs,
        misclassified=suite.misclassified,
        criteria=criteria,
        seconds=reader(Seconds)(content["seconds"]),
        date=datetime.fromisoformat(reader(str)(content["date"])).isoformat(),
        versions=reader(dict[str, str])(content["versions"]),
        parameters=reader(dict[str, str])(content["asked"].get("parameters", {})),
        origins={name: each.source for name, each in sources.items() if each.source},
    )


def _part(kind: Callable[..., T], value: object) -> T:
    """A part of a file, which may say more than this version knows."""
    return record(kind, value, ignore_unknown=True)


def _check_layers(layers: Mapping[int, str], criteria: Sequence[MeasuredCriterion]) -> None:
    """Refuses counts of layers that the network does not have."""
    counted = {k for each in criteria for row in each.rows for k in (row.layer, row.condition_layer) if k is not None}
    if not counted <= layers.keys():
        raise ValueError(f"layer {min(counted - layers.keys())}, which the network does not have")


def measured(criteria: object) -> tuple[MeasuredCriterion, ...]:
    """The criteria of a file, or of a `measurement_summary`.

    Raises:
        SpecificationError: a criterion that there is not.
        ValueError: numbers that cannot be, or something else.
    """
    return tuple(_measured(text, result) for text, result in exact(dict, "a table", criteria).items())


def _measured(text: str, result: object) -> MeasuredCriterion:
    if [asked.text for asked in parse(text, reference="")] != [text]:
        raise ValueError(f"{shown(text)} is not one criterion")
    table = reader(dict[str, Any])(result)
    layers = reader(tuple[dict[str, Any], ...])(table.get("layers"))
    found = _part(MeasuredCriterion, {**table, "text": text, "rows": list(map(_row, layers))})
    for row in found.rows:
        _check(row.total, row.covered)
        _check(row.covered, 0 if row.with_effect is None else row.with_effect.covered)
    if (key_of(text) in WITHOUT_TOTAL) != (found.total is None) or (found.total is None and found.rows):
        raise ValueError(f"a total of {shown(found.total)} for {text}")
    if key_of(text) != "nlc" and type(found.covered) is not int:
        raise ValueError(f"{shown(found.covered)} instead of a whole number")
    sums = sum(row.total for row in found.rows), sum(row.covered for row in found.rows)
    if found.total is not None and (found.total, found.covered) != sums:
        raise ValueError(f"{found.covered} of {found.total} is not the sum of the layers")
    return found


def _row(layer: Mapping[str, Any]) -> Mapping[str, Any]:
    """A layer's fields with those names, whatever the criterion, that `MeasuredLayer` has."""
    if "layer" in layer:
        return {**layer, "condition_layer": None, "joined": None, "bound": "", "with_effect": None, "others": []}
    return {**layer, "layer": layer.get("decision_layer"), "others": []}


def _check(total: int, part: int) -> None:
    if part > total:
        raise ValueError(f"{part} of {total}")
