"""Distance curves of other campaigns, for comparison."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.library import open_campaign
from dnncov_core.errors import DnncovError
from dnncov_core.statistics import DistanceCurve, distance_curve
from pages.parts.facts import source
from pages.parts.words import plain


def comparable(own: DistanceCurve, others: list[str]) -> list[DistanceCurve]:
    """The curves of other campaigns in the same norm and unit; the rest are named."""
    curves = [curve for campaign_id in others if (curve := _curve_of(campaign_id))]
    same = [curve for curve in curves if (curve.norm, curve.pixels) == (own.norm, own.pixels)]
    for curve in curves:
        if curve not in same:
            st.caption(f"Left out, measured in another norm or unit: {plain(curve.name)}")
    return same


def _curve_of(campaign_id: str) -> DistanceCurve | None:
    """The curve of another campaign; None, with the reason in place, where it cannot be read."""
    try:
        with open_campaign(campaign_id) as other:
            return distance_curve(other, source(other))
    except DnncovError as error:
        st.warning(plain(str(error)))
        return None
