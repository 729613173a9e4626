"""Which feature pairs became test conditions, how many of these have a replayable witness, and what that says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.criteria.effects import NO_EFFECT
from dnncov_core.features import strongest
from dnncov_core.phrases.effect import as_asked
from dnncov_core.phrases.numbers import agreeing, counted, from_to, out_of
from dnncov_core.ratios import Estimate, Ratio, percentage

WITNESSES = "Test conditions with a replayable witness."
FEASIBLE = "Test conditions with a replayable witness, of those that are not proved infeasible."
EIGHT_BITS = "Witnesses that still hold when x2 is rounded to 256 grey levels (8 bits)."
MOST_ADDED = 8
"""Layer pairs whose shares are written as one sum."""
PAPERS_NUMBERS = (
    "The paper's numbers are of networks of the same structure with other weights, of other seeds in another order, and"
    " of all feature pairs: they are for orientation only, and a difference from them is no error."
)
"""What has to be known beside a number that the paper reports."""
NO_EIGHT_BITS = "8 bits do not apply"
"""Said where inputs are no images."""
AT_8_BITS: Mapping[bool | None, str] = {True: "holds at 8 bits", False: "is lost at 8 bits", None: NO_EIGHT_BITS}
"""What becomes of one test pair when its x2 is rounded."""
SAMPLED_AS: Mapping[str, tuple[str, str]] = {
    "uniform": ("a random sample", ""),
    "even": ("a stratified sample", ", drawn at random within each layer pair"),
}
"""How a sample is called and how it was drawn, by the keys of `SAMPLINGS`."""


def is_sample(asked: int, available: int) -> bool:
    """Whether a campaign asks about some of its feature pairs only."""
    return asked < available


def sample(spec: CampaignSpec, asked: int, available: int) -> str:
    """Which feature pairs the test conditions are: how many are asked about, of how many that are available.

    >>> sample(CampaignSpec("toy", "toy", pairs=200), 200, 3490)
    'a random sample of 200 of 3,490 feature pairs (random seed 0)'
    >>> sample(CampaignSpec("toy", "toy", pairs=200, sampling="even"), 200, 3490)
    'a stratified sample of 200 of 3,490 feature pairs, drawn at random within each layer pair (random seed 0)'
    >>> sample(CampaignSpec("toy", "toy", top_weights=10, layers=(3, 4)), 900, 900)
    'all 900 feature pairs of decision layers 3 and 4 among the 10 strongest connections into each decision neuron'
    """
    layers = [str(layer) for layer in spec.layers]
    into = f" of decision layer{'s' * (len(layers) > 1)} {' and '.join(layers)}" if layers else ""
    among = "" if spec.top_weights is None else f" among {strongest(spec.top_weights)}"
    pairs = f"{eligible(spec, available)}{into}{among}"
    if spec.suite_gaps is not None:
        pairs = f"the {pairs}, of {spec.suite_gaps.total:,} measured"
    if not is_sample(asked, available):
        return pairs if spec.suite_gaps is not None else f"all {pairs}"
    name, drawn = SAMPLED_AS[spec.sampling]
    return f"{name} of {asked:,} of {pairs}{drawn} (random seed {spec.random_seed})"


def eligible(spec: CampaignSpec, available: int) -> str:
    """What the test conditions of a campaign are chosen from, and how many these are.

    >>> eligible(CampaignSpec("toy", "toy"), 62)
    '62 feature pairs'
    """
    return counted(available, "feature pair") if spec.suite_gaps is None else spec.suite_gaps.words


def sampling(spec: CampaignSpec, asked: int, available: int) -> str:
    """Which feature pairs the test conditions are, in a sentence.

    >>> sampling(CampaignSpec("toy", "toy"), 3490, 3490)
    'The test conditions are all 3,490 feature pairs.'
    """
    return f"The test conditions are {sample(spec, asked, available)}."


def feature_pairs_known(spec: CampaignSpec, n: int) -> str:
    """How many feature pairs a new campaign has; with top weights an upper bound, since it has not seen the weights.

    >>> feature_pairs_known(CampaignSpec("toy", "toy", top_weights=10), 950)
    'at most 950'
    """
    return f"{'' if spec.top_weights is None else 'at most '}{n:,}"


def planned(spec: CampaignSpec, asked: int, available: int) -> str:
    """How many test conditions a new campaign will have, of ``available`` feature pairs.

    >>> planned(CampaignSpec("toy", "toy", pairs=200), 200, 3490)
    '200 sampled test conditions (of 3,490)'
    >>> planned(CampaignSpec("toy", "toy", pairs=5000), 3490, 3490)
    'all 3,490 test conditions (5,000 asked for)'
    """
    pairs = feature_pairs_known(spec, available)
    if is_sample(asked, available):
        return f"{counted(asked, 'sampled test condition')} (of {pairs})"
    fewer = f" ({spec.pairs:,} asked for)" if spec.pairs is not None and spec.pairs > available else ""
    return f"all {pairs} test condition{'s' * (available != 1)}{fewer}"


def covered_of(covered: Ratio, available: int, estimate: Estimate | None = None) -> str:
    """Covered test conditions of how many, and of how many feature pairs these are a sample.

    Where the share of these is another one than that of the sample, it is said.

    >>> covered_of(Ratio(6, 8), 62), covered_of(Ratio(6, 8), 8)
    ('6 of 8 sampled conditions (of 62)', '6 of 8 test conditions')
    >>> covered_of(Ratio(6, 8), 62, Estimate(0.8, (0.4, 0.95), weighted=True))
    '6 of 8 sampled conditions (about 80.0 % of all 62)'
    """
    if not is_sample(covered.total, available):
        return out_of(covered, "test condition")
    share = f"about {percentage(estimate.share)} of all" if estimate is not None and estimate.weighted else "of"
    return f"{out_of(covered, 'sampled condition')} ({share} {available:,})"


def covered_in_brief(covered: Ratio, available: int) -> str:
    """Covered test conditions of how many, for narrow places, where the noun is clear.

    >>> covered_in_brief(Ratio(6, 8), 62), covered_in_brief(Ratio(6, 8), 8)
    ('6 of 8 sampled (of 62)', '6 of 8')
    """
    return covered.counts + (f" sampled (of {available:,})" if is_sample(covered.total, available) else "")


def have_witness(covered: Ratio, available: int, effect: str = NO_EFFECT) -> str:
    """The sentence that the numbers of a campaign allow that asks for this effect.

    >>> have_witness(Ratio(6, 8), 62)
    '6 of 8 sampled conditions (of 62) have a replayable witness.'
    """
    have = agreeing(covered.n, "has", "have")
    return f"{covered_of(covered, available)} {have} a replayable witness{as_asked(effect)}."


def of_all(pairs: str, interval: tuple[float, float] | None, what: str = "one") -> str:
    """What a random sample says of all that it is drawn from, as `eligible` says it; empty without an interval.

    ``what`` is what they have.

    >>> of_all("3,490 feature pairs", (0.5, 1.0))
    'Of all 3,490 feature pairs, 50.0 % to 100 % have one (95 % interval of the sample).'
    """
    if interval is None:
        return ""
    return f"Of all {pairs}, {from_to(interval)} have {what} (95 % interval of the sample)."


def estimated(pairs: str, estimate: Estimate | None, what: str = "one") -> str:
    """What any sample says of all that it is drawn from, as `of_all`; a stratified one is weighted.

    >>> estimated("62 feature pairs", Estimate(0.884, (0.79, 0.95), weighted=True))
    'By the sizes of the layer pairs, about 88.4 % of all 62 feature pairs have one (79.0 % to 95.0 %, 95 % interval).'
    """
    if estimate is None or not estimate.weighted:
        return of_all(pairs, None if estimate is None else estimate.interval, what)
    share, ends = percentage(estimate.share), from_to(estimate.interval)
    return f"By the sizes of the layer pairs, about {share} of all {pairs} have {what} ({ends}, 95 % interval)."


def weighted_sum(strata: Sequence[tuple[int, Ratio]], share: float) -> str:
    """How the estimate of a stratified sample comes about; empty where there are too many layer pairs to add up.

    >>> weighted_sum([(1474, Ratio(12, 20)), (1386, Ratio(9, 20)), (630, Ratio(2, 20))], 0.4502)
    'By layer pair, (60.0 % × 1,474 + 45.0 % × 1,386 + 10.0 % × 630) / 3,490 = 45.0 %.'
    """
    if len(strata) > MOST_ADDED:
        return ""
    parts = " + ".join(f"{drawn.percent} × {size:,}" for size, drawn in strata if size)
    return f"By layer pair, ({parts}) / {sum(size for size, _ in strata):,} = {percentage(share)}."


def with_suite(
    suite: Ratio,
    tests: Ratio,
    together: Ratio,
    interval: tuple[float, float] | None,
    name: str,
    effect: str = NO_EFFECT,
) -> str:
    """What a suite covers, what the tests of a campaign add that asked for the rest, and both together.

    >>> with_suite(Ratio(6, 10), Ratio(3, 4), Ratio(9, 10), None, "digits")
    'digits covers 6 of 10 test conditions (60.0 %), these tests 3 more (of 4 asked), both together 9 of 10 (90.0 %).'
    >>> with_suite(Ratio(6, 10), Ratio(3, 4), Ratio(9, 10), None, "digits", "needed").partition(", these tests ")[2]
    '3 more with the effect asked for (of 4 asked), both together 9 of 10 (90.0 %). No effect was asked of digits.'
    """
    both = f"both together {together.counts} ({together.percent})"
    asked = as_asked(effect)
    said = f"{name} covers {out_of(suite, 'test condition')} ({suite.percent}), these tests {tests.n:,} more{asked}"
    would = f"If all {suite.total - suite.n:,} others were asked, both together would cover"
    drawn = "" if interval is None else f" {would} {from_to(interval)} (95 % interval of the sample)."
    own = f" No effect was asked of {name}." if asked else ""
    return f"{said} (of {tests.total:,} asked), {both}.{own}{drawn}"


def distinct(n: int) -> str:
    """How many different test pairs there are where they are reused.

    >>> distinct(1), distinct(12)
    ('1 different test pair covers them.', '12 different test pairs cover them.')
    """
    return f"{counted(n, 'different test pair')} cover{'s' * (n == 1)} them."


def at_8_bits(holding: Ratio, showing: Ratio | None = None) -> str:
    """How many witnesses hold at 8 bits, and how many with effect; empty where there is nothing to count.

    >>> at_8_bits(Ratio(2, 6)), at_8_bits(Ratio(0, 0))
    ('2 of 6 witnesses (33.3 %) still hold after x2 is rounded to 8 bits.', '')
    >>> at_8_bits(Ratio(2, 6), Ratio(1, 6))
    '2 of 6 witnesses (33.3 %) still hold after x2 is rounded to 8 bits, 1 (16.7 %) with effect.'
    """
    if not holding.total:
        return ""
    witnesses, hold = out_of(holding, "witness", "witnesses"), agreeing(holding.n, "holds", "hold")
    effect = f", {showing.n:,} ({showing.percent}) with effect" if showing and showing.total else ""
    return f"{witnesses} ({holding.percent}) still {hold} after x2 is rounded to 8 bits{effect}."


def held_at_8_bits(holding: Ratio, found: int) -> str:
    """The share of ``found`` witnesses that hold at 8 bits in a table, or why there is nothing to count."""
    return NO_EIGHT_BITS if found and not holding.total else holding.display()
