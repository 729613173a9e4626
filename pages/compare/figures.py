"""Figures of several campaigns beside each other: distances, layers, top weights, feature sizes, linear programmes."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export.exhibits import Exhibit, exhibit
from dnncov_core.export.several import Comparison
from dnncov_core.figures.layerwise import SHARES
from dnncov_core.figures.style import MOST_DRAWN, distance_axis
from dnncov_core.paper import number_of, papers_seconds
from dnncov_core.programme_costs import programme_series
from dnncov_core.ratios import number
from dnncov_core.statistics.distances import curves_by_unit, distance_curve, shown
from dnncov_core.statistics.layerwise import layerwise_table
from dnncov_core.statistics.omegas import OmegaTable, omega_tables
from dnncov_core.statistics.samples import Interval
from dnncov_core.statistics.top_weights import WeightsRow, weights_table
from pages.shared.charts import chart, logarithmic
from pages.shared.layer_tables import programme_cells
from pages.shared.words import plain

FEW = 3
"""More bands than this over each other hide more than they show: they are drawn only when asked for."""


def drawn_campaigns(names: list[str]) -> tuple[str, ...]:
    """Which campaigns are drawn over each other: all, or where they are many, those that are chosen here."""
    if len(names) <= MOST_DRAWN:
        return ()
    chosen = st.multiselect(
        f"Drawn over each other, {MOST_DRAWN} at most",
        names,
        default=names[:MOST_DRAWN],
        max_selections=MOST_DRAWN,
        key=f"drawn-{'|'.join(names)}",
        placeholder="The first ones",
        help="Curves, bars and lines of more campaigns hide each other. The tables of all figures have every campaign.",
    )
    st.caption(f"{len(names) - len(chosen or names[:MOST_DRAWN])} of {len(names)} campaigns are in the tables alone.")
    return tuple(chosen)


def curves_section(
    stores: Mapping[str, CampaignStore], provenance: Comparison, chosen: tuple[str, ...]
) -> list[Exhibit]:
    """Distance curves over each other, one figure for each norm and unit."""
    st.subheader("Adversarial distances", anchor=False)
    curves = [distance_curve(store, name) for name, store in stores.items()]
    n_bands = sum(curve.band is not None for curve in curves)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        log = logarithmic()
        few = n_bands <= FEW
        bands = n_bands > 0 and st.toggle("Confidence bands", few, key=f"bands-{few}", persist_state="session")
    options = {"log": log, "bands": bands, "chosen": chosen}
    drawn = [
        chart(
            exhibit("distance-curves", of_one, provenance, part=part, **options),
            key=f"curves-{part}",
            alt="Step curves: accumulated share of adversarial pairs by distance",
        )
        for part, of_one in curves_by_unit(curve for curve in curves if curve.total).items()
    ]
    if missing := [plain(curve.name) for curve in curves if not curve.total]:
        st.caption(f"Without an adversarial pair, and so without a curve: {'; '.join(missing)}.")
    return drawn


def layers_section(
    stores: Mapping[str, CampaignStore], provenance: Comparison, chosen: tuple[str, ...]
) -> list[Exhibit]:
    """Grouped bars by layer, of the share that is chosen above them; a sentence where there is none to draw."""
    st.subheader("Layer by layer", anchor=False)
    share = st.segmented_control(
        "Share",
        list(SHARES),
        format_func=lambda key: SHARES[key].title,
        default="covered",
        required=True,
        key="layer-share",
        persist_state="session",
        help="Coverage and the share of all adversarial pairs are the paper's figure of layerwise behaviour.",
    )
    part, table = share.replace("_", "-"), layerwise_table(stores)
    if not any(ratio.total for series in table.series for ratio in getattr(series, share)):
        st.caption("No campaign has anything to count here yet.")
        return []
    drawn = chart(
        exhibit("layerwise", (table, share), provenance, part=part, chosen=chosen),
        key="layerwise",
        alt=f"Grouped bars: {SHARES[share].title} by layer and campaign",
    )
    return [drawn]


def weights_section(stores: Mapping[str, CampaignStore], provenance: Comparison) -> list[Exhibit]:
    """Criteria beside their simplification by top weights; nothing where no two campaigns allow it."""
    rows = weights_table(stores)
    if not rows:
        if any(store.spec().top_weights is not None for store in stores.values()):
            st.caption(
                "Top weights: also choose the campaign that asks the same of all pairs, and the two are compared here."
            )
        return []
    st.subheader("All pairs against top weights", anchor=False)
    drawn = chart(
        exhibit("top-weights", rows, provenance), key="weights", alt="Points: differences of coverage and of AE rate"
    )
    st.dataframe([_weights_cells(row) for row in rows], hide_index=True, alt="Coverage and AE with and without weights")
    return [drawn]


def _weights_cells(row: WeightsRow) -> dict[str, str]:
    return {
        "Network": row.network,
        "Criterion": f"{row.criterion}, {row.criterion}^w{row.top_weights}",
        "M, all pairs": row.covered[0].display(),
        "M, top weights": row.covered[1].display(),
        "Difference of M, points": _points(row.covered_interval),
        "AE, all pairs": row.adversarial[0].display(),
        "AE, top weights": row.adversarial[1].display(),
        "Difference of AE, points": _points(row.adversarial_interval),
        "Feature pairs": f"{row.available[0]:,}, {row.available[1]:,}",
    }


def _points(interval: Interval | None) -> str:
    if interval is None:
        return number(None, "")
    return f"{100 * interval[0]:+.1f} to {100 * interval[1]:+.1f}".replace("-", "−")


def omegas_section(stores: Mapping[str, CampaignStore], provenance: Comparison) -> list[Exhibit]:
    """Distances by the size of free features, a figure for each question; nothing without two sizes of one."""
    return [_omegas(part, table, provenance) for part, table in omega_tables(stores).items()]


def _omegas(part: str, table: OmegaTable, provenance: Comparison) -> Exhibit:
    st.subheader("Distance by feature size", anchor=False)
    drawn = chart(
        exhibit("distances-by-omega", table, provenance, part=part),
        key=f"by-omega-{part}",
        alt=f"Points: distances by omega of {table.network}",
    )
    unit, head = distance_axis(table.norm, table.unit), shown(table.spreads).head
    rows = [
        {
            "ω": f"{100 * row.omega:g} %",
            "Adversarial, of test pairs": row.of_pairs.display(),
            f"{unit}, {head}, of all test pairs": row.pairs.words,
            "Of adversarial pairs": row.adversarial.words,
            "Campaign": row.name,
        }
        for row in table.rows
    ]
    st.dataframe(rows, hide_index=True, alt="Distances by omega")
    return drawn


def programmes_section(
    stores: Mapping[str, CampaignStore], provenance: Comparison, chosen: tuple[str, ...]
) -> list[Exhibit]:
    """What linear programmes cost by layer pair; nothing where none was solved."""
    all_series = programme_series(stores)
    if not all_series:
        return []
    st.subheader("Linear programmes by layer", anchor=False)
    papers = bool(st.session_state.get("papers")) and any(number_of(series.network) for series in all_series)
    drawn = chart(
        exhibit("lp-cost", all_series, provenance, paper=papers, chosen=chosen),
        key="programmes",
        alt="Lines: seconds of one call by layer pair and campaign",
    )
    rows = [
        {"Campaign": series.name}
        | programme_cells(row)
        | ({"Paper's seconds": number(papers_seconds(series.network, row.edge[0]), ".2f")} if papers else {})
        for series in all_series
        for row in series.rows
    ]
    st.dataframe(rows, hide_index=True, alt="Cost of linear programmes by campaign and layer pair")
    machines = {plain(store.worker.device() or "unknown device") for store in stores.values()}
    st.caption(f"Seconds depend on the machine, which is {', '.join(sorted(machines))} here, and on what else it does.")
    return [drawn]
