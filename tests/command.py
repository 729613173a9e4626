"""The command called in this process, what it refuses, and networks and data made for it."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest

from dnncov_core import cli
from tests import runs


def call(*arguments: str | Path) -> int:
    """The exit status, whether argparse or the command gives it."""
    try:
        return cli.main([str(argument) for argument in arguments])
    except SystemExit as error:
        return int(error.code or 0)


FACTORY = """
import torch
from torch import nn
from dnncov_core import Network

def make():
    {before}torch.manual_seed(3)
    shape = {shape}
    if len(shape) == 1:
        module = nn.Sequential(nn.Linear(shape[0], 4), nn.ReLU(), nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))
    else:
        c, h, w = shape
        module = nn.Sequential(
            nn.Conv2d(c, 2, 3, stride=4), {activation}, nn.MaxPool2d(2), nn.Flatten(),
            nn.LazyLinear(4), nn.ReLU(), nn.Linear(4, 2),
        )
        module(torch.zeros(1, *shape))
    return Network(module, shape)
"""


def write_factory(
    folder: Path, shape: tuple[int, ...] = (1, 17, 29), *, before: str = "", activation: str = "nn.ReLU()"
) -> None:
    sys.modules.pop("made", None)
    text = FACTORY.format(before=before, shape=shape, activation=activation)
    (folder / "made.py").write_text(text)


def make_data(folder: Path, network: str, shape: tuple[int, ...], n: int = 12) -> Path:
    """Random images, labelled by the network itself, so that its accuracy is 100 %."""
    import torch

    from dnncov_core.networks.loader import load_network

    images = np.random.default_rng(0).random((n, *shape)).astype(np.float32)
    given = load_network(network)[0](torch.from_numpy(images)).argmax(dim=1).numpy()
    np.savez(folder / "made.npz", images=images, labels=given)
    return folder / "made.npz"


def paths_in(path: Path, folder: Path) -> list[str]:
    """Columns of a campaign file that hold a folder of this machine."""
    connection = sqlite3.connect(path)
    found = []
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        for _, column, *_rest in connection.execute(f"PRAGMA table_info({table})").fetchall():
            query = f"SELECT count(*) FROM {table} WHERE instr(CAST({column} AS TEXT), ?)"
            if any(
                connection.execute(query, (str(place),)).fetchone()[0] for place in (folder, runs.ROOT, Path.home())
            ):
                found.append(f"{table}.{column}")
    connection.close()
    assert str(folder).encode() not in path.read_bytes()
    return found


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """The one line that a bad input gives, with the progress bars' own lines left out."""
    capsys.readouterr()
    assert call(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    told = [line for line in captured.err.replace("\r", "\n").splitlines() if line.strip()]
    lines = [line for line in told if "conditions/s" not in line and "%|" not in line]
    assert len(lines) == 1, captured.err
    assert lines[0].startswith("dnncov")
    return lines[0]


def is_whole(message: str) -> bool:
    """Whether a message says what was expected, what came, and what to do."""
    before, expected, rest = message.partition("expected " if "expected " in message else " must be ")
    _, got, fix = rest.partition("; got ")
    return bool(before and expected and got and "; " in fix)
