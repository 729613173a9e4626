"""What a replay found: numbers, a figure and a table by layer pair, and the test pairs that changed."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.campaign.review.replayed import Replayed
from dnncov_core.export.exhibits import exhibit
from dnncov_core.export.provenance import of_replay
from dnncov_core.figures.style import layer_pair
from dnncov_core.phrases.numbers import fingerprinted
from dnncov_core.phrases.replayed import change_words, layer_words
from dnncov_core.statistics.grouping import By
from dnncov_core.statistics.replayed import COUNTS, ReplayedRow, replayed_table
from pages.shared.captions import caption
from pages.shared.charts import chart
from pages.shared.downloads import export_page
from pages.shared.layer_tables import MODULES, layer_cells, layer_table
from pages.shared.links import to_pair
from pages.shared.words import metric, paged, plain

PER_PAGE = 50
HEADS = {
    "lost": "Lost",
    "gained": "Gained",
    "x1": "x1 judged otherwise",
    "x2": "x2 judged otherwise",
    "became": "Became adversarial",
    "ceased": "Ceased to be adversarial",
}
"""Of `COUNTS`, those that the table has."""


def show_result(store: CampaignStore, replayed: Replayed) -> None:
    """Everything about a replay."""
    table, provenance = replayed_table(replayed), of_replay(store, replayed)
    total = table.total
    when = replayed.date[:16].replace("T", ", ")
    st.caption(plain(f"{fingerprinted(replayed.network, replayed.fingerprint)}, {when} UTC"))
    if store.pairs.count() != total.counts["pairs"]:
        st.warning(
            f"This replay is of {total.counts['pairs']:,} test pairs, and the campaign has {store.pairs.count():,}."
        )
    if words := layer_words(replayed):
        st.info(plain(words), icon=":material/layers:")
    with st.grid(4, min_column_width=150):
        own, any_pair = total.own, total.covered_there
        metric("Covered by own pair", own.percent, own.counts, "Conditions that their own test pair covers there, too.")
        metric("Covered by any pair", any_pair.percent, any_pair.counts, "Conditions that some test pair covers there.")
        for name in ("lost", "x2"):
            below = f"of {total.own.total:,} test pairs"
            metric(HEADS[name], f"{total.counts[name]:,}", below, f"{COUNTS[name].capitalize()}.")
    drawn = chart(
        exhibit("replayed", table, provenance),
        key="replayed",
        alt="Stacked bars: what became of the test conditions on the other network, by layer pair",
    )
    layer_table([_cells(row) for row in (*table.rows, total)], alt="Replay by layer pair", columns=MODULES)
    every = exhibit("replayed-conditions", replayed.conditions, provenance)
    _changed(store, replayed)
    caption(every, "replayed-conditions")
    export_page("replay", provenance, lambda: [drawn, every])


def _cells(row: ReplayedRow) -> dict[str, object]:
    there = "" if row.there is None else layer_pair(row.there)
    return {
        **layer_cells(row.place, By.LAYER_PAIR),
        "There": there,
        "Test pairs": row.own.total,
        "Covered by own pair": row.own.display(),
        "Covered by any pair": row.covered_there.display(),
        **{head: row.counts[name] for name, head in HEADS.items()},
    }


def _changed(store: CampaignStore, replayed: Replayed) -> None:
    """The test pairs with something that is otherwise there, each with a link to it."""
    card = store.card()
    assert card is not None, "it was replayed"
    said = [(each, words) for each in replayed.conditions if each.labels and (words := change_words(each, card))]
    st.subheader("Test pairs that changed", anchor=False)
    if not said:
        st.caption("None: all is as in the campaign.")
        return
    with paged(f"replayed-{store.path.stem}-{replayed.network}", len(said), PER_PAGE) as part:
        lines = ["| Test pair | Layer pair | There |", "| --- | --- | --- |"]
        for each, words in said[part]:
            to_it = urlencode(to_pair(store.path.stem, each.ordinal))
            lines.append(f"| [{each.ordinal}](examples?{to_it}) | {layer_pair(each.edge)} | {plain(words)} |")
        st.markdown("\n".join(lines))
