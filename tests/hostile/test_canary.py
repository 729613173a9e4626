"""That the code in hostile files works where it is let in; in ``.pt2`` files, tests/networks/test_pt2_check.py."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.hostile.npz import RUNS
from tests.hostile.trials import CANARY
from tests.made_arrays import archive, npy
from tests.networks.malicious import saved


def by_numpy(content: bytes) -> None:
    with np.load(io.BytesIO(content), allow_pickle=True) as loaded:
        loaded["images"]


def by_torch(content: bytes) -> None:
    torch.load(io.BytesIO(content), weights_only=False)


@pytest.mark.parametrize(
    ("content", "load"),
    [
        *(
            (archive({"images.npy": npy(array)}), by_numpy)
            for array in (np.array([RUNS], dtype=object), np.array([(RUNS,)], dtype=[("a", "O")]), RUNS)
        ),
        (saved({"a": RUNS}), by_torch),
        (saved({"a": RUNS}, as_before=True), by_torch),
        (pickle.dumps({"a": RUNS}), pickle.loads),
    ],
    ids=["objects", "object in a structure", "no array", "torch", "old torch", "pickle"],
)
def test_code_runs_where_it_is_let_in(content: bytes, load: Callable[[bytes], Any], folder: Path) -> None:
    assert not (folder / CANARY).exists()
    load(content)
    assert (folder / CANARY).exists()
