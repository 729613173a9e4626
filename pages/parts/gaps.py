"""What is not covered: counts, the matrix of one layer pair, and the table of conditions."""

from __future__ import annotations

import streamlit as st

from dnncov_core.campaign.conditions import OPEN, UNCOVERED, Condition, Grid, Status
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.features import FeaturePairs
from dnncov_core.figures import plot_gaps
from dnncov_core.figures.gaps import STATUS_LOOKS
from dnncov_core.figures.style import layer_pair
from dnncov_core.ratios import Ratio
from dnncov_core.records import NetworkCard
from dnncov_core.statistics import Gap, GapCounts, GapTable, gap_matrix, gap_page, grid_of
from dnncov_core.types import Edge
from dnncov_core.wording import neuron_words, why
from pages.parts.charts import chart
from pages.parts.facts import source
from pages.parts.justifying import justify_selected

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
MOST_CHOICES = 2000
"""Features that a menu offers; more would make it slow."""


def shares_and_counts(counts: GapCounts) -> None:
    """Covered of both denominators, and what became of the rest."""
    rest = counts.total - counts.covered.n
    with st.grid(5, min_column_width=150):
        _share("Covered", counts.covered, "Test conditions with a replayable witness, of all of the campaign.")
        _share("Covered, of feasible", counts.feasible, "The same, of those not proved infeasible.")
        _number("Proved infeasible", counts.proved_infeasible, rest, "No input within the bounds can satisfy them.")
        _number("Justified", counts.justified, rest, "Somebody says why they need no test pair.")
        _number("Open", counts.open, rest, "Neither covered, nor proved infeasible, nor justified.")


def _share(label: str, ratio: Ratio, words: str) -> None:
    st.metric(label, ratio.percent, delta=ratio.counts, delta_color="off", delta_arrow="off", help=words)


def _number(label: str, n: int, rest: int, words: str) -> None:
    st.metric(label, f"{n:,}", delta=f"of {rest:,} not covered", delta_color="off", delta_arrow="off", help=words)


def matrix_and_choice(store: CampaignStore, table: GapTable) -> Condition | None:
    """The matrix of a chosen layer pair, and the test condition chosen in it."""
    st.subheader("By layer pair", anchor=False)
    first, second, third = st.columns(3, vertical_alignment="bottom")
    edge = first.selectbox(
        "Layer pair",
        list(table.rows),
        format_func=lambda edge: f"{layer_pair(edge)} · {table.rows[edge].covered.counts} covered",
        index=_with_most_open(table),
        key=f"gaps-edge-{store.path.stem}",
        help="Condition layer → decision layer.",
    )
    matrix = gap_matrix(store, edge)
    blocks = f" in blocks of {matrix.block[0]} by {matrix.block[1]}" if matrix.aggregated else ""
    chart(
        plot_gaps(matrix, source=source(store)),
        key="gaps",
        alt=f"Matrix: status of the test conditions of layers {layer_pair(edge)}, by condition and decision"
        f" feature{blocks}",
    )
    grid, pairs = grid_of(store, edge), store.spec().feature_pairs(_card(store))
    with second:
        row = _choice("Condition", store.rows_asked(grid, MOST_CHOICES), store, edge, grid, pairs)
    with third:
        asked = store.columns_asked(grid, row, MOST_CHOICES) if row is not None else []
        column = _choice("Decision", asked, store, edge, grid, pairs, row=row)
    if row is None or column is None:
        return None
    return store.condition(grid.first + row * grid.width + column)


def _with_most_open(table: GapTable) -> int:
    counts = [counts.open for counts in table.rows.values()]
    return counts.index(max(counts))


def _choice(
    side: str,
    asked: list[int],
    store: CampaignStore,
    edge: Edge,
    grid: Grid,
    pairs: FeaturePairs,
    *,
    row: int | None = None,
) -> int | None:
    """A menu of the features that the campaign asks about, the first open condition's to begin with."""

    def name(place: int) -> str:
        pair = pairs[grid.first + (place * grid.width if row is None else place)]
        feature = pair.condition if row is None else pair.decision
        return _feature(feature.neurons, place, feature.most)

    found = store.conditions(edge=edge, statuses=OPEN, limit=1) or store.conditions(edge=edge, limit=1)
    places = divmod(found[0].target.ordinal - grid.first, grid.width) if found else (0, 0)
    begin = places[0] if row is None else places[1]
    return st.selectbox(
        f"{side} {'neuron' if store.spec().feature_mode == 'neuron' else 'feature'}",
        asked,
        index=asked.index(begin) if begin in asked else 0,
        format_func=name,
        key=f"gaps-{side}-{store.path.stem}-{edge}-{row}",
        help=f"{side} features of layer {edge[0 if row is None else 1]} that the campaign asks about.",
    )


def _feature(neurons: tuple[int, ...], place: int, most: int | None) -> str:
    """A feature's name in menus.

    >>> _feature((7,), 7, None), _feature((4, 5, 6), 2, None), _feature((), 0, 3)
    ('7', '2: neurons 4 to 6', 'any 1 to 3 neurons')
    """
    if most is not None:
        return f"any 1 to {most:,} neurons"
    return str(neurons[0]) if len(neurons) == 1 else f"{place}: neurons {neurons[0]} to {neurons[-1]}"


def _card(store: CampaignStore) -> NetworkCard:
    card = store.card()
    assert card is not None
    return card


def conditions_table(store: CampaignStore, table: GapTable) -> list[int]:
    """The table of conditions without a witness, page by page; the ordinals of its selected rows."""
    st.subheader("Not covered", anchor=False)
    if not table.matching():
        st.caption("Every test condition has a replayable witness.")
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
    shown = gap_page(store, edge=edge, statuses=statuses, limit=PER_PAGE, offset=first)
    st.caption(f"{first + 1:,} to {first + len(shown):,} of {n:,} test conditions without a witness")
    selected = _selectable([_row(gap, store.pool()) for gap in shown], f"{key}-rows")
    if n_pages > 1:
        st.pagination(n_pages, key=key)
    return [shown[at].condition.target.ordinal for at in selected]


def _selectable(rows: list[dict[str, object]], key: str) -> list[int]:
    """A table whose rows can be selected to be justified; the places of those that are.

    A selection is of places: when other rows come in their places, nothing is selected any more.
    """
    key = f"{key}-{hash(tuple(row['Ordinal'] for row in rows))}"

    def choose() -> None:
        justify_selected(bool(st.session_state[key].selection.rows))

    event = st.dataframe(
        rows,
        hide_index=True,
        on_select=choose,
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
        "Why": why(gap, pool),
    }
