"""``dnncov verify``: replays every stored test pair through the network."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.options import FILE, JSON, NETWORK, NO, say, subcommand

if TYPE_CHECKING:
    from dnncov_core.campaign.review.verification import Verification


@subcommand(FILE, JSON, NETWORK)
def command(options: argparse.Namespace) -> int | None:
    """Replay every stored test pair; exit status 1 if one does not hold."""
    from dnncov_core.campaign.review.verification import verify  # PyTorch only where it is needed

    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr):
        verification = verify(store, options.network)
    say(options.json, dataclasses.asdict(verification), _lines(verification))
    return NO if verification.failing else None


def _lines(verification: Verification) -> list[str]:
    """What a replay found, with each pair that does not hold."""
    lines = [
        f"{verification.holding} of {verification.pairs} stored test pairs hold when replayed",
        f"{verification.near_zero} of them rely on a sign whose |u| is under 1e-5",
    ]
    return lines + [f"pair {ordinal}: {reason}" for ordinal, reason in verification.failing.items()]
