"""The value functions that the lemmas of the paper's appendix ask for, by their names in a list of criteria.

With them NB, MN and TN are special cases of SV, VV and VS: ``nb`` and ``mn=J/M`` judge the decision neuron, ``tn=M``
the condition neuron; of VV the other neuron's value function is ``any``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from dnncov_core.criteria import CoveringMethod
from dnncov_core.criteria.baselines import NeuronBoundary, NeuronCondition, Section, TopNeuron
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.errors import SpecificationError

SPECIAL_CASES: Mapping[str, Mapping[str, str]] = {
    "sv": {"nb": "g", "mn": "g"},
    "vv": {"nb": "g2", "mn": "g2", "tn": "g1"},
    "vs": {"tn": "g"},
}
"""Which baseline is a special case of which covering method, and by which of its value functions."""
FORMS: Mapping[str, str] = {"nb": "nb", "mn": "mn=J/M (section J of M)", "tn": "tn=M"}
"""How these value functions are written."""
_WRITTEN = re.compile(r"(?P<nb>nb)|(?P<mn>mn)=(?P<j>\d{1,9})/(?P<of>\d{1,9})|(?P<tn>tn)(=(?P<m>\d{1,9}))?", re.ASCII)


@dataclass(frozen=True)
class LemmaFunction:
    """A value function that a lemma asks for.

    Attributes:
        baseline: ``nb``, ``mn`` or ``tn``.
        m: that of ``mn`` or ``tn``.
        j: the section of ``mn``, from 1.
    """

    baseline: str
    m: int = 1
    j: int = 1

    @classmethod
    def read(cls, parameter: str) -> LemmaFunction | None:
        """The value function that is written behind a criterion's colon; None where it is none of these.

        >>> LemmaFunction.read("mn=3/10")
        LemmaFunction(baseline='mn', m=10, j=3)
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
        return self.baseline.upper() + details[self.baseline]

    @property
    def condition(self) -> NeuronCondition:
        """The condition of the baseline that x2 has to meet.

        Raises:
            SpecificationError: an m below 1, or a section that there is not.
        """
        if self.baseline == "mn":
            return Section(self.j, self.m)
        return TopNeuron(self.m) if self.baseline == "tn" else NeuronBoundary()


def is_lemma_function(parameter: str) -> bool:
    """Whether a parameter begins with the name of such a value function, well written or not."""
    return parameter.partition("=")[0] in FORMS


def with_lemma_function(method: CoveringMethod, parameter: str) -> CoveringMethod:
    """VS, SV or VV with the value function that a lemma about it asks for.

    Raises:
        SpecificationError: no lemma about this method asks for it, or a number does not fit.
    """
    places = SPECIAL_CASES.get(method.key, {})
    function = LemmaFunction.read(parameter)
    if function is None or function.baseline not in places:
        expected = " or ".join(f"{method.key}:{FORMS[name]}" for name in places)
        raise SpecificationError(expected, f"{method.key}:{parameter}", "change the criteria")
    meets = Meets(function.condition)
    if places[function.baseline] == "g1":
        return method.with_functions(ANY, meets)
    return method.with_functions(meets, ANY)
