"""The four covering methods SS, VS, SV and VV (Definitions 4 to 7 of the paper).

Each is a pair of changes: what the condition feature of layer k must do, and what the decision feature must do.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from dnncov_core.criteria.effects import NO_EFFECT
from dnncov_core.criteria.reference_functions import MeasuredBoundary
from dnncov_core.criteria.value_function_base import ValueFunction
from dnncov_core.criteria.value_functions import ANY, RatioChange
from dnncov_core.errors import SpecificationError
from dnncov_core.features import FeaturePair
from dnncov_core.relations import changed_alone, few_changed, layer_kept, sign_changed, sign_kept

if TYPE_CHECKING:
    from torch import Tensor

    from dnncov_core.criteria.neuron_criteria import Ranges
    from dnncov_core.layer_values import Activations


class Change(Enum):
    """Which change a covering method asks of a feature."""

    SIGN = "sign"
    VALUE = "value"


@dataclass(frozen=True)
class CoveringMethod:
    """A covering method with its value functions.

    ``g1`` judges the condition feature where its change is one of value, ``g2`` the decision feature likewise.
    ``definition`` is the number of its definition in the paper. ``effect``, a key of `EFFECTS`, is what a pair has to
    show beside the definition; `replay` asks for it, `holds` does not.
    """

    monotone: ClassVar[bool] = True
    """Whether more inputs never lower it."""
    order_free: ClassVar[bool] = True
    """Whether the order of the inputs never changes it."""
    key: str
    title: str
    words: str
    formula: str
    condition: Change
    decision: Change
    g1: ValueFunction = ANY
    g2: ValueFunction = ANY
    definition: int | None = None
    effect: str = NO_EFFECT

    def holds(self, pair: FeaturePair, before: Activations, after: Activations) -> Tensor:
        """Whether input b of ``before`` (x1) and input b of ``after`` (x2) cover the pair; ``(batch,)`` of bool.

        Args:
            pair: the feature pair.
            before: values of its two layers for x1, by layer number.
            after: values of its two layers for x2.
        """
        return self.condition_holds(pair, before, after) & self.decision_holds(pair, before, after)

    def condition_holds(self, pair: FeaturePair, before: Activations, after: Activations) -> Tensor:
        """Whether layer k does what is asked: sc of the feature alone, or vc with no sign change in the layer.

        Raises:
            SpecificationError: a free feature, which is the set that changed its sign, where no sign may change.
        """
        x1, x2, neurons = before[pair.condition.layer], after[pair.condition.layer], pair.condition.neurons
        if pair.condition.most is not None:
            self.check_free()
            return few_changed(x1, x2, pair.condition.most)
        if self.condition is Change.SIGN:
            return changed_alone(x1, x2, neurons)
        g1 = self.g1.at(pair.condition.layer, [neurons])
        return g1(x1, x2, neurons) & layer_kept(x1, x2)

    def decision_holds(self, pair: FeaturePair, before: Activations, after: Activations) -> Tensor:
        """Whether the decision feature does what is asked: sc, or vc without a sign change."""
        x1, x2, neurons = before[pair.decision.layer], after[pair.decision.layer], pair.decision.neurons
        if self.decision is Change.SIGN:
            return sign_changed(x1, x2, neurons)
        g2 = self.g2.at(pair.decision.layer, [neurons])
        return g2(x1, x2, neurons) & sign_kept(x1, x2, neurons)

    def decision_undone(self, pair: FeaturePair, before: Activations, after: Activations) -> Tensor:
        """Whether nothing is left of the decision's change: no sign of its feature changes, or g2 does not hold."""
        x1, x2, neurons = before[pair.decision.layer], after[pair.decision.layer], pair.decision.neurons
        if self.decision is Change.SIGN:
            return sign_kept(x1, x2, neurons)
        return ~self.g2.at(pair.decision.layer, [neurons])(x1, x2, neurons)

    def check_free(self) -> None:
        """Refuses free condition features where no sign of the condition layer may change.

        Raises:
            SpecificationError: VS or VV.
        """
        if self.condition is not Change.SIGN:
            fix = "choose another feature mode or criterion"
            raise SpecificationError(
                "criterion SS or SV for free features, the sets that change their sign", self.title, fix
            )

    @property
    def own_function(self) -> ValueFunction | None:
        """The value function that a user chooses first: g of VS and SV, g2 of VV, none for SS."""
        if self.decision is Change.VALUE:
            return self.g2
        return self.g1 if self.condition is Change.VALUE else None

    @property
    def own_side(self) -> str:
        """The side whose change its own value function judges: "condition" or "decision"."""
        return "decision" if self.decision is Change.VALUE else "condition"

    @property
    def two_functions(self) -> bool:
        """Whether it has a g1 beside its own function."""
        return self.condition is self.decision is Change.VALUE

    @property
    def functions(self) -> str:
        """The value functions in words, such as ``g1: any, g2: ratio (sigma = 5)``; empty for SS."""
        asked = ((self.condition, "g1", self.g1), (self.decision, "g2", self.g2))
        used = [(name, function) for change, name, function in asked if change is Change.VALUE]
        if len(used) == 1:
            return f"g: {used[0][1].describe()}"
        return ", ".join(f"{name}: {function.describe()}" for name, function in used)

    @property
    def by_ranges(self) -> bool:
        """Whether a value function needs the neurons' ranges over reference data."""
        return self.g1.by_ranges or self.g2.by_ranges

    def with_ranges(self, ranges: Ranges) -> CoveringMethod:
        """This method with these ranges by layer in the value functions that need them."""
        return dataclasses.replace(self, g1=self.g1.with_ranges(ranges), g2=self.g2.with_ranges(ranges))

    def with_boundaries(self, highest: Mapping[tuple[int, int], float]) -> CoveringMethod:
        """This method with the largest u by (layer, neuron) in its measured boundary."""
        g1, g2 = (
            dataclasses.replace(g, highest=highest) if isinstance(g, MeasuredBoundary) else g
            for g in (self.g1, self.g2)
        )
        return dataclasses.replace(self, g1=g1, g2=g2)

    def with_functions(self, own: ValueFunction, first: ValueFunction) -> CoveringMethod:
        """This method with another own function, and for VV with ``first`` as g1.

        Raises:
            SpecificationError: a function for SS, which has none, or a g1 for a method with a single one.
        """
        if self.own_function is None:
            raise SpecificationError(f"no value function for {self.title}", own.name, "leave it out")
        if self.two_functions:
            return dataclasses.replace(self, g1=first, g2=own)
        if first != ANY:
            raise SpecificationError(f"no separate g1 for {self.title}", first.name, "leave it out")
        if self.decision is Change.VALUE:
            return dataclasses.replace(self, g2=own)
        return dataclasses.replace(self, g1=own)


_SC_ALONE = r"sc(\psi_{k,i},x_1,x_2) \wedge nsc(P_k\setminus\psi_{k,i},x_1,x_2)"
_VC_KEPT = r"vc(%s,\psi_{k,i},x_1,x_2) \wedge nsc(P_k,x_1,x_2)"
_SC = r"sc(\psi_{k+1,j},x_1,x_2)"
_VC = r"vc(%s,\psi_{k+1,j},x_1,x_2) \wedge nsc(\psi_{k+1,j},x_1,x_2)"

CRITERIA: dict[str, CoveringMethod] = {
    "ss": CoveringMethod(
        key="ss",
        title="SS (sign-sign)",
        words="The condition feature alone changes its sign in layer k, and the decision feature of the next layer"
        " changes its sign too.",
        formula=rf"{_SC_ALONE} \;\wedge\; {_SC}",
        condition=Change.SIGN,
        decision=Change.SIGN,
        definition=4,
    ),
    "vs": CoveringMethod(
        key="vs",
        title="VS (value-sign)",
        words="No sign in layer k changes, the condition feature's values change as g asks, and the decision feature"
        " changes its sign.",
        formula=rf"{_VC_KEPT % 'g'} \;\wedge\; {_SC}",
        condition=Change.VALUE,
        decision=Change.SIGN,
        definition=5,
    ),
    "sv": CoveringMethod(
        key="sv",
        title="SV (sign-value)",
        words="The condition feature alone changes its sign in layer k, and the decision feature keeps its sign while"
        " its values change as g asks.",
        formula=rf"{_SC_ALONE} \;\wedge\; {_VC % 'g'}",
        condition=Change.SIGN,
        decision=Change.VALUE,
        g2=RatioChange(sigma=2.0),
        definition=6,
    ),
    "vv": CoveringMethod(
        key="vv",
        title="VV (value-value)",
        words="No sign in layer k changes, the condition feature's values change as g1 asks, and the decision feature"
        " keeps its sign while its values change as g2 asks.",
        formula=rf"{_VC_KEPT % 'g_1'} \;\wedge\; {_VC % 'g_2'}",
        condition=Change.VALUE,
        decision=Change.VALUE,
        g2=RatioChange(sigma=5.0),
        definition=7,
    ),
}
