"""The criteria that can be asked of a suite, by their names, with their parameters behind a colon.

Among the parameters are the value functions that the lemmas of the paper's appendix ask for. With them NB, MN and TN
are special cases of SV, VV and VS: ``nb`` and ``mn=J/M`` judge the decision neuron, ``tn=M`` the condition neuron; of
VV the other neuron's value function is ``any``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dnncov_core.campaign.spec import parse_value_function
from dnncov_core.criteria import (
    CRITERIA,
    LAYER_CRITERIA,
    NEURON_CRITERIA,
    VALUE_FUNCTIONS,
    CoveringMethod,
    LayerCriterion,
    NeuronCriterion,
)
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.neuron_criteria import NeuronBoundary, NeuronCondition, TopNeuron
from dnncov_core.criteria.reference_functions import MeasuredBoundary, Meets
from dnncov_core.criteria.section_criteria import Section
from dnncov_core.criteria.value_functions import ANY, UpperBoundary
from dnncov_core.errors import SpecificationError, unknown_name

SAFETY = "s"
"""Safety coverage: the different sign patterns of all hidden neurons together. How many there are is not known."""
MODES = ("neuron", "free")
"""Feature modes that suites are measured by."""
ALL = (*CRITERIA, *NEURON_CRITERIA, *LAYER_CRITERIA, SAFETY)
DIGITS = re.compile(r"\d{1,9}", re.ASCII)
"""How the number m of a criterion is written, as in ``tn:2``."""
DEFAULT = ",".join([*CRITERIA, "n", "tn", SAFETY])
"""The criteria that are measured unless others are asked for: those of the paper that need no reference data."""
WITHOUT_TOTAL = (SAFETY, *(key for key, kind in LAYER_CRITERIA.items() if not kind.has_total))
"""Criteria of which nobody knows a total, or that count nothing."""


@dataclass(frozen=True)
class SafetyCoverage:
    """Safety coverage in words and as a formula (Section 5 of the paper)."""

    monotone: bool = True
    order_free: bool = True
    title: str = "S (safety coverage)"
    words: str = (
        "Different sign patterns of all hidden neurons together that the inputs have. How many patterns the network"
        " can have is not known, so that there is a count and no share. In the formula, rec is the set of all inputs"
        " that have one pattern."
    )
    formula: str = r"\exists x: x \in rec"


ENTRIES: dict[str, CoveringMethod | type[NeuronCriterion | LayerCriterion] | SafetyCoverage] = {
    **CRITERIA,
    **NEURON_CRITERIA,
    **LAYER_CRITERIA,
    SAFETY: SafetyCoverage(),
}
"""What can be asked of a suite, with titles, words and formulas."""


def key_of(text: str) -> str:
    """A criterion's name without its parameters.

    >>> key_of("sv:ratio=3"), key_of("n")
    ('sv', 'n')
    """
    return text.partition(":")[0]


SPECIAL_CASES: Mapping[str, Mapping[str, str]] = {
    "sv": {"nb": "g", "mn": "g"},
    "vv": {"nb": "g2", "mn": "g2", "tn": "g1"},
    "vs": {"tn": "g"},
}
"""Which criterion of single neurons is a special case of which covering method, and by which of its value functions."""
FORMS: Mapping[str, str] = {"nb": "nb", "mn": "mn=J/M (section J of M)", "tn": "tn=M"}
"""How these value functions are written."""
_WRITTEN = re.compile(r"(?P<nb>nb)|(?P<mn>mn)=(?P<j>\d{1,9})/(?P<of>\d{1,9})|(?P<tn>tn)(=(?P<m>\d{1,9}))?", re.ASCII)


@dataclass(frozen=True)
class LemmaFunction:
    """A value function that a lemma asks for.

    Attributes:
        criterion: ``nb``, ``mn`` or ``tn``.
        m: that of ``mn`` or ``tn``.
        j: the section of ``mn``, from 1.
    """

    criterion: str
    m: int = 1
    j: int = 1

    @classmethod
    def read(cls, parameter: str) -> LemmaFunction | None:
        """The value function that is written behind a criterion's colon; None where it is none of these.

        >>> LemmaFunction.read("mn=3/10")
        LemmaFunction(criterion='mn', m=10, j=3)
        >>> LemmaFunction.read("ratio=3") is None
        True
        """
        written = _WRITTEN.fullmatch(parameter)
        if written is None:
            return None
        found = written.groupdict()
        if found["mn"]:
            return cls("mn", int(found["of"]), int(found["j"]))
        return cls("tn", int(found["m"] or 1)) if found["tn"] else cls("nb")

    @property
    def words(self) -> str:
        """Its name for readers.

        >>> LemmaFunction("nb").words, LemmaFunction("mn", 10, 3).words, LemmaFunction("tn", 2).words
        ('NB', 'MN, section 3 of 10', 'TN, m = 2')
        """
        details = {"nb": "", "mn": f", section {self.j} of {self.m}", "tn": f", m = {self.m}"}
        return self.criterion.upper() + details[self.criterion]

    @property
    def condition(self) -> NeuronCondition:
        """The condition of the criterion that x2 has to meet.

        Raises:
            SpecificationError: an m below 1, or a section that there is not.
        """
        if self.criterion == "mn":
            return Section(self.j, self.m)
        return TopNeuron(self.m) if self.criterion == "tn" else NeuronBoundary()


@dataclass(frozen=True)
class AskedCriterion:
    """One criterion as it was asked for.

    Attributes:
        text: as the user wrote it, such as ``sv:ratio=3`` or ``tn:2``.
        method: a covering method, a criterion of single neurons or of whole layers, or None for safety coverage.
    """

    text: str
    method: CoveringMethod | NeuronCriterion | LayerCriterion | None

    @property
    def parameters(self) -> str:
        """Its value functions, or its m, in words, also where they are the usual ones; empty where it has none.

        >>> [asked.parameters for asked in parse("ss,vv,vv:nb,tn,sv:mn=3/10", reference="mnist")]
        ['', 'g1: any, g2: ratio (sigma = 5)', 'g1: any, g2: NB', 'm = 1', 'g: MN, section 3 of 10']
        """
        if isinstance(self.method, NeuronCriterion):
            return f"m = {self.method.m}" if self.method.usual_m else ""  # type: ignore[attr-defined]
        if self.method is None or isinstance(self.method, LayerCriterion):
            return "" if self.method is None else self.method.parameters
        function = LemmaFunction.read(self.text.partition(":")[2])
        if function is None:
            return self.method.functions
        place = SPECIAL_CASES[key_of(self.text)][function.criterion]
        names = ("g",) if place == "g" else ("g1", "g2")
        return ", ".join(f"{name}: {function.words if name == place else ANY.name}" for name in names)

    @property
    def by_reference(self) -> bool:
        """Whether it needs reference data."""
        if isinstance(self.method, LayerCriterion):
            return self.method.by_reference
        return self.method is not None and self.method.by_ranges

    @property
    def has_total(self) -> bool:
        """Whether it counts test conditions whose number is known."""
        return key_of(self.text) not in WITHOUT_TOTAL


def parse(text: str, reference: str | None = None) -> list[AskedCriterion]:
    """The criteria of a list with commas, each once.

    ``vs``, ``sv`` and ``vv`` take a value function, such as ``sv:ratio=3``, or one that a lemma asks for, such as
    ``sv:nb``; ``sv:upper_boundary`` without a number stands for the neuron's largest u over the reference data. ``tn``
    and ``mn`` take their m, ``mn:10``, ``lsc`` and others of surprise theirs, an upper bound and a layer,
    ``lsc:m=100/upper=50/layer=3``.

    Raises:
        SpecificationError: an unknown name, a parameter that does not fit, or reference data that are missing.
    """
    found = [_parse(part, reference) for part in dict.fromkeys(map(str.strip, text.split(","))) if part]
    if not found:
        raise SpecificationError(f"criteria, some of {', '.join(ALL)}", repr(text), "name at least one")
    if reference is None and (lacking := [asked.text for asked in found if asked.by_reference]):
        fix = "name data of the training set with --reference"
        raise SpecificationError(f"reference data for {', '.join(lacking)}", "none", fix)
    return found


def check_features(asked: Sequence[AskedCriterion], mode: str, omega: float) -> None:
    """Refuses features that suites are not measured by.

    Raises:
        SpecificationError: a feature mode that is not for suites, or that a criterion does not have, or an omega that
            is no share.
    """
    if mode not in MODES:
        raise SpecificationError(f"feature mode {' or '.join(MODES)} for a suite", mode, "change the feature mode")
    if not 0 < omega <= 1:
        raise SpecificationError("omega: a share above 0 and up to 1", repr(omega), "change omega")
    for each in asked:
        if mode == "free" and isinstance(each.method, CoveringMethod):
            each.method.check_free()


def _parse(text: str, reference: str | None) -> AskedCriterion:
    name, colon, parameter = text.partition(":")
    if name == SAFETY and not colon:
        return AskedCriterion(text, None)
    if name in CRITERIA:
        method = CRITERIA[name]
        return AskedCriterion(text, _with_function(method, parameter, reference) if colon else method)
    if name in NEURON_CRITERIA:
        return AskedCriterion(text, _with_m(name, parameter) if colon else NEURON_CRITERIA[name]())
    if name in LAYER_CRITERIA:
        return AskedCriterion(text, LAYER_CRITERIA[name].read(parameter) if colon else LAYER_CRITERIA[name]())
    raise unknown_name("criterion", text, ALL)


def _with_function(method: CoveringMethod, parameter: str, reference: str | None) -> CoveringMethod:
    if method.own_function is None:
        raise SpecificationError(f"no value function for {method.title}", f"{method.key}:{parameter}", "leave it out")
    if parameter.partition("=")[0] not in (*VALUE_FUNCTIONS, *FORMS):
        raise unknown_name(f"value function for {method.title}", f"{method.key}:{parameter}", _functions(method))
    if parameter.partition("=")[0] in FORMS:
        return _with_lemma_function(method, parameter)
    if parameter == UpperBoundary.name:
        return _checked(method.with_functions(MeasuredBoundary(reference or ""), ANY))
    return _checked(method.with_functions(parse_value_function(parameter), ANY))


def _with_lemma_function(method: CoveringMethod, parameter: str) -> CoveringMethod:
    """VS, SV or VV with the value function that a lemma about it asks for.

    Raises:
        SpecificationError: no lemma about this method asks for it, or a number does not fit.
    """
    places = SPECIAL_CASES.get(method.key, {})
    function = LemmaFunction.read(parameter)
    if function is None or function.criterion not in places:
        expected = " or ".join(f"{method.key}:{FORMS[name]}" for name in places)
        other = f"a value function for {method.title} that no lemma is about"
        raise SpecificationError(expected or other, f"{method.key}:{parameter}", "change the criteria")
    meets = Meets(function.condition)
    if places[function.criterion] == "g1":
        return method.with_functions(ANY, meets)
    return method.with_functions(meets, ANY)


def _functions(method: CoveringMethod) -> list[str]:
    """The value functions that suites are measured by, and those that the lemmas about this method ask for."""
    by_extremes = [name for name, kind in VALUE_FUNCTIONS.items() if kind().by_extremes]
    return [*by_extremes, *(FORMS[name] for name in SPECIAL_CASES.get(method.key, ()))]


def _checked(method: CoveringMethod) -> CoveringMethod:
    """Refuses value functions that nothing but a comparison of all inputs could judge."""
    for change, function in ((method.condition, method.g1), (method.decision, method.g2)):
        if change is Change.VALUE and not function.by_extremes:
            expected = "a value function that grows with the change of one neuron's u"
            raise SpecificationError(expected, function.name, f"choose one of {', '.join(_functions(method))}")
    return method


def _with_m(name: str, parameter: str) -> NeuronCriterion:
    takes_m = NEURON_CRITERIA[name].usual_m > 0
    if not takes_m or not DIGITS.fullmatch(parameter):
        expected = f"{name}:M with a whole number M of up to 9 digits" if takes_m else f"{name} without a parameter"
        raise SpecificationError(expected, f"{name}:{parameter}", "change the criteria")
    return NEURON_CRITERIA[name](m=int(parameter))  # type: ignore[call-arg]  # those that take m
