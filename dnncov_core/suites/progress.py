"""How far a measurement is, in one unit for all that it does: values of neurons that are looked at."""

from __future__ import annotations

from collections.abc import Callable

from dnncov_core.types import OnProgress


class Progress:
    """Counts what is done of what is expected.

    How many values layer pairs need is known once signs are sorted, and guessed until then, so that the total may
    change at that time. What is done never becomes less, and is the total at the end.
    """

    def __init__(self, on_progress: OnProgress = lambda doing, done, total: None) -> None:
        self._on_progress = on_progress
        self._doing, self._done, self._total = "", 0, 0
        self._guessed = 0

    def expect(self, values: int) -> None:
        """So many values more are to be looked at."""
        self._total += values

    def guess(self, values: int, parts: int) -> None:
        """Each of some parts may be so many more; `know` says it later, part by part."""
        self._guessed = values
        self.expect(values * parts)

    def know(self, values: int) -> None:
        """The next part is so many more, instead of what was guessed."""
        self.expect(values - self._guessed)
        if self._done:
            self._on_progress(self._doing, self._done, self._total)

    def stage(self, doing: str, values: int = 1) -> Callable[[int], None]:
        """Tells of what is being done: the function takes how many things, of so many values each, are done now."""

        def tell(things: int) -> None:
            if things:
                self._doing = doing
                self._done += things * values
                self._on_progress(doing, self._done, self._total)

        return tell
