"""The file of a measurement: its numbers, and what they were measured on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dnncov_core.campaign.versions import versions
from dnncov_core.errors import DataError
from dnncov_core.ratios import Ratio
from dnncov_core.suites.spec import MeasurementSpec
from dnncov_core.suites.suitable import SUITABLE, Suitable

if TYPE_CHECKING:
    from dnncov_core.data import Data
    from dnncov_core.networks.network import Network

SCHEMA = 1


@dataclass(frozen=True)
class Row:
    """What a suite meets of one criterion in one layer pair, or in one layer.

    Attributes:
        condition_layer: None for a criterion of single neurons.
        layer: the decision layer, or the layer.
        total: test conditions.
        covered: those that are met.
        joined: pairs of sign patterns that do what is asked of the condition layer; None for single neurons.
        bound: what a search left out, so that ``covered`` is a lower bound; empty where it is exact.
    """

    condition_layer: int | None
    layer: int
    total: int
    covered: int
    joined: int | None
    bound: str


@dataclass(frozen=True)
class Measured:
    """One criterion; ``total`` is None where nobody knows it."""

    text: str
    total: int | None
    covered: int
    rows: tuple[Row, ...]

    @property
    def key(self) -> str:
        """The criterion's name without its parameters."""
        return self.text.partition(":")[0]

    @property
    def name(self) -> str:
        """The criterion as it was asked for, to be read.

        >>> Measured("tn:2", 9, 3, ()).name, Measured("sv:ratio=3", 9, 3, ()).name
        ('TN, m = 2', 'SV, ratio = 3')
        >>> Measured("sv:nb", 9, 3, ()).name, Measured("vv:tn=2", 9, 3, ()).name
        ('SV, g: NB', 'VV, g1: TN, m = 2')
        """
        _, _, parameter = self.text.partition(":")
        if self.suitable is not None:
            return f"{self.key.upper()}, {SUITABLE[self.key][self.suitable.baseline]}: {self.suitable.words}"
        named = f"m = {parameter}" if parameter.isdecimal() else parameter.replace("=", " = ")
        return ", ".join(part for part in (self.key.upper(), named) if part)

    @property
    def suitable(self) -> Suitable | None:
        """The value function that a lemma asks for, by which it was measured; None for another one, or none."""
        found = Suitable.read(self.text.partition(":")[2])
        return found if found is not None and found.baseline in SUITABLE.get(self.key, {}) else None

    @property
    def ratio(self) -> Ratio | None:
        """Covered, of all test conditions; None where nobody knows how many there are."""
        return None if self.total is None else Ratio(self.covered, self.total)

    @property
    def joined(self) -> int | None:
        """Of all layer pairs; None for a criterion of single neurons."""
        return sum(row.joined or 0 for row in self.rows) if any(row.joined is not None for row in self.rows) else None

    @property
    def bounds(self) -> list[str]:
        """What searches left out, each once; empty where the count is exact."""
        return sorted({row.bound for row in self.rows if row.bound})

    @property
    def percent(self) -> str:
        """The share, a lower bound marked as one; the number of sign patterns where there is no share."""
        if self.ratio is None:
            return f"{self.covered:,} patterns"
        return f"{'≥ ' if self.bounds else ''}{self.ratio.percent}"


@dataclass(frozen=True)
class StoredMeasurement:
    """A measurement, read from its file.

    Attributes:
        spec: what was asked; files by their names alone.
        fingerprints: of ``network``, ``suite`` and, where there was one, ``reference``.
        layers: names of the network's layers, by number.
        inputs: of the suite.
        misclassified: of these.
        criteria: as they were asked for.
        seconds: it took.
        date: when it was made, in UTC.
        versions: of the packages that decide a result.
    """

    spec: MeasurementSpec
    fingerprints: Mapping[str, str]
    layers: Mapping[int, str]
    inputs: int
    misclassified: int
    criteria: tuple[Measured, ...]
    seconds: float
    date: str
    versions: Mapping[str, str]

    def criterion(self, key: str) -> Measured | None:
        """The first criterion of this name."""
        return next(iter(self.all_of(key)), None)

    def all_of(self, key: str) -> list[Measured]:
        """The criteria of this name, each with other parameters, as they were asked for."""
        return [each for each in self.criteria if each.key == key]


def document(
    summary: Mapping[str, Any], spec: MeasurementSpec, network: Network, suite: Data, reference: Data | None
) -> dict[str, Any]:
    """What the file holds: `measurement_summary`, and what its numbers depend on.

    Args:
        summary: the numbers.
        spec: what was asked; its names are written as they are, so they hold no folders.
        network: the network that was measured.
        suite: its inputs.
        reference: the reference data, if there were some.
    """
    layers = [{"index": each.index, "name": each.name, "neurons": each.neurons} for each in network.layers]
    known = None if reference is None else {"name": spec.reference, "fingerprint": reference.fingerprint}
    return {
        "schema": SCHEMA,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "asked": asdict(spec),
        "network": {"name": spec.network, "fingerprint": network.fingerprint, "layers": layers},
        "suite": {"name": spec.suite, "fingerprint": suite.fingerprint, **summary["suite"]},
        "reference": known,
        "criteria": summary["criteria"],
        "seconds": summary["seconds"],
        "versions": versions(),
    }


def write(path: Path, content: Mapping[str, Any], *, option: str = "--out") -> None:
    """Writes JSON beside the file, and renames it, so that the file is whole at any time.

    Raises:
        DataError: it cannot be written.
    """
    beside = path.with_name(f".{path.name}.part")
    try:
        beside.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
        os.replace(beside, path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise DataError("a file that can be written", reason, f"choose another {option}") from error


def read(path: Path) -> StoredMeasurement:
    """Reads a measurement's file.

    Raises:
        DataError: there is none, it is damaged, or it is of a newer version.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["schema"] != SCHEMA:
            fix = "open it with the version that wrote it"
            raise DataError(f"a measurement of schema {SCHEMA}", f"schema {content['schema']} in {path.name}", fix)
        return _measurement(content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, AssertionError) as error:
        got = f"{path.name}, which is damaged or something else"
        raise DataError("the file of a measurement", got, "measure again") from error


def _measurement(content: Mapping[str, Any]) -> StoredMeasurement:
    named = {name: content[name] for name in ("network", "suite", "reference") if content[name] is not None}
    return StoredMeasurement(
        spec=MeasurementSpec.read(content["asked"]),
        fingerprints={name: str(each["fingerprint"]) for name, each in named.items()},
        layers={int(layer["index"]): str(layer["name"]) for layer in content["network"]["layers"]},
        inputs=int(content["suite"]["inputs"]),
        misclassified=int(content["suite"]["misclassified"]),
        criteria=tuple(_measured(text, result) for text, result in content["criteria"].items()),
        seconds=float(content["seconds"]),
        date=datetime.fromisoformat(content["date"]).isoformat(),
        versions=dict(content["versions"]),
    )


def _measured(text: str, result: Mapping[str, Any]) -> Measured:
    return Measured(text, result["total"], result["covered"], _rows(result["layers"]))


def _rows(layers: Sequence[Mapping[str, Any]]) -> tuple[Row, ...]:
    return tuple(
        Row(
            layer.get("condition_layer"),
            layer["layer"] if "layer" in layer else layer["decision_layer"],
            layer["total"],
            layer["covered"],
            layer.get("joined"),
            layer.get("bound", ""),
        )
        for layer in layers
    )
