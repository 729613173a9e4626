"""The form of a new measurement: network, suite and reference data."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.library import SUFFIX, open_campaign, viewable
from dnncov_core.errors import DnncovError
from dnncov_core.records import NetworkCard
from pages.shared.campaigns import label, spec_of
from pages.shared.fields import Fields
from pages.shared.network import data_menu, fitting, network_menu, your_own
from pages.shared.words import help_of

COMMAND = "dnncov measure NETWORK --suite DATA"
OF_A_CAMPAIGN = (
    "Every different x1 and x2 of this campaign, and every two of them: also two that it did not pair, so that more may"
    " be covered than Gaps counts."
)


def suite_choice() -> tuple[Fields, NetworkCard | None]:
    """Network, suite and reference data, and the network's card, if it is known before loading."""
    name, card = network_menu("measured-network")
    suite = data_menu(
        "Suite",
        name,
        card,
        key="suite",
        words=help_of(
            "Suite",
            "The inputs that are measured: data, or the test pairs of one of your campaigns on this network. All"
            " of them count, also those that the network gets wrong.",
        ),
        command=COMMAND,
        others=_campaigns(name),
        of_others=OF_A_CAMPAIGN,
        beside=", and none of your campaigns is on it",
    )
    your_own(COMMAND, labelled=False)
    if suite is None:
        return {"network": name, "suite": None, "reference": None}, card
    reference = st.selectbox(
        "Reference data",
        [None, *fitting(card)],
        format_func=lambda choice: choice or "None",
        key=f"measured-reference-{name}",
        persist_state="session",
        help=help_of(
            "Reference data",
            "Data whose ranges NB, SNAC, NBC, MN, KMNC, upper_boundary and the lemmas' value functions compare with,"
            " and whose values LSC, DSC and MDSC: take training data, not the suite itself, since no input can be above"
            " the largest value of its own suite, nor surprise it.",
        ),
    )
    return {"network": name, "suite": suite, "reference": reference}, card


def _campaigns(network: str) -> dict[str, str]:
    """File names of campaigns on a network that have a test pair, newest first, each with its name in the menu."""
    files = viewable()
    return {
        f"{campaign_id}{SUFFIX}": f"Test pairs: {label(campaign_id)}"
        for campaign_id in files
        if (spec := spec_of(campaign_id, files)) is not None and spec.network == network and _has_pairs(campaign_id)
    }


def _has_pairs(campaign_id: str) -> bool:
    try:
        with open_campaign(campaign_id) as store:
            return store.pairs.count() > 0
    except DnncovError:
        return False
