"""Measurements made by hand, for tests of what shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dnncov_core.suites.measurement_file import (
    MeasuredCriterion,
    MeasuredLayer,
    StoredMeasurement,
    WithEffect,
    write,
)
from dnncov_core.suites.spec import MeasurementSpec

SIZES = (784, 67, 22, 63, 10)
PAIRS = tuple((k, k + 1, SIZES[k - 1] * SIZES[k]) for k in (2, 3, 4))


def covering(
    text: str, covered: Sequence[int], bound: str = "", effect: Sequence[int] | None = None, effect_bound: str = ""
) -> MeasuredCriterion:
    """A covering method on the layers of mnist-n1; ``effect`` are those that are covered with effect."""
    shown = [None] * 3 if effect is None else [WithEffect(n, effect_bound) for n in effect]
    rows = tuple(
        MeasuredLayer(k, layer, total, n, 100 * k, bound, with_effect=with_effect)
        for (k, layer, total), n, with_effect in zip(PAIRS, covered, shown, strict=True)
    )
    return MeasuredCriterion(text, sum(row.total for row in rows), sum(covered), rows)


def baseline(text: str, covered: Sequence[int]) -> MeasuredCriterion:
    """A criterion of single neurons on the hidden layers of mnist-n1."""
    rows = tuple(MeasuredLayer(None, k, SIZES[k - 1], n, None, "") for k, n in zip((2, 3, 4), covered, strict=True))
    return MeasuredCriterion(text, sum(row.total for row in rows), sum(covered), rows)


def patterns(n: int) -> MeasuredCriterion:
    """Safety coverage."""
    return MeasuredCriterion("s", None, n, ())


def measurement(*criteria: MeasuredCriterion, **fields: Any) -> StoredMeasurement:
    """A measurement of mnist-n1 by mnist."""
    text = ",".join(each.text for each in criteria)
    known: dict[str, Any] = {
        "spec": MeasurementSpec("mnist-n1", "mnist", text),
        "fingerprints": {"network": "f" * 64, "suite": "d" * 64},
        "layers": {k: f"layer{k}" for k in range(1, 6)},
        "inputs": 5000,
        "misclassified": 41,
        "criteria": criteria,
        "seconds": 1.5,
        "date": "2026-11-28T10:00:00+00:00",
        "versions": {"torch": "2"},
    }
    return StoredMeasurement(**{**known, **fields})


def save(path: Path, *criteria: MeasuredCriterion, suite: str = "mnist", effect: str | None = None) -> Path:
    """The file of a measurement of mnist-n1."""
    text = ",".join(each.text for each in criteria)
    path.parent.mkdir(parents=True, exist_ok=True)
    layers = [{"index": k, "name": f"layer{k}", "neurons": n} for k, n in enumerate(SIZES, start=1)]
    content = {
        "schema": 1,
        "date": "2026-11-28T10:00:00+00:00",
        "asked": {"network": "mnist-n1", "suite": suite, "criteria": text} | ({"effect": effect} if effect else {}),
        "network": {"name": "mnist-n1", "fingerprint": "f" * 64, "layers": layers},
        "suite": {"name": suite, "fingerprint": "d" * 64, "inputs": 5000, "misclassified": 41},
        "reference": None,
        "criteria": {each.text: _result(each) for each in criteria},
        "seconds": 1.5,
        "versions": {"torch": "2"},
    }
    write(path, content)
    return path


def _result(measured: MeasuredCriterion) -> dict[str, Any]:
    rows = [
        (
            {"layer": row.layer, "total": row.total, "covered": row.covered}
            if row.condition_layer is None
            else {
                "condition_layer": row.condition_layer,
                "decision_layer": row.layer,
                "total": row.total,
                "covered": row.covered,
                "joined": row.joined,
                "bound": row.bound,
            }
        )
        | ({"left_out": row.left_out} if row.left_out else {})
        | ({"with_effect": asdict(row.with_effect)} if row.with_effect else {})
        for row in measured.rows
    ]
    return {"total": measured.total, "covered": measured.covered, "layers": rows}
