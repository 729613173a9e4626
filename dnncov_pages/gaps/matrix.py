"""What is not covered: counts, the matrix of one layer pair, and the table of conditions."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dnncov_core.campaign.file.conditions import UNCOVERED, ConditionRecord, LayerPairMatrix, Status
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.library import open_campaign
from dnncov_core.campaign.spec import CampaignSpec
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.figures.gaps import STATUS_LOOKS
from dnncov_core.figures.style import layer_pair
from dnncov_core.phrases.conditions import neuron_words, why
from dnncov_core.phrases.coverage import FEASIBLE, WITNESSES, covered_of
from dnncov_core.phrases.samples import is_sample, sampling
from dnncov_core.statistics import CoverageRow, Gap, GapCounts, GapTable, gap_matrix, gap_page, grid_of
from dnncov_core.types import Edge
from dnncov_pages.gaps.choice import choose, menus, shown
from dnncov_pages.shared.addresses import EXAMPLES, link, pairs_of, to_gallery
from dnncov_pages.shared.charts import chart
from dnncov_pages.shared.downloads import export_page, of_campaign_now

PER_PAGE = 50
COLUMNS = {
    **{head: st.column_config.Column(width=80) for head in ("Ordinal", "Layer pair", "Condition", "Decision")},
    "Outcome": st.column_config.Column(width=130),
    "Seeds tried": st.column_config.Column(width=90),
    "Why": st.column_config.Column(
        width=560,
        help="The certificate of what is proved, the reason of what is justified, the message of an error, and what was"
        " tried of the rest.",
    ),
}


def shares_and_counts(counts: GapCounts, *, total: CoverageRow, spec: CampaignSpec, proofs_tried: bool) -> None:
    """Covered of both denominators, and what became of the rest; before any proof nothing can be proved infeasible.

    Args:
        counts: of all test conditions.
        total: the same campaign's coverage, which knows of how many feature pairs these are a sample.
        spec: what was asked.
        proofs_tried: whether somebody asked for a proof.
    """
    rest = counts.total - counts.covered.n
    with st.grid(5, min_column_width=150):
        words = f"{WITNESSES} {sampling(spec, total.covered.total, total.available)}"
        _metric("Covered", counts.covered.percent, covered_of(total.covered, total.available, ""), words)
        _metric("Covered, of feasible", counts.feasible.percent, counts.feasible.counts, FEASIBLE)
        words = "No input within the bounds can satisfy them."
        if proofs_tried or counts.proved_infeasible:
            _number("Proved infeasible", counts.proved_infeasible, rest, words)
        else:
            _metric("Proved infeasible", "not tried", "no proof yet", f"{words} Ask for a proof below.")
        _number("Justified", counts.justified, rest, "Somebody says why they need no test pair.")
        _number("Open", counts.open, rest, "Neither covered, nor proved infeasible, nor justified.")
    asked, available = total.covered.total, total.available
    if is_sample(asked, available):
        st.caption(f"{sampling(spec, asked, available)} Of the other {available - asked:,} nothing is known.")


def _number(label: str, n: int, rest: int, words: str) -> None:
    _metric(label, f"{n:,}", f"of {rest:,} not covered", words)


def _metric(label: str, value: str, below: str, words: str) -> None:
    st.metric(label, value, delta=below, delta_color="off", delta_arrow="off", help=words)


def matrix_and_choice(store: CampaignStore, table: GapTable) -> ConditionRecord:
    """The matrix of a layer pair, and the test condition chosen in it, in its menus, in the table, or by address."""
    st.subheader("By layer pair", anchor=False)
    condition = shown(store, table)
    menus(store, table, condition)
    edge = condition.target.edge
    matrix, grid = gap_matrix(store, edge), grid_of(store, edge)
    blocks = f" in blocks of {matrix.block[0]} by {matrix.block[1]}" if matrix.aggregated else ""
    key, provenance = f"gaps-matrix-{store.path.stem}-{edge}", of_campaign(store)
    place = grid.place(condition.target.ordinal)
    drawn = chart(
        exhibit("gaps", matrix, provenance, part=f"{edge[0]}-{edge[1]}"),
        on_page={"shown": place},
        key=key,
        alt=f"Matrix: status of the test conditions of layers {layer_pair(edge)}, by condition and decision"
        f" feature{blocks}; a click on a cell shows its condition below",
        on_select=partial(_clicked, store.path.stem, grid, matrix.block, key),
    )
    _to_its_pairs(store, table, edge)
    export_page("gaps", provenance, lambda: [drawn, *of_campaign_now(provenance.id, "conditions")])
    return condition


def _to_its_pairs(store: CampaignStore, table: GapTable, edge: Edge) -> None:
    n = table.rows[edge].covered.n
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        label = f"Test pairs of layers {layer_pair(edge)}: {n:,}"
        address = to_gallery(store.path.stem, pairs_of([edge])) if n else None
        link(EXAMPLES, label, ":material/image_search:", address)
        st.caption(
            "A click on a cell shows its test condition below, with its test pair if it is covered.", width="stretch"
        )


def _clicked(campaign_id: str, grid: LayerPairMatrix, block: tuple[int, int], key: str) -> None:
    """Shows the condition of the cell that was clicked; of a block of them the first open one, or the first."""
    points = st.session_state[key].selection.points
    if not points:
        return
    i, j = points[0]["customdata"]
    with open_campaign(campaign_id) as store:
        ordinal = store.conditions.first_of_block(grid, range(i, i + block[0]), range(j, j + block[1]))
    if ordinal is not None:
        choose(campaign_id, ordinal)


def conditions_table(store: CampaignStore, table: GapTable) -> list[int]:
    """The table of conditions without a witness, page by page; the ordinals of its selected rows."""
    st.subheader("Not covered", anchor=False)
    if not table.matching():
        st.caption("Every test condition of this campaign has a replayable witness.")
        return []
    edge, statuses = _filters(table)
    n = table.matching(edge, statuses)
    if not n:
        st.caption("No test condition here. Widen the filters.")
        return []
    n_pages = -(-n // PER_PAGE)
    key = f"gaps-page-{store.path.stem}-{edge}-{'-'.join(status.value for status in statuses)}"
    page = min(st.session_state.get(key, 1), n_pages)
    first = (page - 1) * PER_PAGE
    found = gap_page(store, edge=edge, statuses=statuses, limit=PER_PAGE, offset=first)
    st.caption(f"{first + 1:,} to {first + len(found):,} of {n:,} test conditions without a witness")
    rows = [_row(gap, store.prepared.pool()) for gap in found]
    selected = _selectable(store.path.stem, rows, f"{key}-rows")
    if n_pages > 1:
        st.pagination(n_pages, key=key)
    return [found[at].condition.target.ordinal for at in selected]


def _selectable(campaign_id: str, rows: list[dict[str, object]], key: str) -> list[int]:
    """A table whose rows can be selected to be justified; the places of those that are.

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
        alt="Test conditions without a witness",
    )
    return list(event.selection.rows)


def _filters(table: GapTable) -> tuple[Edge | None, tuple[Status, ...]]:
    left, right = st.columns(2, vertical_alignment="bottom")
    edge = left.selectbox(
        "Only layer pair",
        [None, *table.rows],
        format_func=lambda edge: layer_pair(edge) if edge else "All layer pairs",
        key="gaps-filter-edge",
        persist_state="session",
    )
    chosen = right.multiselect(
        "Only outcomes",
        list(UNCOVERED),
        format_func=lambda status: STATUS_LOOKS[status].name,
        placeholder="All outcomes",
        key="gaps-filter-status",
        persist_state="session",
    )
    return edge, tuple(chosen) or UNCOVERED


def _row(gap: Gap, pool: int) -> dict[str, object]:
    condition = gap.condition
    target = condition.target
    return {
        "Ordinal": target.ordinal,
        "Layer pair": layer_pair(target.edge),
        "Condition": neuron_words(target.condition_neurons, target.condition_most),
        "Decision": neuron_words(target.decision_neurons),
        "Outcome": STATUS_LOOKS[condition.status].name,
        "Seeds tried": condition.seeds_tried,
        "Why": why(condition, gap.certificate, seeds=pool),
    }
