"""``dnncov pairs``: writes the test pairs of a campaign to a NumPy file."""

from __future__ import annotations

import argparse
import sys
from contextlib import redirect_stdout

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.options import FILE, NETWORK, Option, file_to_write, subcommand
from dnncov_core.export.pairs import save_pairs
from dnncov_core.export.sources import network_for, seed_files
from dnncov_core.phrases.numbers import counted


@subcommand(
    FILE,
    Option("--out", type=file_to_write, required=True, metavar="FILE.npz", help="the file to write"),
    NETWORK,
    Option(
        "--data",
        help="where the data are, if not found by the name in the campaign file; the names of their files are written",
    ),
)
def command(options: argparse.Namespace) -> None:
    """Write the test pairs to a NumPy file."""
    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr):
        network = network_for(store, options.network, lambda why: print(f"near_zero: not known; {why}"))
        files = seed_files(store, network, options.data)
        n = save_pairs(store, options.out, network=network, files=files)
    print(f"{counted(n, 'test pair')} in {options.out.name}")
