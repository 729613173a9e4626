"""The first campaign of a network: a sample of its test conditions, some of each layer pair."""

from __future__ import annotations

from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.generators import GRIDS
from dnncov_core.records import NetworkCard

CONDITIONS = 100
"""Test conditions of the first campaign: some minutes at most; more where the network has more layer pairs."""


def first_campaign(network: str, data: str, card: NetworkCard) -> CampaignSpec:
    """What it asks for; of images, an x2 that a file of 8 bits holds."""
    is_image = len(card.input_shape) == 3 and sum(size > 1 for size in card.input_shape) > 1
    grid = "8bit" if is_image and GRIDS["8bit"].fits(card.box) else CampaignSpec.grid
    pairs = max(CONDITIONS, len(card.edges))  # each layer pair has one of them
    return CampaignSpec(network, data, pairs=pairs, sampling="even", grid=grid)
