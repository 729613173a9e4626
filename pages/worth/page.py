"""Worth: do suites that cover more of a network kill more of its mutants?"""

from __future__ import annotations

from contextlib import nullcontext

import streamlit as st

from dnncov_core.phrases.numbers import counted
from dnncov_core.records import State
from dnncov_core.registry import data_names
from dnncov_core.workers import ACTIVE, WorkerStatus
from dnncov_core.worth.library import cancel, fault_files, seeding, standing, start, worths
from dnncov_core.worth.worth_file import read
from pages.shared import address
from pages.shared.job_buttons import cancel_button
from pages.shared.jobs import follow, share_bar, why_it_failed
from pages.shared.page_registry import link
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import help_of, page_help, plain
from pages.worth.result import show_result
from pages.worth.retrained import retrained
from pages.worth.seeding import new_faults, show_seeding

WORTH = "worth"
"""Parameter of the address: which worth is shown."""
FIRST = (
    "Seed faults first: 200 changes of a network, each strong enough to lower its accuracy, and which inputs show them."
    " Then measure what coverage is worth on them. Files of `dnncov faults` and `dnncov worth` are shown, too, in the"
    " folders `faults` and `worth` of `~/.dnncov`, or of `DNNCOV_HOME`."
)


def chosen() -> str | None:
    """The menu of worths; what the address names, or the newest."""
    there = list(worths())
    if not there:
        return None
    named = address.parameters().get(WORTH, there[0])
    shown = named if named in there else there[0]
    then = lambda key: address.say({WORTH: st.session_state[key]})
    st.selectbox("Worth", there, **address.bound("worth-shown", shown, then))
    address.say({WORTH: shown})
    return shown


def new_worth() -> None:
    """Seeded faults, reference data, and the button that starts the measurement or goes on with it."""
    faults = st.selectbox("Seeded faults", list(fault_files()), key="worth-faults")
    reference = st.selectbox(
        "Reference data",
        [None, *data_names()],
        format_func=lambda name: name or "None",
        key="worth-reference",
        help=help_of("Reference data", "Training data. Without them the criteria are left out that need them."),
    )
    st.button(
        "Measure worth",
        icon=":material/balance:",
        type="primary",
        key="worth-start",
        help="Takes minutes. What was measured before it was cancelled is not measured again.",
        on_click=attempt,
        args=(WORTH, start, faults, reference),
    )
    say_refusal(WORTH)


def show(worth_id: str, status: WorkerStatus | None) -> None:
    """How far the worker is, or what was measured."""
    if status is not None and status.state in ACTIVE:
        share_bar(status, f"Measuring {plain(status.doing)}" if status.doing else "Loading network and pool")
        cancel_button(cancel, worth_id, place=worth_id, key="cancel-worth", words="Stops within a second; suites stay.")
        say_refusal(worth_id)
        return
    if status is not None and status.state is State.FAILED:
        why_it_failed(status.message)
    path = worths()[worth_id]
    if not path.exists():
        st.info("Nothing is measured yet.")
        return
    found = read(path)
    if found.correlations:
        show_result(path, found)
    else:
        st.info(f"{counted(len(found.suites), 'suite')} measured. Press Measure worth with the same choices to go on.")


def show_all(worth_id: str | None, status: WorkerStatus | None, at_work: dict[str, WorkerStatus]) -> None:
    """The faults that are being seeded, and the worth."""
    for faults, each in at_work.items():
        show_seeding(faults, each)
    if worth_id is not None:
        show(worth_id, status)


st.title("Worth", anchor=False)
st.caption(
    "Whether suites that cover more find more seeded faults: by each criterion, which mutants of a network they kill."
)
worth = chosen()
if worth is None and not fault_files():
    st.info(FIRST, icon=":material/balance:")
    link("measure", "Go to Measure")
follow(
    lambda: nullcontext((None if worth is None else standing(worth), seeding())),
    lambda now: show_all(worth, *now),
    changing=lambda now: any(each is not None and each.state in ACTIVE for each in (now[0], *now[1].values())),
    every_seconds=1.0,
)
if fault_files():
    with st.expander("New measurement of worth", expanded=worth is None, icon=":material/add_circle:"):
        new_worth()
with st.expander("New seeded faults", expanded=worth is None and not fault_files(), icon=":material/bug_report:"):
    new_faults()
retrained()
page_help("worth")
