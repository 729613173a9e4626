"""The effect of a condition on a decision: what it means, and what of it one pair of inputs shows."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.records import Effect

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
    " the decision independently. The paper's criteria ask for no effect, so both counts stand beside each other."
)
"""What covering means with and without effect, in Markdown."""
UNKNOWN = "effect not known yet"
"""Said of test pairs that an earlier version stored."""
VERDICTS: Mapping[tuple[bool, bool], str] = {
    (True, True): "needed and sufficient",
    (True, False): "needed, and not sufficient",
    (False, True): "sufficient, and not needed",
    (False, False): "neither needed nor sufficient",
}
"""What is said of the condition's change, by whether it is needed and whether it is sufficient."""


def effect_words(effect: Effect) -> str:
    """What one pair of inputs shows.

    >>> effect_words(Effect(True, False, 0.25))
    "The condition's change is needed, and not sufficient. It carries 25 % of the decision's change of u."
    """
    said = f"The condition's change is {VERDICTS[effect.needed, effect.sufficient]}."
    return f"{said} {share_words(effect.share)}".rstrip()


def share_words(share: float | None, what: str = "It") -> str:
    """How much of the decision's change of u goes away where the condition is put back; empty where nothing changed.

    >>> share_words(-0.0625)
    "It carries -6.25 % of the decision's change of u, which is against it."
    """
    if share is None:
        return ""
    return f"{what} carries {100 * share:.3g} % of the decision's change of u{', which is against it' * (share < 0)}."
