"""Where numbers lead: addresses of one test pair, of the pairs behind a number, and of a layer pair's gaps."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.types import Edge
from pages.shared.campaigns import PARAMETER
from pages.shared.gallery import LAYERS, Gallery, write

EXAMPLES, GAPS = "pages/examples/page.py", "pages/gaps/page.py"
PAIR, CONDITION = "pair", "condition"
"""Parameters of their addresses: the ordinals of the test pair and of the test condition that they show."""


def to_pair(campaign_id: str, ordinal: int, shown: Gallery | None = None) -> dict[str, str]:
    """The page Examples with one test pair, which knows its gallery."""
    return {PARAMETER: campaign_id, PAIR: str(ordinal), **write(shown or Gallery())}


def to_gallery(campaign_id: str, shown: Gallery) -> dict[str, str]:
    """The page Examples with a gallery."""
    return {PARAMETER: campaign_id, **write(shown)}


def to_condition(campaign_id: str, ordinal: int) -> dict[str, str]:
    """The page Gaps with a test condition."""
    return {PARAMETER: campaign_id, CONDITION: str(ordinal)}


def to_matrix(campaign_id: str, edge: Edge) -> dict[str, str]:
    """The page Gaps with a layer pair."""
    return {PARAMETER: campaign_id, LAYERS: "-".join(map(str, edge))}


def pairs_of(edges: list[Edge], *, adversarial: bool = False) -> Gallery:
    """The gallery of one layer pair, or of the decision layer that several have; of all of them without any."""
    if len(edges) == 1:
        return Gallery(PairFilter(edge=edges[0], adversarial=adversarial))
    return Gallery(PairFilter(decision_layer=edges[0][1] if edges else None, adversarial=adversarial))


def link(page: str, label: str, icon: str, parameters: Mapping[str, str] | None) -> None:
    """A link with its parameters; without any, a button that is disabled and has the same place and words."""
    if parameters is None:
        st.button(label, icon=icon, disabled=True, type="tertiary", key=f"nowhere-{label}")
    else:
        st.page_link(page, label=label, icon=icon, query_params=dict(parameters))
