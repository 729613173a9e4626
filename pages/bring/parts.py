"""Steps 1 and 2: a network and data, dropped as files or chosen among those that are here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from dnncov_core.brought.drafts import WEIGHTS, Draft, Part, choose, in_draft, read_draft, receive, start_check
from dnncov_core.brought.told import receive_told
from dnncov_core.errors import DataError
from dnncov_core.networks.companion import SUFFIX
from dnncov_core.networks.pretrained import PRETRAINED
from dnncov_core.networks.reference import install, is_file, lacking
from dnncov_core.registry import data_names, networks
from dnncov_core.registry.brought import SUFFIXES
from dnncov_core.registry.file import registered
from pages.bring.told import told_form
from pages.shared import address
from pages.shared.network import own_first
from pages.shared.refusals import attempt, say_refusal
from pages.shared.words import plain

DRAFT = "draft"
"""Parameter of the address: the draft that the page shows."""
HELP = {
    "network": "An ONNX file; a .pt2 file of torch.export; or weights (.pth, .pt, .safetensors) of one of torchvision's"
    " networks. A .toml file that says what an ONNX or .pt2 file does not say may be dropped with it. Nothing in a file"
    " is run as code.",
    "data": "An .npz file with the arrays images (or inputs) and labels, or one of test pairs that Export wrote; a .csv"
    " or .parquet file with a header and a column label; or a ZIP with a folder of images for each class.",
}
_ROUND = "dropped-"
"""Key, with the kind, of how many files were dropped: the next place to drop one is new, and forgets the last file."""


def part_choice(kind: str, draft_id: str | None, draft: Draft) -> None:
    """One of the two: what was chosen, with a button to choose anew; or where to drop it."""
    part: Part | None = getattr(draft, kind)
    if part is not None and draft_id is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            below = f" :gray[weights of {plain(part.weights_of)}]" if part.weights_of else ""
            st.markdown(f":material/check_circle: **{plain(part.name)}**{below}", width="stretch")
            label, args = f"Another {'network' if kind == 'network' else 'file'}", (kind, choose, draft_id, kind, None)
            st.button(label, icon=":material/undo:", key=f"another-{kind}", on_click=attempt, args=args)
        if missing := lacking(part.file):
            lacks = f"This app cannot read the file without {' and '.join(missing)}"
            st.warning(f"{lacks}: {install(Path(part.file).suffix)}. Then check again; the app need not be restarted.")
        if is_file(part.file):
            told_form(draft_id, _go_on)
    else:
        _dropping_place(kind, draft_id)
    say_refusal(kind)


def _dropping_place(kind: str, draft_id: str | None) -> None:
    key = f"drop-{kind}-{st.session_state.setdefault(_ROUND + kind, 0)}"
    what = "your network" if kind == "network" else "your data"
    endings = [*SUFFIXES[kind], *([SUFFIX] if kind == "network" else [])]
    dropped = st.file_uploader(f"Drop {what}", endings, key=key, accept_multiple_files=kind == "network")
    st.caption(HELP[kind])
    files = dropped if isinstance(dropped, list) else [] if dropped is None else [dropped]
    beside = [file for file in files if file.name.lower().endswith(SUFFIX)]
    own = [file for file in files if file not in beside]
    if own:
        _take_files(kind, draft_id, own, beside)
    elif beside:
        st.caption("Drop the network that it belongs to, too.")
    known = registered()
    names = own_first(networks(), known.networks) if kind == "network" else own_first(data_names(), known.data)
    chosen = f"known-{kind}"
    st.selectbox(
        f"Or take {'a network' if kind == 'network' else 'data'} that is here",
        names,
        index=None,
        key=chosen,
        placeholder="Choose by name",
        on_change=lambda: attempt(kind, _take, kind, draft_id, Part(st.session_state[chosen])),
    )


def _take_files(kind: str, draft_id: str | None, own: Sequence[Any], beside: Sequence[Any]) -> None:
    """Takes a dropped file with the one beside it, once it is known whose weights they are."""
    weights_of, dropped = "", own[0]
    if Path(dropped.name).suffix.lower() in WEIGHTS:
        label = "Which network are these weights of?"
        found = st.selectbox(label, [*PRETRAINED], index=_named_in(dropped.name), key="weights-of")
        if not found or not st.button("Take these weights", type="primary", key="take-weights"):
            return
        weights_of = found
    attempt(kind, partial(_receive, weights_of=weights_of), kind, draft_id, own, beside)
    st.session_state[_ROUND + kind] += 1
    st.rerun()


def _named_in(file: str) -> int | None:
    """The place of the network whose name a file of weights begins with, the longest one."""
    names: Sequence[str] = [*PRETRAINED]
    found = [name for name in names if file.lower().startswith(name)]
    return names.index(max(found, key=len)) if found else None


def _receive(kind: str, draft_id: str | None, own: Sequence[Any], beside: Sequence[Any], *, weights_of: str) -> None:
    if len(own) > 1 or len(beside) > 1:
        names = ", ".join(file.name for file in (*own, *beside))
        raise DataError("one network, and at most one .toml file", names, "drop one at a time")
    with in_draft(draft_id) as now:
        receive(now, kind, own[0].name, own[0], weights_of=weights_of)
        if beside:
            receive_told(now, beside[0])
    _go_on(now)


def _take(kind: str, draft_id: str | None, part: Part) -> None:
    with in_draft(draft_id) as now:
        choose(now, kind, part)
    _go_on(now)


def _go_on(draft_id: str) -> None:
    """Checks as soon as both are there."""
    address.say({DRAFT: draft_id})
    draft = read_draft(draft_id)
    if draft.network is not None and draft.data is not None:
        start_check(draft_id)
