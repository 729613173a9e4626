"""Network, suite and reference data: what a new measurement measures."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.library import SUFFIX, campaigns, open_campaign
from dnncov_core.errors import DnncovError
from dnncov_core.records import NetworkCard
from dnncov_core.registry import data_names, default_data, described
from pages.shared.campaigns import label, spec_of
from pages.shared.fields import Fields, place_of
from pages.shared.network import fitting, network_menu, your_own
from pages.shared.words import plain


def suite_choice() -> tuple[Fields, NetworkCard | None]:
    """Network, suite and reference data, and the network's card, if it is known before loading."""
    name, card = network_menu("measured-network")
    names = fitting(list(data_names()), card)
    suites = [*names, *_campaigns(name)]
    if not suites:
        _say_no_suite(name)
        your_own("dnncov measure NETWORK --suite DATA", labelled=False)
        return {"network": name, "suite": None, "reference": None}, card
    suite = st.selectbox(
        "Suite",
        suites,
        index=place_of(default_data(name), suites),
        format_func=_described,
        key=f"suite-{name}",
        persist_state="session",
        help="The inputs that are measured: data, or the test pairs of one of your campaigns on this network. All of"
        " them count, also those that the network misclassifies.",
    )
    st.caption(plain(described(suite)) if suite in names else "Every different x1 and x2 of this campaign.")
    your_own("dnncov measure NETWORK --suite DATA", labelled=False)
    reference = st.selectbox(
        "Reference data",
        [None, *names],
        format_func=lambda choice: choice or "None",
        key=f"measured-reference-{name}",
        persist_state="session",
        help="Whose ranges count for NB, MN, upper_boundary and the lemmas' value functions: data of the training set,"
        " not the suite itself, above whose own boundaries no input of it can be.",
    )
    return {"network": name, "suite": suite, "reference": reference}, card


def _campaigns(network: str) -> list[str]:
    """File names of the user's campaigns on a network that have a test pair, newest first."""
    return [
        f"{campaign_id}{SUFFIX}"
        for campaign_id in campaigns()
        if (spec := spec_of(campaign_id)) is not None and spec.network == network and _has_pairs(campaign_id)
    ]


def _has_pairs(campaign_id: str) -> bool:
    try:
        with open_campaign(campaign_id) as store:
            return store.pairs.count() > 0
    except DnncovError:
        return False


def _described(suite: str) -> str:
    return f"Test pairs: {label(suite.removesuffix(SUFFIX))}" if suite.endswith(SUFFIX) else suite


def _say_no_suite(name: str) -> None:
    st.warning(
        f"No data here have the input shape of {name}, and none of your campaigns is on it. Register a folder of photos"
        " or an .npz file (README: Your own networks in the app), or use the command: dnncov measure"
        f" {name} --suite FOLDER.",
        icon=":material/image_not_supported:",
    )
