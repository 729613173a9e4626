"""The formula of a criterion: one part a line, and what its signs mean."""

from __future__ import annotations

SYMBOLS = {
    r"nsc(": "nsc: no neuron's sign changes",
    r"\wedge": "∧: and",
    r"vc(": "vc: the value changes as the value function asks",
    r"P_k": "P_k: all neurons of layer k",
}
"""What the signs of a formula mean, by what shows that they occur; sc is in every one."""


def legend(formula: str) -> str:
    """The meaning of the signs that occur in a formula.

    >>> legend("sc(a) \\\\wedge vc(g, b)")
    "sc: every neuron's sign changes; ∧: and; vc: the value changes as the value function asks."
    """
    return "; ".join(["sc: every neuron's sign changes", *(SYMBOLS[sign] for sign in SYMBOLS if sign in formula)]) + "."


def in_lines(formula: str) -> str:
    """A conjunction with one part a line, so that it fits on narrow screens."""
    parts = [part.strip() for part in formula.replace(r"\;", " ").split(r"\wedge")]
    return r"\begin{aligned} &" + r" \\ \wedge\; &".join(parts) + r"\end{aligned}"
