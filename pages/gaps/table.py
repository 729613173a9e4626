"""The table of test conditions without a witness, or without effect, page by page."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.file.conditions import OPEN, UNCOVERED, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.figures.gap_marks import STATUS_LOOKS
from dnncov_core.figures.style import layer_pair
from dnncov_core.phrases.conditions import why
from dnncov_core.phrases.neurons import neuron_words
from dnncov_core.statistics.gaps import Gap, GapTable, with_certificates
from dnncov_core.types import Edge
from pages.gaps.choice import choose
from pages.shared import address
from pages.shared.words import paged

PER_PAGE = 50
LISTED = (*UNCOVERED, Status.WITHOUT_EFFECT)
"""Outcomes that can be asked for."""
COLUMNS = {
    **{head: st.column_config.Column(width=80) for head in ("Ordinal", "Layer pair")},
    "Outcome": st.column_config.Column(width=160),
    "Seeds tried": st.column_config.Column(width=90),
    "Why": st.column_config.Column(
        width=530,
        help="The certificate of what is proved, the reason of what is justified, the message of an error, and what was"
        " tried of the rest.",
    ),
}


def conditions_table(store: CampaignStore, table: GapTable) -> list[int]:
    """The table of conditions without a witness or effect, page by page; the ordinals of its selected rows."""
    st.subheader("Not covered, or without effect", anchor=False)
    if not table.matching():
        st.caption("Every test condition of this campaign has a replayable witness.")
    if not table.matching(statuses=LISTED):
        return []
    edge, statuses = _filters(table)
    n = table.matching(edge, statuses)
    if not n:
        st.caption("No test condition here: widen the filters.")
        return []
    key = f"gaps-page-{store.path.stem}-{edge}-{'-'.join(status.value for status in statuses)}"
    with paged(key, n, PER_PAGE) as part:
        found = store.conditions.page(edge=edge, statuses=statuses, limit=PER_PAGE, offset=part.start)
        gaps = with_certificates(store, found)
        what = "" if Status.WITHOUT_EFFECT in statuses else " without a witness"
        st.caption(f"{part.start + 1:,} to {part.stop:,} of {n:,} test conditions{what}")
        rows = [_row(gap, store) for gap in gaps]
        selected = _selectable(store.path.stem, rows, f"{key}-rows")
    return [gaps[at].condition.target.ordinal for at in selected]


def _selectable(campaign_id: str, rows: list[dict[str, object]], key: str) -> list[int]:
    """A table whose rows can be selected to be justified; returns the places of the selected ones.

    A single selected row is shown above. A selection is of places: when other rows come in their places, nothing is
    selected any more.
    """
    key = f"{key}-{hash(tuple(row['Ordinal'] for row in rows))}"

    def show_row() -> None:
        if len(selected := st.session_state[key].selection.rows) == 1:
            choose(campaign_id, int(str(rows[selected[0]]["Ordinal"])))

    event = st.dataframe(
        rows,
        hide_index=True,
        on_select=show_row,
        selection_mode="multi-row",
        key=key,
        column_config=COLUMNS,
        alt="Test conditions without a witness, or without effect",
    )
    return list(event.selection.rows)


def _filters(table: GapTable) -> tuple[Edge | None, tuple[Status, ...]]:
    usual = UNCOVERED if table.matching() else (Status.WITHOUT_EFFECT,)
    left, right = st.columns(2, vertical_alignment="bottom")
    edge = left.selectbox(
        "Only layer pair",
        [None, *table.rows],
        format_func=lambda edge: layer_pair(edge) if edge else "All layer pairs",
        placeholder="All layer pairs",
        **address.view("gaps-filter-edge", "list", None, {"-".join(map(str, edge)): edge for edge in table.rows}),
    )
    chosen = right.multiselect(
        "Only outcomes",
        list(LISTED),
        format_func=_outcome,
        placeholder="All without a witness" if usual is UNCOVERED else "All without effect",
        **address.view("gaps-filter-status", "outcomes", [], {status.value: status for status in LISTED}),
    )
    return edge, tuple(chosen) or usual


def _outcome(status: Status) -> str:
    """An outcome in words, which say whether the condition counts as open."""
    return f"{'open: ' * (status in OPEN)}{STATUS_LOOKS[status].name}"


def _row(gap: Gap, store: CampaignStore) -> dict[str, object]:
    condition = gap.condition
    target, card = condition.target, store.card()
    assert card is not None
    return {
        "Ordinal": target.ordinal,
        "Layer pair": layer_pair(target.edge),
        "Condition": neuron_words(card.layer(target.condition_layer), target.condition_neurons, target.condition_most),
        "Decision": neuron_words(card.layer(target.decision_layer), target.decision_neurons),
        "Outcome": _outcome(condition.status),
        "Seeds tried": condition.seeds_tried,
        "Why": why(condition, gap.certificate, card=card, seeds=store.prepared.pool(), effect=store.spec().effect),
    }
