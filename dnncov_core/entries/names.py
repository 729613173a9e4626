"""What campaigns are called beside each other."""

from __future__ import annotations

from collections.abc import Iterable

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.entries.notes import read_note
from dnncov_core.statistics import names_apart


def own_name(store: CampaignStore) -> str:
    """The user's own name for a campaign; empty where there is none."""
    return read_note(store.path.with_suffix("")).name


def named_apart(stores: Iterable[CampaignStore]) -> dict[str, CampaignStore]:
    """Campaigns of different ids by names that tell them apart: the user's own, or what was asked of each."""
    by_id = {store.path.stem: store for store in stores}
    own = {each: own_name(store) for each, store in by_id.items()}
    names = names_apart({each: store.spec() for each, store in by_id.items()}, own)
    return {names[each]: store for each, store in by_id.items()}
