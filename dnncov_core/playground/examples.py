"""The paper's four examples of covering, one for each method, with the inputs of its table of activation values."""

from __future__ import annotations

from dataclasses import dataclass

from dnncov_core.criteria import CRITERIA
from dnncov_core.criteria.value_functions import ANY, SymmetricRatioChange
from dnncov_core.features import FeaturePair
from dnncov_core.partitions import Feature
from dnncov_core.playground.setting import Setting


@dataclass(frozen=True)
class Example:
    """An example: its setting, what the paper says of it, and what it leaves open and is chosen here."""

    setting: Setting
    words: str
    chosen: str = ""


def _pair(condition: tuple[int, ...], decision: tuple[int, ...]) -> FeaturePair:
    return FeaturePair(Feature(2, condition), Feature(3, decision))


EXAMPLES: dict[str, Example] = {
    "ss": Example(
        Setting((0.1, 0.0), (0.0, -1.0), CRITERIA["ss"], _pair((0,), (0,))),
        "n2,1 alone changes its sign in layer 2, and n3,1 changes its sign too: ({n2,1}, {n3,1}) is SS-covered.",
    ),
    "vs": Example(
        Setting((0.0, 1.0), (0.1, 0.1), CRITERIA["vs"], _pair((0, 1), (2,))),
        "No neuron of layer 2 changes its sign, yet n3,3 does: ({n2,1, n2,2}, {n3,3}) is VS-covered, subject to a value"
        " function g.",
        "The paper leaves g open; here it is any.",
    ),
    "sv": Example(
        Setting(
            (0.0, -1.0),
            (0.1, -0.1),
            CRITERIA["sv"].with_functions(SymmetricRatioChange(sigma=5.0), ANY),
            _pair((0,), (1,)),
        ),
        "n2,1 alone changes its sign in layer 2, and n3,2 keeps its sign while u[x1] / u[x2] ≈ 5.71: ({n2,1}, {n3,2})"
        " is SV-covered if g takes that for a significant change.",
        "Here it does, from a factor of 5 in either direction. The paper's table also marks n3,3 as sc for these two"
        " inputs; by its own values, 8 and 0.5, the sign is kept.",
    ),
    "vv": Example(
        Setting(
            (0.0, 1.0),
            (0.1, 0.5),
            CRITERIA["vv"].with_functions(SymmetricRatioChange(sigma=2.0), ANY),
            _pair((0,), (2,)),
        ),
        "No neuron of layer 2 changes its sign, and n3,3 keeps its sign while u[x1] / u[x2] ≈ 2.96: ({n2,i}, {n3,3}) is"
        " VV-covered for i = 1, 2 and 3, subject to g1 and g2.",
        "The paper leaves both open; here g1 is any, and g2 a factor of 2 in either direction.",
    ),
}
"""By the key of the covering method, in the paper's order."""
