"""Why a click was refused: kept from the button's callback until the page says it where the button stands.

Callbacks draw nothing themselves: what one of a fragment draws, Streamlit loses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dnncov_core.campaign.parameters import by_label
from dnncov_core.errors import DnncovError
from pages.shared.words import say_error

_REFUSAL = "refusal"


@dataclass
class _Refusal:
    """Why the last click was refused.

    Attributes:
        place: where it is said, by a name that a button and its page agree on.
        text: what is said there.
        is_new: whether no run of the whole page has said it yet.
    """

    place: str
    text: str
    is_new: bool = True


def attempt(place: str, action: Callable[..., object], *args: object) -> None:
    """Does what a click asks for; if that is refused, `say_refusal` says why at this place."""
    st.session_state.pop(_REFUSAL, None)
    try:
        action(*args)
    except DnncovError as error:
        st.session_state[_REFUSAL] = _Refusal(place, by_label(error))


def say_refusal(place: str) -> None:
    """Says why the last click was refused, if this is the place for it, also in each run of a fragment alone."""
    refusal: _Refusal | None = st.session_state.get(_REFUSAL)
    if refusal is not None and refusal.place == place:
        say_error(refusal.text)


def begin() -> None:
    """Forgets a refusal when the whole page runs once more than was needed to say it."""
    refusal: _Refusal | None = st.session_state.get(_REFUSAL)
    if refusal is None:
        return
    if refusal.is_new:
        refusal.is_new = False
    else:
        del st.session_state[_REFUSAL]
