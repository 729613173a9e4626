"""A measurement as columns of plain values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dnncov_core.export.sheets import Columns, Sheet, Value, sheet
from dnncov_core.selection.curves import Curve
from dnncov_core.selection.selection import Selection
from dnncov_core.suites.lemmas import check
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement


def criterion(table: tuple[StoredMeasurement, MeasuredCriterion]) -> Sheet:
    """One row for each layer pair or layer of one criterion."""
    measurement, measured = table

    def modules(layers: Sequence[int]) -> str | None:
        return ", ".join(measurement.layers.get(layer, "") for layer in layers) or None

    return sheet(
        measured.rows,
        ("criterion", str, "as it was asked for", lambda _: measured.text),
        (
            "condition_layer",
            int,
            "condition layer; empty for a criterion of single neurons, and where a row sums several",
            lambda row: None if row.others else row.condition_layer,
        ),
        ("layer", int, "decision layer, or layer", "layer"),
        (
            "condition_module",
            str,
            "what the network calls the condition layer, or all of them where a row sums several",
            lambda row: modules(row.condition_layers),
        ),
        ("module", str, "what the network calls the layer", lambda row: modules([row.layer])),
        ("test_conditions", int, "test conditions", "total"),
        ("left_out", int, "neurons of the layer of which it cannot be asked, not counted", "left_out"),
        ("covered", int, "those that the suite meets", "covered"),
        ("coverage", float, "covered / test conditions, a fraction", "ratio.value"),
        ("joined", int, "pairs of sign patterns that do what is asked of the condition layer", "joined"),
        ("bound", str, "what a search left out, so that covered is a lower bound; empty if exact", "bound"),
        *_effect(measurement, "shown.bound"),
    )


def criteria(measurement: StoredMeasurement) -> Sheet:
    """One row for each criterion."""
    return sheet(
        measurement.criteria,
        ("criterion", str, "as it was asked for", "text"),
        ("name", str, "to be read", "name"),
        ("test_conditions", int, "empty where their number is not known", "total"),
        ("covered", int, "those that the suite meets; of s, different sign patterns", "covered"),
        ("coverage", float, "covered / test conditions, a fraction", "ratio.value"),
        ("bound", str, "what searches left out, so that covered is a lower bound", lambda m: "; ".join(m.bounds)),
        *_effect(measurement, lambda m: "; ".join(m.shown.bounds) if m.shown else ""),
    )


def _effect(measurement: StoredMeasurement, bound: str | Callable[[Any], Value]) -> Columns:
    """What is covered with effect; ``bound`` reads what was left out."""
    return [
        ("effect", str, "the effect of the condition that was asked for", lambda _: measurement.spec.effect),
        ("with_effect", int, "of those covered, with a witness that shows it; empty if not known", "shown.covered"),
        ("coverage_with_effect", float, "with_effect / test conditions, a fraction", "shown.ratio.value"),
        ("effect_bound", str, "what was left out, so that with_effect is a lower bound", bound),
    ]


def relations(measurement: StoredMeasurement) -> Sheet:
    """One row for each arrow of the diagram."""
    rows = [
        (each, measurement.criterion(each.relation.weaker), measurement.criterion(each.relation.stronger))
        for each in check(measurement)
    ]
    return sheet(
        rows,
        ("weaker", str, "the weaker criterion", "0.relation.weaker"),
        ("stronger", str, "the stronger criterion", "0.relation.stronger"),
        ("answer", str, "what the suite says of it", "0.answer.value"),
        ("why", str, "the numbers, or what is missing", "0.why"),
        ("lemma_holds", str, "when the lemma says so; empty where it asks for nothing", "0.relation.condition"),
        ("weaker_coverage", str, "as drawn; empty if not measured", "1.percent"),
        ("stronger_coverage", str, "as drawn; empty if not measured", "2.percent"),
    )


def further_inputs(table: tuple[Selection, Curve]) -> Sheet:
    """One row for each order and number of inputs."""
    curve = table[1]
    unknown: list[float | None] = [None] * len(curve.points)
    rows = [
        (each.order, *cells)
        for each in curve.series
        for cells in zip(curve.points, each.counts, each.low or unknown, each.high or unknown, strict=True)
    ]
    return sheet(
        rows,
        ("order", str, "by which inputs come", "0"),
        ("inputs", int, "so many, the first of the order", "1"),
        ("count", float, f"{curve.title} that they cover, kill or find; of random orders the mean", "2"),
        ("low", float, "of random orders, the lower end of the band of 95 % of them; else empty", "3"),
        ("high", float, "of random orders, the upper end; else empty", "4"),
        ("total", int, "of how many; empty where nobody knows", lambda _: curve.total),
    )
