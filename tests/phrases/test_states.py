"""Every state has its words, and how far a campaign is depends on it."""

from __future__ import annotations

import pytest

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.phrases.states import STATES, how_far, time_left
from dnncov_core.records import State

HALF = CampaignProgress(total=2000, done=1000, covered=900, adversarial=10, attempts=4000, seconds=60.0)


@pytest.mark.parametrize("state", State)
def test_every_state_has_a_word_and_a_sentence(state: State) -> None:
    assert state.value.isalpha()
    assert STATES[state].endswith(".")


def test_how_far_a_campaign_is() -> None:
    assert how_far(State.RUNNING, HALF) == "1,000 of 2,000 test conditions done. ~ 1 min left."
    assert how_far(State.CANCELLED, HALF) == f"1,000 of 2,000 test conditions done. {STATES[State.CANCELLED]}"
    nothing = CampaignProgress(0, 0, 0, 0, 0, 0.0)
    assert how_far(State.WAITING, nothing) == STATES[State.WAITING]
    assert how_far(State.RUNNING, nothing) == ""


def test_no_time_is_left_once_all_is_done() -> None:
    assert time_left(CampaignProgress(2, 2, 1, 0, 4, 60.0)) == ""
