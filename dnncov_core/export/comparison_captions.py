"""What tables of several campaigns show, in one or two sentences with their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from dnncov_core.export import captions
from dnncov_core.figures import SHARES
from dnncov_core.figures.style import HasName, overlaid
from dnncov_core.programmes import ProgrammeSeries
from dnncov_core.statistics import Difference, DistanceCurve, Interval, LayerwiseTable, MainCell, MainTable, WeightsRow

SAMPLES = "where the test conditions are a simple random sample of all feature pairs"
PAPERS = (
    " The paper's numbers are of networks of the same structure with other weights, of other seeds, and of all feature"
    " pairs: they are no target."
)
CONTROLS = (
    " Controls: of how many of the same seeds random perturbations and projected gradient ascent (PGD) change the"
    " label, with the same radius and passes."
)


def main_coverage(table: MainTable, *, paper: bool = False) -> str:
    """Of `plot_main_coverage`."""
    said = "; ".join(f"{cell.name}: {cell.covered.display()}{_ends(cell.covered_interval)}" for cell in table.cells)
    return (
        "Coverage M: share of the test conditions that have a replayable witness, with Clopper and Pearson's 95 %"
        f" interval {SAMPLES}. {said}.{PAPERS if paper else ''}"
    )


def main_adversarial(table: MainTable, *, paper: bool = False) -> str:
    """Of `plot_main_adversarial`."""
    said = "; ".join(f"{cell.name}: {_adversarial(cell)}" for cell in table.cells)
    return (
        "AE rate: share of the test pairs that are adversarial, with Clopper and Pearson's 95 % interval"
        f" {SAMPLES}.{CONTROLS} {said}.{PAPERS if paper else ''}"
    )


def _adversarial(cell: MainCell) -> str:
    control, n = cell.control, cell.control.random.total
    beside = f", random {control.random.display()}, PGD {control.ascent.display()}" if n else ", no control"
    return f"{cell.adversarial.display()}{_ends(cell.adversarial_interval)}{beside}"


def _ends(interval: Interval | None) -> str:
    return "" if interval is None else f", {100 * interval[0]:.1f} to {100 * interval[1]:.1f} %"


def main_table(table: MainTable) -> str:
    """Of the main table."""
    return (
        f"Coverage M and AE rate of {len(table.cells)} campaigns, with Clopper and Pearson's 95 % intervals"
        f" {SAMPLES}.{CONTROLS}"
    )


def differences(table: Sequence[Difference]) -> str:
    """Of the table of what differs."""
    if not table:
        return "Beside networks and criteria these campaigns were asked the same, of the same data."
    return f"What these campaigns differ in beside networks and criteria: {', '.join(each.what for each in table)}."


def curves(table: Sequence[DistanceCurve], *, bands: bool = False, chosen: Sequence[str] = ()) -> str:
    """Of `plot_distance_curve`, of several campaigns."""
    none = [curve.name for curve in table if not curve.total]
    without = f" Without an adversarial pair, and so without a curve: {'; '.join(none)}." if none else ""
    known = [curve for curve in table if curve.total]
    return captions.curves(known, bands=bands) + without + _left_out(known, chosen)


def layerwise(shown: tuple[LayerwiseTable, str], *, chosen: Sequence[str] = ()) -> str:
    """Of `plot_layerwise`."""
    table, share = shown
    drawn = SHARES[share]
    intervals = f" Whiskers: Clopper and Pearson's 95 % intervals, {SAMPLES}." if drawn.intervals else ""
    known = [series for series in table.series if any(ratio.total for ratio in getattr(series, share))]
    return f"{drawn.title} by {table.by.value} and campaign: {drawn.meaning}.{intervals}{_left_out(known, chosen)}"


def _left_out(known: Sequence[HasName], chosen: Sequence[str]) -> str:
    """Which campaigns the figure leaves out, and where they are."""
    drawn = [each.name for each in overlaid(known, chosen)]
    others = [each.name for each in known if each.name not in drawn]
    if not others:
        return ""
    return f" Drawn are {len(drawn)} of {len(known)} campaigns; the table has all. Left out: {'; '.join(others)}."


def weights(rows: Sequence[WeightsRow]) -> str:
    """Of `plot_top_weights`."""
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


def programmes(table: Sequence[ProgrammeSeries], *, paper: bool = False, chosen: Sequence[str] = ()) -> str:
    """Of `plot_programmes`."""
    known = [series for series in table if any(row.seconds_mean for row in series.rows)]
    calls = sum(row.calls or 0 for series in table for row in series.rows)
    beside = " The paper's seconds are those of its own formulation on its own machine." if paper else ""
    return (
        f"Seconds of one LP call by layer pair and campaign, of {calls:,} calls; they depend on the machine.{beside}"
        f"{_left_out(known, chosen)}"
    )
