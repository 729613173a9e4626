"""What makes a test pair adversarial, and what baseline searches find beside it."""

from __future__ import annotations

from collections.abc import Sequence

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.distances import NORM_NAMES
from dnncov_core.phrases.numbers import agreeing, counted
from dnncov_core.ratios import Ratio
from dnncov_core.records import NetworkCard, Quantity

BASELINE_SEARCHES = (
    "Baseline searches ask for an adversarial x2 and for no test condition: random perturbations, and projected"
    " gradient ascent (PGD). They start at the seeds of up to 200 test pairs, drawn at random. Each may go as far as"
    " its test pair went (or as far as the bound b, if the campaign has one), and makes as many passes through the"
    " network as the search for this pair made (40 where linear programmes made none). Only beside them does an AE"
    " rate say something about a criterion."
)
CHANGED_BY_BASELINES = (
    "Baseline searches: the share of the same seeds for which random perturbations and projected gradient ascent"
    " (PGD) find an adversarial x2, with the same radius and passes."
)
"""What the numbers of baseline searches are, beside an AE rate."""
READ_TOGETHER = (
    "The paper reads coverage and AE rate together: “given a test suite, a DNN with a high coverage level M_f and a low"
    " adversarial percentage AE_f is considered robust.” That is the paper's reading, for the inputs that were tried."
    " Where gradient ascent finds many adversarial inputs with the same budget, a low AE rate says that this search"
    " does not look for them; it says nothing about the network."
)
"""How the paper reads an AE rate, and what it leaves out."""
FEW = 10
"""Adversarial pairs below which a distance curve says little."""


def adversarial_means(spec: CampaignSpec, card: NetworkCard | None = None) -> str:
    """What makes a test pair of this campaign adversarial, for labels or, by the network's card, for a regression.

    >>> adversarial_means(CampaignSpec("toy", "toy", bound=0.3))
    'another label, L∞ distance at most b = 0.3'
    >>> adversarial_means(CampaignSpec("toy", "toy"))
    'another label, no bound on the distance'
    """
    what = beyond_tolerance(card.quantities) if card is not None and card.quantities else "another label"
    if spec.bound is None:
        return f"{what}, no bound on the distance"
    return f"{what}, {NORM_NAMES[spec.norm]} distance at most b = {spec.bound:g}"


def beyond_tolerance(quantities: Sequence[Quantity]) -> str:
    """What an adversarial pair does to the outputs of a regression.

    >>> beyond_tolerance([Quantity("cross-track error", "m", 0.5), Quantity("heading", "°", 2.0)])
    'an output moves by more than its tolerance (cross-track error 0.5 m, heading 2 °)'
    """
    each = ", ".join(f"{of.name} {of.tolerance:g} {of.unit}".rstrip() for of in quantities)
    return f"an output moves by more than its tolerance ({each})"


def wrong(card: NetworkCard | None) -> str:
    """What an input is that cannot be a seed.

    >>> wrong(None)
    'misclassified'
    """
    return "outside the tolerance" if card is not None and card.quantities else "misclassified"


def from_seeds(adversarial: Ratio, seeds: int) -> str:
    """Adversarial pairs of the test pairs, and from how many different seeds they are.

    >>> from_seeds(Ratio(29, 30), 23)
    '96.7 % (29 of 30, from 23 seeds)'
    >>> from_seeds(Ratio(0, 30), 0)
    '0 % (0 of 30)'
    """
    if not adversarial.n:
        return adversarial.display()
    return f"{adversarial.percent} ({adversarial.counts}, from {counted(seeds, 'seed')})"


def without_labels(card: NetworkCard | None) -> str:
    """Why nothing is known of adversarial pairs, where the network has one output; else empty."""
    if card is None or len(card.classes) != 1:
        return ""
    return "The network has one output, so that all inputs have the same label."


def baseline_searches(searched: Ratio, random: Ratio, ascent: Ratio) -> str:
    """What baseline searches find beside this one; empty where there were none.

    Args:
        searched: adversarial pairs, of the test pairs whose seeds the baseline searches started at.
        random: seeds for which random perturbations found an adversarial x2, of as many.
        ascent: likewise, gradient ascent.
    """
    if not searched.total:
        return ""
    pairs = f"{counted(searched.total, 'test pair')} that {agreeing(searched.total, 'was', 'were')} compared"
    return (
        f"Of {pairs}, {searched.percent} are adversarial. Baseline searches from their seeds, with the same radius and"
        f" passes, found an adversarial x2 for {random.percent} (random perturbations) and for {ascent.percent}"
        " (gradient ascent)."
    )


def baseline_searches_in_brief(random: Ratio, ascent: Ratio) -> str:
    """What baseline searches found, in a few words for cards and cells; empty where there were none.

    >>> baseline_searches_in_brief(Ratio(0, 8), Ratio(4, 8))
    'baseline searches: random 0 %, PGD 50.0 %'
    """
    return f"baseline searches: random {random.percent}, PGD {ascent.percent}" if random.total else ""


def why_so_few(spec: CampaignSpec, found: int) -> str:
    """Why a campaign found few adversarial pairs, if the order of its seeds is why; else empty."""
    if found >= FEW or spec.seed_order != "nearest":
        return ""
    return (
        "Nearest first takes steps so small that few of the test pairs are adversarial. A campaign with seeds in random"
        " order, as in the paper, finds more of them."
    )
