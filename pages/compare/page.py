"""Compare: several campaigns beside each other, and what makes the comparison unfair."""

from __future__ import annotations

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export.several import of_campaigns
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
from pages.shared.evidence import evidence_pack
from pages.shared.words import page_help


def show(stores: dict[str, CampaignStore]) -> None:
    """From the main table to the cost of linear programmes; sections without anything to compare are left out."""
    provenance = of_campaigns(stores)
    exhibits = [*main_section(stores, provenance), differences_section(stores, provenance)]
    chosen = drawn_campaigns(list(stores))
    exhibits += [
        *curves_section(stores, provenance, chosen),
        *layers_section(stores, provenance, chosen),
        *weights_section(stores, provenance),
        *omegas_section(stores, provenance),
        *programmes_section(stores, provenance, chosen),
    ]
    export_page("compare", provenance, lambda: exhibits)


campaigns = choose_several()
follow_all(campaigns, show)
if campaigns:
    evidence_pack("campaign", campaigns)
page_help("compare")
