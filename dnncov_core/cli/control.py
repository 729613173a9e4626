"""``dnncov control``: adds baseline searches to a campaign that has none, or not all."""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.options import FILE, JSON, NETWORK, subcommand
from dnncov_core.cli.show import print_summary
from dnncov_core.phrases.numbers import counted


@subcommand(FILE, JSON, NETWORK)
def command(options: argparse.Namespace) -> None:
    """Compare with baseline searches that have the same seeds and budgets."""
    from dnncov_core.campaign.work.baseline_searches import run_baseline_searches  # PyTorch only where it is needed

    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr):
        made = run_baseline_searches(store, options.network)
    added = f"Baseline searches were added for {counted(made, 'test pair')}."
    print(added if made else "Nothing was added: this file already has its baseline searches.", file=sys.stderr)
    print_summary(options.file, options.json)
