"""How far a campaign is: its state, what is done, and how long the rest takes."""

from __future__ import annotations

from collections.abc import Mapping

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.speed import seconds_left
from dnncov_core.phrases.numbers import about, counted, duration
from dnncov_core.records import WHOLE, Shard, Stage, State
from dnncov_core.registry import lacks_labels
from dnncov_core.resources import device_of, devices

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
STAGES: Mapping[Stage, tuple[str, str, str]] = {
    Stage.LOAD: ("Loaded in", "Loading network and data for", "Load"),
    Stage.PLAN: ("planned in", "planning for", "plan"),
    Stage.SEARCH: ("searched for", "searching for", "search"),
    Stage.BASELINE: ("baseline searches for", "baseline searches for", "then baseline searches"),
}
"""What is said of a stage that is over, of the present one, and of one to come."""
WITHOUT_LABELS = "Its data have no labels, without which no search begins, so that Resume cannot help."
"""What failed means for a campaign whose data still lack what it needs."""
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


def time_left(seconds: float | None) -> str:
    """How long the rest takes; empty where that is not known, and once nothing is left.

    >>> time_left(20.0), time_left(None), time_left(0.0)
    ('~ 20 s', '', '')
    """
    return about(seconds, "~") if seconds else ""


def stages_in_words(spent: Mapping[Stage, float], now: Stage) -> str:
    """The stages of a campaign's work, in Markdown, with the time that went into each; the present one stands out.

    >>> stages_in_words({Stage.LOAD: 3.4, Stage.PLAN: 0.2, Stage.SEARCH: 75.0}, Stage.SEARCH)
    'Loaded in 3 s · planned in under 1 s · **searching for 1 min 15 s** · then baseline searches'
    """
    said = []
    for stage, (done, at_it, to_come) in STAGES.items():
        time = duration(spent.get(stage, 0.0))
        said.append(f"**{at_it} {time}**" if stage is now else f"{done} {time}" if stage in spent else to_come)
    return " · ".join(said)


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
    if asked in devices():
        return ""
    return f"This campaign asked for {asked}, which is not here: Resume goes on with {device_of(asked)}."


def worked_on(device: str, asked: str) -> str:
    """The device of a campaign's last worker, and the one that was asked for where it is another.

    >>> worked_on("cpu", "cuda"), worked_on("cuda:0", "cuda"), worked_on("cpu", "auto"), worked_on("", "cuda")
    ('cpu (asked for: cuda)', 'cuda:0', 'cpu', 'cuda')
    """
    other = bool(device) and asked not in ("auto", device.partition(":")[0])
    return f"{device} (asked for: {asked})" if other else device or asked


def of_a_shard(shard: Shard) -> str:
    """What has to be known beside the numbers of a shard; empty for a whole campaign.

    >>> of_a_shard(Shard(3, 7)), of_a_shard(WHOLE)
    ("This is shard 3 of 7 of a campaign; 'dnncov merge' joins it with the others.", '')
    """
    part = f"shard {shard.number:,} of {shard.of:,}"
    return "" if shard == WHOLE else f"This is {part} of a campaign; 'dnncov merge' joins it with the others."


def state_in_words(store: CampaignStore) -> str:
    """What the state of a campaign means, in a sentence."""
    state, shard = store.state(), of_a_shard(store.prepared.shard())
    return WITHOUT_LABELS if cannot_resume(store) else (state is State.CANCELLED and shard) or STATES[state]


def cannot_resume(store: CampaignStore) -> bool:
    """Whether a campaign failed for want of labels, which its data lack to this day."""
    spec = store.spec()
    return store.state() is State.FAILED and store.card() is None and lacks_labels(spec.network, spec.data)


def how_far(store: CampaignStore) -> str:
    """How many test conditions are done, how long the rest takes, and what the state means where it says more."""
    state, progress = store.state(), store.counts.progress()
    done = f"{done_of(progress)}." if progress.total else ""
    left = time_left(seconds_left(store)) if state is State.RUNNING else ""
    means = "" if state in (State.RUNNING, State.FINISHED) else state_in_words(store)
    return " ".join(part for part in (done, f"{left} left." if left else "", means) if part)
