"""That the code in hostile files of weights works where it is let in; of networks, tests/networks/test_pt2_check.py."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.hostile.trials import CANARY
from tests.networks.malicious import Runs, saved


def saved_as_before(value: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer, _use_new_zipfile_serialization=False)
    return buffer.getvalue()


@pytest.mark.parametrize("write", [saved, saved_as_before, pickle.dumps])
def test_pytorch_executes_what_weights_hide(folder: Path, write: Callable[[Any], bytes]) -> None:
    content = write({"a": Runs(folder / CANARY)})
    assert not (folder / CANARY).exists()
    if write is pickle.dumps:
        pickle.loads(content)
    else:
        torch.load(io.BytesIO(content), weights_only=False)
    assert (folder / CANARY).exists()
