"""The effects of test pairs that an earlier version stored without them."""

from __future__ import annotations

from collections.abc import Callable

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.work.judge import Judge
from dnncov_core.networks.network import Network
from dnncov_core.oracle import Oracle

AT_ONCE = 100
"""Test pairs that are judged and stored together."""


def add_missing_effects(store: CampaignStore, network: Network, check: Callable[[], None]) -> None:
    """Judges the effects that a file lacks, and stores them; nothing to do in files of this version.

    ``check`` is called before each batch; what it raises ends the work, and what is stored stays.
    """
    spec = store.spec()
    judge = Judge(network, store.covering_method(), Oracle(spec.norm, spec.bound))
    while missing := store.pairs.page(PairFilter(without_effects=True), limit=AT_ONCE):
        check()
        store.pairs.record_effects(map(judge.with_effects, missing))
