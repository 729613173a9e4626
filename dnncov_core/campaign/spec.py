"""What a campaign is asked to do, and its check before anything starts."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dnncov_core.campaign.parameters import CampaignParameters
from dnncov_core.criteria import CRITERIA, NO_EFFECT, VALUE_FUNCTIONS, CoveringMethod, ValueFunction
from dnncov_core.criteria.reference_functions import MeasuredBoundary
from dnncov_core.criteria.value_functions import UpperBoundary
from dnncov_core.errors import ParameterError, SpecificationError, unknown_name
from dnncov_core.features import FeaturePairs
from dnncov_core.generators import AUTO, GENERATORS, GRIDS, Parameters, Search, follows_gradients, suited
from dnncov_core.outside_text import json_value
from dnncov_core.outside_values import record
from dnncov_core.records import BUDGETS, NetworkCard, Retry

if TYPE_CHECKING:
    from dnncov_core.networks.network import Network

FUNCTION_PARAMETERS = ("sigma", "d", "p", "at_most")
"""The parameters that are numbers of the criterion's own value function: fields of it with the same names."""


@dataclass(frozen=True)
class CampaignSpec(CampaignParameters):
    """One campaign's parameters, checked against each other, and what they mean for the engine.

    Raises:
        ParameterError: a value that no campaign can have, or that does not go with another.
        SpecificationError: value functions that do not go with the criterion.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        method = self.covering_method()
        if self.feature_mode == "free":
            method.check_free()
            self._check_free_search()
        if self.suite_gaps is not None:
            self._check_alone()
        if self.top_weights is not None and self.feature_mode != "neuron":
            got = f"{self.top_weights} with feature mode {self.feature_mode}"
            fix = "leave it out, or choose feature mode neuron"
            raise ParameterError("top_weights", "left out where features are not single neurons", got, fix)

    def _check_alone(self) -> None:
        """Refuses other choices of feature pairs beside a list of them."""
        for name in ("layers", "top_weights"):
            if getattr(self, name) not in (None, ()):
                must = "left out where a list says which test conditions are asked"
                raise ParameterError(name, must, str(getattr(self, name)), "leave it out, or shorten the list")

    def _check_free_search(self) -> None:
        if self.generator != AUTO and not self.by_gradients:
            fix = "choose auto or targeted, or another feature mode"
            raise ParameterError("generator", "a gradient search for free features", self.generator, fix)

    @property
    def by_gradients(self) -> bool:
        """Whether its generator follows gradients, so that passes are a budget; not as long as that is undecided."""
        return follows_gradients(self.generator) is True

    @property
    def seeds_beyond(self) -> int:
        """Seeds that one test condition may try beyond the first ones; none in random order."""
        return self.more_seeds if self.seed_order == "nearest" else 0

    def covering_method(self) -> CoveringMethod:
        """The criterion with its value functions, and with the effect that a pair has to show, once it is decided."""
        effect = NO_EFFECT if self.effect == AUTO else self.effect
        method = dataclasses.replace(CRITERIA[self.criterion], effect=effect)
        parameters = {name: value for name in FUNCTION_PARAMETERS if (value := getattr(self, name)) is not None}
        own, first = method.own_function, parse_value_function(self.condition_value_function)
        if own is None:
            asked = (self.value_function, *parameters, self.reference and "reference")
            superfluous = [name for name in asked if name is not None]
            if superfluous:
                raise SpecificationError(f"no value function for {method.title}", superfluous[0], "leave it out")
            return method
        if self.reference is not None:
            self._check_reference()
            return method.with_functions(MeasuredBoundary(self.reference), first)
        function = build_value_function(self.value_function or own.name, parameters, own)
        return method.with_functions(function, first)

    def _check_reference(self) -> None:
        if self.value_function != UpperBoundary.name or self.d is not None:
            got = f"d = {self.d:g}" if self.d is not None else f"{self.value_function or 'none'}"
            fix = "choose it without d, or leave the reference out"
            raise SpecificationError(f"the value function {UpperBoundary.name} with reference data", got, fix)

    def feature_pairs(self, network: Network | NetworkCard) -> FeaturePairs:
        """All feature pairs of the asked layers.

        Raises:
            SpecificationError: a layer that is no decision layer of the network.
        """
        return FeaturePairs(
            network.layers, network.edges, mode=self.feature_mode, omega=self.omega, decision_layers=self.layers
        )

    def search(self, network: Network, method: CoveringMethod) -> Search:
        """The generator's search with this campaign's parameters; "auto" has to be decided before, by `for_network`.

        Raises:
            NetworkError, SpecificationError: see `Generator.search`.
        """
        asked = {each.name: getattr(self, each.name) for each in dataclasses.fields(Parameters)}
        return GENERATORS[self.generator].search(network, method, Parameters(**asked | {"grid": GRIDS[self.grid]}))

    def for_network(self, network: Network | NetworkCard) -> CampaignSpec:
        """Itself, with the generator that suits the network, and the effect that suits that, in place of "auto"."""
        generator, effect = self.generator, self.effect
        if generator == AUTO:
            generator = suited(
                network.layers, network.obstacle, feature_mode=self.feature_mode, objective=self.objective
            )
        if effect == AUTO:
            effect = NO_EFFECT if GENERATORS[generator].by_gradients else "needed"
        return dataclasses.replace(self, generator=generator, effect=effect)

    def resolved(self) -> CampaignSpec:
        """Itself, with the criterion's default value function written out.

        Campaigns store it, so that a later version's defaults do not change what they mean.
        """
        own = self.covering_method().own_function
        if own is None:
            return self
        numbers = {name: value for name, value in vars(own).items() if name in FUNCTION_PARAMETERS}
        return dataclasses.replace(self, value_function=own.name, **numbers)

    def differences(self, other: CampaignSpec) -> list[str]:
        """Where another one asks something else: each parameter with both values.

        >>> CampaignSpec("toy", "toy", pairs=9).differences(CampaignSpec("toy", "mnist", pairs=9))
        ['data toy and mnist']
        """
        mine, theirs = vars(self), vars(other)
        return [f"{name} {mine[name]} and {theirs[name]}" for name in mine if mine[name] != theirs[name]]

    def retried(self, retry: Retry) -> CampaignSpec:
        """Itself with larger budgets, and the record of it."""
        budgets: dict[str, Any] = dict(zip(BUDGETS, retry.after, strict=False))
        return dataclasses.replace(self, **budgets, retries=(*self.retries, retry))

    def to_json(self) -> str:
        """The specification as stored in the campaign file."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> CampaignSpec:
        """The inverse of `to_json`.

        Raises:
            ValueError: no table of this version's fields, or a value of another type or out of range.
            ParameterError, SpecificationError: values that no campaign can have.
        """
        return record(cls, _of_this_version(json_value(text)))


def _of_this_version(table: Any) -> Any:
    """A stored specification of an earlier version.

    It asked for no effect, did not insist on other labels, and tried no seeds beyond the first.
    """
    if not isinstance(table, dict) or "effect" in table:
        return table
    preferred = {"objective": "prefer"} if table.get("objective") == "adversarial" else {}
    return {**table, **preferred, "effect": NO_EFFECT, "more_seeds": 0}


def build_value_function(name: str, parameters: dict[str, object], default: ValueFunction) -> ValueFunction:
    """The value function ``name``; parameters left out come from ``default`` if it is the same function."""
    if name not in VALUE_FUNCTIONS:
        raise unknown_name("value function", name, VALUE_FUNCTIONS)
    kind = VALUE_FUNCTIONS[name]
    known = [field.name for field in dataclasses.fields(kind)]
    for parameter in parameters:
        if parameter not in known:
            takes = f"one of {', '.join(known)}" if known else "no parameter"
            raise SpecificationError(f"{takes} for the value function {name}", parameter, "leave it out")
    return dataclasses.replace(default, **parameters) if type(default) is kind else kind(**parameters)


def parse_value_function(text: str) -> ValueFunction:
    """``NAME`` or ``NAME=NUMBER``, the number being the function's first parameter."""
    name, equals, number = text.partition("=")
    if name not in VALUE_FUNCTIONS:
        raise unknown_name("value function", name, VALUE_FUNCTIONS)
    kind = VALUE_FUNCTIONS[name]
    fields = dataclasses.fields(kind)
    if not equals:
        return kind()
    try:
        value = float(number)
        if not math.isfinite(value):
            raise ValueError
        return kind(**{fields[0].name: value})
    except (ValueError, IndexError) as error:
        takes = f"{name}=NUMBER" if fields else f"{name} without a number"
        raise SpecificationError(takes, repr(text), "change it") from error
