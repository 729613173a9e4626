"""Captions: what each figure and table shows, in one or two sentences with its numbers.

A function's name is the key of the figure or table in `catalogue`. Where the numbers come from follows by itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dnncov_core.criteria import CoveringMethod
from dnncov_core.figures.adversarial import SEARCH_LOOKS
from dnncov_core.figures.effect import EffectView
from dnncov_core.figures.layerwise import SHARES
from dnncov_core.figures.lemmas import relations_in_words
from dnncov_core.figures.plane import plane_in_words
from dnncov_core.figures.style import HasName, distance_axis, layer_pair, overlaid
from dnncov_core.phrases.adversarial import CHANGED_BY_BASELINES, from_seeds
from dnncov_core.phrases.coverage import PAPERS_NUMBERS, at_8_bits, covered_of
from dnncov_core.phrases.effect import WITH_EFFECT, effect_of, share_words, with_effect
from dnncov_core.phrases.numbers import agreeing, counted, from_to, out_of, short, spread
from dnncov_core.playground import names
from dnncov_core.programme_costs import ProgrammeRow, ProgrammeSeries
from dnncov_core.ratios import Ratio
from dnncov_core.records import Outcome
from dnncov_core.statistics.adversarial import AdversarialTable, BaselinesByLayer
from dnncov_core.statistics.coverage import CoverageTable
from dnncov_core.statistics.decision_map import DecisionMap
from dnncov_core.statistics.differences import Difference
from dnncov_core.statistics.distances import DistanceCurve, LayerDistanceTable, Spread
from dnncov_core.statistics.gaps import Gap, GapMatrix
from dnncov_core.statistics.layerwise import LayerwiseTable
from dnncov_core.statistics.main_table import MainCell, MainTable
from dnncov_core.statistics.omegas import OmegaTable
from dnncov_core.statistics.samples import Interval
from dnncov_core.statistics.top_weights import WeightsRow
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement
from dnncov_core.suites.remarks import effect_in_words

if TYPE_CHECKING:
    from dnncov_core.playground.regions import PlaneView
    from dnncov_core.playground.two_inputs import NetworkView

BAND = (
    "Bands: 95 %, for the whole curve at the same time (Dvoretzky, Kiefer and Wolfowitz's inequality), where the test"
    " conditions are a simple random sample."
)
SAMPLES = "where the test conditions are a simple random sample of all feature pairs, and all are done"


# One campaign


def coverage(table: CoverageTable) -> str:
    """Coverage by layer: what is covered of all test conditions, at 8 bits, and with effect."""
    total, covered = table.total, table.total.covered
    rest = "" if total.feasible == covered else f"; of those not proved infeasible {total.feasible.display()}"
    return (
        f"{table.criterion} coverage by {table.by.value}: share of the test conditions that have a replayable witness,"
        f" and how the others ended. In all {covered.percent}: {covered_of(covered, total.available)}{rest}."
        f" {at_8_bits(total.holds_8bit)} {with_effect(total.with_effect, total.effects, table.effect)}"
    ).rstrip()


def adversarial(table: AdversarialTable) -> str:
    """Adversarial pairs by layer, over both denominators."""
    return (
        f"Adversarial pairs by {table.by.value}: their share of the {table.by.value}'s own test pairs, and of all"
        f" adversarial pairs. Adversarial, of all test pairs: {table.total.words}."
    )


def controls(table: BaselinesByLayer) -> str:
    """The campaign's search beside the baseline searches, with what each finds in all."""
    found = "; ".join(f"{look.name}: {getattr(table.total, key).display()}" for key, look in SEARCH_LOOKS.items())
    return (
        f"Seeds for which an adversarial x2 is found with the same budget, by {table.by.value}, with 95 %"
        f" Clopper-Pearson intervals where the seeds are a sample. In all {found}."
    )


def distance_curve(curves: Sequence[DistanceCurve], *, bands: bool = False) -> str:
    """Accumulated distances: of how many adversarial pairs each curve is, and what its band means."""
    counts = "; ".join(f"{curve.name}: {curve.total:,} adversarial of {curve.pairs:,} test pairs" for curve in curves)
    unit = distance_axis(curves[0].norm, curves[0].unit) if curves else "distance"
    band = f" {BAND}" if bands and any(curve.band is not None for curve in curves) else ""
    return (
        f"Accumulated share of the adversarial pairs whose {unit} from the seed is at most that shown.{band} {counts}."
    )


def layer_distances(table: LayerDistanceTable) -> str:
    """Distances by layer, with mean and deviation over all test pairs and over the adversarial ones."""
    return (
        f"{distance_axis(table.norm, table.unit)} between seed and generated input by {table.by.value}: mean"
        f" and one standard deviation, of all test pairs and of the adversarial ones. In all"
        f" {_spread(table.total.pairs)}; adversarial: {_spread(table.total.adversarial)}."
    )


def _spread(distances: Spread) -> str:
    return f"{spread(distances.mean, distances.std)} (n = {distances.n:,})"


def distance_by_omega(table: OmegaTable) -> str:
    """Distances by ω, each campaign's with its name, and what else differs between the campaigns."""
    rows = "; ".join(f"ω = {100 * row.omega:.6g} %: {_spread(row.pairs)}, campaign {row.name}" for row in table.rows)
    differences = f" They differ also in: {', '.join(table.differences)}." if table.differences else ""
    return (
        f"{distance_axis(table.norm, table.unit)} between seed and generated input by ω, the largest share of"
        f" a layer's neurons in one feature: mean and one standard deviation. {rows}.{differences}"
    )


def gaps(matrix: GapMatrix | None) -> str:
    """The matrix of a layer pair: what rows and columns are, and how many test conditions are covered."""
    if matrix is None:
        return "No test condition yet."
    k, layer = matrix.edge
    covered = Ratio(int(matrix.covered.sum()), int(matrix.asked.sum()))
    are = agreeing(covered.n, "is", "are")
    blocks = f", in blocks of {' by '.join(f'{n:,}' for n in matrix.block)}" if matrix.aggregated else ""
    return (
        f"Test conditions of layers {layer_pair(matrix.edge)} by condition {matrix.kinds[0]} of layer {k} (rows) and"
        f" decision {matrix.kinds[1]} of layer {layer} (columns){blocks}: covered, with effect or without as far as"
        " that is known, proved infeasible, justified, open, or not asked about."
        f" {out_of(covered, 'test condition')} {are} covered, of {math.prod(matrix.shape):,} feature pairs."
    )


def decisions(table: DecisionMap) -> str:
    """The map of the decision neurons of a layer pair: what a cell is, and how many test conditions are open."""
    channels = f" of {len(table.channels):,} of {table.n_channels:,} channels" * (
        len(table.channels) < table.n_channels
    )
    cells = f", in squares of {table.block} by {table.block}" * (table.block > 1)
    n_open = Ratio(int(table.open.sum()), int(table.counts.sum()))
    return (
        f"Decision neurons of layers {layer_pair(table.edge)} by channel, row and column{channels}{cells}, whatever the"
        " condition feature: strong where test conditions that ask for them are open."
        f" {out_of(n_open, 'test condition')} {agreeing(n_open.n, 'is', 'are')} open, of"
        f" {int(table.pairs.sum()):,} feature pairs of these neurons."
    )


def conditions(table: Sequence[Gap]) -> str:
    """The table of test conditions that are not covered, or whose witness leaves a doubt."""
    witnessed = [gap.condition for gap in table if gap.condition.outcome is Outcome.FOUND]
    said = {
        "does not show the effect": sum(each.with_effect is False for each in witnessed),
        "refutes a justification": sum(each.refuted for each in witnessed),
    }
    doubts = " or ".join(f"{words} ({n:,})" for words, n in said.items() if n)
    more = f" {counted(len(witnessed), 'more row')}: conditions whose witness {doubts}." if witnessed else ""
    without = counted(len(table) - len(witnessed), "test condition")
    return f"The {without} without a replayable witness, each with what is known of it.{more}"


def programmes(rows: Sequence[ProgrammeRow]) -> str:
    """The table of what linear programmes cost."""
    calls = sum(row.calls or 0 for row in rows)
    return f"Cost of the {calls:,} linear programmes by layer pair, beside the size of the paper's formulation."


# Several campaigns


def main_coverage(table: MainTable, *, paper: bool = False) -> str:
    """Coverage of each campaign, with its interval."""
    said = "; ".join(f"{cell.name}: {_covered(cell)}" for cell in table.cells)
    return (
        "Coverage M: share of the test conditions that have a replayable witness, with Clopper and Pearson's 95 %"
        f" interval {SAMPLES}. {WITH_EFFECT} {said}.{f' {PAPERS_NUMBERS}' if paper else ''}"
    )


def _covered(cell: MainCell) -> str:
    shown = f"{cell.with_effect.display()}{_ends(cell.with_effect_interval)}"
    effect = f", with effect ({cell.effect}) {shown}" if cell.with_effect.total else ", effects not known"
    return f"{cell.covered.display()}{_ends(cell.covered_interval)}{effect}"


def main_adversarial(table: MainTable, *, paper: bool = False) -> str:
    """The AE rate of each campaign with its interval, beside what baseline searches find."""
    said = "; ".join(f"{cell.name}: {_adversarial(cell)}" for cell in table.cells)
    return (
        "AE rate: share of the test pairs that are adversarial, with Clopper and Pearson's 95 % interval"
        f" {SAMPLES}. {CHANGED_BY_BASELINES} {said}.{f' {PAPERS_NUMBERS}' if paper else ''}"
    )


def _adversarial(cell: MainCell) -> str:
    found, n = cell.baselines, cell.baselines.random.total
    beside = f", random {found.random.display()}, PGD {found.ascent.display()}" if n else ", no baseline search"
    return f"{from_seeds(cell.adversarial, cell.adversarial_seeds)}{_ends(cell.adversarial_interval)}{beside}"


def _ends(interval: Interval | None) -> str:
    return "" if interval is None else f", {from_to(interval)}"


def main_table(table: MainTable) -> str:
    """The table of coverage and AE rates."""
    return (
        "Coverage M (test conditions with a replayable witness) and AE rate (adversarial, of the test pairs) of"
        f" {counted(len(table.cells), 'campaign')}, with Clopper and Pearson's 95 % intervals {SAMPLES}."
        f" {WITH_EFFECT} At 8 bits: witnesses that still hold when x2 is rounded. {CHANGED_BY_BASELINES}"
    )


def differences(table: Sequence[Difference]) -> str:
    """The table of what campaigns differ in."""
    if not table:
        return "Beside networks and criteria, these campaigns have the same settings and the same data."
    return f"What these campaigns differ in beside networks and criteria: {', '.join(each.what for each in table)}."


def distance_curves(curves: Sequence[DistanceCurve], *, bands: bool = False, chosen: Sequence[str] = ()) -> str:
    """Accumulated distances of several campaigns, with those that have no curve or are left out."""
    none = [curve.name for curve in curves if not curve.total]
    without = f" Without an adversarial pair, and so without a curve: {'; '.join(none)}." if none else ""
    some = [curve for curve in curves if curve.total]
    return distance_curve(some, bands=bands) + without + _left_out(some, chosen)


def layerwise(table_and_share: tuple[LayerwiseTable, str], *, chosen: Sequence[str] = ()) -> str:
    """One share of several campaigns layer by layer: what is counted of what."""
    table, share = table_and_share
    drawn = SHARES[share]
    intervals = f" Whiskers: Clopper and Pearson's 95 % intervals, {SAMPLES}." if drawn.intervals else ""
    some = [series for series in table.series if any(ratio.total for ratio in getattr(series, share))]
    return f"{drawn.title} by {table.by.value} and campaign: {drawn.meaning}.{intervals}{_left_out(some, chosen)}"


def _left_out(campaigns: Sequence[HasName], chosen: Sequence[str]) -> str:
    """Which campaigns the figure leaves out, and where they are."""
    drawn = [each.name for each in overlaid(campaigns, chosen)]
    others = [each.name for each in campaigns if each.name not in drawn]
    if not others:
        return ""
    return f" Drawn are {len(drawn)} of {len(campaigns)} campaigns; the table has all. Left out: {'; '.join(others)}."


def top_weights(rows: Sequence[WeightsRow]) -> str:
    """What top weights change: M and AE rate of each two campaigns."""
    said = "; ".join(
        f"{row.network}, {row.criterion} and {row.criterion}^w{row.top_weights}: M {row.covered[0].display()} and"
        f" {row.covered[1].display()}, AE {row.adversarial[0].display()} and {row.adversarial[1].display()}"
        for row in rows
    )
    return (
        "Coverage M and AE rate on all feature pairs minus those on the strongest connections alone, in percentage"
        " points: positive is more on all pairs. Intervals of 95 % join those of both shares (Newcombe 1998); one over"
        f" 0 leaves open which is larger. {said}."
    )


def lp_cost(table: Sequence[ProgrammeSeries], *, paper: bool = False, chosen: Sequence[str] = ()) -> str:
    """Seconds of one linear programme, of several campaigns."""
    some = [series for series in table if any(row.seconds_mean for row in series.rows)]
    calls = sum(row.calls or 0 for series in table for row in series.rows)
    beside = " The paper's seconds are those of its own formulation on its own machine." if paper else ""
    return (
        f"Seconds of one LP call by layer pair and campaign, of {calls:,} calls; they depend on the machine.{beside}"
        f"{_left_out(some, chosen)}"
    )


# A measurement


def criteria(measurement: StoredMeasurement) -> str:
    """The table of criteria, each with its coverage."""
    values = "; ".join(f"{each.name}: {each.percent}{_with_effect(each)}" for each in measurement.criteria)
    known = any(each.shown is not None for each in measurement.criteria)
    means = f" {effect_in_words(measurement.spec.effect)}" if known else ""
    return f"What the suite covers by each criterion. {values}.{means}"


def _with_effect(criterion: MeasuredCriterion) -> str:
    return "" if criterion.shown is None else f", with effect {criterion.shown.percent}"


def suite_coverage(table: tuple[StoredMeasurement, MeasuredCriterion]) -> str:
    """Coverage of one criterion by layer, in all and with its bound."""
    measurement, criterion = table
    effect = _with_effect(criterion)
    means = f" {effect_in_words(measurement.spec.effect)}" if effect else ""
    counts = "" if criterion.ratio is None else f" ({criterion.ratio.counts})"
    bounds = f" A lower bound: {'; '.join(criterion.bounds)}." if criterion.bounds else ""
    return (
        f"{criterion.name}: share of the test conditions of each layer that the suite meets. In all"
        f" {criterion.percent}{counts}{effect}.{bounds}{means}"
    )


def relations(measurement: StoredMeasurement) -> str:
    """The diagram of criteria, arrow by arrow."""
    return (
        "Which criterion is weaker than which, as the paper's theorem and lemmas say, and whether this suite agrees;"
        f" one suite cannot prove it. {relations_in_words(measurement)}"
    )


# One pair of inputs


def effect(view: EffectView) -> str:
    """The waterfall of a decision neuron: what the bars are, and what the condition's change does."""
    at_x1, alone, put_back, at_x2 = map(short, view.u)
    shown = effect_of(view.effect.needed, view.effect.sufficient)
    bars = "; ".join(f"{step.name}: {short(step.height)}" for step in view.steps if step.kind != "u")
    return (
        f"How u of {view.decision} gets from {at_x1} at x1 to {at_x2} at x2: each bar is what goes away where one"
        f" neuron of layer {view.pair.condition.layer}, or the condition feature ({view.condition}), is put back to its"
        f" activation at x1 ({bars}). With the condition put back u is {put_back}, with its change alone {alone}."
        f" {shown[0].upper()}{shown[1:]}. {share_words(view.effect.share)}".rstrip()
    )


# The playground


def plane(view: PlaneView) -> str:
    """The plane of inputs: its regions, and where both inputs are."""
    return (
        f"{plane_in_words(view)} Within a region no neuron of layers 2 to {view.plane.last} changes its sign;"
        " along a line the u of the neuron that is named at its end is 0."
    )


def neurons(view: NetworkView) -> str:
    """The network with both inputs, and which pairs of neurons they cover."""
    covered = ", ".join(names.pair(each) for each in view.covered) or "none"
    return (
        "Every neuron of the network for both inputs: its name, u for x1, u for x2; sc marks those whose sign changes."
        f" Weights stand at the connections. Covered pairs of single neurons: {covered}."
    )


def definition_parts(view: NetworkView) -> str:
    """The table of the definition's parts, and whether the pair that is looked at is covered."""
    method, pair = view.setting.method, view.setting.pair
    holds = view.inputs.covers(method, pair)
    return (
        f"Each part of the definition of {method.key.upper()} for {names.pair(pair)}, which is"
        f" {'' if holds else 'not '}{method.key.upper()}-covered by x1 and x2, and for each pair of single neurons."
    )


def method(covering_method: CoveringMethod) -> str:
    """The picture of a covering method, and what its signs mean."""
    return (
        f"{covering_method.title}: {covering_method.words} ± marks a change of sign, Δ a change of value; the hollow"
        " neurons of layer k keep their signs."
    )
