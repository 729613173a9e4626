"""What counts are of, in words: covered test conditions, the sample they come from, adversarial test pairs."""

from __future__ import annotations

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.distances import NORM_NAMES, written
from dnncov_core.features import strongest
from dnncov_core.ratios import NOTHING
from dnncov_core.statistics import ControlRow, CoverageRow, Spread


def adversarial_means(spec: CampaignSpec) -> str:
    """What makes a test pair of this campaign adversarial.

    >>> adversarial_means(CampaignSpec("toy", "toy", bound=0.3))
    'label differs, L∞ distance within b = 0.3'
    >>> adversarial_means(CampaignSpec("toy", "toy"))
    'label differs, no bound on the distance'
    """
    if spec.bound is None:
        return "label differs, no bound on the distance"
    return f"label differs, {NORM_NAMES[spec.norm]} distance within b = {spec.bound:g}"


def sampled(row: CoverageRow) -> bool:
    """Whether the campaign asks about some of a layer pair's feature pairs only."""
    return row.covered.total < row.available


def covered_of(row: CoverageRow, noun: str = " conditions") -> str:
    """Covered test conditions of how many, and of how many these are a sample; ``noun`` is empty in narrow places."""
    if sampled(row):
        return f"{row.covered.counts} sampled{noun} (of {row.available:,})"
    return row.covered.counts + (" test conditions" if noun else "")


def sampling(spec: CampaignSpec, row: CoverageRow) -> str:
    """How the test conditions were chosen."""
    among = "" if spec.top_weights is None else f" among {strongest(spec.top_weights)}"
    if not sampled(row):
        return f"All feature pairs of the chosen layers{among} are test conditions."
    return (
        f"The {row.covered.total:,} test conditions are a random sample, without replacement, of the"
        f" {row.available:,} feature pairs of the chosen layers{among} (random seed {spec.random_seed})."
    )


def control_words(row: ControlRow) -> str:
    """What plain searches find beside this one; empty before there is a control."""
    n = row.searched.total
    if not n:
        return ""
    of = "these" if n == 1 else f"these {n:,}"
    return (
        f"Same seeds, radius and passes, of {n:,} test pairs: {row.searched.percent} are adversarial;"
        f" random perturbations change the label of {row.random.percent} of {of} seeds, gradient ascent of"
        f" {row.ascent.percent}."
    )


def eight_bits(row: CoverageRow) -> str:
    """Witnesses that hold at 8 bits, or why there is nothing to count."""
    if row.covered.n and not row.holds_8bit.total:
        return "8 bits do not apply"
    return row.holds_8bit.display()


def spread(distances: Spread) -> str:
    """Mean ± deviation of distances."""
    if distances.mean is None:
        return NOTHING
    return f"{written(distances.mean)} ± {written(distances.std or 0.0)}"
