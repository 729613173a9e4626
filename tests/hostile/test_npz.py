"""That the code in hostile ``.npz`` files works where it is let in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.hostile.npz import Runs, archive, npy
from tests.hostile.trials import CANARY


@pytest.mark.parametrize("array", [np.array([Runs()], dtype=object), np.array([(Runs(),)], dtype=[("a", "O")]), Runs()])
def test_numpy_executes_what_it_is_allowed_to(folder: Path, array: object) -> None:
    (folder / "d.npz").write_bytes(archive({"images.npy": npy(array)}))
    with np.load(folder / "d.npz", allow_pickle=True) as loaded:
        assert not (folder / CANARY).exists()
        loaded["images"]
    assert (folder / CANARY).exists()
