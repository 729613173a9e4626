"""How far a campaign is: its state, what is done, and how long the rest takes."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.phrases.numbers import about, counted
from dnncov_core.records import State
from dnncov_core.resources import devices

STATES: Mapping[State, str] = {
    State.WAITING: "Created; its worker is starting.",
    State.PREPARING: "The worker loads network and data, and plans the work.",
    State.RUNNING: "The worker searches for test pairs.",
    State.INTERRUPTED: "The worker is gone. Resume continues where it stopped; nothing that was stored is lost.",
    State.CANCELLED: "Stopped on request. Resume continues where it stopped.",
    State.FAILED: "The worker stopped with an error. Resume tries again once its cause is gone;"
    " other settings need a new campaign.",
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


def goes_on_elsewhere(asked: str) -> str:
    """On which device Resume goes on where this machine lacks the one that was asked for; empty where it has it."""
    here = devices()
    if asked in here:
        return ""
    device = next(name for name in ("cuda", "mps", "cpu") if name in here)
    return f"This campaign asked for {asked}, which is not here: Resume goes on with {device}."


def worked_on(device: str, asked: str) -> str:
    """The device of a campaign's last worker, and the one that was asked for where it is another.

    >>> worked_on("cpu", "cuda"), worked_on("cuda:0", "cuda"), worked_on("cpu", "auto"), worked_on("", "cuda")
    ('cpu (asked for: cuda)', 'cuda:0', 'cpu', 'cuda')
    """
    other = bool(device) and asked not in ("auto", device.partition(":")[0])
    return f"{device} (asked for: {asked})" if other else device or asked


def how_far(state: State, progress: CampaignProgress) -> str:
    """How many test conditions are done, how long the rest takes, and what the state means where it says more."""
    done = f"{done_of(progress)}." if progress.total else ""
    left = time_left(progress) if state is State.RUNNING else ""
    means = "" if state in (State.RUNNING, State.FINISHED) else STATES[state]
    return " ".join(part for part in (done, f"{left} left." if left else "", means) if part)
