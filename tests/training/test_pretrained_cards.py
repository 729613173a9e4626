"""The cards of torchvision's networks are those that are committed."""

from __future__ import annotations

from dnncov_core.networks.pretrained import pretrained_card
from tests.training.pretrained_cards import made_card


def test_the_card_can_be_made_again() -> None:
    assert made_card("squeezenet1_1") == pretrained_card("squeezenet1_1")
