"""Every figure and table that can be exported, by its key: one row each, with what makes its tables, its columns, its
caption and its drawing. Pages, the command and the tests are built from these registries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.export import (
    captions,
    comparison_captions,
    comparison_sheets,
    playground,
    retrained,
    sheets,
    suite_sheets,
    worth,
)
from dnncov_core.export.sheets import Sheet
from dnncov_core.figures.adversarial import plot_adversarial, plot_baseline_searches
from dnncov_core.figures.coverage import plot_coverage, plot_suite_coverage
from dnncov_core.figures.decision_map import plot_decisions
from dnncov_core.figures.distances import plot_distance_by_omega, plot_distance_curve, plot_layer_distances
from dnncov_core.figures.effect import plot_effect
from dnncov_core.figures.further_inputs import plot_further_inputs
from dnncov_core.figures.gaps import plot_gaps
from dnncov_core.figures.layerwise import SHARES, plot_layerwise
from dnncov_core.figures.lemmas import plot_relations
from dnncov_core.figures.main_table import plot_main_adversarial, plot_main_coverage
from dnncov_core.figures.methods import plot_method
from dnncov_core.figures.neurons import plot_neurons
from dnncov_core.figures.plane import plot_plane
from dnncov_core.figures.programmes import plot_programmes
from dnncov_core.figures.replayed import plot_replayed
from dnncov_core.figures.retrained import plot_retrained
from dnncov_core.figures.top_weights import plot_top_weights
from dnncov_core.figures.worth import plot_worth
from dnncov_core.phrases.caption import Caption
from dnncov_core.programme_costs import programme_series, programme_table
from dnncov_core.statistics.adversarial import adversarial_table, baselines_by_layer
from dnncov_core.statistics.coverage import counts_by_layer, coverage_table
from dnncov_core.statistics.decision_map import decision_map, has_map
from dnncov_core.statistics.differences import differences
from dnncov_core.statistics.distances import curves_by_unit, distance_curve, distance_table
from dnncov_core.statistics.gaps import gap_matrix, gaps_and_refuted
from dnncov_core.statistics.grouping import By, usual_grouping
from dnncov_core.statistics.layerwise import layerwise_table
from dnncov_core.statistics.main_table import main_table
from dnncov_core.statistics.omegas import has_omega, omega_table, omega_tables
from dnncov_core.statistics.top_weights import weights_table
from dnncov_core.suites.measurement_file import StoredMeasurement

Stores = Mapping[str, CampaignStore]
"""Campaigns, by what tables and figures call them."""
Tables = Iterator[tuple[str, Any]]
"""Tables of one kind, each with what its files' names end in; mostly one, with nothing."""


@dataclass(frozen=True)
class ExhibitKind:
    """A kind of figure or table.

    Attributes:
        title: what it is called where one chooses.
        tables: from its source (a campaign, campaigns or a measurement), and a name for it, to its tables.
        sheet: from a table to columns.
        caption: from a table to what it shows, with its numbers: a sentence, and the details.
        plot: from a table to its figure; None where there is a table alone.
        told: options of the plot that the caption has to know.
        by_campaign: whether the plot takes the ``order`` of all campaigns, by which each has its look.
    """

    title: str
    tables: Callable[[Any, str], Tables]
    sheet: Callable[[Any], Sheet]
    caption: Callable[..., Caption]
    plot: Callable[..., go.Figure] | None = None
    told: tuple[str, ...] = ()
    by_campaign: bool = False


def _by_layer(make: Callable[[CampaignStore, By], Any]) -> Callable[[CampaignStore, str], Tables]:
    """The table in its usual grouping; by decision layer, the one by layer pair as well."""

    def tables(store: CampaignStore, name: str) -> Tables:
        by = usual_grouping(counts_by_layer(store))
        yield "", make(store, by)
        if by is By.DECISION_LAYER:
            yield "by-layer-pair", make(store, By.LAYER_PAIR)

    return tables


def _curve(store: CampaignStore, name: str) -> Tables:
    yield "", [distance_curve(store, name)]


def _omegas(store: CampaignStore, name: str) -> Tables:
    if has_omega(store.spec()):
        yield "", omega_table({store.path.stem: store})


def _matrices(store: CampaignStore, name: str) -> Tables:
    edges = list(store.counts.statuses_by_edge())
    if not edges:
        yield "", None
    for edge in edges if store.spec().feature_mode != "free" else ():
        yield f"{edge[0]}-{edge[1]}", gap_matrix(store, edge)


def _decisions(store: CampaignStore, name: str) -> Tables:
    for edge in store.counts.statuses_by_edge():
        if has_map(store, edge):
            yield f"{edge[0]}-{edge[1]}", decision_map(store, edge)


def _one(make: Callable[[Any], Any], *, if_any: bool = False) -> Callable[[Any, str], Tables]:
    """One table, which is made of the source alone; with ``if_any`` only where it has rows."""

    def tables(source: Any, name: str) -> Tables:
        table = make(source)
        if table or not if_any:
            yield "", table

    return tables


def _itself(table: Any, name: str) -> Tables:
    yield "", table


def _curves(stores: Stores, name: str) -> Tables:
    yield from curves_by_unit(distance_curve(store, name) for name, store in stores.items()).items()


def _layerwise(stores: Stores, name: str) -> Tables:
    table = layerwise_table(stores)
    for share in SHARES:
        yield share.replace("_", "-"), (table, share)


def _by_criterion(measurement: StoredMeasurement, name: str) -> Tables:
    """Each criterion; of very many layer pairs by decision layer, and then each layer pair for itself."""
    for criterion in measurement.criteria:
        if criterion.rows:
            yield file_part(criterion.text), (measurement, criterion.readable)
        if criterion.readable is not criterion:
            yield f"{file_part(criterion.text)}-layer-pairs", (measurement, criterion)


def file_part(text: str) -> str:
    """A criterion as part of a file's name.

    >>> file_part("sv:mn=3/10")
    'sv-mn-3-10'
    """
    return "".join(sign if sign.isalnum() else "-" for sign in text)


CAMPAIGN: Mapping[str, ExhibitKind] = {
    "coverage": ExhibitKind(
        "Coverage by layer", _by_layer(coverage_table), sheets.coverage, captions.coverage, plot_coverage
    ),
    "adversarial": ExhibitKind(
        "Adversarial pairs by layer",
        _by_layer(adversarial_table),
        sheets.adversarial,
        captions.adversarial,
        plot_adversarial,
    ),
    "controls": ExhibitKind(
        "Adversarial inputs with the same budget",
        _by_layer(baselines_by_layer),
        sheets.controls,
        captions.controls,
        plot_baseline_searches,
    ),
    "distance-curve": ExhibitKind(
        "Accumulated adversarial distance",
        _curve,
        sheets.curves,
        captions.distance_curve,
        plot_distance_curve,
        ("bands",),
    ),
    "layer-distances": ExhibitKind(
        "Distance by layer", _by_layer(distance_table), sheets.distances, captions.layer_distances, plot_layer_distances
    ),
    "distance-by-omega": ExhibitKind(
        "Distance by feature size",
        _omegas,
        sheets.omegas,
        comparison_captions.distance_by_omega,
        plot_distance_by_omega,
    ),
    "gaps": ExhibitKind("Test conditions of a layer pair", _matrices, sheets.gaps, captions.gaps, plot_gaps),
    "decisions": ExhibitKind(
        "Decision neurons by channel, row and column", _decisions, sheets.decisions, captions.decisions, plot_decisions
    ),
    "conditions": ExhibitKind(
        "Conditions not covered, or without effect", _one(gaps_and_refuted), sheets.conditions, captions.conditions
    ),
    "justification-history": ExhibitKind(
        "Justification history",
        _one(lambda store: store.justifications.history(), if_any=True),
        sheets.justification_history,
        captions.justification_history,
    ),
    "programmes": ExhibitKind(
        "Cost of linear programmes", _one(programme_table), sheets.programmes, captions.programmes
    ),
}
"""Figures and tables of a campaign, in the order of the pages."""

COMPARISON: Mapping[str, ExhibitKind] = {
    "main-coverage": ExhibitKind(
        "Coverage of several campaigns",
        _one(main_table),
        comparison_sheets.main_coverage,
        comparison_captions.main_coverage,
        plot_main_coverage,
        ("paper",),
        by_campaign=True,
    ),
    "main-adversarial": ExhibitKind(
        "AE rate of several campaigns",
        _one(main_table),
        comparison_sheets.main_adversarial,
        comparison_captions.main_adversarial,
        plot_main_adversarial,
        ("paper",),
        by_campaign=True,
    ),
    "main-table": ExhibitKind(
        "Main table: coverage and AE rate",
        _one(main_table),
        comparison_sheets.main,
        comparison_captions.main_table,
        told=("paper",),
    ),
    "differences": ExhibitKind(
        "What differs", _one(differences), comparison_sheets.differences, comparison_captions.differences
    ),
    "distance-curves": ExhibitKind(
        "Accumulated adversarial distances",
        _curves,
        sheets.curves,
        comparison_captions.distance_curves,
        plot_distance_curve,
        ("bands", "chosen"),
        by_campaign=True,
    ),
    "layerwise": ExhibitKind(
        "Several campaigns layer by layer",
        _layerwise,
        comparison_sheets.layerwise,
        comparison_captions.layerwise,
        plot_layerwise,
        ("chosen",),
        by_campaign=True,
    ),
    "top-weights": ExhibitKind(
        "All pairs minus top weights",
        _one(weights_table, if_any=True),
        comparison_sheets.weights,
        comparison_captions.top_weights,
        plot_top_weights,
    ),
    "distances-by-omega": ExhibitKind(
        "Distance by feature size, several campaigns",
        lambda stores, name: iter(omega_tables(stores).items()),
        sheets.omegas,
        comparison_captions.distance_by_omega,
        plot_distance_by_omega,
    ),
    "lp-cost": ExhibitKind(
        "Seconds of one LP call by layer pair",
        _one(programme_series, if_any=True),
        comparison_sheets.programmes,
        comparison_captions.lp_cost,
        plot_programmes,
        ("paper", "chosen"),
        by_campaign=True,
    ),
}
"""Figures and tables of several campaigns beside each other, in the order of the page Compare."""

MEASUREMENT: Mapping[str, ExhibitKind] = {
    "criteria": ExhibitKind("Coverage by criterion", _itself, suite_sheets.criteria, comparison_captions.criteria),
    "suite-coverage": ExhibitKind(
        "Coverage of one criterion by layer",
        _by_criterion,
        suite_sheets.criterion,
        comparison_captions.suite_coverage,
        plot_suite_coverage,
    ),
    "relations": ExhibitKind(
        "Which criterion is weaker than which",
        _itself,
        suite_sheets.relations,
        comparison_captions.relations,
        plot_relations,
    ),
}
"""Figures and tables of a measurement."""

SELECTION: Mapping[str, ExhibitKind] = {
    "further-inputs": ExhibitKind(
        "What each further input adds",
        _itself,
        suite_sheets.further_inputs,
        comparison_captions.further_inputs,
        plot_further_inputs,
    ),
}
"""Figures of the orders of a pool's inputs."""

REPLAY: Mapping[str, ExhibitKind] = {
    "replayed": ExhibitKind(
        "Test conditions on another network", _itself, sheets.replayed, captions.replayed, plot_replayed
    ),
    "replayed-conditions": ExhibitKind(
        "Test conditions on another network, one by one",
        _itself,
        sheets.replayed_conditions,
        captions.replayed_conditions,
    ),
}
"""Figures and tables of a campaign's test pairs on another network."""

WORTH: Mapping[str, ExhibitKind] = {
    "worth": ExhibitKind("Coverage and mutants killed", _itself, worth.suites, worth.worth, plot_worth),
    "worth-correlations": ExhibitKind(
        "Correlations with mutants killed", _itself, worth.correlations, worth.worth_correlations
    ),
    "worth-generated": ExhibitKind(
        "Mutants killed by generated inputs", _itself, worth.generated, worth.worth_generated
    ),
    "retrained": ExhibitKind("Training further", _itself, retrained.rows, retrained.retrained, plot_retrained),
}
"""Figures and tables of what coverage is worth, and of what training with test pairs changes."""

PAIR: Mapping[str, ExhibitKind] = {
    "effect": ExhibitKind("Why the decision changes", _itself, sheets.effect, captions.effect, plot_effect),
}
"""Figures of one pair of inputs."""

PLAYGROUND: Mapping[str, ExhibitKind] = {
    "plane": ExhibitKind("The plane of inputs", _itself, playground.plane, captions.plane, plot_plane),
    "neurons": ExhibitKind("Every neuron for both inputs", _itself, playground.neurons, captions.neurons, plot_neurons),
    "definition-parts": ExhibitKind("Parts of the definition", _itself, playground.parts, captions.definition_parts),
    "method": ExhibitKind("A covering method", _itself, playground.method, captions.method, plot_method),
}
"""Figures and tables of two inputs of the paper's example network, and the picture of a covering method."""

EXHIBITS: Mapping[str, ExhibitKind] = {
    **CAMPAIGN,
    **COMPARISON,
    **MEASUREMENT,
    **SELECTION,
    **REPLAY,
    **WORTH,
    **PAIR,
    **PLAYGROUND,
}
"""All of them; no two have one key."""

PAIRS = "pairs"
"""The key of the test pairs themselves, which are in files of their own."""
