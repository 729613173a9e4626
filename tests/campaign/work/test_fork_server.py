"""What a process of a pool says that begins too late."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable

import pytest


def test_a_process_that_begins_too_late_says_nothing_and_other_errors_are_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[BaseException] = []
    note: Callable[..., None] = lambda kind, error, trace: said.append(error)
    monkeypatch.setattr(sys, "excepthook", note)
    monkeypatch.setattr(sys, "__excepthook__", note)
    monkeypatch.delitem(sys.modules, "dnncov_core.campaign.work.fork_server", raising=False)
    importlib.import_module("dnncov_core.campaign.work.fork_server")
    for error in (FileNotFoundError(2, "No such file or directory"), ValueError("other")):
        sys.excepthook(type(error), error, None)
    assert [type(error) for error in said] == [ValueError]
