"""What the Playground shows of a setting: two inputs in the network, what they cover, and with which effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dnncov_core.effect import DecisionChange
from dnncov_core.features import FeaturePair
from dnncov_core.playground.effect import decision_change, effect
from dnncov_core.playground.setting import Setting
from dnncov_core.playground.two_inputs import TwoInputs, two_inputs
from dnncov_core.records import Effect


@dataclass(frozen=True)
class NetworkView:
    """Two inputs in the network, and which pairs of single neurons they cover by the setting's method.

    Attributes:
        setting: the inputs, the method, and the feature pair that is looked at.
        inputs: every neuron for both.
        covered: the pairs of single neurons that they cover.
        effects: the effect in each of these, and in the pair that is looked at.
        change: why u of the decision feature that is looked at changes; None where nobody asked.
    """

    setting: Setting
    inputs: TwoInputs
    covered: tuple[FeaturePair, ...]
    effects: Mapping[FeaturePair, Effect] = field(default_factory=dict)
    change: DecisionChange | None = None


def network_view(setting: Setting) -> NetworkView:
    """Both inputs of a setting, what they cover, and with which effect."""
    inputs, method, pair = two_inputs(setting.x1, setting.x2), setting.method, setting.pair
    covered = tuple(each for each in inputs.pairs() if inputs.covers(method, each))
    effects = {each: effect(inputs, method, each) for each in {*covered, pair}}
    return NetworkView(setting, inputs, covered, effects, decision_change(inputs, pair))
