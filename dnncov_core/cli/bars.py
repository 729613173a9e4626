"""Progress bars of the command, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from dnncov_core.campaign.file.counts import CampaignProgress

if TYPE_CHECKING:
    from dnncov_core.proofs.certificates import Step
    from dnncov_core.suites.measurement import MeasureProgress

Tell = Callable[[str, int, int], None]
"""Told what is done, how much of it, and of how much."""


SHARE = "{desc}{percentage:3.0f} %|{bar}| [{elapsed}<{remaining}]"
"""A bar without counts, which would be of inputs through the network, each several times."""


def _waiting(what: str) -> Any:
    """A word on a terminal while nobody knows how much there is to do; it leaves nothing behind."""
    return tqdm(desc=what, bar_format="{desc}…", leave=False, disable=not sys.stderr.isatty(), file=sys.stderr)


class CampaignBar:
    """Test conditions done, covered, rate and time left, on standard error."""

    def __enter__(self) -> Callable[[CampaignProgress], None]:
        self._bar = _waiting("preparing")
        return self._show

    def _show(self, progress: CampaignProgress) -> None:
        if self._bar.total is None:
            self._bar.close()
            self._bar = tqdm(
                unit=" conditions",
                file=sys.stderr,
                desc="test conditions",
                total=progress.total,
                initial=progress.done,
                dynamic_ncols=True,
            )
        self._bar.set_postfix_str(f"{progress.covered} covered, {progress.adversarial} adversarial", refresh=False)
        self._bar.update(progress.done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        self._bar.close()


class InputsBar:
    """What is being done, the share of all work, and time left, on standard error; ``tell`` is told too."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def __enter__(self) -> Callable[[MeasureProgress], None]:
        self._bar = _waiting("loading")
        return self._show

    def _show(self, progress: MeasureProgress) -> None:
        self._tell(progress.doing, progress.done, progress.total)
        if self._bar.total is None:
            self._bar.close()
            self._bar = tqdm(
                desc=progress.doing, total=progress.total, bar_format=SHARE, file=sys.stderr, dynamic_ncols=True
            )
        self._bar.set_description(progress.doing, refresh=False)
        self._bar.update(progress.done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        self._bar.close()


class NeuronBar:
    """Neurons that a method is done with, rate and time left, on standard error; ``tell`` is told too."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def __enter__(self) -> Callable[[Step], None]:
        self._bar: Any = None
        self._method = ""
        return self._show

    def _show(self, step: Step) -> None:
        self._tell(step.method, step.done, step.total)
        if self._method != step.method:
            self.__exit__()
            self._method = step.method
            self._bar = tqdm(unit=" neurons", file=sys.stderr, desc=step.method, total=step.total, dynamic_ncols=True)
        self._bar.total = step.total
        self._bar.update(step.done - self._bar.n)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
