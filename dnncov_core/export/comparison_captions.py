"""Captions of several campaigns beside each other, and of a measurement: what each figure and table shows.

A function's name is the key of the figure or table in `catalogue`. Where the numbers come from follows by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dnncov_core.export import captions
from dnncov_core.figures.axes import layer_tick
from dnncov_core.figures.layerwise import SHARES
from dnncov_core.figures.lemmas import relations_in_words
from dnncov_core.figures.style import HasName, distance_axis, layer_pair, overlaid
from dnncov_core.phrases.adversarial import CHANGED_BY_BASELINES, from_seeds
from dnncov_core.phrases.caption import Caption
from dnncov_core.phrases.coverage import PAPERS_NUMBERS
from dnncov_core.phrases.effect import WITH_EFFECT
from dnncov_core.phrases.numbers import agreeing, counted, from_to, out_of, short
from dnncov_core.programme_costs import ProgrammeSeries
from dnncov_core.ratios import Estimate, Ratio, percentage
from dnncov_core.selection.curves import Curve
from dnncov_core.selection.orders import RANDOM, title_of, words_of
from dnncov_core.selection.selection import Selection
from dnncov_core.selection.tables import first_round_in_words, reached, reached_by_all
from dnncov_core.statistics.differences import Difference
from dnncov_core.statistics.distances import DistanceCurve, shown
from dnncov_core.statistics.layerwise import LayerwiseTable
from dnncov_core.statistics.main_table import MainCell, MainTable
from dnncov_core.statistics.omegas import OmegaRow, OmegaTable
from dnncov_core.statistics.samples import Interval
from dnncov_core.statistics.top_weights import WeightsRow
from dnncov_core.suites.lemmas import Answer, check
from dnncov_core.suites.measurement_file import MeasuredCriterion, StoredMeasurement
from dnncov_core.suites.remarks import effect_in_words, lower_bounds, without_share

INTERVALS = (
    "Intervals are Clopper and Pearson's 95 % ones, where the test conditions are a simple random sample of all feature"
    " pairs, and all are done. Where as many were drawn from each layer pair, coverage is what they say of all feature"
    " pairs, by the sizes of the layer pairs, with Korn and Graubard's interval."
)


class Share(NamedTuple):
    """Where a share is, such as "in “name”", and the share; ``shown`` is how it is written where that is not usual.

    ``estimate`` is what a sample says of all.
    """

    where: str
    ratio: Ratio
    shown: str = ""
    estimate: Estimate | None = None

    @property
    def percent(self) -> str:
        """The share in percent."""
        return f"about {percentage(self.value)}" if self.weighted else self.shown or self.ratio.percent

    @property
    def weighted(self) -> bool:
        """Whether the share is not that of the sample."""
        return self.estimate is not None and self.estimate.weighted

    @property
    def value(self) -> float:
        """The share, a fraction."""
        return self.ratio.n / self.ratio.total if self.estimate is None else self.estimate.share

    def counts(self, noun: str = "") -> str:
        """What was counted of how many, which are called a ``noun``, and whether the share is another one."""
        return f"{self.ratio.counts} {noun}".rstrip() + ", by the sizes of the layer pairs" * self.weighted


# Several campaigns


def main_coverage(table: MainTable, *, paper: bool = False) -> Caption:
    """Coverage of each campaign, with its interval."""
    said, that = f"{WITH_EFFECT} {_in_each(table, _covered)}", "have a replayable witness"
    return _main(table, "covered", "Coverage M", noun="test conditions", that=that, said=said, paper=paper)


def _covered(cell: MainCell) -> str:
    shown = f"{cell.with_effect.display()}{_of_all(cell.with_effect_estimate)}"
    effect = f", with effect ({cell.effect}) {shown}" if cell.with_effect.total else ", effects not known"
    return f"{cell.covered.display()}{_of_all(cell.estimate)}{effect}"


def main_adversarial(table: MainTable, *, paper: bool = False) -> Caption:
    """The AE rate of each campaign with its interval, beside what baseline searches find."""
    said = f"{CHANGED_BY_BASELINES} {_in_each(table, _adversarial)}"
    return _main(table, "adversarial", "The AE rate", noun="test pairs", that="are adversarial", said=said, paper=paper)


def _adversarial(cell: MainCell) -> str:
    found, n = cell.baselines, cell.baselines.random.total
    beside = f", random {found.random.display()}, PGD {found.ascent.display()}" if n else ", no baseline search"
    return f"{from_seeds(cell.adversarial, cell.adversarial_seeds)}{_interval(cell.adversarial_interval)}{beside}"


def _of_all(estimate: Estimate | None) -> str:
    """What a sample says of all feature pairs, after its share."""
    if estimate is None:
        return ""
    weighted = f", about {percentage(estimate.share)} of all feature pairs" if estimate.weighted else ""
    return weighted + _interval(estimate.interval)


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f", {from_to(interval)}"


def _in_each(table: MainTable, words: Callable[[MainCell], str]) -> str:
    return f"{'; '.join(f'{cell.name}: {words(cell)}' for cell in table.cells)}."


def _main(table: MainTable, share: str, what: str, *, noun: str, that: str, said: str, paper: bool) -> Caption:
    """Where a share of the campaigns is lowest and highest, what it means, and what is ``said`` of each."""
    estimates = [cell.estimate if share == "covered" else None for cell in table.cells]
    shares = [
        Share(f"in “{cell.name}”", getattr(cell, share), estimate=estimate)
        for cell, estimate in zip(table.cells, estimates, strict=True)
    ]
    meaning = f"{what} is the share of the {noun} that {that}."
    return Caption(_ends_of(what, noun, shares)).followed_by(meaning, INTERVALS, said, PAPERS_NUMBERS * paper)


def _ends_of(what: str, noun: str, shares: Sequence[Share]) -> str:
    """The sentence that says where a share is lowest and where it is highest.

    >>> few, none = Share("in b", Ratio(1, 4), "≥ 25.0 %"), Share("in c", Ratio(0, 0))
    >>> _ends_of("Coverage", "conditions", [Share("in a", Ratio(3, 4)), few, none])
    'Coverage is lowest in b (≥ 25.0 %, 1 of 4 conditions) and highest in a (75.0 %, 3 of 4).'
    >>> _ends_of("Coverage", "conditions", [Share("in a", Ratio(3, 4))])
    'Coverage is 75.0 % in a (3 of 4 conditions).'
    """
    known = sorted((each for each in shares if each.ratio.total), key=lambda each: each.value)
    if not known:
        return f"There are no {noun} to count yet."
    least, most = known[0], known[-1]
    if least.percent == most.percent:
        everywhere = "everywhere, as " * (len(known) > 1)
        return f"{what} is {least.percent} {everywhere}{least.where} ({least.counts(noun)})."
    return (
        f"{what} is lowest {least.where} ({least.percent}, {least.counts(noun)}) and highest {most.where}"
        f" ({most.percent}, {most.counts()})."
    )


def main_table(table: MainTable, *, paper: bool = False) -> Caption:
    """The table of coverage and AE rates."""
    covered, adversarial = (
        sum((getattr(cell, share) for cell in table.cells), Ratio(0, 0)) for share in ("covered", "adversarial")
    )
    return Caption(
        f"In {counted(len(table.cells), 'campaign')}, {out_of(covered, 'test condition')}"
        f" {agreeing(covered.n, 'has', 'have')} a replayable witness, and {out_of(adversarial, 'test pair')}"
        f" {agreeing(adversarial.n, 'is', 'are')} adversarial."
    ).followed_by(
        "M is the share of the test conditions that have a"
        " replayable witness, and AE the share of the test pairs that are adversarial.",
        INTERVALS,
        f"{WITH_EFFECT} At 8 bits counts the witnesses that still hold when x2 is rounded. {CHANGED_BY_BASELINES}",
        PAPERS_NUMBERS * paper,
    )


def differences(table: Sequence[Difference]) -> Caption:
    """The table of what campaigns differ in."""
    if not table:
        return Caption("Beside networks and criteria, these campaigns have the same settings and the same data.")
    return Caption(
        f"Beside networks and criteria, these campaigns differ in {', '.join(_lowered(each.what) for each in table)}."
    ).followed_by("What stands here may explain a difference as well as the networks do.")


def _lowered(name: str) -> str:
    return name[:1].lower() + name[1:]


def distance_curves(curves: Sequence[DistanceCurve], *, bands: bool = False, chosen: Sequence[str] = ()) -> Caption:
    """Accumulated distances of several campaigns, with those that have no curve or are left out."""
    none = [curve.name for curve in curves if not curve.total]
    some = [curve for curve in curves if curve.total]
    return captions.distance_curve(some, bands=bands).followed_by(
        "Two curves whose bands overlap everywhere may be of the same distances." * (bands and len(some) > 1),
        f"Without an adversarial pair, and so without a curve: {'; '.join(none)}." if none else "",
        _left_out(some, chosen),
    )


def layerwise(table_and_share: tuple[LayerwiseTable, str], *, chosen: Sequence[str] = ()) -> Caption:
    """One share of several campaigns layer by layer: what is counted of what."""
    table, share = table_and_share
    drawn = SHARES[share]
    some = [series for series in table.series if any(ratio.total for ratio in getattr(series, share))]
    shares = [
        Share(f"in {table.by.value} {layer_tick(place, table.by)} of “{series.name}”", ratio, estimate=estimate)
        for series in some
        for place, ratio, estimate in zip(series.places, getattr(series, share), series.of_all(share), strict=True)
    ]
    return Caption(_ends_of(drawn.subject, drawn.noun, shares)).followed_by(
        f"Each bar counts, for one {table.by.value} and campaign, {drawn.meaning}.",
        f"Whiskers are intervals. {INTERVALS}" * drawn.intervals,
        _left_out(some, chosen),
    )


def _left_out(campaigns: Sequence[HasName], chosen: Sequence[str]) -> str:
    """Which campaigns the figure leaves out, and where they are."""
    drawn = [each.name for each in overlaid(campaigns, chosen)]
    others = [each.name for each in campaigns if each.name not in drawn]
    if not others:
        return ""
    return f"Drawn are {len(drawn)} of {len(campaigns)} campaigns; the table has all. Left out: {'; '.join(others)}."


def top_weights(rows: Sequence[WeightsRow]) -> Caption:
    """What top weights change: M and AE rate of each two campaigns."""
    said = "; ".join(
        f"{row.network}, {row.criterion} and {row.criterion}^w{row.top_weights}: M {row.covered[0].display()} and"
        f" {row.covered[1].display()}, AE {row.adversarial[0].display()} and {row.adversarial[1].display()}"
        for row in rows
    )
    most = max(rows, key=lambda row: abs((row.covered[0].value or 0.0) - (row.covered[1].value or 0.0)))
    everything, strongest = most.covered
    return Caption(
        f"By {most.criterion} on {most.network}, coverage M is {everything.display()} on all feature pairs and"
        f" {strongest.display()} on the {most.top_weights} strongest connections into each neuron."
    ).followed_by(
        "Each point is M, or the AE rate, on all feature pairs minus that on the strongest connections alone, in"
        " percentage points: positive is more on all pairs. Intervals of 95 % join those of both shares (Newcombe"
        " 1998), and one over 0 leaves open which is larger; of all pairs, not sampled, a share is exact.",
        f"{said}.",
    )


def distance_by_omega(table: OmegaTable) -> Caption:
    """Distances by ω, each campaign's with its name, and what else differs between the campaigns."""
    rows = "; ".join(
        f"ω = {_share(row)}: {row.pairs.words} (n = {row.pairs.n:,}), campaign {row.name}" for row in table.rows
    )
    middle = shown(table.spreads).middle
    drawn = [row for row in table.rows if row.pairs.n]
    if not drawn:
        return Caption(captions.NO_PAIR)
    ends = " and ".join(
        f"{row.pairs.words} at ω = {_share(row)} ({counted(row.pairs.n, 'test pair')})"
        for row in dict.fromkeys((drawn[0], drawn[-1]))
    )
    return Caption(f"The {middle} {distance_axis(table.norm, table.unit)} is {ends}.").followed_by(
        f"ω is the largest share of a layer's neurons in one feature. Each point is the {middle} distance between seed"
        f" and generated input. {captions.BARS[middle]}",
        f"{rows}.",
        f"Beside ω, the campaigns differ in: {', '.join(table.differences)}." if table.differences else "",
    )


def _share(row: OmegaRow) -> str:
    return f"{100 * row.omega:.6g} %"


def lp_cost(table: Sequence[ProgrammeSeries], *, paper: bool = False, chosen: Sequence[str] = ()) -> Caption:
    """Seconds of one linear programme, of several campaigns."""
    some = [series for series in table if any(row.seconds_mean for row in series.rows)]
    timed = sorted(
        (row.seconds_mean, f"layers {layer_pair(row.edge)} of “{series.name}”")
        for series in some
        for row in series.rows
        if row.seconds_mean
    )
    calls = sum(row.calls or 0 for series in table for row in series.rows)
    ends = [f"{short(seconds)} s ({place})" for seconds, place in dict.fromkeys((*timed[:1], *timed[-1:]))]
    took = f"takes {' to '.join(ends)} on average, over {counted(calls, 'call')}" if ends else "was not timed"
    return Caption(f"An LP call {took}.").followed_by(
        "Each point is the mean over the calls of one layer pair and campaign. The paper's variables and constraints"
        " are those of its formulation for the same networks, computed here; seconds depend on the machine and on what"
        " else it does.",
        "The paper's seconds are those of its own formulation on its own machine." * paper,
        _left_out(some, chosen),
    )


# A measurement


def criteria(measurement: StoredMeasurement) -> Caption:
    """The table of criteria, each with its coverage."""
    values = "; ".join(f"{each.name}: {each.percent}{_with_effect(each)}" for each in measurement.criteria)
    known = any(each.shown is not None for each in measurement.criteria)
    counted = [(each, each.ratio) for each in measurement.criteria if each.ratio is not None]
    shares = [Share(f"by {each.name}", ratio, each.percent) for each, ratio in counted]
    return Caption(_ends_of("What the suite covers", "test conditions", shares)).followed_by(
        f"The table has what it covers by each criterion: {values}.",
        effect_in_words(measurement.spec.effect) if known else "",
        *lower_bounds(measurement.criteria),
    )


def _with_effect(criterion: MeasuredCriterion) -> str:
    return "" if criterion.shown is None else f", with effect {criterion.shown.percent}"


def suite_coverage(table: tuple[StoredMeasurement, MeasuredCriterion]) -> Caption:
    """Coverage of one criterion by layer, in all and with its bound."""
    measurement, criterion = table
    effect = _with_effect(criterion)
    counts = f"has {without_share(criterion)}"
    if criterion.ratio is not None:
        counts = f"covers {out_of(criterion.ratio, 'test condition')} ({criterion.percent}{effect})"
    return Caption(f"By {criterion.name}, the suite {counts}.").followed_by(
        "Each bar is the share of the test conditions of one layer, or layer pair, that the suite meets.",
        f"This is a lower bound: {'; '.join(criterion.bounds)}." if criterion.bounds else "",
        effect_in_words(measurement.spec.effect) if effect else "",
    )


def relations(measurement: StoredMeasurement) -> Caption:
    """The diagram of criteria, arrow by arrow."""
    answers = [each.answer for each in check(measurement)]
    told = Ratio(answers.count(Answer.HOLDS), answers.count(Answer.HOLDS) + answers.count(Answer.FAILS))
    hold = agreeing(told.n, "holds", "hold")
    return Caption(
        f"Of {counted(told.total, 'relation')} between criteria that this suite can decide, {told.n:,} {hold} here."
    ).followed_by(
        "An arrow leads from a weaker criterion to a stronger one, as the paper's theorem and lemmas say; one suite"
        f" cannot prove it. {relations_in_words(measurement)}"
    )


def further_inputs(table: tuple[Selection, Curve]) -> Caption:
    """What the first inputs of the order that selects reach, beside random orders."""
    selection, curve = table
    spec, first = selection.spec, selection.first.order
    n = min(spec.budget, selection.inputs)
    both = f"{reached(curve, first, n)}, random orders {reached(curve, RANDOM, n)}" if first != RANDOM else ""
    told = both or reached(curve, RANDOM, n)
    orders = [each.order for each in curve.series]
    return Caption(
        f"Of {curve.title}, the first {counted(n, 'input')} of {selection.inputs:,} by {title_of(first)} reach {told}."
    ).followed_by(
        f"All inputs together reach {reached_by_all(curve)}.",
        f"Orders: {'; '.join(f'{title_of(each)}, {words_of(each)}' for each in orders)}.",
        f"Of {spec.seeds} random orders, the line is the mean, and 95 % lie in the band.",
        *map(first_round_in_words, selection.rankings),
    )
