"""Captions of one campaign, of one pair of inputs, and of the playground: what each figure and table shows.

A function's name is the key of the figure or table in `catalogue`. Where the numbers come from follows by itself.
Captions of several campaigns and of measurements are in `comparison_captions`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dnncov_core.campaign.review.replayed import ReplayedCondition
from dnncov_core.criteria import CoveringMethod
from dnncov_core.distances import NORM_NAMES, written
from dnncov_core.figures.adversarial import SEARCH_LOOKS
from dnncov_core.figures.effect import EffectView
from dnncov_core.figures.plane import plane_in_words, region_of
from dnncov_core.figures.style import distance_axis, layer_pair
from dnncov_core.phrases.adversarial import READ_TOGETHER
from dnncov_core.phrases.caption import Caption
from dnncov_core.phrases.coverage import at_8_bits, covered_of, weighted_sum
from dnncov_core.phrases.effect import effect_of, share_words, with_effect
from dnncov_core.phrases.numbers import agreeing, counted, from_to, out_of, short
from dnncov_core.phrases.replayed import replayed_words
from dnncov_core.playground import names
from dnncov_core.programme_costs import ProgrammeRow
from dnncov_core.ratios import Ratio, percentage
from dnncov_core.records import KnownJustification, Outcome
from dnncov_core.statistics.adversarial import AdversarialTable, BaselinesByLayer
from dnncov_core.statistics.coverage import CoverageTable
from dnncov_core.statistics.decision_map import DecisionMap
from dnncov_core.statistics.distances import MEANS, MEDIANS, UNITS, DistanceCurve, LayerDistanceTable, shown
from dnncov_core.statistics.gaps import Gap, GapMatrix
from dnncov_core.statistics.grouping import LayerTable
from dnncov_core.statistics.replayed import ReplayedRow

if TYPE_CHECKING:
    from dnncov_core.playground.network_view import NetworkView
    from dnncov_core.playground.regions import PlaneView

BAND = (
    "The band holds the whole curve of all feature pairs with 95 % confidence (Dvoretzky, Kiefer and Wolfowitz's"
    " inequality), where the test conditions are a simple random sample."
)
BARS = {
    MEANS.middle: "The bars are one standard deviation up and down.",
    MEDIANS.middle: "The bars go from the lower to the upper quartile, since somewhere a mean minus one standard"
    " deviation would be below 0.",
}
BASELINE_BARS = (
    "The bars are Clopper and Pearson's 95 % intervals of a random sample of test pairs; several may share an x1."
)
ESTIMATES = (
    "A whisker is the 95 % interval of what all feature pairs there would give: Clopper and Pearson's, with Korn and"
    " Graubard's effective sample size where layer pairs of a stratified sample are added up by their sizes."
)
NO_CONDITION, NO_PAIR = "There is no test condition yet.", "There is no test pair yet."


# One campaign


def coverage(table: CoverageTable) -> Caption:
    """Coverage by layer: what is covered of all test conditions, at 8 bits, and with effect."""
    total, covered = table.total, table.total.covered
    if not covered.total:
        return Caption(NO_CONDITION)
    have = agreeing(covered.n, "has", "have")
    feasible = f"Of those not proved infeasible, {total.feasible.display()} are covered."
    estimate = total.estimate
    share, adds_up = covered.percent, ""
    if estimate is not None and estimate.weighted:
        share = f"about {percentage(estimate.share)}, by the sizes of the layer pairs"
        adds_up = weighted_sum(total.strata, estimate.share)
    return Caption(
        f"{table.criterion} coverage is {share}: {covered_of(covered, total.available)} {have} a replayable witness."
    ).followed_by(
        f"Each bar shows, for one {table.by.value}, which share of its test conditions has a witness, and how the"
        " others ended.",
        "" if estimate is None else f"Of all, {from_to(estimate.interval)} have one (95 % interval of the sample).",
        adds_up,
        ESTIMATES if any(row.estimate for row in table.rows) else "",
        feasible if total.feasible != covered else "",
        at_8_bits(total.holds_8bit),
        with_effect(total.with_effect, total.effects, table.effect),
    )


def adversarial(table: AdversarialTable) -> Caption:
    """Adversarial pairs by layer, over both denominators."""
    of = table.total.of_pairs
    if not of.total:
        return Caption(NO_PAIR)
    seeds = f", from {counted(table.total.seeds, 'seed')}" if of.n else ""
    return Caption(
        f"{out_of(of, 'test pair')} {agreeing(of.n, 'is', 'are')} adversarial ({of.percent}{seeds})."
    ).followed_by(
        f"For each {table.by.value} one bar is the adversarial share of its own test pairs, and the other one its share"
        " of all adversarial pairs."
    )


def controls(table: BaselinesByLayer) -> Caption:
    """The campaign's search beside the baseline searches, with what each finds in all."""
    searched, random, ascent = table.total.searched, table.total.random, table.total.ascent
    if not searched.total:
        return Caption("There is no baseline search yet.").followed_by(READ_TOGETHER)
    drawn = "; ".join(f"{look.name} {getattr(table.total, key).display()}" for key, look in SEARCH_LOOKS.items())
    return Caption(
        f"From the x1 of {counted(searched.total, 'test pair')}, this campaign's search found an adversarial x2 for"
        f" {searched.n:,}"
        f" ({searched.percent}), random perturbations for {random.n:,} ({random.percent}), and gradient ascent for"
        f" {ascent.n:,} ({ascent.percent})."
    ).followed_by(
        f"All three have the same budget, and each {table.by.value} has a point for each of them: {drawn}.",
        BASELINE_BARS if any(row.sample and row.searched.total for row in table.rows) else "",
        READ_TOGETHER,
    )


def distance_curve(curves: Sequence[DistanceCurve], *, bands: bool = False) -> Caption:
    """Accumulated distances: where half of the pairs are, of how many each curve is, and what its band means."""
    known = sorted((curve for curve in curves if curve.total), key=half_within)
    if not known:
        return Caption("There is no adversarial pair yet.")
    named = len(known) > 1
    said = " and ".join(_half(curve, named=named) for curve in dict.fromkeys((known[0], known[-1])))
    counts = "; ".join(f"{curve.name}: {curve.total:,} adversarial of {curve.pairs:,} test pairs" for curve in curves)
    unit = f"{NORM_NAMES[known[0].norm]} distance, {UNITS[known[0].unit]}"
    return Caption(f"{said} of {agreeing(known[-1].total, 'its seed', 'their seeds')} ({unit}).").followed_by(
        "The height of a curve is the share of the adversarial pairs that are at most so far from their seeds.",
        BAND if bands and any(curve.band is not None for curve in curves) else "",
        f"{counts}.",
    )


def half_within(curve: DistanceCurve) -> float:
    """The least distance of a curve with adversarial pairs within which at least half of them are."""
    return next(distance for distance, n in zip(curve.distances, curve.counts, strict=True) if 2 * n >= curve.total)


def _half(curve: DistanceCurve, *, named: bool) -> str:
    distance = half_within(curve)
    n = Ratio(curve.counts[curve.distances.index(distance)], curve.total)
    of = f" of “{curve.name}”" if named else ""
    return f"{out_of(n, 'adversarial pair')}{of} {agreeing(n.n, 'is', 'are')} within {written(distance)}"


def layer_distances(table: LayerDistanceTable) -> Caption:
    """Distances by layer, over all test pairs and over the adversarial ones."""
    every, some, middle = table.total.pairs, table.total.adversarial, shown(table.spreads).middle
    if not every.n:
        return Caption(NO_PAIR)
    theirs = f", and that of the {some.n:,} adversarial ones {some.words}" if some.n else ""
    return Caption(
        f"The {middle} {distance_axis(table.norm, table.unit)} of {counted(every.n, 'test pair')} is"
        f" {every.words}{theirs}."
    ).followed_by(
        f"Each point is the {middle} distance between seed and generated input in one {table.by.value}, over all test"
        f" pairs or over the adversarial ones. {BARS[middle]}"
    )


def gaps(matrix: GapMatrix | None) -> Caption:
    """The matrix of a layer pair: what rows and columns are, and how many test conditions are covered."""
    if matrix is None:
        return Caption(NO_CONDITION)
    k, layer = matrix.edge
    covered = Ratio(int(matrix.covered.sum()), int(matrix.asked.sum()))
    blocks = f", in blocks of {' by '.join(f'{n:,}' for n in matrix.block)}" if matrix.aggregated else ""
    return Caption(
        f"In layers {layer_pair(matrix.edge)}, {out_of(covered, 'test condition')} {agreeing(covered.n, 'is', 'are')}"
        f" covered, of {math.prod(matrix.shape):,} feature pairs."
    ).followed_by(
        f"Rows are condition {matrix.kinds[0]}s of layer {k} and columns decision {matrix.kinds[1]}s of layer"
        f" {layer}{blocks}. A cell shows whether its test condition is covered, with effect or without as far as that"
        " is known, proved infeasible, justified, open, or not asked about."
    )


def decisions(table: DecisionMap) -> Caption:
    """The map of the decision neurons of a layer pair: what a cell is, and how many test conditions are open."""
    channels = f" It has {len(table.channels):,} of {table.n_channels:,} channels." * (
        len(table.channels) < table.n_channels
    )
    cells = f", in squares of {table.block} by {table.block}" * (table.block > 1)
    n_open = Ratio(int(table.open.sum()), int(table.counts.sum()))
    return Caption(
        f"In layers {layer_pair(table.edge)}, {out_of(n_open, 'test condition')} {agreeing(n_open.n, 'is', 'are')}"
        f" open, of {int(table.pairs.sum()):,} feature pairs of the decision neurons shown."
    ).followed_by(
        f"The map shows decision neurons by channel, row and column{cells}, whatever the condition feature: strong"
        f" where test conditions that ask for them are open.{channels}"
    )


def conditions(table: Sequence[Gap]) -> Caption:
    """The table of test conditions that are not covered, or whose witness leaves a doubt."""
    witnessed = [gap.condition for gap in table if gap.condition.outcome is Outcome.FOUND]
    said = {
        "does not show the effect": sum(each.with_effect is False for each in witnessed),
        "refutes a justification": sum(each.refuted for each in witnessed),
    }
    doubts = " or ".join(f"{words} ({n:,})" for words, n in said.items() if n)
    without = len(table) - len(witnessed)
    return Caption(
        f"{counted(without, 'test condition')} {agreeing(without, 'has', 'have')} no replayable witness."
    ).followed_by(
        "Each row is one of them, with what is known of it.",
        f"{counted(len(witnessed), 'more row')}: conditions whose witness {doubts}." if witnessed else "",
    )


def justification_history(history: Sequence[KnownJustification]) -> Caption:
    """The table of all justifications, with those that do not stand any more."""
    conditions = len({said.ordinal for said in history})
    n_refuted = sum(said.refuted_by is not None for said in history)
    return Caption(
        f"{counted(len(history), 'justification')} {agreeing(len(history), 'was', 'were')} given for"
        f" {counted(conditions, 'test condition')}, and {agreeing(n_refuted, 'one is', f'{n_refuted:,} are')} refuted"
        " by a test pair."
    ).followed_by("Each row is one of them, with who gave it and when, and what became of it. Times are in UTC.")


def programmes(rows: Sequence[ProgrammeRow]) -> Caption:
    """The table of what linear programmes cost."""
    timed = [(row.calls, row.seconds_mean) for row in rows if row.calls and row.seconds_mean is not None]
    calls = sum(row.calls or 0 for row in rows)
    mean = sum(n * each for n, each in timed) / sum(n for n, _ in timed) if timed else None
    took = "" if mean is None else f", in {short(mean)} s each on average"
    return Caption(f"{counted(calls, 'linear programme')} {agreeing(calls, 'was', 'were')} solved{took}.").followed_by(
        "Each row is a layer pair. The generator lp adds constraints only when a solution breaks them, so that their"
        " number varies from call to call; the last two columns are the size of the paper's formulation for two"
        " neurons, with a variable for each input and neuron and all constraints at once. Seconds include building the"
        " programme, and depend on the machine.",
        "n/a stands where the version that made these attempts did not record it." * (len(timed) < len(rows)),
    )


# A campaign on another network


def replayed(table: LayerTable[ReplayedRow]) -> Caption:
    """What became of the test conditions on the other network, and of the labels of their test pairs."""
    conditions, labels = replayed_words(table.total.own, table.total.covered_there, table.total.counts)
    return Caption(conditions).followed_by(
        "Each bar has the test conditions of a layer pair of the campaign's network. The mark is the share of its test"
        " pairs whose x2 is judged otherwise there: another label, or of a regression another side of the tolerance.",
        labels,
    )


def replayed_conditions(conditions: Sequence[ReplayedCondition]) -> Caption:
    """The table of test conditions on the other network."""
    are = agreeing(len(conditions), "is", "are")
    return Caption(
        f"{counted(len(conditions), 'test condition')} {are} covered in the campaign or on the other network."
    ).followed_by("Each row is one of them, with what became of it, and what is judged otherwise of its test pair.")


# One pair of inputs


def effect(view: EffectView) -> Caption:
    """The waterfall of a decision neuron: what the bars are, and what the condition's change does."""
    at_x1, alone, put_back, at_x2 = map(short, view.u)
    told = effect_of(view.effect.needed, view.effect.sufficient)
    bars = "; ".join(f"{step.name}: {short(step.height)}" for step in view.steps if step.kind != "u")
    return Caption(f"u of {view.decision} goes from {at_x1} at x1 to {at_x2} at x2, and {told}.").followed_by(
        f"Each bar is what goes away where one neuron of layer {view.pair.condition.layer}, or the condition feature"
        f" ({view.condition}), is put back to its activation at x1 ({bars}). With the condition put back u is"
        f" {put_back}, with its change alone {alone}.",
        share_words(view.effect.share),
    )


# The playground


def plane(view: PlaneView) -> Caption:
    """The plane of inputs: its regions, and where both inputs are."""
    places = " and ".join(
        f"{name} {region_of(view.plane, signs)}" for name, signs in (("x1", view.signs1), ("x2", view.signs2))
    )
    return Caption(f"The plane of inputs has {len(view.plane.regions)} regions, with {places}.").followed_by(
        plane_in_words(view),
        f"Within a region no neuron of layers 2 to {view.plane.last} changes its sign; along a line the u of the neuron"
        " that is named at its end is 0.",
    )


def neurons(view: NetworkView) -> Caption:
    """The network with both inputs, and which pairs of neurons they cover."""
    covered = Ratio(len(view.covered), sum(1 for _ in view.inputs.pairs()))
    named = ", ".join(names.pair(each) for each in view.covered) or "none"
    return Caption(f"x1 and x2 cover {out_of(covered, 'pair')} of single neurons.").followed_by(
        "Every neuron of the network is drawn for both inputs with its name, u for x1 and u for x2; sc marks those"
        f" whose sign changes. Weights stand at the connections. Covered pairs: {named}."
    )


def definition_parts(view: NetworkView) -> Caption:
    """The table of the definition's parts, and whether the pair that is looked at is covered."""
    method, pair = view.setting.method, view.setting.pair
    parts = view.inputs.parts(method, pair)
    holding = Ratio(sum(part.holds for part in parts), len(parts))
    covers = "cover it" if view.inputs.covers(method, pair) else "do not cover it"
    return Caption(
        f"{out_of(holding, 'part')} of the definition of {method.key.upper()} {agreeing(holding.n, 'holds', 'hold')}"
        f" for {names.pair(pair)}, so that x1 and x2 {covers}."
    ).followed_by("The table has each part for this pair, and for each pair of single neurons.")


def method(covering_method: CoveringMethod) -> Caption:
    """The picture of a covering method, and what its signs mean."""
    return Caption(f"{covering_method.title}: {covering_method.words}").followed_by(
        "± marks a change of sign, Δ a change of value; the hollow neurons of layer k keep their signs."
    )
