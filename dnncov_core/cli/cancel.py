"""``dnncov cancel``: asks a campaign's worker to stop."""

from __future__ import annotations

import argparse

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import is_proving, stop
from dnncov_core.cli.options import FILE, subcommand


@subcommand(FILE)
def command(options: argparse.Namespace) -> None:
    """Ask a campaign's worker to stop, which takes it up to two seconds."""
    with CampaignStore(options.file) as store:
        continues = "dnncov prove" if is_proving(store) else "dnncov resume"
        asked = f"asked to stop; what is stored stays, and '{continues}' continues from there"
        print(asked if stop(store) else "already finished")
