"""Where numbers lead: addresses of what is behind them, reached by a link, or by a click on a bar or a point."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.figures.distances import ADVERSE
from dnncov_core.figures.style import layer_pair
from dnncov_core.records import LayerCounts
from dnncov_core.statistics.grouping import By
from dnncov_core.types import Edge
from pages.shared.campaigns import CAMPAIGN
from pages.shared.frame import skip_to
from pages.shared.gallery import LAYERS, Gallery, write
from pages.shared.page_registry import link, page_of

_ASKED = "click-asked"

PAIR, CONDITION = "pair", "condition"
"""Parameters of their addresses: the ordinals of the test pair and of the test condition that they show."""


def to_pair(campaign_id: str, ordinal: int, gallery: Gallery | None = None) -> dict[str, str]:
    """The page Examples with one test pair, which knows its gallery."""
    return {CAMPAIGN: campaign_id, PAIR: str(ordinal), **write(gallery or Gallery())}


def to_gallery(campaign_id: str, gallery: Gallery) -> dict[str, str]:
    """The page Examples with a gallery."""
    return {CAMPAIGN: campaign_id, **write(gallery)}


def to_condition(campaign_id: str, ordinal: int) -> dict[str, str]:
    """The page Gaps with a test condition."""
    return {CAMPAIGN: campaign_id, CONDITION: str(ordinal)}


def to_matrix(campaign_id: str, edge: Edge) -> dict[str, str]:
    """The page Gaps with a layer pair."""
    return {CAMPAIGN: campaign_id, LAYERS: "-".join(map(str, edge))}


def pairs_of(edges: list[Edge], *, adversarial: bool = False) -> Gallery:
    """The gallery of one layer pair, or of the decision layer that several share; of the whole campaign without any."""
    if len(edges) == 1:
        return Gallery(PairFilter(edge=edges[0], adversarial=adversarial))
    return Gallery(PairFilter(decision_layer=edges[0][1] if edges else None, adversarial=adversarial))


Address = tuple[str, Mapping[str, str]]
"""A page, by its room, and the parameters of its address."""


def follow_click() -> None:
    """Goes where a click has asked to go; it may be called only where a page can change."""
    asked_for: Address | None = st.session_state.pop(_ASKED, None)
    if asked_for is not None:
        room, parameters = asked_for
        st.switch_page(page_of(room), query_params=dict(parameters))


def on_click(key: str, leads: Callable[[Sequence[Any]], Address | None]) -> Callable[[], None]:
    """What a figure does at a click on a point: it goes where ``leads`` says from the point's custom data."""

    def clicked() -> None:
        points = st.session_state[key].selection.points
        data = points[0].get("customdata") if points else None
        if data:
            st.session_state[_ASKED] = leads(data)

    return clicked


def edges_of(layers: Sequence[LayerCounts], data: Sequence[Any]) -> list[Edge]:
    """The layer pairs of a row of a figure by layer: its custom data begin with condition layers and decision layer."""
    conditions, decision = {int(k) for k in str(data[0]).split(",")}, int(data[1])
    return [c.edge for c in layers if c.decision_layer == decision and c.condition_layer in conditions]


def to_gaps(campaign_id: str, layers: Sequence[LayerCounts], data: Sequence[Any]) -> Address | None:
    """From a bar to the matrix of its layer pair; of several, of that with most test conditions."""
    edges = edges_of(layers, data)
    return ("gaps", to_matrix(campaign_id, _largest(edges, layers))) if edges else None


def to_pairs(
    campaign_id: str, layers: Sequence[LayerCounts], data: Sequence[Any], *, adversarial: bool = False
) -> Address | None:
    """From a bar or point to its test pairs, nearest first.

    They are ``adversarial`` ones alone, if they are asked for, or if its custom data end with what says so.
    """
    edges, adversarial = edges_of(layers, data), adversarial or data[-1] == ADVERSE
    return ("examples", to_gallery(campaign_id, pairs_of(edges, adversarial=adversarial))) if edges else None


def to_step(campaign_id: str, data: Sequence[Any]) -> Address | None:
    """From a step of the distance curve to the adversarial pair at it; custom data end with the distance."""
    with open_campaign(campaign_id) as store:
        ordinal = store.pairs.nearest_beyond(float(data[-1]))
    return None if ordinal is None else ("examples", to_pair(campaign_id, ordinal, ADVERSARIAL_ONES))


ADVERSARIAL_ONES = Gallery(PairFilter(adversarial=True))


def _largest(edges: Sequence[Edge], layers: Sequence[LayerCounts]) -> Edge:
    return max((c for c in layers if c.edge in edges), key=lambda c: c.pairs).edge


def layer_links(store: CampaignStore, layers: Sequence[LayerCounts], by: By) -> None:
    """A menu of the figure's rows with links to what is behind each: what a click does, by keyboard."""
    rows: dict[str, list[Edge]] = {}
    for c in layers:
        name = layer_pair(c.edge) if by is By.LAYER_PAIR else str(c.decision_layer)
        rows.setdefault(name, []).append(c.edge)
    if not rows:
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="layer-links"):
        chosen = st.selectbox(
            f"Go to {by.value}",
            list(rows),
            key=f"way-{by.name}-{store.path.stem}",
            persist_state="session",
            width=220,
            help="A click on a bar or a point of a figure leads there too.",
        )
        edges = rows[chosen]
        counts = [c for c in layers if c.edge in edges]
        link("gaps", "Matrix on Gaps", to_matrix(store.path.stem, _largest(edges, layers)))
        with st.container(horizontal=True, gap="medium", width="content", key=skip_to("test pairs")):
            for label, icon, n, adversarial in (
                ("Test pairs", "", sum(c.found for c in counts), False),
                ("Adversarial pairs", "warning", sum(c.adversarial for c in counts), True),
            ):
                parameters = to_gallery(store.path.stem, pairs_of(edges, adversarial=adversarial))
                link("examples", f"{label}: {n:,}", parameters, icon=icon, disabled=not n)


def nth_nearest(store: CampaignStore, total: int) -> None:
    """A number and a link to the adversarial pair of this number, nearest first: a step of the curve, by keyboard.

    It is there before the first one is found, so that nothing moves when it comes.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        n = st.number_input(
            "Adversarial pair number",
            min_value=1,
            max_value=max(1, total),
            value=1,
            step=1,
            key=f"nth-{store.path.stem}",
            persist_state="session",
            disabled=not total,
            width=220,
            help="By its distance, the nearest being 1. A click on a step of the curve leads to its pair too.",
        )
        if pairs := store.pairs.page(ADVERSARIAL_ONES.only, order="nearest", limit=1, offset=int(n) - 1):
            ordinal = pairs[0].target.ordinal
            parameters = to_pair(store.path.stem, ordinal, ADVERSARIAL_ONES)
            link("examples", f"Open pair {ordinal}", parameters, icon="open_in_full")
        else:
            link("examples", "No pair yet", icon="open_in_full", disabled=True)
