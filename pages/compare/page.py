"""Compare: several campaigns beside each other, and what makes the comparison unfair."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export.several import of_campaigns
from dnncov_core.phrases.adversarial import BASELINE_SEARCHES
from dnncov_core.phrases.glossary import GLOSSARY
from pages.compare.choice import choose_several, follow_all
from pages.compare.figures import (
    curves_section,
    drawn_campaigns,
    layers_section,
    omegas_section,
    programmes_section,
    weights_section,
)
from pages.compare.main_table import differences_section, main_section
from pages.shared.downloads import export_page

st.title("Compare", anchor=False)
st.caption("Several campaigns beside each other: networks, criteria, seeds, sizes of features.")


def show(stores: dict[str, CampaignStore]) -> None:
    """From the main table to the cost of linear programmes; sections without anything to compare are left out."""
    provenance = of_campaigns(stores)
    exhibits = [*main_section(stores, provenance), differences_section(stores, provenance)]
    chosen = drawn_campaigns(list(stores))
    exhibits += [
        *curves_section(stores, provenance, chosen),
        layers_section(stores, provenance, chosen),
        *weights_section(stores, provenance),
        *omegas_section(stores, provenance),
        *programmes_section(stores, provenance, chosen),
    ]
    export_page("compare", provenance, lambda: exhibits)


follow_all(choose_several(), show)
with st.expander("How these numbers are computed", icon=":material/help:"):
    st.markdown(
        f"{GLOSSARY}\n\n"
        "**M** is covered test conditions over all test conditions of the campaign, tried or not; **AE** is"
        " adversarial test pairs over test pairs. Each is shown with its numerator and denominator.\n\n"
        "**Intervals** say what a simple random sample of feature pairs tells of all of them. They are Clopper and"
        " Pearson's, exact for draws with replacement and wider than needed for those without. There is none where all"
        " pairs were asked for, where as many were drawn from each layer pair, where test conditions are not done, or"
        " for AE with reuse. They say nothing of other seeds, other data or other networks.\n\n"
        "**What differs** lists every parameter that decides results and is not the same in all campaigns, and data or"
        " weights that differ under one name.\n\n"
        "**ω** is the largest share of a layer's neurons that one feature may have. Where features are free, any set of"
        " up to that size may be the condition feature.\n\n"
        f"**Baseline searches.** {BASELINE_SEARCHES}"
    )
