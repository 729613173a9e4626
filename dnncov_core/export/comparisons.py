"""What can be exported of several campaigns beside each other, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import plotly.graph_objects as go

from dnncov_core import figures
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.distances import NORM_NAMES
from dnncov_core.export import captions, comparison_captions, comparison_sheets, sheets
from dnncov_core.export.kinds import ExhibitKind, Tables
from dnncov_core.figures.style import UNITS
from dnncov_core.programmes import programme_series
from dnncov_core.statistics import (
    DistanceCurve,
    LayerwiseTable,
    OmegaTable,
    differences,
    distance_curve,
    has_omega,
    layerwise_table,
    main_table,
    omega_table,
    same_question,
    weights_table,
)

Stores = Mapping[str, CampaignStore]
"""Campaigns, by what tables and figures call them."""


def curves_by_unit(curves: Iterable[DistanceCurve]) -> dict[str, list[DistanceCurve]]:
    """Curves that can stand in one figure, those of one norm and unit; by a name for both."""
    found: dict[str, list[DistanceCurve]] = {}
    for curve in curves:
        unit = "" if curve.pixels else f"-{UNITS[False].replace(' ', '-')}"
        found.setdefault(f"{NORM_NAMES[curve.norm].replace('∞', 'inf')}{unit}", []).append(curve)
    return found


def omega_tables(stores: Stores) -> dict[str, OmegaTable]:
    """Distances by the size of free features: a table for each question that is asked with two sizes, by a name."""
    free = {name: store for name, store in stores.items() if has_omega(store.spec())}
    names, done = {store.path.stem: name for name, store in free.items()}, list[CampaignStore]()
    tables = {}
    for first in free.values():
        same = [each for each in free.values() if each not in done and same_question(first.spec(), each.spec())]
        done += same
        if len({store.spec().omega for store in same}) > 1:
            table = omega_table(same, names)
            tables[f"{table.network}-{table.criterion}-{table.norm}".lower()] = table
    return tables


def names_by_id(stores: Stores) -> dict[str, str]:
    """What campaigns are called, by their ids."""
    return {store.path.stem: name for name, store in stores.items()}


def _main(stores: Stores, name: str) -> Tables:
    yield "", main_table(list(stores.values()), names_by_id(stores))


def _differences(stores: Stores, name: str) -> Tables:
    yield "", differences(stores)


def _curves(stores: Stores, name: str) -> Tables:
    yield from curves_by_unit(distance_curve(store, name) for name, store in stores.items()).items()


def _layerwise(stores: Stores, name: str) -> Tables:
    table = layerwise_table(stores)
    for share in figures.SHARES:
        yield share.replace("_", "-"), (table, share)


def _weights(stores: Stores, name: str) -> Tables:
    if rows := weights_table(list(stores.values())):
        yield "", rows


def _omegas(stores: Stores, name: str) -> Tables:
    yield from omega_tables(stores).items()


def _programmes(stores: Stores, name: str) -> Tables:
    if found := programme_series(stores):
        yield "", found


def plot_share(table: tuple[LayerwiseTable, str], *, chosen: Sequence[str] = (), source: str = "") -> go.Figure:
    """`plot_layerwise` of a table and the share that is drawn."""
    return figures.plot_layerwise(*table, chosen=chosen, source=source)


COMPARISON: Mapping[str, ExhibitKind] = {
    "main-coverage": ExhibitKind(
        "Coverage of several campaigns",
        _main,
        comparison_sheets.main_coverage_sheet,
        comparison_captions.main_coverage,
        figures.plot_main_coverage,
        ("paper",),
    ),
    "main-adversarial": ExhibitKind(
        "AE rate of several campaigns",
        _main,
        comparison_sheets.main_adversarial_sheet,
        comparison_captions.main_adversarial,
        figures.plot_main_adversarial,
        ("paper",),
    ),
    "main-table": ExhibitKind(
        "Main table: coverage and AE rate", _main, comparison_sheets.main_sheet, comparison_captions.main_table
    ),
    "differences": ExhibitKind(
        "What differs", _differences, comparison_sheets.differences_sheet, comparison_captions.differences
    ),
    "distance-curves": ExhibitKind(
        "Accumulated adversarial distances",
        _curves,
        sheets.curve_sheet,
        comparison_captions.curves,
        figures.plot_distance_curve,
        ("bands", "chosen"),
    ),
    "layerwise": ExhibitKind(
        "Several campaigns layer by layer",
        _layerwise,
        comparison_sheets.layerwise_sheet,
        comparison_captions.layerwise,
        plot_share,
        ("chosen",),
    ),
    "top-weights": ExhibitKind(
        "All pairs minus top weights",
        _weights,
        comparison_sheets.weights_sheet,
        comparison_captions.weights,
        figures.plot_top_weights,
    ),
    "distances-by-omega": ExhibitKind(
        "Distance by feature size, several campaigns",
        _omegas,
        sheets.omega_sheet,
        captions.omegas,
        figures.plot_distance_by_omega,
    ),
    "lp-cost": ExhibitKind(
        "Seconds of one LP call by layer pair",
        _programmes,
        comparison_sheets.programmes_sheet,
        comparison_captions.programmes,
        figures.plot_programmes,
        ("paper", "chosen"),
    ),
}
"""Of several campaigns, in the order of the page Compare."""
