"""What a table shows, in one or two sentences with its numbers: the beginning of a caption."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dnncov_core.distances import written
from dnncov_core.figures.controls import CONFIDENCE, SEARCH_LOOKS
from dnncov_core.figures.relations import relations_in_words
from dnncov_core.figures.style import distance_axis, layer_pair
from dnncov_core.programmes import ProgrammeTable
from dnncov_core.ratios import NOTHING
from dnncov_core.statistics import (
    AdversarialTable,
    ControlTable,
    CoverageTable,
    DistanceCurve,
    Gap,
    GapMatrix,
    LayerDistanceTable,
    OmegaTable,
    Spread,
)
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement

BAND = (
    "Bands: 95 %, for the whole curve at the same time (Dvoretzky, Kiefer and Wolfowitz's inequality), where the test"
    " conditions are a simple random sample."
)


def coverage(table: CoverageTable) -> str:
    """Of `plot_coverage`."""
    total = table.total
    sample = f", a sample of {total.available:,} feature pairs" if total.covered.total < total.available else ""
    bits = f" {total.holds_8bit.counts} witnesses hold after rounding x2 to 8 bits." if total.holds_8bit.total else ""
    rest = "" if total.feasible == total.covered else f"; of those not proved infeasible {total.feasible.display()}"
    return (
        f"{table.criterion} coverage by {table.by.value}: share of the test conditions that have a replayable witness,"
        f" and how the others ended. In all {total.covered.display()}{sample}{rest}.{bits}"
    )


def adversarial(table: AdversarialTable) -> str:
    """Of `plot_adversarial`."""
    return (
        f"Adversarial pairs by {table.by.value}: their share of the {table.by.value}'s own test pairs, and of all"
        f" adversarial pairs. Adversarial, of all test pairs: {table.total.of_pairs.display()}."
    )


def controls(table: ControlTable) -> str:
    """Of `plot_controls`."""
    found = "; ".join(f"{title}: {getattr(table.total, name).display()}" for name, title, *_ in SEARCH_LOOKS)
    return (
        f"Seeds whose label changes with the same budget, by {table.by.value}, with {CONFIDENCE:.0%} Clopper-Pearson"
        f" intervals. In all {found}."
    )


def curves(table: Sequence[DistanceCurve], *, bands: bool = False) -> str:
    """Of `plot_distance_curve`."""
    shown = "; ".join(f"{each.name}: {each.total:,} adversarial of {each.pairs:,} test pairs" for each in table)
    unit = distance_axis(table[0].norm, pixels=all(each.pixels for each in table)) if table else "distance"
    band = f" {BAND}" if bands and any(each.band is not None for each in table) else ""
    return (
        f"Accumulated share of the adversarial pairs whose {unit} from the seed is at most that shown.{band} {shown}."
    )


def layer_distances(table: LayerDistanceTable) -> str:
    """Of `plot_layer_distances`."""
    return (
        f"{distance_axis(table.norm, pixels=table.pixels)} between seed and generated input by {table.by.value}: mean"
        f" and one standard deviation, of all test pairs and of the adversarial ones. In all"
        f" {_spread(table.total.pairs)}; adversarial: {_spread(table.total.adversarial)}."
    )


def _spread(spread: Spread) -> str:
    if spread.mean is None:
        return f"{NOTHING} (n = 0)"
    return f"{written(spread.mean)} ± {written(spread.std or 0.0)} (n = {spread.n:,})"


def omegas(table: OmegaTable) -> str:
    """Of `plot_distance_by_omega`."""
    rows = "; ".join(f"ω = {100 * row.omega:.6g} %: {_spread(row.pairs)}, campaign {row.name}" for row in table.rows)
    differences = f" They differ also in: {', '.join(table.differences)}." if table.differences else ""
    return (
        f"{distance_axis(table.norm, pixels=table.pixels)} between seed and generated input by ω, the largest share of"
        f" a layer's neurons in one feature: mean and one standard deviation. {rows}.{differences}"
    )


def gaps(matrix: GapMatrix | None) -> str:
    """Of `plot_gaps`."""
    if matrix is None:
        return "No test condition yet."
    k, layer = matrix.edge
    covered, asked = int(matrix.counts[0].sum()), int(matrix.asked.sum())
    kind = "neuron" if matrix.single else "feature"
    blocks = f", in blocks of {matrix.block[0]} by {matrix.block[1]}" if matrix.aggregated else ""
    return (
        f"Test conditions of layers {layer_pair(matrix.edge)} by condition {kind} of layer {k} (rows) and decision"
        f" {kind} of layer {layer} (columns){blocks}: covered, proved infeasible, justified, open, or not asked about."
        f" {covered:,} of {asked:,} are covered; the feature pairs are {math.prod(matrix.shape):,}."
    )


def conditions(table: Sequence[Gap]) -> str:
    """Of the table of conditions without a witness."""
    return f"The {len(table):,} test conditions without a replayable witness, each with what is known of it."


def programmes(table: ProgrammeTable) -> str:
    """Of the table of linear programmes."""
    calls = sum(row.calls or 0 for row in table.rows)
    return f"Cost of the {calls:,} linear programmes by layer pair, beside the size of the paper's formulation."


def suite(table: tuple[StoredMeasurement, MeasuredCriterion]) -> str:
    """Of `plot_suite_coverage`."""
    _, measured = table
    counts = "" if measured.ratio is None else f" ({measured.ratio.counts})"
    bounds = f" A lower bound: {'; '.join(measured.bounds)}." if measured.bounds else ""
    return (
        f"{measured.name}: share of the test conditions of each layer that the suite meets. In all"
        f" {measured.percent}{counts}.{bounds}"
    )


def relations(measurement: StoredMeasurement) -> str:
    """Of `plot_relations`."""
    return (
        "Which criterion is weaker than which, as the paper's theorem and lemmas say, and whether this suite agrees;"
        f" one suite cannot prove it. {relations_in_words(measurement)}"
    )


def criteria(measurement: StoredMeasurement) -> str:
    """Of the table of criteria."""
    values = "; ".join(f"{each.name}: {each.percent}" for each in measurement.criteria)
    return f"What the suite covers by each criterion. {values}."
