"""A campaign on a network with branches, and its test pairs one by one."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from dnncov_core.campaign.file.pairs import PairFilter
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import TestPair
from tests.builders import campaign, card


def branched(path: Path) -> CampaignStore:
    """23 test conditions in layer pairs 2-3, 2-4, 3-4 and 4-5, of which 18 are found and 9 adversarial."""
    network = dataclasses.replace(card(), edges=((2, 3), (2, 4), (3, 4), (4, 5)))
    return campaign(path, network=network, found=18, exhausted=3, pending=2, adversarial=9, survivors=6)


def pairs_of(store: CampaignStore, decision_layer: int, *, adversarial: bool = False) -> list[TestPair]:
    pairs = store.pairs.page(PairFilter(adversarial=adversarial))
    return [pair for pair in pairs if pair.target.decision_layer == decision_layer]
