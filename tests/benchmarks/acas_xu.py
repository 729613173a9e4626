"""ACAS-Xu in metres, radians and feet per second, in float64, from the ONNX files in the folder that ACAS_XU names.

    ACAS_XU=DIR python -m tests.benchmarks.acas_xu 1_1 --out uniform.npz [--n 200000]
    ACAS_XU=DIR python -m tests.benchmarks.acas_xu 1_1 --out near.npz --campaign FILE [--n 20000]
    ACAS_XU=DIR dnncov run tests.benchmarks.acas_xu:acas_1_1 --data near.npz ...

There are no labelled data: every input of the box is allowed, and the network's own decision is its label. With a
campaign, inputs near the places where u of both neurons of an open condition is 0 come first, then uniform ones.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from dnncov_core import Network
from dnncov_core.activations import capture
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.records import Outcome, Target

LOW, HIGH = (0.0, -3.141593, -3.141593, 100.0, 0.0), (60760.0, 3.141593, 3.141593, 1200.0, 1200.0)
MEAN, RANGE = (19791.091, 0.0, 0.0, 650.0, 600.0), (60261.0, 6.28318530718, 6.28318530718, 1100.0, 1200.0)
STARTS, STEPS, KEPT = 600, 25, 200
"""Inputs that descend for one condition, their steps, and how many of them stay."""


class AcasXu(nn.Module):
    """Five inputs to five scores, of which the smallest decides."""

    def __init__(self, name: str) -> None:
        super().__init__()
        path = Path(os.environ["ACAS_XU"]) / f"ACASXU_run2a_{name}_batch_2000.onnx"
        known = {each.name: numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer}
        weights = [value for value in known.values() if value.ndim == 2]
        offsets = [value for value in known.values() if value.ndim == 1 and len(value) in (50, 5)]
        self.layers = nn.ModuleList()
        for weight, offset in zip(weights, offsets, strict=True):
            layer = nn.Linear(*weight.shape, dtype=torch.float64)
            layer.weight.data = torch.tensor(weight.T, dtype=torch.float64)
            layer.bias.data = torch.tensor(offset, dtype=torch.float64)
            self.layers.append(layer)
        self.register_buffer("mean", torch.tensor(MEAN, dtype=torch.float64))
        self.register_buffer("range", torch.tensor(RANGE, dtype=torch.float64))

    def forward(self, x: Tensor) -> Tensor:
        """Scores ``(batch, 5)`` of inputs ``(batch, 5)``."""
        x = (x - self.mean) / self.range
        for layer in self.layers[:-1]:
            x = layer(x).relu()
        return self.layers[-1](x)


def acas(name: str) -> Network:
    """One of the 45 networks, such as "1_1"."""
    return Network(
        AcasXu(name).eval(),
        input_shape=(5,),
        bounds=(LOW, HIGH),
        classes=["COC", "WL", "WR", "SL", "SR"],
        decision="min",
        features=["rho", "theta", "psi", "v_own", "v_int"],
        units=["m", "rad", "rad", "ft/s", "ft/s"],
    )


def acas_1_1() -> Network:
    """For the first campaign."""
    return acas("1_1")


def acas_2_9() -> Network:
    """For the second."""
    return acas("2_9")


def acas_5_3() -> Network:
    """For the third."""
    return acas("5_3")


def near(network: Network, target: Target, rng: torch.Generator) -> Tensor:
    """Inputs led by Newton's steps to where u of both neurons is 0, or as near as they come, ``(KEPT, 5)``."""
    low, high = torch.tensor(LOW).double(), torch.tensor(HIGH).double()
    at = torch.rand(STARTS, 5, generator=rng, dtype=torch.float64)
    places = [(target.condition_layer, *target.condition_neurons), (target.decision_layer, *target.decision_neurons)]
    for _ in range(STEPS):
        at.requires_grad_()
        found = capture(network, low + (high - low) * at, [layer for layer, _ in places])
        u = torch.stack([found[layer].u[:, neuron] for layer, neuron in places], 1)
        slopes = torch.stack([torch.autograd.grad(u[:, n].sum(), at, retain_graph=True)[0] for n in (0, 1)], 1)
        with torch.no_grad():
            inside = ((at > 0) & (at < 1)).double()[:, None]
            slopes = slopes * inside
            across = slopes @ slopes.mT
            across += (1e-9 * across.diagonal(dim1=1, dim2=2).sum(1) + 1e-30)[:, None, None] * torch.eye(2)
            step = slopes.mT @ torch.linalg.solve(across, -u[:, :, None])
            step = step[:, :, 0] * (0.2 / step.norm(dim=1).clamp(min=1e-12)).clamp(max=1.0)
            before, at = at.detach(), (at + step).clamp(0, 1).detach()
            at = torch.where(inside[:, 0] > 0, at, (before + 0.01 * (0.5 - before)))
    jitter = at[:, :] + 1e-3 * torch.randn(at.shape, generator=rng, dtype=torch.float64)
    nearest = (u.detach().abs().sum(1)).argsort()[: KEPT // 2]
    return (low + (high - low) * torch.cat([at[nearest], jitter[nearest]]).clamp(0, 1)).detach()


def main() -> None:
    """Writes inputs and the network's own decisions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--n", type=int, default=20_000)
    parser.add_argument("--campaign", type=Path)
    asked = parser.parse_args()
    network, rng = acas(asked.name), torch.Generator().manual_seed(0)
    low, high = torch.tensor(LOW).double(), torch.tensor(HIGH).double()
    inputs = [low + (high - low) * torch.rand(asked.n, 5, generator=rng, dtype=torch.float64)]
    if asked.campaign:
        with CampaignStore(asked.campaign) as store:
            done = (Outcome.FOUND, Outcome.PROVED_INFEASIBLE)
            still = [target for target, outcome in store.targets.with_outcomes() if outcome not in done]
        inputs = [*(near(network, target, rng) for target in still), *inputs]
    images = torch.cat(inputs)
    with torch.no_grad():
        labels = torch.cat([network(part) for part in torch.split(images, 10_000)]).argmin(1)
    np.savez(asked.out, images=images.numpy(), labels=labels.numpy())


if __name__ == "__main__":
    main()
