"""Every state has its words, and how far a campaign is depends on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.phrases.states import STAGES, STATES, how_far, stages_in_words
from dnncov_core.records import Stage, State
from tests.builders import campaign


@pytest.mark.parametrize("state", State)
def test_every_state_has_a_word_and_a_sentence(state: State) -> None:
    assert state.value.isalpha()
    assert STATES[state].endswith(".")


def test_how_far_a_campaign_is(tmp_path: Path) -> None:
    with campaign(tmp_path / "a.dnncov", pending=8, state=State.RUNNING) as store:
        assert how_far(store) == "8 of 16 test conditions done. ~ 10 s left."  # 12.5 s for 8 of them
    with campaign(tmp_path / "b.dnncov", pending=8, state=State.CANCELLED) as store:
        assert how_far(store) == f"8 of 16 test conditions done. {STATES[State.CANCELLED]}"
    with CampaignStore.create(tmp_path / "c.dnncov", CampaignSpec("toy", "toy"), {}) as store:
        assert how_far(store) == STATES[State.WAITING]
        store.worker.claim()
        store.worker.enter(State.RUNNING)
        assert how_far(store) == ""


def test_every_stage_has_its_words_before_at_and_after_it() -> None:
    assert list(STAGES) == list(Stage)
    assert stages_in_words({}, Stage.LOAD) == (
        "**Loading network and data for under 1 s** · plan · search · then baseline searches"
    )
    spent = dict(zip(Stage, (3.0, 1.0, 20.0, 4.0), strict=True))
    assert stages_in_words(spent, Stage.BASELINE) == (
        "Loaded in 3 s · planned in 1 s · searched for 20 s · **baseline searches for 4 s**"
    )
