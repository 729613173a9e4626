"""What a campaign is asked to do, and its check before anything starts."""

from __future__ import annotations

import dataclasses
import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dnncov_core.campaign.budgets import Retry
from dnncov_core.criteria import CRITERIA, VALUE_FUNCTIONS, CoveringMethod, ValueFunction
from dnncov_core.criteria.boundaries import MeasuredBoundary
from dnncov_core.criteria.value_functions import UpperBoundary
from dnncov_core.distances import NORMS
from dnncov_core.errors import CampaignError, SpecificationError, unknown_name
from dnncov_core.features import SAMPLINGS, FeaturePairs
from dnncov_core.generators import (
    AUTO,
    GENERATORS,
    GRIDS,
    LEAST_PASSES,
    OBJECTIVES,
    SEED_ORDERS,
    Generator,
    Parameters,
    suited,
)
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.records import NetworkCard
from dnncov_core.types import Norm

if TYPE_CHECKING:
    from dnncov_core.networks import Network

DEVICES = ("auto", "cpu", "cuda", "mps")


@dataclass(frozen=True)
class CampaignSpec:
    """One campaign's parameters; everything that decides its result is here.

    ``value_function`` with ``sigma``, ``d``, ``p`` and ``at_most`` is the g of VS and SV and the g2 of VV; None
    stands for the criterion's default (the paper's experiments). ``condition_value_function`` is the g1 of VV as
    ``NAME`` or ``NAME=NUMBER``. ``pairs`` is the number of feature pairs to sample, None for all; ``layers`` the
    decision layers, empty for all; ``seeds`` the size of the pool, None for every correctly classified input;
    ``bound`` is b of the oracle, None for no bound; ``top_weights`` the paper's kappa, None for every pair of neurons.
    ``reference`` names data whose largest u, neuron by neuron, stand for the d of upper_boundary.
    With ``reuse`` a test pair counts for every test condition that it covers. ``generator`` may be "auto", which the
    network decides. ``passes`` and ``batch`` are for gradient search: forward and backward passes of one input that a
    test condition may cost, and how many are searched for at the same time, None for as many as memory allows.
    ``retries`` says which budgets were raised after the campaign had begun; ``max_seeds`` and ``passes`` are the last.
    """

    network: str
    data: str
    criterion: str = "ss"
    generator: str = AUTO
    value_function: str | None = None
    sigma: float | None = None
    d: float | None = None
    p: Norm | None = None
    at_most: bool | None = None
    reference: str | None = None
    condition_value_function: str = "any"
    feature_mode: str = "neuron"
    omega: float = 0.001
    pairs: int | None = None
    sampling: str = "uniform"
    top_weights: int | None = None
    layers: tuple[int, ...] = ()
    seeds: int | None = None
    seed_order: str = "nearest"
    max_seeds: int = 41
    reuse: bool = False
    margin: float = 1e-4
    grid: str = "none"
    objective: str = "distance"
    passes: int = 400
    batch: int | None = None
    norm: Norm = "inf"
    bound: float | None = None
    device: str = "auto"
    random_seed: int = 0
    retries: tuple[Retry, ...] = ()

    def __post_init__(self) -> None:
        for kind, name, known in (
            ("criterion", self.criterion, CRITERIA),
            ("generator", self.generator, (AUTO, *GENERATORS)),
            ("feature mode", self.feature_mode, FEATURE_MODES),
            ("seed order", self.seed_order, SEED_ORDERS),
            ("sampling", self.sampling, SAMPLINGS),
            ("grid", self.grid, GRIDS),
            ("objective", self.objective, OBJECTIVES),
            ("norm", self.norm, NORMS),
            ("device", self.device, DEVICES),
        ):
            if name not in known:
                raise unknown_name(kind, str(name), known)
        self._check_numbers()
        method = self.covering_method()
        if self.feature_mode == "free":
            method.check_free()
            self._check_free_search()
        if self.top_weights is not None and self.feature_mode != "neuron":
            fix = "choose feature mode neuron, or leave top_weights out"
            raise SpecificationError("single neurons with top_weights", f"feature mode {self.feature_mode}", fix)

    def _check_free_search(self) -> None:
        if self.generator != AUTO and not GENERATORS[self.generator].by_gradients:
            fix = "choose generator auto or targeted, or another feature mode"
            raise SpecificationError("gradient search for free features", f"generator {self.generator}", fix)

    def _check_numbers(self) -> None:
        rules = {
            "pairs": (self.pairs is None or self.pairs >= 1, "a whole number from 1, or all"),
            "top_weights": (self.top_weights is None or self.top_weights >= 1, "a whole number from 1"),
            "seeds": (self.seeds is None or self.seeds >= 1, "a whole number from 1"),
            "max_seeds": (self.max_seeds >= 1, "a whole number from 1"),
            "sigma": (self.sigma is None or not math.isinf(self.sigma), "a finite number"),
            "d": (self.d is None or math.isfinite(self.d), "a finite number"),
            "omega": (0 < self.omega <= 1, "a share above 0 and up to 1"),
            "passes": (self.passes >= LEAST_PASSES, f"a whole number from {LEAST_PASSES}"),
            "batch": (self.batch is None or self.batch >= 1, "a whole number from 1"),
            "margin": (0 < self.margin < 1, "a number above 0 and below 1"),
            "bound": (self.bound is None or (self.bound > 0 and math.isfinite(self.bound)), "a distance above 0"),
            "random_seed": (self.random_seed >= 0, "a whole number from 0"),
        }
        for name, (holds, expected) in rules.items():
            if not holds:
                raise SpecificationError(f"{name}: {expected}", repr(getattr(self, name)), f"change {name}")

    def covering_method(self) -> CoveringMethod:
        """The criterion with its value functions."""
        method = CRITERIA[self.criterion]
        parameters = {
            name: value for name in ("sigma", "d", "p", "at_most") if (value := getattr(self, name)) is not None
        }
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

    def configured_generator(self) -> Generator:
        """The generator with this campaign's parameters; "auto" has to be decided before, by `for_network`.

        Raises:
            SpecificationError: the generator has no such objective.
        """
        return GENERATORS[self.generator].configured(
            Parameters(
                margin=self.margin,
                grid=GRIDS[self.grid],
                objective=self.objective,
                norm=self.norm,
                bound=self.bound,
                passes=self.passes,
                batch=self.batch,
                random_seed=self.random_seed,
            )
        )

    def for_network(self, network: Network | NetworkCard) -> CampaignSpec:
        """The same specification with the generator that suits the network where it says "auto"."""
        if self.generator != AUTO:
            return self
        by_gradients = self.feature_mode == "free" or self.objective != CampaignSpec.objective
        return dataclasses.replace(self, generator=suited(network.layers, by_gradients=by_gradients))

    def resolved(self) -> CampaignSpec:
        """The same specification with the criterion's default value function written out.

        Campaigns store it, so that a later version's defaults do not change what they mean.
        """
        own = self.covering_method().own_function
        if own is None:
            return self
        known = {name: value for name, value in vars(own).items() if name in CampaignSpec.__dataclass_fields__}
        return dataclasses.replace(self, value_function=own.name, **known)

    def retried(self, retry: Retry) -> CampaignSpec:
        """The same specification with larger budgets, and the record of it."""
        max_seeds, passes = retry.after
        return dataclasses.replace(self, max_seeds=max_seeds, passes=passes, retries=(*self.retries, retry))

    def to_json(self) -> str:
        """The specification as stored in the campaign file."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> CampaignSpec:
        """The inverse of `to_json`.

        Raises:
            CampaignError: a field that this version does not know.
        """
        fields = json.loads(text)
        try:
            retries = tuple(map(Retry.from_fields, fields.get("retries", ())))
            return cls(**{**fields, "layers": tuple(fields.get("layers", ())), "retries": retries})
        except TypeError as error:
            raise CampaignError(
                "a specification of this version", str(error), "open it with the version that wrote it"
            ) from error


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
