"""Bring your own: drop a network and data, see how they fit, and put both into the menus of Run and Measure."""

from __future__ import annotations

from contextlib import nullcontext

import streamlit as st

from dnncov_core.brought.drafts import Draft, drafts, read_draft, remove, standing
from dnncov_core.errors import DnncovError
from dnncov_core.workers import ACTIVE
from pages.bring.findings import findings, progress
from pages.bring.library import library
from pages.bring.parts import DRAFT, part_choice
from pages.bring.start import names_and_start, say_adopted
from pages.shared import address
from pages.shared.jobs import follow
from pages.shared.uploads import largest_megabytes
from pages.shared.words import page_help, say_error

NO_UPLOADS = (
    "Files cannot be dropped here, since others than this machine's users reach this app. Whoever runs it can allow"
    " it with `--server.maxUploadSize 200`, in megabytes, or can register networks and data in a file (README: Your own"
    " networks in the app)."
)

THEN = (
    "As soon as both are there, the check begins: **3 · Check** tries the network on your data, and offers what mends a"
    " poor reading. **4 · Names** puts both into the menus, and starts a first campaign."
)

st.title("Bring your own", anchor=False)
st.caption("Drop your network and your data: they are checked, get names, and are in the menus of Run and Measure.")

draft_id = address.parameters().get(DRAFT)
draft_id = draft_id if draft_id in drafts() else None
address.say({} if draft_id is None else {DRAFT: draft_id})
draft = Draft() if draft_id is None else read_draft(draft_id)
say_adopted()

if not largest_megabytes():
    st.info(NO_UPLOADS, icon=":material/lock:")
else:
    left, right = st.columns(2)
    with left, st.container(border=True, height="stretch"):
        st.markdown("##### 1 · Network")
        part_choice("network", draft_id, draft)
    with right, st.container(border=True, height="stretch"):
        st.markdown("##### 2 · Data")
        part_choice("data", draft_id, draft)
    if draft.network is None or draft.data is None:
        st.caption(THEN)

follow(
    None if draft_id is None else lambda: nullcontext(standing(str(draft_id))),
    lambda found: progress(str(draft_id), found),
    changing=lambda found: found.state in ACTIVE,
    every_seconds=0.7,
)
if draft_id is not None:
    try:
        report = standing(draft_id).report
    except DnncovError as error:
        report = None
        say_error(error)
    if report is not None:
        with st.container(border=True):
            st.markdown("##### 3 · Check")
            number = findings(report)
        if number is not None:
            with st.container(border=True):
                st.markdown("##### 4 · Names, and a start")
                names_and_start(draft_id, draft, report, number)
    st.button("Start over", icon=":material/restart_alt:", key="start-over", on_click=remove, args=(draft_id,))

library()
page_help("bring", "What is checked, and what may be brought")
