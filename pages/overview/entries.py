"""Everything that the user has, as cards and as a table: found by words, criterion and state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dnncov_core.entries.rows import EntryRow, entries
from dnncov_core.phrases.coverage import covered_in_brief
from dnncov_core.phrases.numbers import duration, moment
from dnncov_core.preferences import prefer, preferences
from dnncov_core.ratios import Ratio
from pages.overview.menu import PLACE, delete, menu
from pages.shared import address
from pages.shared.campaigns import to_compare
from pages.shared.entry_rows import read_row
from pages.shared.frame import skip_to
from pages.shared.lists import MOST_CRITERIA, link_to, result_links, results, state_of
from pages.shared.page_registry import link
from pages.shared.refusals import attempt
from pages.shared.words import paged, plain

PER_PAGE = 12
CARDS, TABLE = "Cards", "Table"
DAMAGED = "Cannot be read"
_VIEW = "usual-view"
"""Key of how entries are shown at an address that does not say it: as they were when the visit began."""


def all_rows() -> list[EntryRow]:
    """Every entry, newest first; what has not changed is not read again."""
    rows = [read_row(*entry) for entry in entries()]
    return sorted(rows, key=lambda row: row.created or 0.0, reverse=True)


def filtered(rows: Sequence[EntryRow]) -> tuple[list[EntryRow], str]:
    """The entries that a line of filters leaves, and how they are shown."""
    one, two, three, four = st.columns([4, 2, 2, 2], vertical_alignment="bottom")
    text = one.text_input(
        "Find",
        placeholder="Network, name, note, setting …",
        icon=":material/search:",
        help="Entries in which every word occurs: names, notes, networks, settings, ids.",
        **address.view("find", "find", ""),
    )
    criteria = _among(two, "Criterion", "criteria", sorted({criterion for row in rows for criterion in row.criteria}))
    states = _among(three, "State", "states", list(dict.fromkeys(map(_state, rows))))
    usual = st.session_state.setdefault(_VIEW, preferences().view)
    bound = address.view("view", "view", usual, {CARDS: CARDS, TABLE: TABLE})
    with four:
        view = st.segmented_control(
            "View",
            [CARDS, TABLE],
            default=usual,
            required=True,
            **bound | {"on_change": partial(_keep_view, bound["on_change"])},
        )
    wanted = text.lower().split()
    left = [
        row
        for row in rows
        if (not criteria or set(criteria) & set(row.criteria))
        and (not states or _state(row) in states)
        and all(word in _words(row) for word in wanted)
    ]
    return left, view


def _among(place: DeltaGenerator, label: str, name: str, options: list[str]) -> list[str]:
    """A filter by some of these options; by none of them, all entries are left."""
    words = {option: option for option in options}
    return place.multiselect(label, options, placeholder="Any", **address.view(f"of-{name}", name, [], words))


def _keep_view(then: Callable[[str], None], key: str) -> None:
    then(key)
    attempt(PLACE, partial(prefer, view=st.session_state[key]))


def none_matches() -> None:
    """Says that the filters leave nothing, with a button that clears them."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("No campaigns or measurements match.", width="content")
        st.button(
            "Clear filters",
            icon=":material/filter_alt_off:",
            key="clear-filters",
            on_click=address.drop,
            args=(("find", "criteria", "states"),),
        )


def _state(row: EntryRow) -> str:
    return DAMAGED if row.state is None else row.state.value.capitalize()


def _words(row: EntryRow) -> str:
    """All text of an entry in small letters, to be searched."""
    return " ".join([row.name, row.title, row.note.text, row.settings, row.id, row.kind, *row.criteria]).lower()


def cards(rows: Sequence[EntryRow]) -> None:
    """A page of cards, with buttons for the other pages."""
    with paged("overview", len(rows), PER_PAGE) as part, st.grid("auto", min_column_width=360, key=skip_to("entries")):
        for row in rows[part]:
            with st.container(border=True, height="stretch", gap="xsmall"):
                _card(row)


def _card(row: EntryRow) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        link_to(row, label=f"**{plain(row.name)}**")
        state_of(row)
    if row.error:
        st.warning(plain(row.error), icon=":material/broken_image:")
    if row.note.name:
        st.caption(plain(row.title))
    if row.settings:
        st.caption(plain(row.settings))
    _results(row)
    if row.note.text:
        st.markdown(f"*{plain(' '.join(row.note.text.split()))}*")
    st.caption(_when(row))
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        if row.kind == "campaign" and not row.error:
            result_links(row.id)
        menu(row)


def _results(row: EntryRow) -> None:
    """Coverage as a bar for each criterion, with its counts; below, what is adversarial, or how many more there are."""
    lines, shown = results(row), row.measured[:MOST_CRITERIA]
    if row.kind == "campaign":
        _bars(list(zip(lines[:1], (each.ratio for each in shown), strict=False)))
        below = lines[1:]
    else:
        _bars([(f"**{plain(each.criterion)}** {plain(each.percent)}", each.ratio) for each in shown])
        more = len(row.measured) - len(shown)
        below = [f":gray[and {more} more]"] if more else []
    for line in below:
        st.markdown(f":small[{line}]")


def _bars(coverages: Sequence[tuple[str, Ratio | None]]) -> None:
    """A bar below each line, in two columns where there are several; none where the share is not known."""
    with st.grid(min(len(coverages), 2) or 1, min_column_width=100, gap="small"):
        for line, ratio in coverages:
            if ratio is None or ratio.value is None:
                st.markdown(line)
            else:
                st.progress(ratio.value, text=line)


def _when(row: EntryRow) -> str:
    worked = "" if not row.seconds else f"{duration(row.seconds)} of work"
    created = "" if row.created is None else moment(row.created)
    return " · ".join(part for part in (created, worked, plain(row.id)) if part)


def listing(rows: Sequence[EntryRow]) -> None:
    """A table that is sorted by a click on a column heading; selected rows can be compared, or deleted."""
    actions = st.container(horizontal=True, vertical_alignment="center")
    chosen = st.dataframe(
        [_cells(row) for row in rows],
        hide_index=True,
        height="content" if len(rows) <= 20 else 740,
        key="listing",
        on_select="rerun",
        selection_mode="multi-row",
        column_config={
            "Settings": st.column_config.TextColumn(width="medium"),
            "Coverage": st.column_config.NumberColumn(format="%.1f %%"),
            "AE": st.column_config.NumberColumn(format="%.1f %%", help="Adversarial, of the test pairs."),
            "Random": st.column_config.NumberColumn(format="%.1f %%", help="Baseline search: random perturbations."),
            "PGD": st.column_config.NumberColumn(format="%.1f %%", help="Baseline search: projected gradient ascent."),
            "Seconds": st.column_config.NumberColumn(format="%.0f"),
            "Created": st.column_config.DatetimeColumn(format="DD MMM YYYY, HH:mm"),
        },
        placeholder="–",
        alt="Campaigns and measurements",
    )
    selected = [rows[at] for at in chosen["selection"]["rows"] if at < len(rows)]
    with actions:
        _actions(selected)


def _actions(selected: Sequence[EntryRow]) -> None:
    """What can be done with the selected rows; without any, how to select some."""
    if not selected:
        st.caption("A click on a column heading sorts, and selected rows can be opened, compared or deleted.")
    else:
        ids = [row.id for row in selected if row.kind == "campaign" and not row.error]
        if len(selected) == 1:
            link_to(selected[0], label=f"**{plain(selected[0].name)}**")
        if len(ids) > 1:
            link("compare", f"Compare {len(ids)} campaigns", to_compare(ids))
        delete(selected, key="delete-selected")


def _cells(row: EntryRow) -> dict[str, object]:
    first, baselines = row.measured[0].ratio if row.measured else None, row.baselines
    return {
        "Name": row.name,
        "State": _state(row),
        "Criterion": ", ".join(row.criteria),
        "Settings": row.settings or row.error,
        "Coverage": _sortable(first),
        "Covered": None if first is None else covered_in_brief(first, row.available or first.total),
        "AE": _sortable(row.adversarial),
        "Adversarial": None if row.adversarial is None else row.adversarial.counts,
        "Random": _sortable(None if baselines is None else baselines.random),
        "PGD": _sortable(None if baselines is None else baselines.ascent),
        "Seconds": row.seconds,
        "Created": None if row.created is None else datetime.fromtimestamp(row.created),
        "Kind": row.kind,
        "Id": row.id,
    }


def _sortable(ratio: Ratio | None) -> float | None:
    """Per cent with one decimal; 100 only for all and 0 only for none, whatever rounding says."""
    if ratio is None or ratio.value is None:
        return None
    if ratio.n in (0, ratio.total):
        return 100 * ratio.value
    return min(max(round(100 * ratio.value, 1), 0.1), 99.9)


def is_changing(rows: Sequence[EntryRow]) -> bool:
    """Whether some entry may change by itself."""
    return any(row.busy for row in rows)
