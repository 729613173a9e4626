"""The network and the data that a campaign file names, checked against what it was started with."""

from __future__ import annotations

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.data import Data
from dnncov_core.errors import CampaignError
from dnncov_core.networks.network import Network
from dnncov_core.records import FINGERPRINT_SHOWN, NetworkCard
from dnncov_core.registry import open_data_for, open_network


def network_of(store: CampaignStore, reference: str | None = None) -> tuple[Network, NetworkCard]:
    """The campaign's network and its card, from ``reference`` or by the name in the file.

    Raises:
        CampaignError: another network than the campaign was started with.
        NetworkError: it cannot be loaded.
    """
    network, card = open_network(reference or store.spec().network)
    stored = store.card()
    _check("network", card.name, network.fingerprint, None if stored is None else stored.fingerprint)
    return network, card


def data_of(store: CampaignStore, network: Network, reference: str | None = None) -> Data:
    """The campaign's data, from ``reference`` or by the name in the file, checked for the network.

    Raises:
        CampaignError: other data than the campaign was started with.
        DataError: they cannot be read, or do not fit the network.
    """
    data = open_data_for(network, reference or store.spec().data)
    _check("data", data.name, data.fingerprint, store.prepared.data_fingerprint())
    return data


def _check(what: str, name: str, fingerprint: str, stored: str | None) -> None:
    if stored not in (None, fingerprint):
        expected = f"the {what} of this campaign, fingerprint {str(stored)[:FINGERPRINT_SHOWN]}"
        got = f"{name}, fingerprint {fingerprint[:FINGERPRINT_SHOWN]}"
        raise CampaignError(expected, got, f"give the same {what} with --{what}")
