"""Seeding faults: the form that starts it, and how far it is."""

from __future__ import annotations

import streamlit as st

from dnncov_core.records import State
from dnncov_core.workers import ACTIVE, WorkerStatus
from dnncov_core.worth.library import cancel_seeding, seed
from pages.shared.job_buttons import cancel_button
from pages.shared.jobs import share_bar, why_it_failed
from pages.shared.network import data_menu, network_menu
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import linked, plain

PLACE = "seeding"
COMMAND = "dnncov faults NETWORK --suite DATA --out FILE.faults"
WORDS = "The inputs that are asked which mutants they kill, and from which suites are drawn. They need labels."


def new_faults() -> None:
    """Network, inputs, and the button that seeds faults or goes on with it."""
    name, card = network_menu("faults-network")
    data = data_menu("Labelled inputs", name, card, key="faults-data", words=linked(WORDS), command=COMMAND)
    st.button(
        "Seed 200 faults",
        icon=":material/bug_report:",
        key="faults-start",
        disabled=data is None,
        help="Takes a minute for a small network. The command has more choices.",
        on_click=attempt,
        args=(PLACE, seed, name, data),
    )
    say_refusal(PLACE)


def show_seeding(faults: str, status: WorkerStatus) -> None:
    """How far the worker is that seeds these faults, or why it failed."""
    if status.state in ACTIVE:
        share_bar(status, f"Seeding faults: {plain(faults)}")
        words = "Stops within a second; mutants stay."
        cancel_button(cancel_seeding, faults, place=faults, key=f"cancel-{faults}", words=words)
        say_refusal(faults)
    elif status.state is State.FAILED:
        why_it_failed(status.message)
