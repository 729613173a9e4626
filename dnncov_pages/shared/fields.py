"""The parameters of a new campaign, as choices give them.

Menus are built from the registries. Each choice keeps its value while the session lasts, so that it is still there
after a look at another page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import streamlit as st

from dnncov_core.campaign.parameters import by_label
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DnncovError

Fields = dict[str, Any]
"""Some parameters of a `CampaignSpec`, by name."""
SAID = "said"
"""Among the parameters, says that a message about them stands beside one of them."""


def marked(**fields: Any) -> Fields:
    """The same parameters, after a message in place where no campaign can have them, and marked as said.

    Menus of numbers have no limits of their own: with them, a number outside would be dropped without a word, and an
    earlier one would count that is no longer to be seen.
    """
    try:
        CampaignSpec(**{"network": "", "data": ""} | fields)
    except DnncovError as error:
        st.error(by_label(error), icon=":material/error:")
        return fields | {SAID: True}
    return fields


class Entry(Protocol):
    """What a registry's entries say of themselves."""

    @property
    def title(self) -> str: ...

    @property
    def words(self) -> str: ...


def place_of(name: str | None, names: Sequence[str]) -> int:
    """Where a menu begins: at this name, or at the first where it is not among them."""
    return names.index(name) if name in names else 0


def registered(label: str, choices: Mapping[str, Entry], key: str, *, words: str | None = None) -> str:
    """The name of one of a registry's entries, explained by ``words``, or each by its own."""
    return st.selectbox(
        label,
        list(choices),
        format_func=lambda name: choices[name].title,
        key=key,
        persist_state="session",
        help=words or "\n\n".join(f"{choice.title}: {choice.words}" for choice in choices.values()),
    )
