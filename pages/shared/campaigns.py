"""Which campaign a page shows: the one that its address names, else the one that this session looked at last.

The Run page remembers the campaign that it watches; the pages of results remember theirs, which may be another, so
that a look at results never takes the parameters of a new campaign out of sight.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dnncov_core.campaign.library import open_campaign, viewable
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.entries.rows import EntryRow
from dnncov_core.errors import CampaignError
from dnncov_core.records import State
from dnncov_core.statistics.settings import names_apart
from pages.shared import address
from pages.shared.entry_rows import read_row
from pages.shared.page_registry import link
from pages.shared.words import plain

COMPARED = "campaigns"
"""Parameter of the address of Compare: the ids of the campaigns that it shows."""
CAMPAIGN, MEASUREMENT = "campaign", "measurement"
NEW = "new"
"""Parameter of the address of Run and Measure that opens their form, whatever they showed last."""
_VIEWED = "viewed"


def watched(kind: str, ids: Container[str]) -> str | None:
    """The id of the campaign of Run, or measurement of Measure; an unknown one leaves a message in its place."""
    entry_id = known(kind, address.parameters().get(kind), ids)
    watch_next(kind, entry_id)
    return entry_id


def watch_next(kind: str, entry_id: str | None) -> None:
    """Makes it the campaign of Run, or the measurement of Measure, and of the address; None for none."""
    if kind == CAMPAIGN and entry_id is not None:
        st.session_state[_VIEWED] = entry_id
    address.say({} if entry_id is None else {kind: entry_id})


def chosen_campaign(title: str, about: str, *, keeps: Sequence[str] = ()) -> str:
    """A page's title with a menu of campaigns, and the id of the one shown.

    The title's help says what the page is ``about``; another campaign ``keeps`` these parameters of the address.
    """
    place = head(title, f"{about} The menu chooses the campaign, which may still run; the page's address names it.")
    files = viewable()
    current = known(CAMPAIGN, st.query_params.get(CAMPAIGN, st.session_state.get(_VIEWED)), files)
    if not files:
        stop_without("its results appear here while it runs.")
    viewed = current or next(readable(files), next(iter(files)))
    place.selectbox(
        "Campaign",
        list(files),
        format_func=labels(files).__getitem__,
        label_visibility="collapsed",
        **address.bound("campaign-shown", viewed, partial(_show, keeps)),
    )
    st.session_state[_VIEWED] = viewed
    return viewed


def head(title: str, about: str) -> DeltaGenerator:
    """A page's title, whose help says what it is about, and the place beside it."""
    place = st.container(horizontal=True, vertical_alignment="center", gap="medium", key="page-head")
    place.title(title, anchor=False, help=about, width="content")
    return place


def stop_without(then: str) -> NoReturn:
    """Stops a page that shows campaigns where there is none, and says what to do, and what happens ``then``."""
    st.info(f"No campaign yet. Start one on the Run page; {then}")
    link("run", "Go to Run")
    st.stop()


def _show(keeps: Sequence[str], key: str) -> None:
    kept = {name: value for name, value in address.said().items() if name in keeps}
    if (chosen := st.session_state[key]) in viewable():
        address.say({CAMPAIGN: chosen, **kept})


def known(kind: str, entry_id: str | None, ids: Container[str]) -> str | None:
    """The id of a campaign or measurement, if there is one; else None, after a message in its place."""
    if entry_id is None or entry_id in ids:
        return entry_id
    st.warning(f"There is no {kind} {plain(entry_id[:80])} here. Choose one from the list.", icon=":material/help:")
    return None


def readable(files: Mapping[str, Path], *, failed: bool = True) -> Iterator[str]:
    """The ids of campaigns that can be read, in the order of ``files``; each file is read only when it is its turn.

    Those that ``failed`` are among them unless it is False.
    """
    rows = ((campaign_id, _row(campaign_id, path)) for campaign_id, path in files.items())
    return (each for each, row in rows if not row.error and (failed or row.state is not State.FAILED))


def _row(campaign_id: str, path: Path) -> EntryRow:
    return read_row(CAMPAIGN, campaign_id, path.with_name(campaign_id))


def spec_of(campaign_id: str, files: Mapping[str, Path] | None = None) -> CampaignSpec | None:
    """What a campaign was asked; None where its file cannot be read. Its generator may be undecided yet.

    Who asks for many campaigns passes the ``files`` of all.
    """
    try:
        return _asked(campaign_id, str((viewable() if files is None else files).get(campaign_id)))
    except CampaignError:
        return None


@st.cache_data(max_entries=1000, show_spinner=False)
def _asked(campaign_id: str, path: str) -> CampaignSpec:
    with open_campaign(campaign_id) as store:
        return store.spec()


def label(campaign_id: str) -> str:
    """A campaign's name where it stands alone: the user's own, network and criterion, and its id."""
    path = viewable().get(campaign_id)
    name = _unreadable(campaign_id) if path is None else labels({campaign_id: path})[campaign_id]
    return name if campaign_id in name else f"{name} · {campaign_id}"


def labels(files: Mapping[str, Path]) -> dict[str, str]:
    """The names of campaigns in a menu, by id: the user's own, network and criterion, and what tells them apart."""
    rows = {campaign_id: _row(campaign_id, path) for campaign_id, path in files.items()}
    asked = {each: spec_of(each, files) for each, row in rows.items() if not row.error}
    apart = names_apart({each: spec for each, spec in asked.items() if spec is not None})
    return {
        each: " · ".join(filter(None, (row.note.name, apart.get(each, _unreadable(each)))))
        for each, row in rows.items()
    }


def _unreadable(campaign_id: str) -> str:
    return f"{campaign_id} (cannot be read)"


def to_compare(campaign_ids: Sequence[str]) -> dict[str, str]:
    """The page Compare with campaigns, in this order."""
    return {COMPARED: ",".join(quote(campaign_id, safe=" ") for campaign_id in campaign_ids)}
