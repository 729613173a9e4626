"""The table of a comparison, and what may be concluded from it."""

from __future__ import annotations

from collections.abc import Iterator

from dnncov_core.phrases.numbers import counted, fixed
from dnncov_core.retraining.outcome import ACCURACY, ARMS, ATTACKED, GENERATED, MUTANTS, NONE, Outcome
from dnncov_core.retraining.student import Estimate

WIDTH = 26
AGAINST = {NONE: "the training data alone", "random": "random perturbations", "pgd": "PGD"}
"""What test pairs are compared with, in the sentences."""


def title(measure: str) -> str:
    """What is measured, in words.

    >>> title("accuracy"), title("ss")
    ('accuracy', 'coverage by SS')
    """
    words = {ACCURACY: "accuracy", ATTACKED: "accuracy under attack", MUTANTS: "mutants killed"}
    return words.get(measure, f"coverage by {measure.upper()}")


def heading(measure: str) -> str:
    """The same where it begins a line.

    >>> heading("ss")
    'Coverage by SS'
    """
    return title(measure)[0].upper() + title(measure)[1:]


def lines(found: Outcome) -> Iterator[str]:
    """The table, how to read it, and the conclusions."""
    yield from _sizes(found)
    for measure in found.before:
        yield ""
        before = found.before[measure]
        yield f"{title(measure):<{WIDTH}} {'mean (95 % interval)':<26} against the training data alone"
        yield f"{'  before':<{WIDTH}} {before.display()}"
        for arm, row in ARMS.items():
            apart = "" if arm == NONE else difference(found.difference(arm, measure))
            yield f"{'  ' + row.title:<{WIDTH}} {mean(found.mean(arm, measure)):<26} {apart}".rstrip()
    yield ""
    yield from notes(found)
    yield ""
    yield from conclusions(found)


def _sizes(found: Outcome) -> Iterator[str]:
    sizes, spec = found.sizes, found.spec
    yield (
        f"{counted(sizes.pairs, 'test pair')}, mean distance {sizes.distance:.4g} (L-{found.norm});"
        f" {counted(sizes.training, 'training input')}; {counted(sizes.test, 'test input')}"
        f" ({sizes.left_out:,} left out, which are training inputs or seeds)"
    )
    yield (
        f"Each arm {counted(spec.repeats, 'repeat')} of {counted(spec.steps, 'step')} of Adam, learning rate"
        f" {spec.learning_rate:g}, {spec.batch} inputs a step, {spec.batch // 2} of them not of the training data"
    )


def notes(found: Outcome) -> Iterator[str]:
    """How the numbers are to be read."""
    spec, n = found.spec, found.before[ATTACKED].total
    yield (
        f"Attack: SecML-Torch's projected gradient descent, {counted(spec.attack_steps, 'step')} within {spec.bound:g}"
        f" (L-{found.norm}), on {counted(n, 'test input')}; coverage is that of the same inputs."
    )
    if MUTANTS in found.before:
        yield (
            f"Mutants: each of {counted(found.before[MUTANTS].total, 'seeded fault')} is put into each network, and"
            " killed by one of these inputs that the network has right, and with the fault wrong."
        )
    yield (
        f"Intervals are Student's t over the {spec.repeats} repeats, each for itself: they tell what the draw of the"
        " training does, not what other test inputs would give. Batch norms keep their mean and variance."
    )


def conclusions(found: Outcome) -> Iterator[str]:
    """A sentence for each measure: what training with test pairs did, compared with each of the other arms."""
    for measure in found.before:
        said = [
            f"{effect(found.difference(GENERATED, measure, other))} against {words}" for other, words in AGAINST.items()
        ]
        yield f"Test pairs, {title(measure)}: {'; '.join(said)}."


def effect(estimate: Estimate) -> str:
    """Whether a difference is told, and how large it is.

    >>> effect(Estimate(0.012, 0.005, 0.019)), effect(Estimate(-0.001, -0.002, 0.001))
    ('higher by 1.20 points (0.50 to 1.90)', 'no difference can be told (−0.10 points, −0.20 to 0.10)')
    """
    ends = f"{_points(estimate.low)} to {_points(estimate.high)}"
    if not estimate.sign:
        return f"no difference can be told ({_points(estimate.mean)} points, {ends})"
    if estimate.sign > 0:
        return f"higher by {_points(estimate.mean)} points ({ends})"
    return f"lower by {_points(-estimate.mean)} points ({_points(-estimate.high)} to {_points(-estimate.low)})"


def mean(estimate: Estimate) -> str:
    """A mean of shares with its interval, in per cent."""
    return f"{_points(estimate.mean)} % ({_points(estimate.low)} to {_points(estimate.high)})"


def difference(estimate: Estimate) -> str:
    """A difference of shares with its interval, in points of per cent."""
    sign = "+" if estimate.mean > 0 else ""
    return f"{sign}{_points(estimate.mean)} points ({_points(estimate.low)} to {_points(estimate.high)})"


def _points(share: float) -> str:
    return fixed(100 * share)
