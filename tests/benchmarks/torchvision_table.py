"""torchvision's networks with random weights: loading, a measurement and a small campaign, as lines of Markdown.

    python -m tests.benchmarks.torchvision_table [NAME ...] --out DIR [--pairs 20] [--max-seeds 3] [--passes 50]

Each network takes 8 inputs of uniform noise, labelled by itself. Measured is SS with neurons as features; the campaign
is SS by ``targeted`` with free features of 1%, and ``verify`` asks the network again about each stored pair. Seconds
are of the clock and, in brackets, of processors, in one process each; memory is the most that the process held.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dnncov_core.networks.loader import load_network
from dnncov_core.networks.pretrained_modules import structure

NAMES = (
    *("shufflenet_v2_x0_5", "mnasnet0_5", "mobilenet_v3_small", "regnet_y_400mf", "googlenet", "efficientnet_b0"),
    *("resnext50_32x4d", "convnext_tiny", "swin_t", "inception_v3", "densenet121", "vit_b_16"),
)
HEAD = (
    "| network | layer pairs | load s | measure s | campaign s | found | verified | peak MB |\n"
    "|---|---:|---:|---:|---:|---:|---:|---:|"
)
COMMAND = (sys.executable, "-W", "ignore", "-m", "dnncov_core")


def timed(*words: object) -> tuple[dict[str, Any], str, float]:
    """What a command prints as JSON, its seconds by the clock and of processors, and the most memory it held, in MB."""
    begun = time.perf_counter()
    done = subprocess.run(
        ["/usr/bin/time", "-f", "%U %S %M", *COMMAND, *map(str, words), "--json"], capture_output=True, text=True
    )
    wall = time.perf_counter() - begun
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    user, system, memory = map(float, re.findall(r"[\d.]+", done.stderr.strip().splitlines()[-1]))
    return json.loads(done.stdout), f"{wall:.0f} ({user + system:.0f})", memory / 1024


def line(name: str, folder: Path, options: list[str]) -> str:
    """One network as a row of the table."""
    weights, inputs, campaign = (folder / f"{name}.{kind}" for kind in ("pth", "npz", "dnncov"))
    campaign.unlink(missing_ok=True)
    torch.manual_seed(0)
    torch.save(structure(name).state_dict(), weights)
    reference = f"{name}={weights}"
    wall, processor = time.perf_counter(), time.process_time()
    network, _ = load_network(reference)
    loading = f"{time.perf_counter() - wall:.0f} ({time.process_time() - processor:.0f})"
    x = torch.rand(8, *network.input_shape, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        np.savez(inputs, images=x.numpy(), labels=network(x).argmax(1).numpy())
    edges = len(network.edges)
    del network
    _, measured, _ = timed("measure", reference, "--suite", inputs, "--criteria", "ss")
    asked = ("--generator", "targeted", "--feature-mode", "free", "--omega", 0.01, "--workers", 1, *options)
    found, taken, memory = timed("run", reference, "--data", inputs, *asked, "--out", campaign)
    checked, _, _ = timed("verify", campaign, "--network", reference)
    weights.unlink()
    cells = (
        *(name, edges, loading, measured, taken),
        *(f"{found['covered']} of {found['pairs']}", f"{checked['holding']} of {checked['pairs']}", f"{memory:,.0f}"),
    )
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """One line a network, as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=NAMES)
    parser.add_argument("--out", type=Path, required=True)
    for option, value in (("pairs", 20), ("max-seeds", 3), ("more-seeds", 0), ("passes", 50)):
        parser.add_argument(f"--{option}", type=int, default=value)
    asked = vars(parser.parse_args())
    budget = ("pairs", "max_seeds", "more_seeds", "passes")
    options = [word for key in budget for word in (f"--{key.replace('_', '-')}", str(asked[key]))]
    asked["out"].mkdir(parents=True, exist_ok=True)
    print(HEAD)
    for name in asked["names"]:
        print(line(name, asked["out"], options), flush=True)


if __name__ == "__main__":
    main()
