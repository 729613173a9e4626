"""``dnncov cancel``: asks a campaign's worker to stop."""

from __future__ import annotations

import argparse

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import is_proving
from dnncov_core.cli.options import DONE, FILE, Command
from dnncov_core.records import State


def _act(options: argparse.Namespace) -> int:
    with CampaignStore(options.file) as store:
        proving, finished = is_proving(store), store.state() is State.FINISHED
        if proving or not finished:
            store.worker.request_cancel()
    continues = "dnncov prove" if proving else "dnncov resume"
    asked = f"asked to stop; what is stored stays, and '{continues}' continues from there"
    print("already finished" if finished and not proving else asked)
    return DONE


COMMAND = Command("ask a campaign's worker to stop, which takes it up to two seconds", _act, FILE)
