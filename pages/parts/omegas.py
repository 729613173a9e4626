"""Distances by omega: a campaign of free features beside others that asked the same of features of other sizes."""

from __future__ import annotations

import dataclasses
from contextlib import ExitStack

import streamlit as st

from dnncov_core.campaign.library import open_campaign
from dnncov_core.campaign.store import CampaignStore
from dnncov_core.errors import DnncovError
from dnncov_core.export.exhibits import Exhibit, exhibit
from dnncov_core.export.provenance import of_campaign
from dnncov_core.figures.style import distance_axis
from dnncov_core.statistics import OmegaTable, has_omega, omega_table, same_question
from pages.parts.campaigns import label, spec_of
from pages.parts.charts import chart
from pages.parts.counts import spread
from pages.parts.words import headline, plain


def distances_by_omega(store: CampaignStore, known: list[str], *, log: bool) -> list[Exhibit]:
    """The section about feature sizes, and its figure; nothing for campaigns whose features have no omega.

    Args:
        store: the campaign of the page.
        known: ids of all campaigns.
        log: whether the distance axis is logarithmic.
    """
    spec = store.spec()
    if not has_omega(spec):
        return []
    st.subheader("Distance by feature size", anchor=False)
    others = _others(store, known)
    if not others:
        st.caption(
            f"No other campaign of free features asks {plain(headline(spec))}. One with another ω, the largest share of"
            " a layer's neurons in one feature, can be compared with this one here."
        )
        return []
    chosen = st.multiselect(
        "Campaigns of other feature sizes",
        others,
        format_func=_label,
        placeholder="Campaigns of the same network and criterion",
        key=f"omegas-{store.path.stem}",
        help="A point a campaign: the mean distance of its test pairs, with one standard deviation.",
    )
    if chosen:
        return [_compare(store, chosen, log=log)]
    st.caption("Choose at least one campaign to see how distances change with ω.")
    return []


def _others(store: CampaignStore, known: list[str]) -> list[str]:
    own = store.spec()
    specs = {campaign_id: spec_of(campaign_id) for campaign_id in known if campaign_id != store.path.stem}
    return [campaign_id for campaign_id, spec in specs.items() if spec is not None and same_question(own, spec)]


def _compare(store: CampaignStore, chosen: list[str], *, log: bool) -> Exhibit:
    with ExitStack() as opened:
        stores = [store]
        for campaign_id in chosen:
            try:
                stores.append(opened.enter_context(open_campaign(campaign_id)))
            except DnncovError as error:
                st.warning(plain(str(error)))
        table = omega_table(stores)
        source = f"{table.network} · {table.criterion} · {len(table.rows)} campaigns"
        known = dataclasses.replace(of_campaign(store), source=source)
        return _show(exhibit("distance-by-omega", table, known, log=log))


def _label(campaign_id: str) -> str:
    spec = spec_of(campaign_id)
    return label(campaign_id) if spec is None else f"ω = {100 * spec.omega:g} % · {label(campaign_id)}"


def _show(shown: Exhibit) -> Exhibit:
    chart(shown, key="by-omega", alt="Points: mean distance and deviation by omega")
    table: OmegaTable = shown.table
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
    return shown
