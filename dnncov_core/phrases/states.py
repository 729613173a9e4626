"""How far a campaign is: its state, what is done, and how long the rest takes."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.phrases.numbers import about, counted
from dnncov_core.records import State

STATES: Mapping[State, str] = {
    State.WAITING: "Created; its worker is starting.",
    State.PREPARING: "The worker loads network and data, and plans the work.",
    State.RUNNING: "The worker searches for test pairs.",
    State.INTERRUPTED: "The worker is gone. Resume continues where it stopped; nothing that was stored is lost.",
    State.CANCELLED: "Stopped on request. Resume continues where it stopped.",
    State.FAILED: "The worker stopped with an error. Resume tries again.",
    State.FINISHED: "Every test condition has its outcome.",
}
"""What a state means for a campaign, in a sentence."""
MEASUREMENT_STATES: Mapping[State, str] = {
    State.WAITING: "Its worker is starting.",
    State.PREPARING: "The worker loads network and data.",
    State.RUNNING: "The worker sends the inputs through the network.",
    State.INTERRUPTED: "The worker is gone before its end. Measure again.",
    State.CANCELLED: "Stopped on request; nothing was kept. Measure again to see the result.",
    State.FAILED: "The worker stopped with an error. Correct what it names, and measure again.",
    State.FINISHED: "Every input was measured.",
}
"""What a state means for a measurement, in a sentence."""
NO_MESSAGE = "The worker ended without a message."


def done_of(progress: CampaignProgress) -> str:
    """How many test conditions are done.

    >>> done_of(CampaignProgress(2000, 1500, 900, 10, 4000, 60.0))
    '1,500 of 2,000 test conditions done'
    """
    return f"{progress.done:,} of {counted(progress.total, 'test condition')} done"


def time_left(progress: CampaignProgress) -> str:
    """How long the rest takes at the mean rate so far; empty where there is no rate yet, and once all is done.

    >>> time_left(CampaignProgress(2000, 1500, 900, 10, 4000, 60.0)), time_left(CampaignProgress(2000, 0, 0, 0, 0, 0.0))
    ('~ 20 s', '')
    """
    if not (progress.done and progress.seconds) or progress.done == progress.total:
        return ""
    return about(progress.seconds * (progress.total - progress.done) / progress.done, "~")


def failure(state: State, message: str) -> str:
    """Why the last worker of a campaign failed, by its message; empty where it did not.

    >>> failure(State.FINISHED, "out of memory")
    'Baseline searches are missing; resume the campaign to make them. The worker stopped with: out of memory'
    >>> failure(State.FAILED, ""), failure(State.FINISHED, "")
    ('The worker ended without a message.', '')
    """
    if state is State.FINISHED and message:
        return f"Baseline searches are missing; resume the campaign to make them. The worker stopped with: {message}"
    return (message or NO_MESSAGE) if state is State.FAILED else ""


def how_far(state: State, progress: CampaignProgress) -> str:
    """How many test conditions are done, how long the rest takes, and what the state means where it says more."""
    done = f"{done_of(progress)}." if progress.total else ""
    left = time_left(progress) if state is State.RUNNING else ""
    means = "" if state in (State.RUNNING, State.FINISHED) else STATES[state]
    return " ".join(part for part in (done, f"{left} left." if left else "", means) if part)
