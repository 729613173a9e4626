"""Bars of the command: the time left."""

from __future__ import annotations

import sys

import pytest

from dnncov_core.cli.bars import ShareBar


class Clock:
    """Seconds that pass only when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_one_slow_step_changes_the_time_left_little(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, left = Clock(), []
    monkeypatch.setattr("tqdm.std.time", clock)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with ShareBar() as show:
        show("suites", 0, 100)
        bar = show.__self__._bar  # type: ignore[attr-defined]
        for done, seconds in enumerate([*[1.0] * 40, 20.0], start=1):
            clock.now += seconds
            show("suites", done, 100)
            left.append((100 - done) / bar.format_dict["rate"])
    assert left[0] == pytest.approx(99)
    assert left[-2] == pytest.approx(60)
    assert left[-1] == pytest.approx(59 * 60 / 41, rel=0.15)  # by the mean of all steps it is 86 s, by the last 1,180 s
