"""Proofs that test conditions are infeasible: neurons of constant sign over the box of inputs, or no two inputs at all.

Bounds of every u: intervals propagates them forwards, linear_bounds backwards by the lines of relaxations through the
affine parts of the network, box_signs halves the box of a few inputs, and mixed_integer asks a solver; signs_seen
spares these two the neurons that inputs give both signs. operator_errors gives the size of what is summed up and the
number of roundings, and rounding the error that these may cause in computed values, so that the bounds hold for the
network as it is evaluated. certificates puts them together. `why_infeasible` says which test conditions no input can
satisfy.

box_pairs asks more of SS of neuron pairs in small networks of few inputs: it halves boxes of x1 and of x2, bounded by
box_bounds, until no two may hold a test pair.
"""

from __future__ import annotations

from collections.abc import Collection

from dnncov_core.criteria.covering_methods import Change, CoveringMethod
from dnncov_core.records import Certificate, Target

PROOF_METHODS = ("intervals", "linear", "boxes", "mip")
"""From the quickest to the most exact; each begins with what those before it found."""
PAIRS = "pairs"
"""The method of conditions that are still open, after those of single neurons."""
SECONDS = 600.0
"""What the proofs of a campaign may take in all, if nothing else is asked."""
SECONDS_A_NEURON = 20.0
"""What the programme of one neuron may take."""
SECONDS_BY_BOXES = (2.0, 20.0, 200.0, 2000.0)
"""What halving boxes for one neuron or condition may take: all get the first, then those that are left the next."""
Neuron = tuple[int, int]
"""Layer and neuron."""


def why_infeasible(method: CoveringMethod, target: Target, constant: Collection[Neuron]) -> Neuron | None:
    """A neuron that would have to change its sign and cannot; None if the certificates leave the condition open."""
    return next((neuron for neuron in must_change(method, target) if neuron in constant), None)


def must_change(method: CoveringMethod, target: Target) -> list[Neuron]:
    """The neurons that have to change their sign; one constant neuron among them is enough for a proof.

    sc asks every neuron of a feature to change (Definition 2). A free condition feature is whatever set changes: only
    its decision feature counts. Value functions are no part of a proof.
    """
    asked: list[Neuron] = []
    if method.condition is Change.SIGN and target.condition_most is None:
        asked += [(target.condition_layer, neuron) for neuron in target.condition_neurons]
    if method.decision is Change.SIGN:
        asked += [(target.decision_layer, neuron) for neuron in target.decision_neurons]
    return asked


def constant_of(certificates: Collection[Certificate]) -> set[Neuron]:
    """The neurons that have a certificate."""
    return {(certificate.layer, certificate.neuron) for certificate in certificates}
