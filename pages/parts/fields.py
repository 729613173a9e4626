"""The parameters of a new campaign, as choices give them.

Menus are built from the registries. Each choice keeps its value while the session lasts, so that it is still there
after a look at another page.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.errors import DnncovError
from pages.parts.words import plain

Fields = dict[str, Any]
"""Some parameters of a `CampaignSpec`, by name."""


def marked(**fields: Any) -> Fields:
    """The same parameters, after a message in place where no campaign can have them.

    Menus of numbers have no limits of their own: with them, a number outside would be dropped without a word, and an
    earlier one would count that is no longer to be seen.
    """
    try:
        CampaignSpec(**{"network": "", "data": ""} | fields)
    except DnncovError as error:
        st.markdown(f":red[:material/error: {plain(str(error))}]")
    return fields
