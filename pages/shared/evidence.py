"""The evidence pack of campaigns or of a measurement: a button that makes it, how far that is, and its download."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import streamlit as st

from dnncov_core.errors import DnncovError
from dnncov_core.evidence.library import PACK, has_changed, job_of, missing, start
from dnncov_core.jobs import Job
from dnncov_core.records import State
from dnncov_core.resources import how_to_install
from dnncov_core.workers import ACTIVE, WorkerStatus
from pages.shared.job_buttons import show_work
from pages.shared.jobs import follow
from pages.shared.words import plain, say_error

PACKS = "packs"
"""Key of the packs that this session has made, by what they are of."""
ABOUT = (
    "A ZIP file for an assessor: the report to read and to print, the network, the test pairs, each claim with the rows"
    " that it rests on, and a program that computes the claims again without this app. Making it loads the network and"
    " runs it."
)
PICTURE = "argument.svg"
"""How files of a pack end that are pictures of arguments."""


def evidence_pack(kind: str, ids: Sequence[str]) -> None:
    """The panel of the pack of some campaigns, or of a measurement; call it once a page, at top level."""
    made: dict[tuple[str, ...], str] = st.session_state.setdefault(PACKS, {})
    key = (kind, *ids)
    job = job_of(made[key]) if key in made else None
    with st.expander("Evidence pack", icon=":material/verified:"):
        st.caption(ABOUT)
        follow(
            None if job is None else lambda: nullcontext((job, job.status)),
            partial(_show, kind, ids),
            changing=lambda now: _is_active(now[1]),
            every_seconds=1.0,
        )
        if lacking := missing():
            words = f"Making it needs {', '.join(lacking)}: {how_to_install(*lacking)}"
            st.info(plain(words), icon=":material/info:")
        elif job is None or not _is_active(job.status):
            label = "Make the pack" if job is None else "Make it again"
            if st.button(label, icon=":material/inventory_2:", key=f"pack-{kind}"):
                _start(kind, ids, made)


def _start(kind: str, ids: Sequence[str], made: dict[tuple[str, ...], str]) -> None:
    try:
        made[kind, *ids] = start(kind, ids)
    except DnncovError as error:
        say_error(error)
        return
    st.rerun()


def _is_active(status: WorkerStatus | None) -> bool:
    return status is not None and status.state in ACTIVE


def _show(kind: str, ids: Sequence[str], now: tuple[Job, WorkerStatus | None]) -> None:
    job, status = now
    doing = f"Writing {status.doing}" if status and status.doing else "Loading the network, and running it"
    show_work(job, status, plain(doing), place=job.stem.name, key="cancel-pack")
    if status is not None and status.state is State.FINISHED:
        if has_changed(kind, ids, status.started):
            which = f"The {kind}" if len(ids) == 1 else f"One of the {kind}s"
            st.warning(f"{which} has changed since this pack was made. Make it again to have it as it is now.")
        _ready(job.file(PACK), status.message)


def _ready(pack: Path, found: str) -> None:
    """What the checker found, the download, and the argument as a picture."""
    st.markdown(plain(f"The pack is ready. Its checker found: {found}."))
    name, icon = f"evidence-{pack.name}", ":material/download:"
    st.download_button(
        "Download the pack", partial(pack.read_bytes), name, "application/zip", icon=icon, on_click="ignore"
    )
    with zipfile.ZipFile(pack) as files:
        for each in (name for name in files.namelist() if name.endswith(PICTURE)):
            words = "The argument: goals, and what supports them. The report says how it is read."
            st.image(files.read(each).decode(), caption=words, width="stretch")
