"""A measurement in words: what it was asked, and remarks beside its numbers that say why they are what they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dnncov_core.criteria import CRITERIA, EFFECTS, LAYER_CRITERIA, NO_EFFECT
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.data.own_decisions import own_decisions
from dnncov_core.phrases.effect import EFFECT_MEANS
from dnncov_core.phrases.numbers import agreeing, counted, leaves_out
from dnncov_core.suites.criterion_names import ENTRIES, SAFETY, key_of
from dnncov_core.suites.measurement_file import MeasuredCriterion
from dnncov_core.suites.spec import MeasurementSpec

SAME_INPUTS = (
    "The suite is its own reference data: no input can be beyond ranges that the suite itself spans, so that NB, SNAC,"
    " NBC and upper boundaries cannot be met; and each input is its own nearest, so that DSC is 0."
)
BEYOND = ("nb", "upper_boundary", "snac", "nbc", "dsc")
"""How criteria begin or end that ask for values beyond the reference data."""


def same_inputs(criteria: Iterable[str]) -> str:
    """What it means for criteria, as they were asked for, that the suite is its own reference data; else empty.

    >>> same_inputs(["sv:nb"]) == same_inputs(["n", "sv:upper_boundary"]) == same_inputs(["dsc:100"]) == SAME_INPUTS
    True
    >>> same_inputs(["mn:10", "kmnc", "sv:mn=3/10", "sv:upper_boundary=2"])
    ''
    """
    return SAME_INPUTS if any(text.endswith(BEYOND) or key_of(text) in BEYOND for text in criteria) else ""


def measurement_title(spec: MeasurementSpec) -> str:
    """What a measurement is about, in a few words.

    >>> measurement_title(MeasurementSpec("toy", "digits"))
    'toy · digits'
    """
    return f"{spec.network} · {spec.suite}"


def features_in_words(spec: MeasurementSpec) -> str:
    """The condition features of a measurement.

    >>> features_in_words(MeasurementSpec("toy", "toy", feature_mode="free", omega=0.01))
    'free features, ω = 1 %'
    """
    return "single neurons" if spec.feature_mode == "neuron" else f"free features, ω = {100 * spec.omega:g} %"


def measurement_settings(spec: MeasurementSpec) -> list[str]:
    """What a measurement was asked beside network, suite and criteria, where it is not the usual."""
    reference = [] if spec.reference is None else [f"reference data {spec.reference}"]
    features = [] if spec.feature_mode == "neuron" else [features_in_words(spec)]
    chosen = {"from": spec.condition_layers, "into": spec.layers}
    layers = [f"layer pairs {way} {names.replace(',', ', ')}" for way, names in chosen.items() if names]
    usual = spec.effect in (NO_EFFECT, MeasurementSpec.effect)
    return [*reference, *features, *layers, *([] if usual else [f"effect {EFFECTS[spec.effect].title.lower()}"])]


def headline(spec: MeasurementSpec) -> str:
    """A measurement's title with its settings.

    >>> headline(MeasurementSpec("toy", "digits", reference="toy", feature_mode="free"))
    'toy · digits · reference data toy · free features, ω = 0.1 %'
    """
    return " · ".join([measurement_title(spec), *measurement_settings(spec)])


def effect_in_words(effect: str) -> str:
    """What "with effect" means in a measurement; empty where no effect was asked for.

    >>> effect_in_words("sufficient"), effect_in_words("none")
    ("With effect (sufficient): the condition's change alone changes the decision.", '')
    """
    return f"With effect ({effect}): {EFFECT_MEANS[effect]}." if effect in EFFECT_MEANS else ""


def classified(misclassified: int | None, suite: str = "") -> str:
    """How many inputs of a suite do not get their label, or outputs within the tolerance of their targets.

    >>> classified(41), classified(None)
    ('41 that the network gets wrong, counted too', 'without labels, so that it is not known which it gets wrong')
    >>> classified(0, "encounters-own-decisions")
    "labelled by the network's own decisions, so that accuracy says nothing"
    """
    if own_decisions(suite):
        return "labelled by the network's own decisions, so that accuracy says nothing"
    if misclassified is None:
        return "without labels, so that it is not known which it gets wrong"
    return f"{misclassified:,} that the network gets wrong, counted too"


def left_out(criteria: Sequence[MeasuredCriterion]) -> list[str]:
    """Which criteria leave out neurons or inputs, how many, and why.

    >>> from dnncov_core.suites.measurement_file import MeasuredLayer
    >>> row = MeasuredLayer(None, 2, 60, 3, None, "", left_out=7)
    >>> left_out([MeasuredCriterion("mn", 60, 3, (row,)), MeasuredCriterion("n", 67, 60, ())])
    ['MN leaves out 7 neurons whose range over the reference data is one value: it has no sections.']
    >>> row = MeasuredLayer(None, 4, 1000, 3, None, "", left_out=36, outside=20)
    >>> for words in left_out([MeasuredCriterion("lsc", 1000, 3, (row,))]):
    ...     print(words)
    LSC leaves out 36 neurons that hardly vary within some class of the reference data.
    LSC: 20 inputs are in no bucket, as their surprise is not above 0, or is above U.
    """
    sections = "whose range over the reference data is one value: it has no sections"
    still = "that hardly vary within some class of the reference data"
    found = []
    for each in criteria:
        if each.left_out:
            why = still if each.key in LAYER_CRITERIA else sections
            found.append(leaves_out(each.name, each.left_out, "neuron", why))
        if outside := sum(row.outside for row in each.rows):
            inputs = f"{counted(outside, 'input')} {agreeing(outside, 'is', 'are')}"
            found.append(f"{each.name}: {inputs} in no bucket, as their surprise is not above 0, or is above U.")
    return found


def without_share(criterion: MeasuredCriterion) -> str:
    """The number of a criterion without a total, in words.

    >>> without_share(MeasuredCriterion("s", None, 1200, ())), without_share(MeasuredCriterion("nlc", None, 0.5, ()))
    ('1,200 different sign patterns', 'an NLC of 0.5 squared units of u')
    """
    if criterion.key == SAFETY:
        return f"{criterion.covered:,} different sign patterns"
    return f"an {criterion.key.upper()} of {criterion.percent} squared units of u"


def not_monotone(criteria: Sequence[MeasuredCriterion]) -> list[str]:
    """Which criteria may fall when inputs are added, or depend on the order of the inputs.

    >>> not_monotone([MeasuredCriterion("n", 3, 2, ()), MeasuredCriterion("nlc", None, 0.5, ())])
    ['NLC: more inputs may lower it; the order of the inputs does not matter.']
    """
    names = dict.fromkeys(each.key for each in criteria)
    return [f"{key.upper()}: {facts(key)}." for key in names if not (ENTRIES[key].monotone and ENTRIES[key].order_free)]


def facts(key: str) -> str:
    """Whether more inputs may lower a criterion, and whether their order matters.

    >>> facts("ss")
    'more inputs never lower it; the order of the inputs does not matter'
    """
    entry = ENTRIES[key]
    order = "does not matter" if entry.order_free else "matters"
    return f"more inputs {'never' if entry.monotone else 'may'} lower it; the order of the inputs {order}"


def lower_bounds(criteria: Sequence[MeasuredCriterion]) -> list[str]:
    """Which counts are lower bounds, in which layers, and what was left out there, each once.

    What is covered with effect is a lower bound wherever what is covered is one, which is not said again.

    >>> from dnncov_core.suites.measurement_file import MeasuredLayer, WithEffect
    >>> rows = (MeasuredLayer(2, 3, 9, 3, 4, "some compared", with_effect=WithEffect(1, "some tried")),)
    >>> found = lower_bounds([MeasuredCriterion("ss", 9, 3, rows), MeasuredCriterion("sv", 9, 3, rows)])
    >>> found[0]
    'SS; SV: lower bounds in layers 2 to 3, some compared.'
    >>> found[1]
    'SS with effect; SV with effect: lower bounds in layers 2 to 3, some tried.'
    """
    layers: dict[tuple[str, str], list[str]] = {}
    for each in criteria:
        for row in each.readable.rows:
            left_out = {each.name: row.bound if row.is_bound else "", f"{each.name} with effect": row.tried}
            for name, bound in left_out.items():
                layers.setdefault((name, bound), []).append(row.place)
    names: dict[tuple[str, str], list[str]] = {}
    for (name, bound), places in layers.items():
        names.setdefault((", ".join(places), bound), []).append(name)
    return [
        f"{'; '.join(some)}: {agreeing(len(some), 'a lower bound', 'lower bounds')} in layers {places}, {bound}."
        for (places, bound), some in names.items()
        if bound
    ]


def no_pairs(inputs: int, criteria: Sequence[MeasuredCriterion], mode: str) -> list[str]:
    """Why covering methods cover nothing, where no two inputs do what they ask of the condition layer.

    Args:
        inputs: of the suite.
        criteria: the numbers. Nothing is said of those of which a search has left something out.
        mode: ``neuron`` or ``free`` condition features.
    """
    differ = "the sign of one neuron alone" if mode == "neuron" else "up to ω of a layer's signs"
    words = {Change.SIGN: f"differ in {differ} in any layer", Change.VALUE: "have the same signs throughout a layer"}
    found = []
    for change, what in words.items():
        without = [each.key for each in criteria if each.joined == 0 and not each.bounds]
        names = [key.upper() for key in dict.fromkeys(without) if CRITERIA[key].condition is change]
        if names:
            cover = f"{' and '.join(names)} cover{'s' * (len(names) == 1)}"
            found.append(f"No two of the {inputs:,} inputs {what}, so that {cover} nothing.")
    return found
