"""Gradient search on another device: what it proposes, the CPU confirms. With a CPU alone it is held against itself.

pytest -n 0 tests/benchmarks/check_gradient.py [--network cifar10-cnn --data cifar10-sample]
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from dnncov_core.cli import main
from dnncov_core.criteria import CRITERIA
from dnncov_core.generators.shortfall import BatchConditions
from dnncov_core.networks.memory import fitting_batch
from dnncov_core.networks.network import Network
from dnncov_core.registry import open_data_for, open_network
from tests.benchmarks.bench_gradient import slots
from tests.benchmarks.conditions import DEVICES

DEVICE = DEVICES[-1]
RUNS = {
    "targeted": ("--generator", "targeted"),
    "8 bits": ("--generator", "targeted", "--grid", "8bit"),
    "labels": ("--generator", "targeted", "--objective", "adversarial", "--bound", "0.05"),
    "Algorithm 1": ("--generator", "gradient", "--seed-order", "random"),
}


@pytest.fixture(scope="module")
def network(request: pytest.FixtureRequest) -> Network:
    return open_network((request.config.getoption("network") or ["cifar10-cnn"])[0])[0]


def test_what_conditions_lack(request: pytest.FixtureRequest, network: Network) -> None:
    edge = network.edges[len(network.edges) // 2]
    pairs, x = slots(network, request.config.getoption("data"), edge)
    noise = torch.randn(x.shape, generator=torch.Generator().manual_seed(0)).to(x.dtype)
    x2 = (x + 0.02 * noise).clamp(*network.bounds)
    looks = []
    for device in ("cpu", DEVICE):
        there = network.to(device=device)
        conditions = BatchConditions(there, CRITERIA["ss"], pairs, x.to(device), margin=1e-4)
        looks.append(conditions.shortfall(x2.to(device)))
    here, other = looks
    scale = float(here.decision.abs().mean())
    assert torch.allclose(here.decision, other.decision.cpu(), rtol=1e-2, atol=1e-2 * scale)
    assert (here.flips - other.flips.cpu()).abs().float().mean() <= 0.01 * here.flips.float().mean() + 1


@pytest.mark.parametrize("search", RUNS)
def test_campaign(
    request: pytest.FixtureRequest,
    network: Network,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    search: str,
) -> None:
    """As much is covered as on the CPU, give or take a few, and every stored pair holds there."""
    option, covered = request.config.getoption, []
    name = (option("network") or ["cifar10-cnn"])[0]
    for device in ("cpu", DEVICE):
        path = str(tmp_path / f"{device}-{len(covered)}.dnncov")
        asked = ["run", name, "--data", option("data"), "--feature-mode", "free", "--omega", "0.01", "--pairs", "60"]
        more = ["--sampling", "even", "--passes", "100", "--device", device, "--workers", "1", "--out", path, "--json"]
        assert main([*asked, *more, *RUNS[search]]) == 0
        covered.append(json.loads(capsys.readouterr().out)["covered"])
        assert main(["verify", path]) == 0
        capsys.readouterr()
    assert abs(covered[0] - covered[1]) <= 6


def test_the_batch_fits_into_memory(network: Network, request: pytest.FixtureRequest) -> None:
    there = network.to(device=DEVICE)
    images = open_data_for(network, request.config.getoption("data"))
    x = torch.from_numpy(images.pixels([0] * fitting_batch(there))).to(there.device, there.dtype).requires_grad_()
    (gradient,) = torch.autograd.grad(there(x).sum(), x)
    assert gradient.shape == x.shape
