"""What campaigns were asked, parameter by parameter: in words, and what tells campaigns of the same title apart."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.distances import NORM_NAMES
from dnncov_core.features import SAMPLINGS
from dnncov_core.generators import AUTO, GENERATORS, GRIDS, OBJECTIVES, SEED_ORDERS
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.statistics.coverage import short_criterion

FUNCTIONS = "functions"
"""The parameter of `asked` that is none of a `CampaignSpec`: its value functions in words, empty for the usual ones."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a campaign.

    Attributes:
        title: its name in tables.
        words: a value of it in a table.
        short: a value other than the usual one in a list of such; empty where it need not be said.
        why: what it changes, in a sentence; empty where it decides no share.
    """

    title: str
    words: Callable[[Any], str]
    short: Callable[[Any], str]
    why: str


def _plain(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _whole(unit: str) -> Callable[[Any], str]:
    return lambda n: f"{n:,} {unit}" if n is not None else f"all {unit}"


PARAMETERS: Mapping[str, Parameter] = {
    FUNCTIONS: Parameter(
        "Value functions",
        lambda words: words or "the usual ones of the criterion",
        str,
        "Another question under the same criterion.",
    ),
    "data": Parameter(
        "Data", str, lambda name: f"data {name}", "Seeds of other data lie elsewhere: coverage and AE change."
    ),
    "seed_order": Parameter(
        "Order of seeds",
        lambda name: SEED_ORDERS[name].title,
        lambda name: f"{name} order",
        "Random seeds need larger steps, of which more change the label; nearest first covers more.",
    ),
    "objective": Parameter(
        "What x2 is to be",
        lambda name: OBJECTIVES[name].title,
        lambda name: OBJECTIVES[name].title.lower(),
        "A search for other labels finds more adversarial pairs than one for the least distance.",
    ),
    "bound": Parameter(
        "Bound b",
        lambda b: "no bound" if b is None else f"{b:g}",
        lambda b: "no bound" if b is None else f"b = {b:g}",
        "A pair beyond the bound is not adversarial.",
    ),
    "norm": Parameter(
        "Norm of distances",
        NORM_NAMES.__getitem__,
        NORM_NAMES.__getitem__,
        "Distances in two norms cannot be compared.",
    ),
    "pairs": Parameter(
        "Test conditions",
        _whole("feature pairs"),
        lambda n: "all pairs" if n is None else f"{n:,} pairs",
        "A sample has an interval; all pairs have none.",
    ),
    "sampling": Parameter(
        "Sampling",
        lambda name: SAMPLINGS[name].title,
        lambda name: SAMPLINGS[name].title.lower(),
        "As many from each layer pair weighs small layers more than their share of all pairs.",
    ),
    "random_seed": Parameter("Random seed", _plain, lambda n: f"random seed {n}", "Other samples, and other seeds."),
    "layers": Parameter(
        "Decision layers",
        lambda layers: ", ".join(map(str, layers)) or "all",
        lambda layers: f"layers {', '.join(map(str, layers))}" if layers else "all layers",
        "The paper finds deeper layers harder to cover.",
    ),
    "top_weights": Parameter(
        "Top weights",
        lambda kappa: "all connections" if kappa is None else f"the {kappa} strongest",
        lambda kappa: "all connections" if kappa is None else f"w{kappa}",
        "Other pairs: the strongest connections into each decision neuron alone.",
    ),
    "feature_mode": Parameter(
        "Features",
        lambda name: FEATURE_MODES[name].title,
        lambda name: f"{name} features",
        "A set of neurons is another condition than one neuron.",
    ),
    "omega": Parameter(
        "ω",
        lambda omega: f"{100 * omega:g} %",
        lambda omega: f"ω = {100 * omega:g} %",
        "Larger features allow larger changes.",
    ),
    "generator": Parameter(
        "Generator",
        lambda name: GENERATORS[name].title,
        str,
        "Gradient search may miss what a linear programme finds.",
    ),
    "seeds": Parameter(
        "Pool of seeds",
        lambda n: "every correctly classified input" if n is None else f"{n:,}",
        lambda n: "" if n is None else f"{n:,} seeds",
        "From more seeds more can be covered.",
    ),
    "max_seeds": Parameter(
        "Seeds a condition, at most", _plain, lambda n: f"at most {n} seeds", "A larger budget covers more."
    ),
    "passes": Parameter("Passes a condition, at most", _plain, lambda n: f"{n} passes", "A larger budget covers more."),
    "grid": Parameter(
        "Grid of x2",
        lambda name: GRIDS[name].title,
        lambda name: GRIDS[name].title,
        "Grey levels of 8 bits make distances larger.",
    ),
    "margin": Parameter("Margin", _plain, lambda margin: f"margin {margin:g}", "Asks for larger steps."),
    "reuse": Parameter(
        "Reuse of test pairs",
        lambda reuse: "yes" if reuse else "no",
        lambda reuse: "reuse" if reuse else "no reuse",
        "A pair that counts for several conditions counts several times in AE.",
    ),
}
"""In the order of tables. Network and criterion are what a comparison is about, and device and batch change results in
their last bits at most: they are not here."""

MEANINGLESS: Mapping[str, Callable[[CampaignSpec], bool]] = {
    "generator": lambda spec: spec.generator == AUTO,
    "omega": lambda spec: spec.feature_mode == "neuron",
    "passes": lambda spec: spec.generator != AUTO and not GENERATORS[spec.generator].by_gradients,
    "random_seed": lambda spec: spec.pairs is None and spec.seed_order == "nearest",
    "sampling": lambda spec: spec.pairs is None,
}
"""Parameters that decide nothing in some campaigns, or are not decided yet."""


def asked(spec: CampaignSpec) -> dict[str, Any]:
    """The parameters that decide this campaign's numbers."""
    own = [name for name in PARAMETERS if name != FUNCTIONS and not MEANINGLESS.get(name, _never)(spec)]
    return {FUNCTIONS: _unusual_functions(spec), **{name: getattr(spec, name) for name in own}}


def _unusual_functions(spec: CampaignSpec) -> str:
    method = spec.covering_method()
    usual = CampaignSpec(spec.network, spec.data, spec.criterion).covering_method()
    return "" if method == usual else method.functions


def _never(_: CampaignSpec) -> bool:
    return False


def settings_in_words(spec: CampaignSpec, names: Sequence[str] | None = None) -> str:
    """The parameters that are not the usual ones, or those with these names, in a few words.

    >>> settings_in_words(CampaignSpec("toy", "toy", generator="lp", seed_order="random", pairs=200, top_weights=10))
    'data toy, random order, 200 pairs, w10, lp'
    >>> settings_in_words(CampaignSpec("toy", "toy", seed_order="random"), ["seed_order", "bound"])
    'random order, no bound'
    """
    usual = {FUNCTIONS: ""} | {field.name: field.default for field in dataclasses.fields(CampaignSpec)}
    values = asked(spec)
    said = [name for name in values if (values[name] != usual[name] if names is None else name in names)]
    return ", ".join(words for name in said if (words := PARAMETERS[name].short(values[name])))


def title_of(spec: CampaignSpec) -> str:
    """Network and criterion, with its top weights as the paper writes them.

    >>> title_of(CampaignSpec("mnist-n8", "mnist", top_weights=10))
    'mnist-n8 · SS^w10'
    """
    weights = "" if spec.top_weights is None else f"^w{spec.top_weights}"
    return f"{spec.network} · {short_criterion(spec.criterion)}{weights}"


def names_apart(specs: Mapping[str, CampaignSpec], own: Mapping[str, str] | None = None) -> dict[str, str]:
    """A name for each campaign that tells it from the others.

    It is the user's own, or its title with what differs; its id follows where two have the same.

    Args:
        specs: what each was asked, by its id.
        own: the user's own names by id; empty, or left out, where there is none.
    """
    titles = {each: title_of(spec) for each, spec in specs.items()}
    names = {each: (own or {}).get(each) or _told_apart(each, specs, titles) for each in specs}
    while len(often := Counter(names.values())) < len(names):
        names = {each: f"{name} · {each}" if often[name] > 1 else name for each, name in names.items()}
    return names


def settings_apart(specs: Mapping[str, CampaignSpec]) -> dict[str, str]:
    """The parameters of each campaign that are not the same in all of them, in a few words; empty if all are."""
    values = [asked(spec) for spec in specs.values()]
    names = [name for name in PARAMETERS if len({str(each.get(name)) for each in values}) > 1]
    return {each: settings_in_words(spec, names) if names else "" for each, spec in specs.items()}


def _told_apart(each: str, specs: Mapping[str, CampaignSpec], titles: Mapping[str, str]) -> str:
    words = settings_apart({other: specs[other] for other in specs if titles[other] == titles[each]})[each]
    return f"{titles[each]}, {words}" if words else titles[each]
