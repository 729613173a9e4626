"""A measurement as columns of plain values."""

from __future__ import annotations

from dnncov_core.export.sheets import Sheet, sheet
from dnncov_core.ratios import Ratio
from dnncov_core.suites.lemmas import check
from dnncov_core.suites.measurement_file import MeasuredCriterion, MeasuredLayer, StoredMeasurement


def suite_sheet(table: tuple[StoredMeasurement, MeasuredCriterion]) -> Sheet:
    """One row for each layer pair or layer of one criterion."""
    measurement, measured = table

    def module(layer: int | None) -> str | None:
        return None if layer is None else measurement.layers.get(layer, "")

    return sheet(
        measured.rows,
        ("criterion", str, "as it was asked for", lambda _: measured.text),
        (
            "condition_layer",
            int,
            "condition layer; empty for a criterion of single neurons",
            lambda r: r.condition_layer,
        ),
        ("layer", int, "decision layer, or layer", lambda r: r.layer),
        ("condition_module", str, "what the network calls the condition layer", lambda r: module(r.condition_layer)),
        ("module", str, "what the network calls the layer", lambda r: module(r.layer)),
        ("test_conditions", int, "test conditions", lambda r: r.total),
        ("covered", int, "those that the suite meets", lambda r: r.covered),
        ("coverage", float, "covered / test conditions, a fraction", _share),
        ("joined", int, "pairs of sign patterns that do what is asked of the condition layer", lambda r: r.joined),
        ("bound", str, "what a search left out, so that covered is a lower bound; empty if exact", lambda r: r.bound),
    )


def _share(row: MeasuredLayer) -> float | None:
    return Ratio(row.covered, row.total).value


def criteria_sheet(measurement: StoredMeasurement) -> Sheet:
    """One row for each criterion."""
    return sheet(
        measurement.criteria,
        ("criterion", str, "as it was asked for", lambda m: m.text),
        ("name", str, "to be read", lambda m: m.name),
        ("test_conditions", int, "empty where nobody knows how many there are", lambda m: m.total),
        ("covered", int, "those that the suite meets; of s, different sign patterns", lambda m: m.covered),
        (
            "coverage",
            float,
            "covered / test conditions, a fraction",
            lambda m: None if m.ratio is None else m.ratio.value,
        ),
        ("bound", str, "what searches left out, so that covered is a lower bound", lambda m: "; ".join(m.bounds)),
    )


def relations_sheet(measurement: StoredMeasurement) -> Sheet:
    """One row for each arrow of the diagram."""

    def value(key: str) -> str | None:
        return None if (found := measurement.criterion(key)) is None else found.percent

    return sheet(
        check(measurement),
        ("weaker", str, "the weaker criterion", lambda c: c.relation.weaker),
        ("stronger", str, "the stronger criterion", lambda c: c.relation.stronger),
        ("answer", str, "what the suite says of it", lambda c: c.answer.value),
        ("why", str, "the numbers, or what is missing", lambda c: c.why),
        ("lemma_holds", str, "when the lemma says so; empty where it asks for nothing", lambda c: c.relation.condition),
        ("weaker_coverage", str, "as drawn; empty if not measured", lambda c: value(c.relation.weaker)),
        ("stronger_coverage", str, "as drawn; empty if not measured", lambda c: value(c.relation.stronger)),
    )
