"""What tests share: one thread a process, random numbers that are each test's own, hypothesis profiles, a working
folder, and finished campaigns.

Property tests take the same examples each time, as CI does. `pytest --hypothesis-profile=explore` draws others, and
more of them; an example that fails is kept in the folder .hypothesis and tried first the next time.
"""

from __future__ import annotations

import functools
import gc
import os
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Callable  # noqa: UP035  (it keeps what it has made, that of collections.abc does not)

import pytest
import torch
from hypothesis import HealthCheck, settings
from torch._export import utils as export_utils

from dnncov_core.networks import loader
from dnncov_core.networks.zoo import load_embedded
from dnncov_core.resources import collect_garbage_rarely
from tests import runs

os.environ["OMP_NUM_THREADS"] = "1"
torch.set_num_threads(1)
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
settings.register_profile("same", PATIENT, derandomize=True, database=None, max_examples=60)
settings.register_profile("explore", PATIENT, max_examples=300, print_blob=True)
settings.load_profile("same")


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers() -> Generator[None, int, int]:
    """`-n auto` takes two processes more than there are cores: browser tests and workers' tests wait a good deal."""
    return (yield) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests come first: their files take longest, and no process should be left alone with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


def pytest_collection_finish() -> None:
    """Garbage collection is rare, and passes over what was there before the tests."""
    gc.freeze()
    collect_garbage_rarely()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Random weights are the same in each run of a test, whatever ran before it and in which process."""
    torch.manual_seed(zlib.crc32(item.nodeid.encode()))


@pytest.fixture(scope="session", autouse=True)
def quick_exports() -> Iterator[None]:
    """torch.export goes through all operators of PyTorch once a process, not for each network.

    That, and annotations that Python need not make anew for every operator, are a quarter of the time of an export.
    """
    with pytest.MonkeyPatch.context() as patch:
        name = "_collect_all_valid_cia_ops_for_namespace"
        patch.setattr(export_utils, name, functools.cache(getattr(export_utils, name)))
        patch.setattr(torch._ops, "Callable", Callable)
        yield


EMBEDDED = functools.cache(load_embedded)


@pytest.fixture(autouse=True)
def embedded_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Embedded networks that are asked for by name are exported once a process; a network never changes."""
    monkeypatch.setattr(loader, "load_embedded", EMBEDDED)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, and a user's folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DNNCOV_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """SS on the network toy, every pair: read only."""
    return runs.finished(tmp_path_factory.mktemp("toy") / "toy.dnncov", runs.toy_spec())
