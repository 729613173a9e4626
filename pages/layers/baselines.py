"""A campaign beside plain searches with the same budgets, by layer, and how the paper reads coverage and AE rate."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export.exhibits import Exhibit, exhibit
from dnncov_core.export.provenance import Provenance
from dnncov_core.records import LayerCounts
from dnncov_core.statistics import By, control_table
from pages.shared.charts import chart

READING = (
    "The paper reads both numbers together: “given a test suite, a DNN with a high coverage level M_f and a low"
    " adversarial percentage AE_f is considered robust.” That is the paper's reading, for the inputs that were tried."
    " Where gradient ascent changes many labels with the same budget, a low AE rate tells of a search that does not"
    " look for them, and nothing of the network. Bars: Clopper and Pearson's 95 % intervals."
)


def baseline_searches(store: CampaignStore, layers: Sequence[LayerCounts], by: By, provenance: Provenance) -> Exhibit:
    """The figure of baseline searches, with how to read it; returns the figure."""
    drawn = chart(
        exhibit("controls", control_table(store, by, layers), provenance),
        key="controls",
        alt="Points with intervals: seeds whose label this search, random perturbations and gradient ascent change, by"
        f" {by.value}",
    )
    st.caption(READING)
    return drawn
