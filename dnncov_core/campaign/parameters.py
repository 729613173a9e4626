"""The parameters of a campaign: one table, a row each.

The specification's checks, the options of ``dnncov run`` and their order, the form of the Run page, what was run,
provenance, captions, what differs between campaigns, the names that tell them apart, and which campaigns are of like
speed are all made from these rows. A new parameter is a row here and the code that it steers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import Any

from dnncov_core.campaign.parameter_kinds import (
    Choice,
    Distance,
    Flag,
    FormPart,
    Layers,
    Number,
    Parameter,
    Record,
    Share,
    Whole,
    WholeOrAll,
)
from dnncov_core.criteria import CRITERIA, EFFECTS, VALUE_FUNCTIONS
from dnncov_core.distances import NORM_NAMES
from dnncov_core.errors import DnncovError, ParameterError
from dnncov_core.features import SAMPLINGS
from dnncov_core.generators import AUTO, GENERATORS, GRIDS, LEAST_PASSES, OBJECTIVES, SEED_ORDERS, follows_gradients
from dnncov_core.networks.reference import REFERENCES
from dnncov_core.partitions import FEATURE_MODES
from dnncov_core.records import Named, Retry, SuiteGaps
from dnncov_core.resources import devices
from dnncov_core.types import Norm

NORMS = {norm: Named(name) for norm, name in NORM_NAMES.items()}
DEVICES = {
    "auto": Named("Automatic", "A GPU if there is one, else the CPU."),
    "cpu": Named("CPU"),
    "cuda": Named("NVIDIA GPU (cuda)"),
    "mps": Named("Apple GPU (mps)"),
}
FUNCTIONS = {name: Named(name, f"{kind.words}.") for name, kind in VALUE_FUNCTIONS.items()}
AUTOMATIC = Named(
    "Automatic", "Linear programming for small piecewise-linear networks, gradient search for all others."
)

EFFECT_CHOICES = {
    AUTO: Named(
        "Automatic",
        "Needed with linear programming, which covers no less; none with gradient search, which would cover less.",
    ),
    **EFFECTS,
}


def _with(number: str) -> str:
    """The names of the value functions that have a number."""
    return ", ".join(name for name, kind in VALUE_FUNCTIONS.items() if number in kind.__dataclass_fields__)


@dataclass(frozen=True, kw_only=True)
class _Criterion(Choice):
    """The covering method, said with its value functions."""

    def said(self, spec: Any) -> str:
        functions = spec.covering_method().functions
        return super().said(spec) + (f", {functions}" if functions else "")


@dataclass(frozen=True, kw_only=True)
class _Automatic(Choice):
    """A choice that network or generator decide once the campaign starts where it is to be automatic."""

    suits: str

    def _words(self, value: Any) -> str:
        return f"not chosen yet: the one that suits the {self.suits}" if value == AUTO else super()._words(value)


@dataclass(frozen=True, kw_only=True)
class _Functions(Choice):
    """Value functions are compared whole: by their words where they are not the criterion's usual ones."""

    def value_in(self, spec: Any) -> str:
        usual = type(spec)(spec.network, spec.data, spec.criterion).covering_method().functions
        own: str = spec.covering_method().functions
        return "" if own == usual else own

    def words(self, value: Any) -> str:
        return value or "the usual ones of the criterion"

    def in_short(self, value: Any) -> str:
        return value or ""


@dataclass(frozen=True, kw_only=True)
class _Sample(WholeOrAll):
    """How many test conditions are drawn; where a suite left them open, this is said in words."""

    def value_in(self, spec: Any) -> Any:
        gaps: SuiteGaps | None = spec.suite_gaps
        if gaps is None:
            return spec.pairs
        return f"{f'{spec.pairs:,} of ' if (spec.pairs or gaps.listed) < gaps.listed else ''}the {gaps.words}"

    def said(self, spec: Any) -> str:
        return self.words(self.value_in(spec))

    def in_short(self, value: Any) -> str:
        return value if isinstance(value, str) else super().in_short(value)

    def _words(self, value: Any) -> str:
        return value if isinstance(value, str) else super()._words(value)


@dataclass(frozen=True, kw_only=True)
class _Seeds(Whole):
    """How many seeds of the pool are tried; of a campaign that goes on beyond it, also how many these are in all."""

    def said(self, spec: Any) -> str:
        beyond = 0 if PARAMETERS["more_seeds"].idle(spec) else spec.more_seeds
        together = f" of the pool, {spec.max_seeds + beyond:,} with those beyond it"
        return super().said(spec) + together * (beyond > 0)


def _by_programmes(spec: CampaignParameters) -> bool:
    return follows_gradients(spec.generator) is False


def _draws_nothing(spec: CampaignParameters) -> bool:
    """Whether only baseline searches draw."""
    drawing = [name for name, generator in GENERATORS.items() if generator.draws]
    return spec.pairs is None and spec.seeds is None and spec.seed_order == "nearest" and spec.generator not in drawing


@dataclass(frozen=True)
class CampaignParameters:
    """What a campaign is asked: everything that decides its result."""

    network: str = Parameter.field(
        MISSING,
        label="Network",
        help=f"the network that is tested: a name, {REFERENCES}",
        part=FormPart.NETWORK,
        speed=True,
        metavar="NETWORK",
        option="network",
    )
    data: str = Parameter.field(
        MISSING,
        label="Data",
        help="inputs with labels, or with what outputs should be, of which those that the network gets right serve as"
        " seeds: a name, an .npz, .csv or .parquet file, or a folder of images by class",
        part=FormPart.NETWORK,
        none="the network's own",
        short="data {value}",
        matters="Seeds of other data lie elsewhere: coverage and AE change.",
        metavar="DATA",
    )
    criterion: str = _Criterion.field(
        "ss",
        label="Criterion",
        help="the covering method: which change of the condition feature must come with which change of the"
        " decision feature",
        part=FormPart.CRITERION,
        known=CRITERIA,
        speed=True,
    )
    generator: str = _Automatic.field(
        AUTO,
        suits="network",
        label="Generator",
        help="how x2 is searched for; whatever is found counts only if the network itself confirms it",
        part=FormPart.SEARCH,
        known={AUTO: AUTOMATIC, **GENERATORS},
        short="generator {value}",
        matters="Gradient search may miss what a linear programme finds.",
        speed=True,
    )
    value_function: str | None = _Functions.field(
        None,
        label="Value functions",
        help="what counts as a significant change of value: g of vs and sv, g2 of vv",
        part=FormPart.CRITERION,
        known=FUNCTIONS,
        matters="Another question under the same criterion.",
        told_by="criterion",
        metavar="NAME",
    )
    sigma: float | None = Number.field(
        None,
        label="sigma (σ)",
        help=f"factor by which u must change, for {_with('sigma')}",
        part=FormPart.CRITERION,
        none="2 for sv, 5 for vv, as in the paper",
        above=0,
        told_by="criterion",
    )
    d: float | None = Number.field(
        None,
        label="d",
        help=f"threshold for {_with('d')}: in units of u, for ssim a similarity from 0 to 1",
        part=FormPart.CRITERION,
        told_by="criterion",
    )
    p: Norm | None = Choice.field(
        None,
        label="Norm p",
        help="the p of the value function norm",
        part=FormPart.CRITERION,
        known=NORMS,
        told_by="criterion",
        metavar="P",
    )
    at_most: bool | None = Flag.field(
        None,
        label="At most d, instead of at least",
        help="the value function norm asks for at most d instead of at least d",
        part=FormPart.CRITERION,
        told_by="criterion",
    )
    reference: str | None = Parameter.field(
        None,
        label="Reference data",
        help="data whose largest u of each neuron is what upper_boundary asks u to exceed",
        told_by="criterion",
        metavar="DATA",
    )
    condition_value_function: str = Parameter.field(
        "any",
        label="Value function g1 of the condition feature",
        help="the g1 of vv, which the paper leaves open; any asks nothing more of the condition feature than to keep"
        " its signs",
        part=FormPart.CRITERION,
        told_by="criterion",
        metavar="NAME[=NUMBER]",
    )
    feature_mode: str = Choice.field(
        "neuron",
        label="Features",
        help="single neurons, or sets of neurons up to a size that omega gives",
        part=FormPart.CONDITIONS,
        known=FEATURE_MODES,
        short="{value} features",
        matters="A set of neurons is another condition than one neuron.",
        speed=True,
    )
    omega: float = Share.field(
        0.001,
        label="omega (ω)",
        help="largest share of a layer's neurons that one feature may have; a feature has at least one neuron",
        part=FormPart.CONDITIONS,
        above=0,
        most=1,
        suggested=0.1,
        step=0.01,
        shown="%.4f",
        short="ω = {words}",
        matters="Larger features allow larger changes.",
        idle=lambda spec: spec.feature_mode == "neuron",
    )
    pairs: int | None = _Sample.field(
        None,
        label="Sample size",
        help="test conditions that are drawn, without replacement, from the feature pairs of the chosen layers",
        part=FormPart.CONDITIONS,
        none="all feature pairs",
        least=1,
        suggested=200,
        step=50,
        short="{words} pair{s}",
        matters="A sample has an interval; all pairs have none. What a suite left open is harder to cover than all.",
    )
    sampling: str = Choice.field(
        "uniform",
        label="How the sample is drawn",
        help="which feature pairs a sample takes",
        part=FormPart.CONDITIONS,
        known=SAMPLINGS,
        short="{small}",
        matters="A stratified sample gives small layers more weight than their share of all feature pairs.",
        idle=lambda spec: spec.pairs is None,
    )
    top_weights: int | None = Whole.field(
        None,
        label="Top weights κ",
        help="only feature pairs by one of the κ largest absolute weights into the decision neuron (the paper uses 10)",
        part=FormPart.CONDITIONS,
        none="all connections",
        least=1,
        short="w{value}",
        matters="Other pairs: the strongest connections into each decision neuron alone.",
        idle=lambda spec: spec.feature_mode != "neuron",
        metavar="K",
    )
    layers: tuple[int, ...] = Layers.field(
        (),
        label="Decision layers",
        help="only feature pairs whose decision feature is in one of these decision layers",
        part=FormPart.CONDITIONS,
        short="layers {words}",
        matters="The paper finds deeper layers harder to cover.",
    )
    seeds: int | None = Whole.field(
        None,
        label="Pool of seeds",
        help="inputs that may serve as seeds, drawn by the random seed",
        part=FormPart.MORE,
        none="every input that the network gets right",
        least=1,
        short="{words} seed{s}",
        matters="From more seeds more can be covered.",
    )
    seed_order: str = Choice.field(
        "nearest",
        label="Order of seeds",
        help="which seeds are tried first for a test condition",
        part=FormPart.SEARCH,
        known=SEED_ORDERS,
        short="{value} order",
        matters="Random seeds need larger steps, of which more are adversarial; nearest first covers more.",
        speed=True,
    )
    max_seeds: int = _Seeds.field(
        41,
        label="Most seeds per condition",
        help="seeds tried for one test condition; after so many without success it is exhausted",
        part=FormPart.SEARCH,
        least=1,
        short="at most {words} seed{s}",
        matters="A larger budget covers more.",
    )
    more_seeds: int = Whole.field(
        20,
        label="Seeds beyond, per condition",
        help="seeds tried, after those without success, from all inputs that the network gets right, not only from"
        " the pool, in the order nearest first alone; gradient search ranks and tries as many as the passes that are"
        " left allow",
        part=FormPart.MORE,
        least=0,
        short="{words} seed{s} beyond the pool",
        matters="From more seeds more can be covered.",
        idle=lambda spec: spec.seed_order != "nearest",
    )
    reuse: bool = Flag.field(
        False,
        label="Reuse test pairs",
        help="a test pair counts for every test condition that it covers: fewer test pairs and less time, but not"
        " each condition's own nearest; rates and distances still count every condition. Where adversarial pairs"
        " are preferred, only these count for other test conditions",
        part=FormPart.SEARCH,
        short="reuse",
        matters="A pair that counts for several conditions counts several times in AE.",
        speed=True,
    )
    margin: float = Number.field(
        1e-4,
        label="Margin",
        help="how far from 0 each u is to be whose sign changes, in units of u; gradient searches take what is nearer"
        " where the condition holds",
        part=FormPart.MORE,
        above=0,
        below=1,
        step=1e-4,
        shown="%.1e",
        short="margin {words}",
        matters="Asks for larger steps.",
    )
    grid: str = Choice.field(
        "none",
        label="Values that x2 may have",
        help="any values, or those that an image file can hold",
        part=FormPart.SEARCH,
        known=GRIDS,
        short="{small} of x2",
        matters="Grey levels of 8 bits make distances larger.",
        speed=True,
    )
    objective: str = Choice.field(
        "distance",
        label="Objective",
        help="what is wanted of x2 beside the test condition",
        part=FormPart.SEARCH,
        known=OBJECTIVES,
        short="{small}",
        matters="A search for adversarial pairs finds more of them than one for the least distance.",
        speed=True,
    )
    effect: str = _Automatic.field(
        AUTO,
        suits="generator",
        label="Effect of the condition",
        help="what a test pair has to show beside the criterion: needed, that the decision does not change without the"
        " condition's change; sufficient, that the condition's change alone changes the decision; auto is needed with"
        " linear programming, and none with gradient search",
        part=FormPart.CRITERION,
        known=EFFECT_CHOICES,
        short="effect {small}",
        matters="Where an effect is asked for, only pairs that show it count: less may be covered, with larger steps.",
        speed=True,
    )
    passes: int = Whole.field(
        400,
        label="Most passes per condition",
        help="forward and backward passes of one input that gradient search may spend on a test condition",
        part=FormPart.SEARCH,
        least=LEAST_PASSES,
        step=100,
        short="{words} passes",
        matters="A larger budget covers more.",
        idle=_by_programmes,
        speed=True,
    )
    batch: int | None = Whole.field(
        None,
        label="Batch size",
        help="test conditions that gradient search works on at the same time",
        none="as many as memory allows",
        least=1,
        idle=_by_programmes,
    )
    norm: Norm = Choice.field(
        "inf",
        label="Norm of distances",
        help="the L^p distance between x1 and x2, in pixel space; of shares of ranges where features have their own",
        part=FormPart.MORE,
        known=NORMS,
        matters="Distances in two norms cannot be compared.",
    )
    bound: float | None = Distance.field(
        None,
        label="Bound b",
        help="largest distance of an adversarial pair: what is farther away is not adversarial, also with another"
        " label",
        part=FormPart.SEARCH,
        none="no bound",
        above=0,
        step=0.05,
        shown="%.4f",
        short="b = {words}",
        matters="A pair beyond the bound is not adversarial.",
        metavar="B",
    )
    device: str = Choice.field(
        "auto",
        label="Device",
        help="where inputs are classified and gradients followed; linear programmes are solved on the CPU",
        part=FormPart.MORE,
        known=DEVICES,
        here=devices,
    )
    random_seed: int = Whole.field(
        0,
        label="Random seed",
        help="what random draws begin with; the same number gives the same campaign",
        part=FormPart.MORE,
        least=0,
        short="random seed {value}",
        matters="Another random seed draws another sample and tries other seeds.",
        idle=_draws_nothing,
        always=True,
    )
    retries: tuple[Retry, ...] = Record.field(
        (),
        label="Tried again",
        help="test conditions that were tried again after the campaign had begun, and with what",
    )

    suite_gaps: SuiteGaps | None = Record.field(
        None,
        label="Conditions left open by a suite",
        help="a file of test conditions that a suite does not cover, written by dnncov measure --open: exactly these"
        " are asked, or a sample of them",
        none="no: all feature pairs count",
        told_by="pairs",
        option="--conditions",
    )

    def __post_init__(self) -> None:
        for name, row in PARAMETERS.items():
            row.check(getattr(self, name))


PARAMETERS: Mapping[str, Parameter] = {
    each.name: each.metadata["row"].named(each.name, each.default) for each in dataclasses.fields(CampaignParameters)
}
"""All parameters by the names of their fields, in the order of options and tables."""


def by_option(error: DnncovError) -> str:
    """An error's message, with the option of the command for the parameter that it is about."""
    return error.said_of(PARAMETERS[error.name].option) if isinstance(error, ParameterError) else str(error)


def by_label(error: DnncovError) -> str:
    """An error's message, with the label of the form's field for the parameter that it is about."""
    if not isinstance(error, ParameterError):
        return str(error)
    return error.beside(PARAMETERS[error.name].label if error.name in PARAMETERS else error.name)
