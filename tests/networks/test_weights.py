"""Files of weights: no code is run, and whatever does not fit is named in one line."""

from __future__ import annotations

import os
import pickle
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import nn

from dnncov_core.errors import NetworkError
from dnncov_core.networks.weights import fit, read_weights, remove_stale_downloads
from tests.networks.malicious import Runs, saved

STATE = {"0.weight": torch.ones(3, 2), "0.bias": torch.zeros(3)}


def assert_refused(path: Path, expected: str, got: str) -> None:
    with pytest.raises(NetworkError) as caught:
        read_weights(path)
    before, _, after = str(caught.value).partition("; got ")
    assert expected in before
    assert got in after
    assert "\n" not in str(caught.value)


# Reading


@pytest.mark.parametrize("zipped", [True, False])
def test_tensors_by_name_come_back(zipped: bool, tmp_path: Path) -> None:
    torch.save(STATE, tmp_path / "w.pth", _use_new_zipfile_serialization=zipped)
    state = read_weights(tmp_path / "w.pth")
    assert list(state) == list(STATE)
    assert all(torch.equal(state[name], STATE[name]) for name in STATE)


@pytest.mark.parametrize("as_before", [False, True])
@pytest.mark.parametrize("key", ["0.weight", "more"])
def test_a_pickle_that_runs_code_is_refused_and_runs_none(key: str, as_before: bool, tmp_path: Path) -> None:
    path, marker = tmp_path / "w.pth", tmp_path / "ran"
    path.write_bytes(saved({**STATE, key: Runs(marker)}, as_before=as_before))
    assert_refused(path, "torch.save(module.state_dict(), FILE)", f"{path} with the Python object ")
    assert not marker.exists()


def test_a_plain_pickle_that_runs_code_runs_none(tmp_path: Path) -> None:
    (tmp_path / "w.pth").write_bytes(pickle.dumps(Runs(tmp_path / "ran")))
    assert_refused(tmp_path / "w.pth", "torch.save(module.state_dict(), FILE)", "w.pth")
    assert not (tmp_path / "ran").exists()


def test_a_whole_module_is_refused_by_its_class(tmp_path: Path) -> None:
    torch.save(nn.Linear(2, 3), tmp_path / "w.pth")
    assert_refused(tmp_path / "w.pth", "the state_dict", "with the Python object torch.nn.modules.linear.Linear")


def write_cut(path: Path) -> None:
    torch.save(STATE, path)
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize(
    ("write", "expected", "got"),
    [
        (lambda path: None, "a file of weights", "No such file or directory; correct the path"),
        (lambda path: path.mkdir(), "a file of weights", "directory; correct the path"),
        (lambda path: path.write_bytes(b""), "the state_dict", "which is damaged"),
        (lambda path: path.write_bytes(b"hello"), "the state_dict", "which is damaged"),
        (lambda path: path.write_bytes(b"<html>not found</html>"), "the state_dict", "which is damaged"),
        (write_cut, "the state_dict", "which is damaged"),
        (lambda path: torch.save(torch.zeros(3), path), "the state_dict", "a Tensor in "),
        (lambda path: torch.save({"state_dict": STATE, "epoch": 3}, path), "the state_dict", "a dict of state_dict, e"),
    ],
)
def test_other_files_are_refused(write: Callable[[Path], Any], expected: str, got: str, tmp_path: Path) -> None:
    write(tmp_path / "w.pth")
    assert_refused(tmp_path / "w.pth", expected, got)


def test_safetensors_are_read_where_that_package_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("safetensors.torch")
    package.load_file = lambda path: {"from": torch.tensor(len(path.name))}  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "safetensors", ModuleType("safetensors"))
    monkeypatch.setitem(sys.modules, "safetensors.torch", package)
    assert read_weights(tmp_path / "w.safetensors") == {"from": torch.tensor(13)}


def test_safetensors_without_that_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "safetensors.torch", None)
    assert_refused(
        tmp_path / "w.safetensors",
        "the package safetensors",
        "environment that runs this program: pip install safetensors; or",
    )


# Fitting


def module() -> nn.Module:
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_a_module_gets_the_weights_in_its_own_precision(device: str, dtype: torch.dtype) -> None:
    trained = module()
    trained(torch.rand(5, 2))  # moves the running mean
    state = {key: value.to(dtype) for key, value in trained.state_dict().items()}
    del state["1.num_batches_tracked"]  # as in files of PyTorch before 0.4.1
    with torch.device(device):
        net = module()
    fit(net, state, name="net", path=Path("w.pth"))
    x = torch.rand(4, 2)
    assert net.eval()(x).dtype == torch.float32
    torch.testing.assert_close(net(x), trained.eval()(x), rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"0.bias": torch.ones(3).to_sparse()},
            r"0\.bias of shape \(3,\) in .*; got a tensor of sparse_coo, float32, cpu",
        ),
        (
            {"0.bias": torch.ones(3).to("meta")},
            r"0\.bias of shape \(3,\) in .*; got a tensor of strided, float32, meta",
        ),
        ({"0.bias": torch.ones(3) * 1j}, r"0\.bias of shape \(3,\) in .*; got a tensor of strided, complex64, cpu"),
        (
            {"0.weight": None},
            r"expected 0\.weight of shape \(3, 2\) in the weights of net in w\.pth; got none; give a file with",
        ),
        ({"0.bias": torch.zeros(4)}, r"expected 0\.bias of shape \(3,\) in .*; got shape \(4,\); give"),
        ({"1.extra": torch.zeros(4)}, r"expected 1\.extra of no shape in .*; got shape \(4,\); give"),
        (
            {"0.bias": torch.zeros(1, 3), "0.weight": None, "x": torch.zeros(())},
            r"expected 0\.weight of shape .*; got none, and 2 more that differ; give",
        ),
    ],
)
def test_weights_of_another_module_are_refused(change: dict[str, Any], message: str) -> None:
    state = {key: value for key, value in {**module().state_dict(), **change}.items() if value is not None}
    with pytest.raises(NetworkError, match=message) as caught:
        fit(module(), state, name="net", path=Path("w.pth"))
    assert "\n" not in str(caught.value)


# What killed downloads left


def test_only_partial_downloads_of_the_file_that_stand_still_are_removed(tmp_path: Path) -> None:
    left, growing, other, whole = (
        tmp_path / name for name in ("w.pth.a1.partial", "w.pth.b2.partial", "v.pth.a1.partial", "w.pth")
    )
    for file in (left, growing, other, whole):
        file.touch()
    for file in (left, other, whole):
        os.utime(file, (time.time() - 7200,) * 2)
    remove_stale_downloads(whole)
    assert sorted(tmp_path.iterdir()) == sorted([growing, other, whole])
    remove_stale_downloads(tmp_path / "no" / "w.pth")
