"""Test conditions that a neuron of constant sign makes infeasible."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from dnncov_core.criteria.mcdc import Change, CoveringMethod
from dnncov_core.records import Target

if TYPE_CHECKING:
    from dnncov_core.records import Certificate

Neuron = tuple[int, int]
"""Layer and neuron."""


def why_infeasible(method: CoveringMethod, target: Target, constant: Collection[Neuron]) -> Neuron | None:
    """A neuron that would have to change its sign and cannot; None if the certificates leave the condition open.

    sc asks every neuron of a feature to change (Definition 2), so that one constant neuron is enough. A free condition
    feature is whatever set changes: only its decision feature counts. Value functions are no part of a proof.
    """
    asked: list[Neuron] = []
    if method.condition is Change.SIGN and target.condition_most is None:
        asked += [(target.condition_layer, neuron) for neuron in target.condition_neurons]
    if method.decision is Change.SIGN:
        asked += [(target.decision_layer, neuron) for neuron in target.decision_neurons]
    return next((neuron for neuron in asked if neuron in constant), None)


def constant_of(certificates: Collection[Certificate]) -> set[Neuron]:
    """The neurons that have a certificate."""
    return {(certificate.layer, certificate.neuron) for certificate in certificates}
