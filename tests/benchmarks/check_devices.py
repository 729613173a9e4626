"""What another device computes agrees with the CPU. On a machine with a CPU alone it is held against itself.

pytest -n 0 tests/benchmarks/check_devices.py [--network NAME --data DATA]
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from dnncov_core.activations import capture
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.cli import main
from dnncov_core.registry import open_data_for, open_network
from tests.benchmarks.conditions import DEVICES, sample

DEVICE = DEVICES[-1]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_values_and_signs(request: pytest.FixtureRequest, network_name: str, dtype: torch.dtype) -> None:
    network, _ = open_network(network_name)
    data = open_data_for(network, request.config.getoption("data"))
    x = torch.from_numpy(data.pixels(slice(0, 512)))
    here, there = (capture(network.to(device=device, dtype=dtype), x) for device in ("cpu", DEVICE))
    exact = 1e-4 if dtype == torch.float32 else 1e-10
    for layer, values in here.items():
        u = there[layer].u.cpu()
        assert torch.allclose(u, values.u, rtol=exact, atol=exact)
        clear = values.u.abs() > exact
        assert ((u >= 0) == (values.u >= 0))[clear].all()


def test_rankings(request: pytest.FixtureRequest, network_name: str) -> None:
    """The same seed first; where bounds are nearly equal, single precision may choose another."""
    option = request.config.getoption
    here, there = (
        sample(CampaignSpec(network_name, option("data"), generator="lp", device=device), option("rounds"))
        for device in ("cpu", DEVICE)
    )
    targets = [target for group in here.targets.values() for target in group]
    first, second = (found.seeds.ranking(targets) for found in (here, there))
    same = sum(int(a.places[0]) == int(b.places[0]) for a, b in zip(first, second, strict=True))
    assert same >= 0.98 * len(targets)


def test_campaign(
    request: pytest.FixtureRequest, network_name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    covered = []
    for device in ("cpu", DEVICE):
        path = str(tmp_path / f"{device}-{len(covered)}.dnncov")
        data = request.config.getoption("data")
        asked = ["run", network_name, "--data", data, "--generator", "lp", "--pairs", "60", "--seeds", "500"]
        assert main([*asked, "--device", device, "--workers", "1", "--out", path, "--json"]) == 0
        covered.append(json.loads(capsys.readouterr().out)["covered"])
        assert main(["verify", path]) == 0
        capsys.readouterr()
    assert covered[0] == covered[1] > 0
