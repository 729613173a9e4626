"""``dnncov verify``: replays every stored test pair through the network."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from contextlib import redirect_stdout

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.cli.options import FILE, JSON, NETWORK, NO, say, subcommand


@subcommand(FILE, JSON, NETWORK)
def command(options: argparse.Namespace) -> int | None:
    """Replay every stored test pair; exit status 1 if one does not hold."""
    from dnncov_core.campaign.review.verification import verify  # PyTorch only where it is needed

    with CampaignStore(options.file) as store, redirect_stdout(sys.stderr):
        verification = verify(store, options.network)
    lacking = verification.without_effect
    lines = [
        f"{verification.holding} of {verification.pairs} stored test pairs hold when replayed",
        f"{verification.near_zero} of them rely on a sign whose |u| is under 1e-5",
        f"{verification.effects} have an effect stored, which was compared too",
        *(
            [f"{lacking} have none stored, as an earlier version left them; dnncov resume FILE finds it"]
            if lacking
            else []
        ),
        *(f"pair {ordinal}: {reason}" for ordinal, reason in verification.failing.items()),
    ]
    say(options.json, dataclasses.asdict(verification), lines)
    return NO if verification.failing else None
