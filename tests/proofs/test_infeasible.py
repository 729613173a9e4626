from __future__ import annotations

import itertools

import pytest
import torch

from dnncov_core.criteria import CRITERIA
from dnncov_core.features import FeaturePair
from dnncov_core.proofs import why_infeasible
from dnncov_core.records import Target
from tests.networks_for_tests import layer_values

CONDITION, DECISION = (2, 1), (3, 0)
EXPECTED = {
    # criterion: what a constant condition neuron and a constant decision neuron make infeasible
    "ss": (True, True),
    "sv": (True, False),
    "vs": (False, True),
    "vv": (False, False),
}


@pytest.mark.parametrize("criterion", EXPECTED)
@pytest.mark.parametrize("others", [(), (0, 3)], ids=["neurons", "features of several"])
def test_which_conditions_a_constant_neuron_decides(criterion: str, others: tuple[int, ...]) -> None:
    method, (condition, decision) = CRITERIA[criterion], EXPECTED[criterion]
    target = Target(0, 2, 3, (*others, 1), (0, *others))
    assert why_infeasible(method, target, {CONDITION}) == (CONDITION if condition else None)
    assert why_infeasible(method, target, {DECISION}) == (DECISION if decision else None)
    assert why_infeasible(method, target, {(2, 2), (3, 1), (4, 0)}) is None


@pytest.mark.parametrize("criterion", ["ss", "sv"])
def test_a_free_condition_feature_is_decided_by_the_decision_alone(criterion: str) -> None:
    method, target = CRITERIA[criterion], Target(0, 2, 3, (), (0,), 2)
    everything = {(2, neuron) for neuron in range(9)}
    assert why_infeasible(method, target, everything) is None
    assert why_infeasible(method, target, {*everything, DECISION}) == (DECISION if criterion == "ss" else None)


@pytest.mark.parametrize("criterion", EXPECTED)
def test_no_signs_that_keep_to_the_certificates_cover_an_infeasible_condition(criterion: str) -> None:
    """All sign patterns of two layers of two neurons, with one neuron constant, for x1 and x2."""
    method = CRITERIA[criterion]
    patterns = torch.tensor(list(itertools.product([-1.0, 2.0], repeat=8))).double()
    for constant in itertools.product((2, 3), (0, 1)):
        column = 2 * (constant[0] - 2) + constant[1]
        kept = patterns[patterns[:, column] == patterns[:, column + 4]]
        before, after = (
            {2: layer_values(kept[:, at : at + 2]), 3: layer_values(kept[:, at + 2 : at + 4])} for at in (0, 4)
        )
        for i, j in itertools.product(((0,), (1,), (0, 1)), repeat=2):
            target = Target(0, 2, 3, i, j)
            if why_infeasible(method, target, {constant}) is not None:
                assert not bool(method.holds(FeaturePair.of(target), before, after).any())
