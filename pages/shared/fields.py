"""Fields of a form for a new campaign: one for each parameter, drawn as its row in the table of parameters says.

Each field keeps its value while the session lasts, so that it is still there after a look at another page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass
from types import SimpleNamespace
from typing import Any

import streamlit as st

from dnncov_core.campaign.parameter_kinds import Choice, Flag, FormPart, Number, Parameter, Whole
from dnncov_core.campaign.parameters import PARAMETERS
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DnncovError
from pages.shared.words import help_of, say_error

Fields = dict[str, Any]
"""Some parameters of a campaign or a measurement, by name."""


@dataclass(frozen=True)
class Entered:
    """What some fields of a form hold; ``refused`` if a message says that no campaign can have it."""

    fields: Fields
    refused: bool = False

    def __or__(self, other: Entered) -> Entered:
        return Entered(self.fields | other.fields, self.refused or other.refused)

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


def fields_of(
    part: FormPart,
    before: Entered,
    own: Mapping[str, Callable[[], Entered]] | None = None,
    *,
    meant: Callable[[Fields], Fields] = lambda fields: fields,
) -> Entered:
    """The fields of a part of the form, in the order of the table, without those that would decide nothing.

    Args:
        part: which one.
        before: parameters that were chosen in other parts.
        own: fields that are drawn in a way of their own, by the parameter's name.
        meant: what the parameters so far come to, for deciding which of the next ones decide something.
    """
    entered = Entered({})
    for row in PARAMETERS.values():
        if row.part is part and _counts(row, meant((before | entered).fields)):
            with st.container():
                entered |= own[row.name]() if own and row.name in own else field(row)
    return entered


def _counts(row: Parameter, fields: Fields) -> bool:
    defaults = {name: parameter.default for name, parameter in PARAMETERS.items()}
    return row.counts(SimpleNamespace(**defaults | fields))


def place_of(name: str | None, names: Sequence[str]) -> int:
    """Where a menu begins: at this name, or at the first where it is not among them."""
    return names.index(name) if name in names else 0


def field(row: Parameter, *, key: str = "", first: Any = MISSING) -> Entered:
    """The field of a parameter; a message stands under it where no campaign can have its value.

    Fields of numbers have no limits of their own: with them, a number outside would be dropped without a word, and an
    earlier one would count that is no longer to be seen.

    Args:
        row: the parameter.
        key: the widget's; the parameter's name if left out.
        first: the value that it begins with; the row's if left out.
    """
    value = widget(row, key or row.name, row.first if first is MISSING else first)
    return Entered({row.name: value}, _refused(lambda: row.check(value)))


def checked_together(entered: Entered, criterion: str) -> Entered:
    """What is entered, after a message in place where no campaign by this criterion can have it together."""
    fields: Fields = {"network": "", "data": "", "criterion": criterion} | entered.fields
    return Entered(entered.fields, entered.refused or _refused(lambda: CampaignSpec(**fields)))


def _refused(check: Callable[[], object]) -> bool:
    """Whether a check fails, which a message in place says."""
    try:
        check()
    except DnncovError as error:
        say_error(error)
        return True
    return False


def widget(row: Parameter, key: str, first: Any) -> Any:
    """The value of a parameter's field, unchecked."""
    shared: dict[str, Any] = {"key": key, "persist_state": "session", "help": _help(row)}
    match row:
        case Choice(known=known, offered=names):
            return st.selectbox(row.label, names, names.index(first), lambda name: known[name].title, **shared)
        case Flag():
            return st.checkbox(row.label, bool(first), **shared)
        case Whole() | Number():
            written = row.shown if isinstance(row, Number) else None
            empty = f"{row.none[:1].upper()}{row.none[1:]}"
            return st.number_input(row.label, value=first, step=row.step, format=written, placeholder=empty, **shared)
    raise AssertionError(f"{row.name} has a field of its own")


def _help(row: Parameter) -> str:
    left_out = f" Empty: {row.none}." if isinstance(row, Whole | Number) and row.first is None else ""
    return help_of(row.label, row.sentence + left_out)
