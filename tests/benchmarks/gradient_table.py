"""Gradient search on one network: a campaign for each search and omega, verified, and its line of Markdown.

    python -m tests.benchmarks.gradient_table NETWORK --out DIR [--searches NAME ...] [--omegas W ...] [options of run]

Campaigns that DIR holds already are not run again. All have free condition features, the same budget of passes and the
same bound. ``pgd`` is the control: plain projected gradient ascent of the loss from the same number of random seeds,
within the same bound and with the same passes, which asks for another label and for no test condition.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.verification import verify
from dnncov_core.campaign.work.inputs import data_of, network_of
from dnncov_core.cli.show import campaign_summary
from dnncov_core.distances import written
from dnncov_core.generators.ball import Ball
from dnncov_core.networks.memory import fitting_batch
from dnncov_core.statistics.coverage import counts_by_layer
from tests.benchmarks.main_table import campaign

SEARCHES: dict[str, tuple[str, ...]] = {
    "algorithm-1": ("--generator", "gradient", "--seed-order", "random"),
    "algorithm-1-nearest": ("--generator", "gradient"),
    "targeted": ("--generator", "targeted"),
    "targeted-8bit": ("--generator", "targeted", "--grid", "8bit"),
    "labels": ("--generator", "targeted", "--objective", "adversarial"),
    "labels-8bit": ("--generator", "targeted", "--objective", "adversarial", "--grid", "8bit"),
}
HEAD = (
    "| search | omega | covered | of | coverage | lowest layer | AE rate | distance | adversarial distance | at 8 bits"
    " | passes | s | holds |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
)


def line(path: Path, search: str, omega: float) -> str:
    """One campaign as a row of the table: distances with their standard deviation, passes for each test condition."""
    with CampaignStore(path) as store:
        summary, check = campaign_summary(store), verify(store)
        layers = [counts.found / counts.pairs for counts in counts_by_layer(store) if counts.pairs]
        distances = np.array([pair.distance for pair in store.pairs.page()])
        adversarial = store.pairs.adversarial_distances()
        passes = sum(attempt.passes or 0 for target in store.targets.all() for attempt in store.attempts.of(target))
    cells = (
        search,
        f"{omega:.1%}",
        f"{summary['covered']:,}",
        f"{summary['pairs']:,}",
        f"{summary['coverage']:.1%}",
        f"{min(layers):.0%}",
        f"{summary['adversarial_rate'] or 0:.1%}",
        _spread(distances),
        _spread(adversarial),
        f"{summary['holds_8bit'] or 0:,}",
        f"{passes / summary['pairs']:.0f}",
        f"{summary['seconds']:.0f}",
        f"{check.holding} of {check.pairs}",
    )
    return f"| {' | '.join(cells)} |"


def _spread(distances: np.ndarray) -> str:
    return f"{written(float(distances.mean()))} ± {written(float(distances.std()))}" if distances.size else ""


def pgd(path: Path, reference: str) -> str:
    """Of as many random seeds as a campaign has targets, how many change their label within its bound and passes."""
    with CampaignStore(path) as store:
        spec, report, n = store.spec(), store.prepared.seeds(), len(store.targets.all())
        network, _ = network_of(store)
        data = data_of(store, network, reference)
    assert report is not None
    assert spec.bound is not None
    rows = np.random.default_rng(0).choice(report.rows, n)
    ball, steps, changed = Ball(spec.norm, spec.bound), spec.passes // 2, 0
    for batch in np.array_split(rows, -(-n // fitting_batch(network))):
        x1 = torch.from_numpy(data.pixels(batch)).to(network.dtype)
        labels = torch.from_numpy(data.labels[batch])
        x2, other = x1.clone(), torch.zeros(len(batch), dtype=torch.bool)
        for _ in range(steps):
            x2.requires_grad_()
            logits = network(x2)
            other |= logits.argmax(dim=1) != labels
            (gradient,) = torch.autograd.grad(functional.cross_entropy(logits, labels, reduction="sum"), x2)
            moved = x2.detach() + 2.5 * spec.bound / steps * gradient.sign()
            x2 = ball.nearest(x1, moved).clamp(*network.bounds)
        changed += int(other.sum())
    asked = f"plain PGD from {n} random seeds, bound {spec.bound:.4g}, {2 * steps} passes"
    return f"{asked}: {changed} ({changed / n:.1%}) change their label"


def main() -> None:
    """Runs what is missing and prints the table as it grows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--searches", nargs="+", choices=(*SEARCHES, "pgd"), default=[*SEARCHES, "pgd"])
    parser.add_argument("--omegas", nargs="+", type=float, default=[0.001, 0.005, 0.01])
    parser.add_argument("--criterion", default="ss")
    parser.add_argument("--data", required=True)
    options, passed_on = parser.parse_known_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(HEAD, flush=True)
    last = None
    for search in options.searches:
        if search == "pgd":
            print(pgd(last, options.data) if last else "pgd needs a campaign", flush=True)
            continue
        for omega in options.omegas:
            last = options.out / f"{options.criterion}-{search}-{omega:g}.dnncov"
            free = ("--data", options.data, "--feature-mode", "free", "--omega", str(omega))
            asked = (*free, *SEARCHES[search], *passed_on)
            try:
                campaign(last, options.network, options.criterion, asked)
            except subprocess.CalledProcessError as error:
                sys.exit(f"{search} at omega {omega:g} ended with status {error.returncode}")
            print(line(last, search, omega), flush=True)


if __name__ == "__main__":
    main()
