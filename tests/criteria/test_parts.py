"""The parts of a definition together say what the covering method says, and each says what the paper's words say."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.criteria import CRITERIA, CoveringMethod
from dnncov_core.criteria.parts import Asks, parts
from dnncov_core.criteria.value_functions import AbsoluteChange, RatioChange
from dnncov_core.errors import SpecificationError
from dnncov_core.features import Feature, FeaturePair
from dnncov_core.layer_values import Activations
from dnncov_core.networks.network import Network
from tests import reference
from tests.networks_for_tests import toy_network

METHODS = [
    CRITERIA["ss"],
    CRITERIA["vs"].with_functions(AbsoluteChange(1.0), CRITERIA["vs"].g2),
    CRITERIA["sv"],
    CRITERIA["vv"].with_functions(RatioChange(2.0), AbsoluteChange(0.5)),
]
BY_REFERENCE = {"absolute": reference.absolute, "ratio": reference.ratio}


@pytest.fixture(scope="module")
def toy() -> Network:
    return toy_network()


def sets(layer: int, n: int) -> list[Feature]:
    return [Feature(layer, some) for size in range(1, n + 1) for some in itertools.combinations(range(n), size)]


def every_pair() -> Iterator[FeaturePair]:
    for k, n, m in ((2, 3, 3), (3, 3, 2)):
        yield from (FeaturePair(*both) for both in itertools.product(sets(k, n), sets(k + 1, m)))


def some_inputs(network: Network) -> Iterator[tuple[Activations, Activations]]:
    """Pairs of inputs near each other, so that many change few signs."""
    for _ in range(30):
        x1 = torch.rand(1, 2, dtype=torch.float64) * 2 - 1
        x2 = x1 + 0.6 * (torch.rand(1, 2, dtype=torch.float64) - 0.5)
        yield capture(network, x1), capture(network, x2)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
def test_parts_together_are_the_method(toy: Network, method: CoveringMethod) -> None:
    seen = set()
    for before, after in some_inputs(toy):
        for pair in every_pair():
            found = parts(method, pair, before, after)
            assert all(part.holds for part in found) is bool(method.holds(pair, before, after)[0])
            seen |= {(part.asks, part.holds) for part in found}
    assert len(seen) == 2 * len({asks for asks, _ in seen})  # each part held, and did not


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
def test_each_part_is_the_papers(toy: Network, method: CoveringMethod) -> None:
    for before, after in some_inputs(toy):
        for pair in every_pair():
            for part in parts(method, pair, before, after):
                u1, u2 = (values[part.layer].u[0].tolist() for values in (before, after))
                k = set(pair.condition.neurons)
                rest = [i for i in range(len(before[pair.condition.layer].u[0])) if i not in k]
                expected: bool
                if part.function is not None:
                    assert isinstance(part.function, AbsoluteChange | RatioChange)
                    number = part.function.d if isinstance(part.function, AbsoluteChange) else part.function.sigma
                    expected = reference.vc(BY_REFERENCE[part.function.name](number), u1, u2, part.neurons)
                elif part.asks in (Asks.CONDITION_SIGN, Asks.DECISION_SIGN):
                    expected = reference.sc(u1, u2, part.neurons)
                else:
                    expected = reference.nsc(u1, u2, rest if part.asks is Asks.REST_KEPT else part.neurons)
                assert part.holds is expected
                if part.asks is Asks.LAYER_KEPT:
                    assert part.neurons == (0, 1, 2)


@pytest.mark.parametrize(
    ("key", "asks"),
    [
        ("ss", (Asks.CONDITION_SIGN, Asks.REST_KEPT, Asks.DECISION_SIGN)),
        ("vs", (Asks.CONDITION_VALUE, Asks.LAYER_KEPT, Asks.DECISION_SIGN)),
        ("sv", (Asks.CONDITION_SIGN, Asks.REST_KEPT, Asks.DECISION_VALUE, Asks.DECISION_KEPT)),
        ("vv", (Asks.CONDITION_VALUE, Asks.LAYER_KEPT, Asks.DECISION_VALUE, Asks.DECISION_KEPT)),
    ],
)
def test_parts_are_those_of_the_definition_in_its_order(toy: Network, key: str, asks: tuple[Asks, ...]) -> None:
    (before, after), pair = next(some_inputs(toy)), next(every_pair())
    found = parts(CRITERIA[key], pair, before, after)
    assert tuple(part.asks for part in found) == asks
    method = CRITERIA[key]
    own = {Asks.CONDITION_VALUE: method.g1, Asks.DECISION_VALUE: method.g2}
    assert [part.function for part in found] == [own.get(part.asks) for part in found]


def test_a_free_feature_has_no_parts(toy: Network) -> None:
    before, after = next(some_inputs(toy))
    with pytest.raises(SpecificationError, match="names its neurons"):
        parts(CRITERIA["ss"], FeaturePair(Feature(2, (), 2), Feature(3, (0,))), before, after)
