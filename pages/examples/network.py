"""A campaign's network in the app's process: loaded once for all sessions, and changed by nobody."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import check_runnable
from dnncov_core.errors import NetworkError
from dnncov_core.networks.network import Network
from dnncov_core.networks.pretrained import PRETRAINED, weights_file, whereabouts
from dnncov_core.registry.file import registered

MOST, SECONDS = 2, 3600.0
"""Networks that are kept, and for how long: large ones have half a gigabyte."""


def network_here(store: CampaignStore) -> Network:
    """The network of a prepared campaign; nothing is downloaded, and no code runs that nobody has allowed.

    Raises:
        CampaignError: a network that is neither embedded nor registered, or has other weights than the campaign's.
        NetworkError: it cannot be loaded.
        SpecificationError: its entry in the registry has a mistake.
    """
    card, name = store.card(), _allowed_as(store.spec().network)
    assert card is not None
    if name is None:
        check_runnable(store)
        name = store.spec().network
    if name in PRETRAINED and not weights_file(name).is_file():
        raise NetworkError(f"the weights of {name} on this machine", f"none: {whereabouts(name)}", "start a campaign")
    return _loaded(name, card.fingerprint, store)


@st.cache_resource(max_entries=MOST, ttl=SECONDS, show_spinner="Loading the network …")
def _loaded(name: str, fingerprint: str, _store: CampaignStore) -> Network:
    from dnncov_core.campaign.work.inputs import network_of  # PyTorch only where a pair is looked at

    network, _ = network_of(_store, name)
    return network


def _allowed_as(reference: str) -> str | None:
    """The name under which the file or factory that a campaign names is registered; None without any."""
    return next((name for name, entry in registered().networks.items() if entry.reference == reference), None)
