"""What may be concluded here, in sentences: the same ones for the page, the command and the captions."""

from __future__ import annotations

from collections.abc import Sequence

from dnncov_core.phrases.numbers import fixed
from dnncov_core.worth.correlations import Conclusion, Correlation

OF_ALL = {
    Conclusion.MORE: "suites that cover more kill more mutants",
    Conclusion.FEWER: "suites that cover more kill fewer mutants",
    Conclusion.OPEN: "nothing can be concluded, as the interval holds 0",
    Conclusion.SAME_COVERAGE: "nothing can be concluded, as all or nearly all suites of a size cover equally much",
    Conclusion.SAME_KILLS: "nothing can be concluded, as all or nearly all suites of a size kill equally many mutants",
}
"""What each conclusion says of suites."""
AT_A_SIZE = {
    Conclusion.MORE: "they kill more",
    Conclusion.FEWER: "they kill fewer",
    Conclusion.OPEN: "nothing can be concluded",
    Conclusion.SAME_COVERAGE: "all or nearly all cover equally much",
    Conclusion.SAME_KILLS: "all or nearly all kill equally many",
}
"""What it says of suites of one size."""
NOTHING = "nothing can be concluded"
IN_ALL = {
    Conclusion.MORE: "they kill more mutants",
    Conclusion.FEWER: "they kill fewer mutants",
    Conclusion.OPEN: NOTHING,
}
"""What it says of several criteria; of those that are left out, nothing can be concluded, too."""


def numbers(found: Correlation) -> str:
    """The correlation with its interval, where it has one.

    >>> numbers(Correlation("ss", 10, 100, 0.314, 0.1, 0.52, "more"))
    '0.31 (0.10 to 0.52)'
    >>> numbers(Correlation("ss", 10, 100, None, None, None, "same kills"))
    'none'
    """
    if found.rho is None:
        return "none"
    if found.low is None or found.high is None:
        return fixed(found.rho)
    return f"{fixed(found.rho)} ({fixed(found.low)} to {fixed(found.high)})"


def sentence(of_one: Sequence[Correlation], name: str) -> str:
    """What may be concluded of one criterion: over all sizes first, then within each.

    >>> some = [Correlation("ss", 10, 100, 0.3, 0.1, 0.5, "more"), Correlation("ss", 30, 100, 0.0, -0.2, 0.1, "open")]
    >>> sentence([*some, Correlation("ss", None, 200, -0.2, -0.3, -0.1, "fewer")], "SS")
    'SS: with size and class balance removed, suites that cover more kill fewer mutants, −0.20 (−0.30 to −0.10). Among \
suites of equal size that cover more: they kill more at 10 inputs; nothing can be concluded at 30 inputs.'
    """
    (whole,) = (each for each in of_one if each.size is None)
    told = OF_ALL[Conclusion(whole.conclusion)] + ("" if whole.low is None else f", {numbers(whole)}")
    by_conclusion: dict[str, list[str]] = {}
    for each in of_one:
        if each.size is not None:
            by_conclusion.setdefault(AT_A_SIZE[Conclusion(each.conclusion)], []).append(f"{each.size:,}")
    sizes = "; ".join(f"{words} at {_listed(those)} inputs" for words, those in by_conclusion.items())
    return f"{name}: with size and class balance removed, {told}. Among suites of equal size that cover more: {sizes}."


def overall(found: Sequence[Correlation]) -> str:
    """What may be concluded of all criteria at once, over all sizes: what kills more, what fewer, and what is open.

    >>> told = {"n": "more", "ss": "fewer", "ss, effect needed": "more", "s": "same kills"}
    >>> overall([Correlation(text, None, 200, 0.2, 0.1, 0.3, conclusion) for text, conclusion in told.items()])
    'Of suites that cover more, with size and class balance removed: by N and SS with effect needed, they kill more \
mutants; by SS, they kill fewer mutants; by S, nothing can be concluded. This holds for this network, these inputs and \
these seeded faults alone.'
    """
    names: dict[str, list[str]] = {words: [] for words in IN_ALL.values()}
    for each in found:
        if each.size is None:
            name = name_of(each.criterion).replace(", ", " with ")
            names[IN_ALL.get(Conclusion(each.conclusion), IN_ALL[Conclusion.OPEN])].append(name)
    told = "; ".join(f"by {_listed(those)}, {words}" for words, those in names.items() if those)
    alone = "This holds for this network, these inputs and these seeded faults alone."
    return f"Of suites that cover more, with size and class balance removed: {told}. {alone}"


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def by_criterion(found: Sequence[Correlation]) -> dict[str, list[Correlation]]:
    """The correlations of each criterion, in their order."""
    together: dict[str, list[Correlation]] = {}
    for each in found:
        together.setdefault(each.criterion, []).append(each)
    return together


def name_of(text: str) -> str:
    """A criterion's name for readers.

    >>> name_of("ss, effect needed"), name_of("tn:2")
    ('SS, effect needed', 'TN:2')
    """
    key, comma, rest = text.partition(",")
    return key.upper() + comma + rest
