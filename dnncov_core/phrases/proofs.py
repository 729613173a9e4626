"""What was proved of a campaign: certificates of single neurons, and how many there are."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.campaign.file.certificates import ProofCounts
from dnncov_core.phrases.neurons import feature_words
from dnncov_core.phrases.numbers import agreeing, out_of
from dnncov_core.proofs import PAIRS
from dnncov_core.ratios import Ratio
from dnncov_core.records import Certificate, NetworkCard, State

METHODS: Mapping[str, str] = {
    "intervals": "intervals",
    "linear": "linear bounds",
    "boxes": "halved boxes",
    "mip": "mixed-integer programming",
    PAIRS: "pairs of boxes",
}
"""The methods of `dnncov prove` in words."""
ENDS: Mapping[State, str] = {
    State.FINISHED: "is finished",
    State.CANCELLED: "was cancelled",
    State.FAILED: "failed",
}
"""How a proof ended; one in any other state broke off."""
NO_TWO_INPUTS = (
    "no two inputs cover it: proved for the whole box of inputs, halved until no two parts may hold a test pair"
)
"""Why a condition is infeasible that no single neuron decides."""
NO_PROOF_YET = "A neuron that never changes its sign makes test conditions infeasible."
"""What proofs are for."""


def proved_things(method: str) -> str:
    """What a method goes through."""
    return "test conditions" if method == PAIRS else "neurons"


def certificate_words(proof: Certificate, card: NetworkCard) -> str:
    """What a certificate says: which neuron of the network has which sign for every input, and by which method."""
    sign = "u ≥ 0" if proof.sign > 0 else "u < 0"
    bounds = f"from {proof.low:.4g} to {proof.high:.4g}, by {METHODS[proof.method]}"
    return f"{feature_words(card.layer(proof.layer), (proof.neuron,))} has {sign} for every input ({bounds})"


def constant_neurons(proved: ProofCounts) -> str:
    """How many neurons have a sign that is proved constant, and by which methods.

    >>> constant_neurons(ProofCounts(20, 3, {"intervals": 2, "linear": 1, "mip": 0}, 12, 30, 50, 0.5))
    '3 of 20 neurons (15.0 %) have a sign that is proved constant: 2 by intervals, 1 by linear bounds'
    """
    methods = ", ".join(f"{n:,} by {METHODS[method]}" for method, n in proved.by_method.items() if n)
    how = f": {methods}" if methods else ""
    constant = Ratio(proved.constant, proved.neurons)
    have = agreeing(constant.n, "has", "have")
    return f"{out_of(constant, 'neuron')} ({constant.percent}) {have} a sign that is proved constant{how}"


def infeasible_conditions(proved: ProofCounts) -> str:
    """How many test conditions are proved infeasible.

    >>> infeasible_conditions(ProofCounts(20, 3, {"intervals": 3}, 12, 30, 50, 0.5))
    '12 of 50 test conditions (24.0 %) are proved infeasible'
    """
    infeasible = Ratio(proved.conditions_infeasible, proved.pairs)
    are = agreeing(infeasible.n, "is", "are")
    return f"{out_of(infeasible, 'test condition')} ({infeasible.percent}) {are} proved infeasible"


def last_proof(ended: State | None, proved: ProofCounts) -> str:
    """How the last proof ended, None where the file does not say it, and what all proofs proved."""
    said = f"{constant_neurons(proved)}; {infeasible_conditions(proved)}."
    return said if ended is None else f"The last proof {ENDS.get(ended, 'broke off')}; all proofs together: {said}"
