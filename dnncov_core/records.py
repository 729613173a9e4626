"""What a network's card, a campaign's file and its readers exchange: plain dataclasses and enums, NumPy only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from operator import add
from typing import Literal, TypeVar

from dnncov_core.box import Box
from dnncov_core.types import (
    Bounds,
    Count,
    Distance,
    Edge,
    FloatArray,
    IntArray,
    LayerNumber,
    Neurons,
    Ranges,
    Seconds,
    Shape,
    Share,
    Sign,
    Size,
    Unbounded,
)

T = TypeVar("T")


class Outcome(Enum):
    """How a test condition, or one attempt at it, ended."""

    FOUND = "found"
    """The covering method holds on a fresh forward pass of the stored test pair."""
    INFEASIBLE_HERE = "infeasible_here"
    """No solution for this seed and its activation pattern; says nothing about other seeds."""
    UNKNOWN = "unknown"
    """The solver gave no answer, or the network did not confirm the one it gave."""
    EXHAUSTED = "exhausted"
    """Every seed that the budget allows was tried without success."""
    PROVED_INFEASIBLE = "proved_infeasible"
    """No input of the box can satisfy the test condition."""
    ERROR = "error"
    """The attempt broke off, with a message."""
    PENDING = "pending"
    """Not tried yet."""


class State(Enum):
    """Where a campaign stands."""

    WAITING = "waiting"
    """Created; no worker has started it."""
    PREPARING = "preparing"
    """A worker loads the network and the data and plans the targets."""
    RUNNING = "running"
    """A worker is at it."""
    INTERRUPTED = "interrupted"
    """The worker is gone without finishing; resume continues."""
    CANCELLED = "cancelled"
    """Somebody cancelled it; resume continues."""
    FAILED = "failed"
    """A worker ended with an error, kept as the campaign's message; resume tries again."""
    FINISHED = "finished"
    """Every target has its outcome."""


class Stage(Enum):
    """What a campaign's worker is at, in this order."""

    LOAD = "load"
    """Network and data."""
    PLAN = "plan"
    """Which test conditions, and which seeds."""
    SEARCH = "search"
    """Test pairs."""
    BASELINE = "baseline"
    """Baseline searches, and effects that an earlier version did not store."""


@dataclass(frozen=True)
class Named:
    """An entry of a menu: a title alone, or with its meaning in words."""

    title: str
    words: str = ""


@dataclass(frozen=True)
class LayerInfo:
    """One layer by the paper's numbering: 1 is the input, 2 the first activation layer, K the output.

    ``channels_last`` says that the channels are on the last axis of ``shape``, as those of tokens are.
    """

    index: LayerNumber
    name: str
    kind: str
    neurons: Size
    shape: Shape
    channels_last: bool = False

    @property
    def maps(self) -> tuple[int, int, int] | None:
        """Channels, height and width of the feature maps; tokens are rows. None without feature maps."""
        if self.channels_last and len(self.shape) in (2, 3):
            height, *width, channels = self.shape
            return (channels, height, *(width or [1]))  # type: ignore[return-value]
        return self.shape if len(self.shape) == 3 else None


@dataclass(frozen=True)
class Quantity:
    """One output of a regression: its name, its unit if it has one, and by how much it may move, in that unit."""

    name: str
    unit: str
    tolerance: float


FINGERPRINT_SHOWN = 12
"""Digits of a fingerprint (SHA-256) that are shown; files hold all of them."""


@dataclass(frozen=True)
class NetworkCard:
    """What is known of a network without loading its weights.

    ``obstacle`` is the operator, with its module, that keeps linear programming from it; empty if none does. ``passed``
    are the operators that are passed through. ``embedded`` says that inputs are sequences of embedded tokens.
    """

    name: str
    dataset: str
    input_shape: Shape
    bounds: Bounds
    classes: tuple[str, ...]
    layers: tuple[LayerInfo, ...]
    edges: tuple[Edge, ...]
    parameters: Count
    fingerprint: str
    accuracy: Share | None = None
    accuracy_on: str = ""
    description: str = ""
    obstacle: str = ""
    quantities: tuple[Quantity, ...] = ()
    ranges: Ranges | None = None
    features: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    embedded: bool = False

    @property
    def box(self) -> Box:
        """What the inputs may be."""
        return Box(self.input_shape, self.bounds, self.ranges, self.features, self.units, self.embedded)

    def layer(self, index: int) -> LayerInfo:
        """The layer with the paper's number ``index`` (1..K)."""
        return self.layers[index - 1]


class _OfLayerPair:
    """What belongs to one condition layer and one decision layer."""

    condition_layer: int
    decision_layer: int

    @property
    def edge(self) -> Edge:
        """The layer pair."""
        return self.condition_layer, self.decision_layer


@dataclass(frozen=True)
class Target(_OfLayerPair):
    """One test condition of a campaign: the covering method asked of one feature pair.

    ``ordinal`` is the pair's place among all pairs of the plan, before sampling; it seeds the pair's randomness.
    Neuron indices are 0-based within their layer. A free condition feature names no neurons: any set of 1 to
    ``condition_most`` neurons may be it.
    """

    ordinal: Count
    condition_layer: LayerNumber
    decision_layer: LayerNumber
    condition_neurons: Neurons
    decision_neurons: Neurons
    condition_most: Size | None = None


@dataclass(frozen=True)
class Attempt:
    """One seed tried for one target.

    Where linear programmes were solved, ``calls`` is how many, ``variables`` and ``constraints`` the size of the
    largest, ``solver_seconds`` and ``iterations`` their time and simplex iterations in all. What is not known is None.

    Attributes:
        seed: row number of the data.
        outcome: how it ended.
        seconds: working time, with all programmes and the network's confirmation.
        margin: the last margin that was tried, in units of u.
        objective: the solver's own distance.
        passes: forward and backward passes of one input through the network, each counted as one, its share of the
            ranking of seeds included; evaluating the decision layer again, for an effect, belongs to the pass that it
            follows. None where no gradient search was made.
        message: why it is unknown or broke off.
    """

    seed: Count
    outcome: Outcome
    seconds: Seconds
    margin: Unbounded | None = None
    objective: Unbounded | None = None
    calls: Count | None = None
    variables: Count | None = None
    constraints: Count | None = None
    iterations: Count | None = None
    solver_seconds: Seconds | None = None
    passes: Count | None = None
    message: str = ""


@dataclass(frozen=True)
class Effect:
    """The effect of the condition feature on the decision feature in one pair of inputs; `effect` defines it.

    Attributes:
        needed: whether the decision's change is undone where the condition feature is put back.
        sufficient: whether the condition feature's change alone makes it.
        share: how much of the decision's change of u goes away where the condition feature is put back; None where
            nothing changed.
    """

    needed: bool
    sufficient: bool
    share: float | None


@dataclass(frozen=True)
class TestPair:
    """A witness (x1, x2) of one target, with its verdict.

    Distances are in pixel space. ``holds_float64`` and ``holds_8bit`` say whether the covering method also holds in
    float64 and after rounding x2 to the 8-bit grid (None where the input has no such grid). ``found_for`` is the
    ordinal of the target whose search found the pair, None for its own. ``flipped`` are the neurons that the witness
    of a free condition feature changes the sign of, None where the target names its neurons.

    ``needed``, ``sufficient`` and ``effect_share`` are those of `Effect`; as the covering method they are also judged
    in float64 and after rounding to 8 bits, where a pair that no longer covers has no effect. All are None in files of
    an earlier version until `add_missing_effects` finds them.

    ``outputs`` are those of a regression at x1 and x2, ``(2, n)``, each in its unit; None for labels, and in files of
    an earlier version.
    """

    __test__ = False  # not a test class, whatever pytest makes of the name

    target: Target
    seed: Count
    x1: FloatArray
    x2: FloatArray
    label1: Count
    label2: Count
    confidence1: Share
    confidence2: Share
    distance_inf: Distance
    distance_2: Distance
    distance_1: Distance
    distance: Distance
    adversarial: bool
    holds_float64: bool
    holds_8bit: bool | None
    margin: Unbounded | None
    found_for: Count | None = None
    flipped: Neurons | None = None
    needed: bool | None = None
    sufficient: bool | None = None
    effect_share: Unbounded | None = None
    needed_float64: bool | None = None
    sufficient_float64: bool | None = None
    needed_8bit: bool | None = None
    sufficient_8bit: bool | None = None
    outputs: FloatArray | None = None

    @property
    def condition_neurons(self) -> Neurons:
        """The neurons of the condition feature."""
        return self.target.condition_neurons if self.flipped is None else self.flipped


@dataclass(frozen=True)
class TargetResult:
    """All that one finished target leaves: its outcome, every attempt in order, and the test pair if one was found."""

    target: Target
    outcome: Outcome
    attempts: tuple[Attempt, ...]
    test_pair: TestPair | None
    seconds: float


@dataclass(frozen=True)
class BaselineSearch:
    """What the baseline searches found from the seed of one test pair, with the budget of that pair.

    Attributes:
        ordinal: the target's.
        radius: the greatest distance from the seed that they searched.
        passes: forward and backward passes that each search could make.
        random: whether some random perturbation changed the label.
        ascent: whether projected gradient ascent changed it.
    """

    ordinal: Count
    radius: Distance
    passes: Count
    random: bool
    ascent: bool


@dataclass(frozen=True)
class Certificate:
    """A proof that a neuron's sign is the same for every input within the network's bounds.

    Attributes:
        layer: the paper's number of its layer.
        neuron: 0-based within the layer.
        sign: +1 or -1.
        low: u is at least this for every input, in exact arithmetic and as the network computes it.
        high: u is at most this for every input, likewise.
        method: which method proved it.
        seconds: working time; where neurons were worked on together, this neuron's share of it.
    """

    layer: LayerNumber
    neuron: Count
    sign: Sign
    low: Unbounded
    high: Unbounded
    method: str
    seconds: Seconds


@dataclass(frozen=True)
class Justification:
    """Why a test condition needs no test pair, in somebody's words.

    Attributes:
        ordinal: the target's.
        reason: the reason in words.
        author: the name of the person who gives it.
        date: the day when it was given, in UTC, as YYYY-MM-DD.
        time: the second when it was given, in UTC, as YYYY-MM-DDTHH:MM:SSZ; None where an earlier version stored it.
    """

    ordinal: Count
    reason: str
    author: str
    date: str
    time: str | None = None


Fate = Literal["stands", "refuted", "replaced", "withdrawn"]
"""What became of a justification; one that a test pair refuted stays ``refuted`` where it is withdrawn."""


@dataclass(frozen=True)
class KnownJustification(Justification):
    """A justification, and what became of it.

    Attributes:
        how: whether it stands, or why not.
        ended: when it was replaced or withdrawn, like ``time``; empty where it was not.
        ended_by: who replaced or withdrew it; empty likewise, and where a withdrawal does not say that.
    """

    how: Fate = "stands"
    ended: str = ""
    ended_by: str = ""

    @property
    def refuted_by(self) -> int | None:
        """The ordinal of the test pair that refutes it; None if none does."""
        return self.ordinal if self.how == "refuted" else None

    @property
    def became(self) -> str:
        """What became of it, in words."""
        withdrawn = ", withdrawn" if self.ended else ""
        return self.how if self.refuted_by is None else f"refuted by pair {self.refuted_by}{withdrawn}"


@dataclass(frozen=True)
class EffectCounts:
    """How many test pairs show which effect, as `Effect` has them.

    Attributes:
        needed: those whose condition's change is needed.
        sufficient: those whose condition's change is sufficient.
        both: those that show both.
        needed_8bit: those that still cover, and whose condition's change is needed, when x2 is rounded to 8 bits.
        sufficient_8bit: likewise.
        both_8bit: likewise.
        unknown: those of an earlier version whose effects are not known yet.
        unknown_8bit: those that have no 8 bits, or whose version did not look at theirs.
        shares: those that have a share.
        share_sum: the sum of their shares, each counted as 0 at least and as 1 at most: a share has no bounds, and a
            single one may outweigh all others.
    """

    needed: Count = 0
    sufficient: Count = 0
    both: Count = 0
    needed_8bit: Count = 0
    sufficient_8bit: Count = 0
    both_8bit: Count = 0
    unknown: Count = 0
    unknown_8bit: Count = 0
    shares: Count = 0
    share_sum: Distance = 0.0

    def __add__(self, other: EffectCounts) -> EffectCounts:
        return EffectCounts(*map(add, vars(self).values(), vars(other).values()))

    @property
    def mean_share(self) -> float | None:
        """The mean share, each between 0 and 1; None without any."""
        return self.share_sum / self.shares if self.shares else None


@dataclass(frozen=True)
class LayerCounts(_OfLayerPair):
    """Counts for the pairs between one condition layer and one decision layer; distances in the campaign's norm.

    ``mean_distance`` and ``std_distance`` are over all test pairs of the layer pair (None without any); the
    standard deviation is that of a population.
    """

    condition_layer: int
    decision_layer: int
    pairs: int = 0
    found: int = 0
    exhausted: int = 0
    proved_infeasible: int = 0
    error: int = 0
    adversarial: int = 0
    holds_8bit: int = 0
    effects: EffectCounts = EffectCounts()
    mean_distance: float | None = None
    std_distance: float | None = None
    mean_adversarial_distance: float | None = None
    std_adversarial_distance: float | None = None

    @property
    def pending(self) -> int:
        """Targets without an outcome."""
        return self.pairs - self.found - self.exhausted - self.proved_infeasible - self.error


@dataclass(frozen=True)
class ProgrammeCosts(_OfLayerPair):
    """What the linear programmes between one condition layer and one decision layer cost.

    Attributes:
        condition_layer: k.
        decision_layer: the layer of the decision feature.
        calls: linear programmes solved; None if no attempt says so, as in files of the first version.
        variables: number of variables of the largest programme.
        constraints_mean: mean number of constraints over the attempts, each counted by its largest programme.
        constraints_max: number of constraints of the largest programme.
        seconds_mean: time of one call, from building the programme to its answer.
        iterations_mean: simplex iterations of one call; None where the solver does not tell.
    """

    condition_layer: LayerNumber
    decision_layer: LayerNumber
    calls: Count | None
    variables: Count
    constraints_mean: float
    constraints_max: Count
    seconds_mean: Seconds | None
    iterations_mean: float | None


@dataclass(frozen=True)
class SeedReport:
    """Which inputs serve as seeds: row numbers of the data, and what was left out and why."""

    rows: IntArray
    inputs: Count
    misclassified: Count
    correct: IntArray | None = None
    """All correctly classified inputs, where test conditions may go on to those that are no seeds."""

    @property
    def n_correct(self) -> int:
        """How many inputs are classified correctly."""
        return self.inputs - self.misclassified


@dataclass(frozen=True)
class SuiteGaps:
    """The measurement whose uncovered test conditions a campaign asks about.

    Attributes:
        suite: the name of the inputs that were measured.
        suite_fingerprint: theirs, its first `FINGERPRINT_SHOWN` digits, as of the others.
        network: the network's fingerprint.
        reference: that of the reference data; empty where there were none.
        total: test conditions that were measured.
        covered: those that the suite covers.
        listed: how many of the others the campaign was given.
    """

    suite: str
    suite_fingerprint: str
    network: str
    reference: str
    total: Count
    covered: Count
    listed: Count

    @property
    def words(self) -> str:
        """How many test conditions there are to choose from, and which."""
        return f"{self.listed:,} condition{'s' * (self.listed != 1)} that the suite {self.suite} left open"


@dataclass(frozen=True)
class Shard:
    """A part of a campaign's batches of targets: that of its number, counted from 1, and each one ``of`` later.

    Raises:
        ValueError: there is no such part.

    >>> Shard.from_text("2/3").part("abcdefg")
    'be'
    """

    number: int = 1
    of: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise ValueError(f"{self} is no shard")

    @classmethod
    def from_text(cls, text: str) -> Shard:
        """The inverse of `str`."""
        return cls(*map(int, text.split("/", 1)))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def part(self, batches: Sequence[T]) -> Sequence[T]:
        """The batches of this shard among all of a campaign."""
        return batches[self.number - 1 :: self.of]


WHOLE = Shard()
"""All of a campaign's work."""
BUDGETS = {"max_seeds": "seeds", "passes": "passes", "more_seeds": "seeds beyond"}
"""The parameters that say what one test condition may cost, and what is counted."""
Budgets = tuple[Count, ...]
"""Their values; earlier versions did not have the last."""


@dataclass(frozen=True)
class Retry:
    """Test conditions that were put back, to be tried again with larger budgets.

    Attributes:
        outcomes: how they had ended.
        layers: their decision layers where an earlier version tried only some again; empty for all.
        conditions: how many they were.
        before: the campaign's budgets until then.
        after: the campaign's budgets from then on.
        covered: test conditions that were covered before; None where an earlier version did not count them.
        pending: test conditions that were not tried yet before.
        effect: the effect that a new campaign was made for; None where the campaign stayed the same.
        origin: the campaign that this new one was made from, by its id; None also where an earlier version did not say.
        chosen: whether somebody chose them one by one, so that others that had ended so were left as they were.
    """

    outcomes: tuple[str, ...]
    layers: tuple[LayerNumber, ...]
    conditions: Count
    before: Budgets
    after: Budgets
    covered: Count | None = None
    pending: Count = 0
    effect: str | None = None
    origin: str | None = None
    chosen: bool = False
