"""Proofs that the app runs: a process for each campaign, `dnncov prove`, and how far it is.

Unlike a search, a proof leaves nothing to resume: what it has proved is stored, and one that is started again begins
with that. So its progress is no part of the campaign file.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import dataclass

from dnncov_core.campaign.library import check_runnable, open_campaign, path_of
from dnncov_core.campaign.turns import WORKING
from dnncov_core.errors import CampaignError
from dnncov_core.proofs import METHODS
from dnncov_core.records import State

CANCELLED = 130
NO_MESSAGE = "The proof ended without a message."


@dataclass
class Proof:
    """A proof that runs or has ended.

    Attributes:
        process: `dnncov prove`; its standard input stays open as long as this process lives: it stops when it closes.
        method: at work now.
        done: neurons that the method is done with.
        total: of so many.
        message: why it failed; empty if it did not.
    """

    process: subprocess.Popen[str]
    method: str = ""
    done: int = 0
    total: int = 0
    message: str = ""

    @property
    def running(self) -> bool:
        """Whether it is still at work."""
        return self.process.poll() is None

    @property
    def cancelled(self) -> bool:
        """Whether somebody stopped it."""
        return self.process.poll() == CANCELLED

    def _follow(self) -> None:
        """Reads what the process says until it ends."""
        last = ""
        for line in self.process.stderr or ():
            match line.split():
                case [method, done, total] if method in METHODS and done.isdigit() and total.isdigit():
                    self.method, self.done, self.total = method, int(done), int(total)
                case [_, *_]:
                    last = line.strip()
        if self.process.wait() not in (0, CANCELLED):
            self.message = last.removeprefix("dnncov: ") or NO_MESSAGE


_proofs: dict[str, Proof] = {}
"""The present or last proof of each campaign."""


def proof_of(campaign_id: str) -> Proof | None:
    """The campaign's present or last proof since the app was started."""
    return _proofs.get(campaign_id)


def is_proving(campaign_id: str) -> bool:
    """Whether a proof is at work on the campaign."""
    proof = proof_of(campaign_id)
    return proof is not None and proof.running


def start_proof(campaign_id: str) -> None:
    """Starts a proof of a campaign; one that runs goes on.

    Raises:
        CampaignError: no such campaign, a network that must not be loaded here, or a worker at the campaign.
    """
    if is_proving(campaign_id):
        return
    with open_campaign(campaign_id) as store:
        check_runnable(store)
        if store.state() in (State.WAITING, *WORKING):
            raise CampaignError("a campaign without a worker", "one that is running", "wait for it, or cancel it first")
    process = subprocess.Popen(
        [sys.executable, "-m", "dnncov_core", "prove", str(path_of(campaign_id)), "--attended"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    proof = _proofs[campaign_id] = Proof(process)
    threading.Thread(target=proof._follow, daemon=True).start()


def cancel_proof(campaign_id: str) -> None:
    """Asks a proof to stop, at once; what it has proved stays."""
    proof = proof_of(campaign_id)
    if proof is not None and proof.running and proof.process.stdin is not None:
        proof.process.stdin.close()
