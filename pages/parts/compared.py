"""Figures of several campaigns beside each other: distances, layers, top weights, feature sizes, linear programmes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import streamlit as st

from dnncov_core.campaign.store import CampaignStore
from dnncov_core.distances import NORM_NAMES
from dnncov_core.figures import (
    SHARES,
    plot_distance_by_omega,
    plot_distance_curve,
    plot_layerwise,
    plot_programmes,
    plot_top_weights,
)
from dnncov_core.figures.style import UNITS, distance_axis, layer_pair
from dnncov_core.paper import papers_seconds
from dnncov_core.programmes import programme_table
from dnncov_core.ratios import number
from dnncov_core.statistics import (
    DistanceCurve,
    Interval,
    OmegaTable,
    WeightsRow,
    distance_curve,
    has_omega,
    layerwise_table,
    omega_table,
    same_question,
    weights_table,
)
from pages.parts.charts import drawn
from pages.parts.counts import spread
from pages.parts.words import plain

FEW = 3
"""More bands than this over each other hide more than they show: they are drawn only when asked for."""
BAND = (
    "Bands: 95 %, for the whole curve at the same time (Dvoretzky, Kiefer and Wolfowitz's inequality), where the test"
    " conditions are a simple random sample. Two curves whose bands overlap everywhere may be of the same distances."
)


def curves_section(stores: Mapping[str, CampaignStore], source: str) -> None:
    """Distance curves over each other, one figure for each norm and unit."""
    st.subheader("Adversarial distances", anchor=False)
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    scale = left.segmented_control("Distance axis", ["linear", "log"], default="linear", required=True, key="scale")
    curves = [distance_curve(store, name) for name, store in stores.items()]
    n_bands = sum(curve.band is not None for curve in curves)
    bands = right.toggle("Confidence bands", value=n_bands <= FEW, key=f"bands-{n_bands <= FEW}") if n_bands else False
    for key, of_one in _by_unit(curves):
        figure = plot_distance_curve(of_one, log=scale == "log", bands=bands, source=source)
        drawn(figure, key=f"curves-{key}", alt="Step curves: accumulated share of adversarial pairs by distance")
    if missing := [plain(curve.name) for curve in curves if not curve.total]:
        st.caption(f"Without an adversarial pair, and so without a curve: {'; '.join(missing)}.")
    if bands:
        st.caption(BAND)


def _by_unit(curves: list[DistanceCurve]) -> Iterator[tuple[str, list[DistanceCurve]]]:
    for norm, pixels in dict.fromkeys((curve.norm, curve.pixels) for curve in curves):
        key = f"{NORM_NAMES[norm]}-{UNITS[pixels]}"
        yield key, [curve for curve in curves if (curve.norm, curve.pixels) == (norm, pixels)]


def layers_section(stores: Mapping[str, CampaignStore], source: str) -> None:
    """Grouped bars by layer; which share, is a choice."""
    st.subheader("Layer by layer", anchor=False)
    share = st.segmented_control(
        "Share",
        list(SHARES),
        format_func=lambda key: SHARES[key].title,
        default="covered",
        required=True,
        key="layer-share",
        help="Coverage and the share of all adversarial pairs are the paper's figure of layerwise behaviour.",
    )
    figure = plot_layerwise(layerwise_table(stores), share, source=source)
    drawn(figure, key="layerwise", alt=f"Grouped bars: {SHARES[share].title} by layer and campaign")
    st.caption("Whiskers: Clopper and Pearson's 95 % intervals, where the test conditions are a simple random sample.")


def weights_section(stores: Mapping[str, CampaignStore], source: str) -> None:
    """Criteria beside their simplification by top weights; nothing where no two campaigns allow it."""
    rows = weights_table(list(stores.values()))
    if not rows:
        if any(store.spec().top_weights is not None for store in stores.values()):
            st.caption(
                "Top weights: choose the campaign that asks the same of all pairs as well, and both are compared here."
            )
        return
    st.subheader("All pairs against top weights", anchor=False)
    drawn(plot_top_weights(rows, source=source), key="weights", alt="Points: differences of coverage and of AE rate")
    st.dataframe([_weights_cells(row) for row in rows], hide_index=True, alt="Coverage and AE with and without weights")
    st.caption(
        "Positive: more on all pairs than on the strongest connections alone. An interval over 0 leaves open which"
        " is larger. Intervals join those of both shares (Newcombe 1998); of all pairs, not sampled, a share is exact."
    )


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


def omegas_section(stores: Mapping[str, CampaignStore]) -> None:
    """Distances by the size of free features, a figure for each question; nothing without two sizes of one."""
    free = [store for store in stores.values() if has_omega(store.spec())]
    done: list[CampaignStore] = []
    for first in free:
        same = [store for store in free if store not in done and same_question(first.spec(), store.spec())]
        done += same
        if len({store.spec().omega for store in same}) > 1:
            _omegas(omega_table(same))


def _omegas(table: OmegaTable) -> None:
    st.subheader("Distance by feature size", anchor=False)
    origin = f"{table.network} · {table.criterion} · {len(table.rows)} campaigns"
    drawn(
        plot_distance_by_omega(table, source=origin),
        key=f"by-omega-{table.network}-{table.criterion}-{table.norm}",
        alt="Points: mean distance and deviation by omega",
    )
    if table.differences:
        st.caption(f"Beside ω these campaigns differ in: {', '.join(table.differences)}.")
    unit = distance_axis(table.norm, pixels=table.pixels)
    rows = [
        {
            "ω": f"{100 * row.omega:g} %",
            "Adversarial, of test pairs": row.of_pairs.display(),
            f"{unit}, of all test pairs": spread(row.pairs),
            "Of adversarial pairs": spread(row.adversarial),
            "Campaign": row.campaign,
        }
        for row in table.rows
    ]
    st.dataframe(rows, hide_index=True, alt="Distances by omega")


def programmes_section(stores: Mapping[str, CampaignStore], source: str) -> None:
    """What linear programmes cost by layer pair; nothing where none was solved."""
    tables = {name: costs for name, store in stores.items() if (costs := programme_table(store)).rows}
    if not tables:
        return
    st.subheader("Linear programmes by layer", anchor=False)
    networks = {name: stores[name].spec().network for name in tables}
    papers = bool(st.session_state.get("papers"))
    figure = plot_programmes(tables, networks=networks if papers else None, source=source)
    drawn(figure, key="programmes", alt="Lines: seconds of one call by layer pair and campaign")
    rows = [
        {
            "Campaign": name,
            "Layer pair": layer_pair(row.edge),
            "LP calls": number(row.calls, ","),
            "Variables": f"{row.variables:,}",
            "Constraints, mean": f"{row.constraints_mean:,.1f}",
            "Seconds a call": number(row.seconds_mean, ".4f"),
            "Paper's variables": number(row.reference_variables, ","),
            "Paper's constraints": number(row.reference_constraints, ","),
        }
        | ({"Paper's seconds": number(papers_seconds(networks[name], row.edge[0]), ".2f")} if papers else {})
        for name, costs in tables.items()
        for row in costs.rows
    ]
    st.dataframe(rows, hide_index=True, alt="Cost of linear programmes by campaign and layer pair")
    machines = {plain(store.device() or "unknown device") for store in stores.values()}
    st.caption(
        "The paper's variables and constraints are those of its formulation for the same networks, computed here;"
        f" seconds depend on the machine ({', '.join(sorted(machines))} here) and on what else it does."
    )
