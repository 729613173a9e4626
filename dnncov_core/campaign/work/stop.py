"""How whoever works on a campaign learns that it is to stop."""

from __future__ import annotations

import threading


class Stopped(Exception):  # noqa: N818 - like StopIteration, no error
    """Raised inside the work when the campaign is cancelled."""


class Stop:
    """Tells the work to stop; asked between attempts."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def set(self) -> None:
        """Asks the work to stop."""
        self._event.set()

    def is_set(self) -> bool:
        """Whether the work was asked to stop."""
        return self._event.is_set()

    def check(self) -> None:
        """Raises Stopped if the work was asked to stop."""
        if self.is_set():
            raise Stopped
