"""The effect of a condition on a decision: what it means, and what of it one pair of inputs shows."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.phrases.numbers import MINUS, agreeing, counted, out_of
from dnncov_core.ratios import Ratio
from dnncov_core.records import EffectCounts

NEEDED: Mapping[bool, str] = {
    True: "without the condition's change the decision does not change",
    False: "without the condition's change the decision changes all the same",
}
SUFFICIENT: Mapping[bool, str] = {
    True: "the condition's change alone changes the decision",
    False: "the condition's change alone does not change the decision",
}
EFFECT = (
    "**Covered** says that the decision changed together with the condition, while the other neurons of layer k kept"
    " their signs. Their values move all the same, and often it is these that change the decision. **Covered, with"
    " effect** says that the condition's change is **needed**: put its activations alone back to those at x1, leave all"
    " others as at x2, and the decision does not change. The change is **sufficient** if it does the same alone: with"
    " its activations as at x2, and all others as at x1, the decision changes. MC/DC asks that each condition affects"
    " the decision independently. The paper's criteria ask for no effect, so both counts stand beside each other. A"
    " campaign can ask for one: then only a test pair that shows it counts, and **covered** means covered with it."
)
"""What covering means with and without effect, in Markdown."""
WATERFALL = (
    "The figure leads from u of the decision neuron at x1 to u at x2. Each bar is what goes away where one neuron of"
    " layer k is put back to its activation at x1, and the one before x2 is the condition feature's: if it crosses"
    " u = 0, the condition's change is needed for a change of sign. Behind x2 stands u with that change alone."
)
"""How the figure of one pair of inputs is read."""
UNKNOWN = "effect not known yet"
"""Said of test pairs that an earlier version stored."""
VERDICTS: Mapping[tuple[bool, bool], str] = {
    (True, True): "needed and sufficient",
    (True, False): "needed, and not sufficient",
    (False, True): "sufficient, and not needed",
    (False, False): "neither needed nor sufficient",
}
"""What is said of the condition's change, by whether it is needed and whether it is sufficient."""
EFFECT_MEANS: Mapping[str, str] = {
    "needed": NEEDED[True],
    "sufficient": SUFFICIENT[True],
    "both": f"{NEEDED[True]}, and that change alone changes it",
}
"""What each effect of `EFFECTS` means."""
WITH_EFFECT = f"With effect: {NEEDED[True]}; for a campaign that asks for a different effect, the one that it asks for."
"""What "covered, with effect" means beside campaigns that may ask for different effects."""


def as_asked(effect: str) -> str:
    """What follows "witness" or "x2" in a campaign that asks for this effect; empty where it asks for none."""
    return " with the effect asked for" if effect in EFFECT_MEANS else ""


def effect_of(needed: bool | None, sufficient: bool | None) -> str:
    """Which effect one test pair shows, in a few words.

    >>> effect_of(True, False), effect_of(None, None)
    ("the condition's change is needed, and not sufficient", 'effect not known yet')
    """
    if needed is None or sufficient is None:
        return UNKNOWN
    return f"the condition's change is {VERDICTS[needed, sufficient]}"


def share_words(share: float | None, what: str = "It") -> str:
    """How much of the decision's change of u goes away where the condition is put back; empty where nothing changed.

    >>> share_words(-0.0625)
    "It carries −6.25 % of the decision's change of u, which is against it."
    """
    if share is None:
        return ""
    carried = f"{100 * share:.3g}".replace("-", MINUS)
    return f"{what} carries {carried} % of the decision's change of u{', which is against it' * (share < 0)}."


def with_effect(shown: Ratio, effects: EffectCounts, effect: str) -> str:
    """How many test conditions are covered, with effect, and what that means; or of how many that is not known.

    >>> print(with_effect(Ratio(2, 6), EffectCounts(needed=2), "needed")[:71])
    2 of 6 test conditions (33.3 %) are covered, with effect (needed: witho
    >>> with_effect(Ratio(0, 0), EffectCounts(unknown=3), "needed")
    'Whether the condition has an effect is not known yet of 3 witnesses: resuming the campaign finds out.'
    """
    if effects.unknown:
        witnesses = counted(effects.unknown, "witness", "witnesses")
        return f"Whether the condition has an effect is not known yet of {witnesses}: resuming the campaign finds out."
    if not shown.total:
        return ""
    conditions, are = out_of(shown, "test condition"), agreeing(shown.n, "is", "are")
    return f"{conditions} ({shown.percent}) {are} covered, with effect ({effect}: {EFFECT_MEANS[effect]})."
