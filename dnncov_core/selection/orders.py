"""What an order of inputs may go by: a criterion, how unsure the network is, how surprising an input is, or chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dnncov_core.criteria import CRITERIA, NEURON_CRITERIA, NO_EFFECT, CoveringMethod
from dnncov_core.criteria.covering_methods import Change
from dnncov_core.criteria.neuron_criteria import NeuronCondition
from dnncov_core.criteria.reference_functions import Meets
from dnncov_core.criteria.section_criteria import SectionCoverage
from dnncov_core.criteria.surprise import SURPRISES, Surprise
from dnncov_core.criteria.value_functions import ANY
from dnncov_core.errors import SpecificationError, unknown_name
from dnncov_core.selection.uncertainty import UNCERTAINTIES, Uncertainty
from dnncov_core.suites.criterion_names import ENTRIES, SAFETY, AskedCriterion, key_of, parse

RANDOM = "random"
"""The measure of all orders."""
BY_CRITERIA = (
    *CRITERIA,
    *(key for key, kind in NEURON_CRITERIA.items() if issubclass(kind, NeuronCondition | SectionCoverage)),
    SAFETY,
)
"""Criteria whose test conditions inputs meet one by one or two by two, so that one may say what an input adds."""
NEEDED = "+needed"
"""Behind a covering method: only what shows the condition's effect as needed counts."""
ORDERS = (*BY_CRITERIA, *UNCERTAINTIES, *SURPRISES, RANDOM)
"""Names of all orders."""


@dataclass(frozen=True)
class AskedOrder:
    """An order as it was asked for.

    Attributes:
        text: as the user wrote it, such as ``deepgini`` or ``tn:2``.
        by: the criterion, how unsure the network is, or how surprising an input is; None for a random order.
    """

    text: str
    by: AskedCriterion | Uncertainty | type[Surprise] | None

    @property
    def title(self) -> str:
        """Its name for readers."""
        return title_of(self.text)

    @property
    def criterion(self) -> AskedCriterion | None:
        """Its criterion, if it has one."""
        return self.by if isinstance(self.by, AskedCriterion) else None


def title_of(text: str) -> str:
    """An order's name for readers.

    >>> title_of("tn:2"), title_of("ss+needed"), title_of("deepgini"), title_of("random")
    ('TN:2', 'SS, effect needed', 'DeepGini', 'Random')
    """
    if text in UNCERTAINTIES:
        return UNCERTAINTIES[text].title
    own = text.removesuffix(NEEDED)
    return "Random" if text == RANDOM else own.upper() + ", effect needed" * (own != text)


def offered(measured: Sequence[str]) -> list[str]:
    """The orders that a measurement's suite is offered: by these criteria, and those that need no more than it.

    >>> offered(["ss", "n"])
    ['ss', 'n', 'ss+needed', 'deepgini', 'margin', 'entropy', 'random']
    """
    needed = [text + NEEDED for text in measured if key_of(text) in CRITERIA]
    return [*measured, *needed, *UNCERTAINTIES, RANDOM]


def words_of(text: str) -> str:
    """What comes first in an order, in words."""
    if text in SURPRISES:
        return f"first the inputs with the greatest {text.upper()}: {SURPRISES[text].words}"
    if text in UNCERTAINTIES:
        return UNCERTAINTIES[text].words
    if text == RANDOM:
        return "all orders are equally likely"
    own = text.removesuffix(NEEDED)
    of = ENTRIES[key_of(own)].title + ", whose effect is needed," * (own != text)
    return f"next comes the input that adds most test conditions of {of} to those before it"


def asked_orders(text: str, reference: str | None) -> list[AskedOrder]:
    """The orders of a list with commas, each once.

    Raises:
        SpecificationError: an unknown name, or a criterion that says nothing of what one input adds.
    """
    names = [name for name in dict.fromkeys(map(str.strip, text.split(","))) if name]
    if not names:
        raise SpecificationError(f"orders, some of {', '.join(ORDERS)}", repr(text), "name at least one")
    return [_order(name, reference) for name in names]


def asked_criterion(text: str, reference: str | None) -> AskedCriterion:
    """One criterion whose coverage can be told along an order.

    Raises:
        SpecificationError: another, or one that is not known.
    """
    own = text.removesuffix(NEEDED)
    if key_of(own) not in (BY_CRITERIA if own == text else CRITERIA):
        raise unknown_name("criterion of which one input meets conditions", text, BY_CRITERIA)
    method = parse(own, reference)[0].method
    if isinstance(method, CoveringMethod):
        _check(own, method)
        method = replace(method, effect=NO_EFFECT if own == text else "needed")
    return AskedCriterion(text, method)


def _order(name: str, reference: str | None) -> AskedOrder:
    if name == RANDOM:
        return AskedOrder(name, None)
    if name in UNCERTAINTIES:
        return AskedOrder(name, UNCERTAINTIES[name])
    if name in SURPRISES:
        if reference is None:
            raise SpecificationError(f"reference data for {name}", "none", "name training data with --reference")
        return AskedOrder(name, SURPRISES[name])
    if key_of(name.removesuffix(NEEDED)) not in BY_CRITERIA:
        raise unknown_name("order", name, ORDERS)
    return AskedOrder(name, asked_criterion(name, reference))


def _check(text: str, method: CoveringMethod) -> None:
    """Refuses value functions by which one cannot say at once which inputs are partners."""
    asks_condition = method.condition is Change.VALUE and method.g1 != ANY
    if asks_condition or isinstance(method.g2, Meets):
        expected = "a value function of the decision neuron that compares two inputs"
        raise SpecificationError(expected, text, f"leave it out, as in {method.key}")


def criteria_of(orders: Sequence[AskedOrder], *others: AskedCriterion) -> list[AskedCriterion]:
    """The criteria that orders go by, and others, each once."""
    found = [order.criterion for order in orders if order.criterion is not None]
    return [*{each.text: each for each in [*found, *others]}.values()]
