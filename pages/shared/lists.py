"""Campaigns and measurements in lists, newest first: a page of them at a time, each with a link, state and numbers."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from dnncov_core.entries.kinds import ENTRY_KINDS
from dnncov_core.entries.rows import EntryRow
from dnncov_core.example import with_example
from dnncov_core.phrases.adversarial import baseline_searches_in_brief
from dnncov_core.phrases.coverage import covered_of
from dnncov_core.phrases.numbers import counted, moment, out_of
from dnncov_core.phrases.states import MEASUREMENT_STATES
from pages.shared.entry_rows import read_row
from pages.shared.jobs import badge
from pages.shared.page_registry import RESULTS, ROOM_OF_KIND, link
from pages.shared.words import paged, plain, with_own

PER_PAGE = 8
MOST_CRITERIA = 4
"""Criteria of a measurement that an entry names; its page has them all."""


def entry_list(kind: str, current: str | None, *, none_yet: str) -> None:
    """One page of the list of campaigns or measurements, with buttons for the other pages where there are several.

    Args:
        kind: campaign or measurement.
        current: the id that the page shows above; the list does not repeat what stands there.
        none_yet: said where there is no entry.
    """
    stems = list(with_example(ENTRY_KINDS[kind].stems(), "").items())
    st.subheader(f"{kind.capitalize()}s", anchor=False)
    if not ENTRY_KINDS[kind].stems():
        st.caption(none_yet)
    with paged(f"{kind}-list", len(stems), PER_PAGE) as part:
        for entry_id, stem in stems[part]:
            with st.container(border=True, gap="xsmall"):
                _entry(read_row(kind, entry_id, stem), current=entry_id == current)


def _entry(row: EntryRow, *, current: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        title = with_own(row.note.name, row.title)
        link_to(row, label=title, icon="visibility" if current else "folder_open", width="content")
        if not current:
            state_of(row)
        st.caption(plain(row.id), width="content")
    if current:
        st.markdown("Shown above.")
        return
    created = [] if row.created is None else [f":gray[{moment(row.created)}]"]
    st.markdown(" · ".join([*(results(row) or [plain(row.error) or "No result"]), *created]))
    if row.asked:
        st.caption(plain(row.asked))


def link_to(row: EntryRow, *, label: str, icon: str = "", width: Literal["stretch", "content"] = "stretch") -> None:
    """A link to the page that shows an entry; with the icon of this page, unless another one is named."""
    words = f"Open {row.kind} {plain(row.id)}"
    link(ROOM_OF_KIND[row.kind], label, {row.kind: row.id}, icon=icon, words=words, width=width)


def state_of(row: EntryRow) -> None:
    """The state of an entry that can be read."""
    if row.state is not None:
        badge(row.state, MEASUREMENT_STATES[row.state] if row.kind == "measurement" else "")


def results(row: EntryRow) -> list[str]:
    """Coverage and AE in lines, each with its counts."""
    if row.kind == "measurement":
        coverages = [
            f"**{plain(measured.criterion)}** {plain(measured.percent)}" for measured in row.measured[:MOST_CRITERIA]
        ]
        more = len(row.measured) - len(coverages)
        return [" · ".join([*coverages, *([f":gray[and {more} more]"] if more > 0 else [])])] if coverages else []
    if row.error or row.adversarial is None or row.measured[0].ratio is None:
        return [] if row.error else [":gray[No test conditions yet]"]
    covered = row.measured[0].ratio
    effect = "" if row.with_effect is None else f", **{row.with_effect.percent}** with effect"
    one = f"**{covered.percent}** covered: {covered_of(covered, row.available or covered.total, row.estimate)}{effect}"
    seeds = f", from {counted(row.adversarial_seeds, 'seed')}" if row.adversarial_seeds else ""
    two = f"**{row.adversarial.percent}** adversarial: {out_of(row.adversarial, 'test pair')}{seeds}"
    beside = "" if row.baselines is None else baseline_searches_in_brief(row.baselines.random, row.baselines.ascent)
    return [one, f"{two} · {beside}" if beside else two]


def result_links(campaign_id: str, *, icons: bool = False, disabled: bool = False) -> None:
    """Links to the pages with a campaign's results."""
    for room in RESULTS:
        title, icon = room.capitalize(), "" if icons else None
        parameters, words = {"campaign": campaign_id}, f"{title} of this campaign"
        link(room, title, parameters, icon=icon, words=words, disabled=disabled)
