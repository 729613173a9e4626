"""Progress bars of the command, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from dnncov_core.campaign.file.counts import CampaignProgress
from dnncov_core.phrases.proofs import proved_things
from dnncov_core.types import OnProgress

if TYPE_CHECKING:
    from dnncov_core.proofs.certificates import Step

SHARE = "{desc}{percentage:3.0f} %|{bar}| [{elapsed}<{remaining}]"
"""A bar without counts, which would be of values of neurons."""
SMOOTHING = 0.02
"""Weight of the last step in the speed that tells the time left: one that took long changes it little."""


def say_note(note: str) -> None:
    """Writes a note, if there is one, above the bar."""
    if note:
        tqdm.write(f"note: {note}", file=sys.stderr)


class _Bar:
    """A bar that begins once it is known how much there is to do; until then a terminal shows what is waited for.

    ``tell`` is told of progress too, of work that reports it elsewhere.
    """

    waits_for = "loading"

    def __init__(self, tell: OnProgress = lambda doing, done, total: None) -> None:
        hidden = not sys.stderr.isatty()
        self._tell = tell
        self._bar: Any = tqdm(desc=self.waits_for, bar_format="{desc}…", leave=False, disable=hidden, file=sys.stderr)

    def __enter__(self) -> Callable[..., None]:
        return self.show

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, *args: Any, **kwargs: Any) -> None:
        """Shows how far the work is."""
        raise NotImplementedError

    def _begin(self, doing: str, total: int, **settings: Any) -> None:
        self._bar.close()
        own = {"file": sys.stderr, "dynamic_ncols": True, "smoothing": SMOOTHING}
        self._bar = tqdm(desc=doing, total=total, **own, **settings)

    def _move(self, done: int) -> None:
        self._bar.update(done - self._bar.n)


class CampaignBar(_Bar):
    """The name of the campaign file, test conditions done, covered, rate and time left."""

    waits_for = "preparing"

    def __init__(self, name: str, note: Callable[[], str]) -> None:
        """The name of the campaign's file, and what has to be said once it is prepared; empty for nothing."""
        super().__init__()
        self._name, self._note = name, note

    def show(self, progress: CampaignProgress) -> None:
        if self._bar.total is None:
            say_note(self._note())
            self._begin(self._name, progress.total, unit=" conditions", initial=progress.done)
        self._bar.set_postfix_str(f"{progress.covered} covered, {progress.adversarial} adversarial", refresh=False)
        self._move(progress.done)


class ShareBar(_Bar):
    """What is being done, the share of all work, and time left; how much it is may change once more is known."""

    def show(self, doing: str, done: int, total: int) -> None:
        self._tell(doing, done, total)
        if self._bar.total is None:
            self._begin(doing, total, bar_format=SHARE)
        self._bar.total = total
        self._bar.set_description(doing, refresh=False)
        self._move(done)


class NeuronBar(_Bar):
    """Neurons, or test conditions, that a method is done with, rate and time left."""

    _method = ""

    def show(self, step: Step) -> None:
        self._tell(step.method, step.done, step.total)
        if self._method != step.method:
            self._method = step.method
            self._begin(step.method, step.total, unit=f" {proved_things(step.method)}")
        self._bar.total = step.total
        self._move(step.done)
