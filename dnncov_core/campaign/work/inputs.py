"""The network and the data that a campaign file names, checked against what it was started with."""

from __future__ import annotations

from pathlib import Path

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.data import Data
from dnncov_core.errors import CampaignError
from dnncov_core.networks.network import Network
from dnncov_core.networks.reference import is_file, named_weights
from dnncov_core.records import FINGERPRINT_SHOWN, NetworkCard
from dnncov_core.registry import open_data_for, open_network, place_of


def network_of(store: CampaignStore, reference: str | None = None) -> tuple[Network, NetworkCard]:
    """The campaign's network and its card, from ``reference`` or by the name in the file.

    Raises:
        CampaignError: another network than the campaign was started with, or its file has moved.
        NetworkError: it cannot be loaded.
    """
    card = store.card()
    return network_as_of(store.spec(), reference, None if card is None else card.fingerprint)


def network_as_of(spec: CampaignSpec, reference: str | None, stored: str | None) -> tuple[Network, NetworkCard]:
    """The same where the file is not at hand; ``stored`` is the fingerprint in it, None before it is known."""
    if reference is None:
        _check_there(spec.network)
    network, card = open_network(reference or spec.network)
    _check("network", card.name, network.fingerprint, stored)
    return network, card


def data_of(store: CampaignStore, network: Network, reference: str | None = None) -> Data:
    """The campaign's data, from ``reference`` or by the name in the file, checked for the network.

    Raises:
        CampaignError: other data than the campaign was started with.
        DataError: they cannot be read, or do not fit the network.
    """
    return data_as_of(store.spec(), network, reference, store.prepared.data_fingerprint())


def data_as_of(spec: CampaignSpec, network: Network, reference: str | None, stored: str | None) -> Data:
    """The same where the file is not at hand; ``stored`` is the fingerprint in it, None before it is known."""
    data = open_data_for(network, reference or spec.data)
    _check("data", data.name, data.fingerprint, stored)
    return data


def _check_there(name: str) -> None:
    """Refuses the network that a campaign names where its file has moved, since nobody can correct that name."""
    reference = place_of(name)
    weights = named_weights(reference)
    path = Path(reference).expanduser() if weights is None else weights[1]
    if (weights or is_file(reference)) and not path.exists():
        fix = "give it with --network, or put the file there"
        raise CampaignError(f"the network of this campaign, {name}", f"no file {path}", fix)


def _check(what: str, name: str, fingerprint: str, stored: str | None) -> None:
    if stored not in (None, fingerprint):
        expected = f"the {what} of this campaign, fingerprint {str(stored)[:FINGERPRINT_SHOWN]}"
        got = f"{name}, fingerprint {fingerprint[:FINGERPRINT_SHOWN]}"
        raise CampaignError(expected, got, f"give the same {what} with --{what}")
