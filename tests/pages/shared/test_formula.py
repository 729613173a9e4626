"""What pages say of a covering method's value functions."""

from __future__ import annotations

import pytest

from dnncov_core.criteria import CRITERIA
from pages.shared.formula import own_side, two_functions

SIDES = [("vs", "condition", False), ("sv", "decision", False), ("vv", "decision", True)]


@pytest.mark.parametrize(("criterion", "side", "two"), SIDES)
def test_the_side_of_a_methods_own_function(criterion: str, side: str, two: bool) -> None:
    assert (own_side(CRITERIA[criterion]), two_functions(CRITERIA[criterion])) == (side, two)
