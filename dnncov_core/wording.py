"""Test conditions in words, for command and pages alike: their neurons, why they are not covered, what is proved."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.campaign.file.conditions import Status
from dnncov_core.campaign.file.evidence import ProofCounts
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.retry import newly_covered
from dnncov_core.ratios import Ratio
from dnncov_core.records import Attempt, Certificate, Justification, Outcome
from dnncov_core.statistics import Gap

METHOD_WORDS = {"intervals": "intervals", "linear": "linear bounds", "mip": "mixed-integer programming"}
"""What `dnncov prove` calls its methods, in words."""
ATTEMPTS: Mapping[Outcome, str] = {
    Outcome.INFEASIBLE_HERE: "no x2 within the activation pattern of this seed",
    Outcome.EXHAUSTED: "no x2 from this seed within its passes",
}
"""What attempts that leave no message came to."""
MOST_NAMED = 6


def neuron_words(neurons: tuple[int, ...], most: int | None = None) -> str:
    """The neurons of a feature; one that is free has at most ``most``, whichever these are.

    >>> neuron_words((3, 4)), neuron_words(tuple(range(9))), neuron_words((), 5)
    ('3, 4', '0, 1, 2, 3, 4, 5, … 9 in all', 'any 1 to 5')
    """
    if most is not None:
        return f"any 1 to {most:,}"
    rest = f", … {len(neurons)} in all" if len(neurons) > MOST_NAMED else ""
    return ", ".join(map(str, neurons[:MOST_NAMED])) + rest


def feature_words(layer: int, neurons: tuple[int, ...], most: int | None = None) -> str:
    """A feature with its layer.

    >>> feature_words(2, (3, 4)), feature_words(2, (), 5)
    ('layer 2, neurons 3, 4', 'layer 2, any 1 to 5 neurons')
    """
    named = neuron_words(neurons, most)
    return f"layer {layer}, {named} neurons" if most is not None else f"layer {layer}, neuron{_s(len(neurons))} {named}"


def why(gap: Gap, pool: int) -> str:
    """Why a condition is not covered: its certificate, its justification, its error, or what was tried.

    Args:
        gap: the condition.
        pool: seeds that the campaign has.
    """
    condition = gap.condition
    if gap.certificate is not None:
        return certificate_words(gap.certificate)
    if condition.status is Status.JUSTIFIED and condition.justification is not None:
        return justification_words(condition.justification)
    if condition.status is Status.ERROR:
        return condition.message
    if condition.status is Status.EXHAUSTED:
        last = f"; the last message: {condition.message}" if condition.message else ""
        return f"tried {condition.seeds_tried:,} of {pool:,} seeds, from none of which an x2 was found{last}"
    if condition.status is Status.PENDING and condition.seeds_tried:
        return f"to be tried again: {condition.seeds_tried:,} of {pool:,} seeds were tried"
    return ""


def certificate_words(proof: Certificate) -> str:
    """What a certificate says.

    >>> certificate_words(Certificate(2, 7, -1, -2.5, -0.5, "intervals", 0.1))
    'layer 2, neuron 7 has u < 0 for every input (from -2.5 to -0.5, by intervals)'
    """
    sign = "u ≥ 0" if proof.sign > 0 else "u < 0"
    bounds = f"from {proof.low:.4g} to {proof.high:.4g}, by {METHOD_WORDS[proof.method]}"
    return f"{feature_words(proof.layer, (proof.neuron,))} has {sign} for every input ({bounds})"


def justification_words(said: Justification) -> str:
    """A justification with who gave it and when."""
    return f"{said.reason} ({said.author}, {said.date})"


def attempt_words(attempt: Attempt) -> str:
    """What an attempt came to: its message, or what its outcome means."""
    return attempt.message or ATTEMPTS.get(attempt.outcome, "")


def proof_words(proved: ProofCounts) -> str:
    """What is proved of a campaign.

    >>> proof_words(Proofs(20, 3, {"intervals": 2, "linear": 1, "mip": 0}, 12, 30, 50, 0.5))
    '3 of 20 neurons were proved constant (2 by intervals, 1 by linear bounds), 12 of 50 test conditions infeasible'
    """
    methods = ", ".join(f"{n:,} by {METHOD_WORDS[method]}" for method, n in proved.by_method.items() if n)
    how = f" ({methods})" if methods else ""
    conditions = Ratio(proved.conditions_infeasible, proved.pairs).counts
    return (
        f"{Ratio(proved.constant, proved.neurons).counts} neurons were proved constant{how},"
        f" {conditions} test conditions infeasible"
    )


def retry_words(store: CampaignStore) -> str:
    """What came of the last retry; empty without one."""
    covered = newly_covered(store)
    if covered is None:
        return ""
    pending = store.spec().retries[-1].pending
    before = f", {pending:,} of which had not been tried before" if pending else ""
    return f"{covered.counts} test conditions newly covered{before}"


def _s(n: int) -> str:
    return "s" * (n != 1)
