"""Roundings are counted, and an operator without a known rounding error is refused by name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from dnncov_core.errors import NetworkError
from dnncov_core.networks import Network
from dnncov_core.proofs.rounding_counts import roundings
from tests.proofs.test_absolute import W, network

REFUSED: dict[str, Callable[[Tensor], Tensor]] = {
    "computed": lambda x: x * (W + W),
    "div": lambda x: torch.div(x, 2.0, rounding_mode="floor"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_known_rounding_error_is_refused_by_name(name: str) -> None:
    named = {"computed": "add that computes weights"}.get(name, name)
    with pytest.raises(NetworkError, match=f"proofs; got {named}"):
        roundings(network(REFUSED[name]))


def test_roundings_of_a_plain_network_count_the_terms_of_its_sums() -> None:
    module = nn.Sequential(nn.Linear(50, 20), nn.ReLU(), nn.Linear(20, 3))
    counted = roundings(Network(module, (50,)))
    assert counted.keys() == {2, 3}
    assert counted[2] >= 51
    assert counted[3] >= 21
    assert sum(counted.values()) < 120
