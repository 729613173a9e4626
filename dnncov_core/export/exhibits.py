"""What can be exported, by name: from a campaign or a measurement to tables, and from each table to a figure, a sheet
and a caption; those of several campaigns and of the playground are in files of their own. Pages, the command and the
tests are built from these registries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import plotly.graph_objects as go

from dnncov_core import figures
from dnncov_core.campaign.file.store import CampaignStore
from dnncov_core.errors import SpecificationError, unknown_name
from dnncov_core.export import captions, sheets, suite_sheets
from dnncov_core.export.comparisons import COMPARISON, Stores
from dnncov_core.export.kinds import Exhibit, ExhibitKind, Tables
from dnncov_core.export.origin import Origin
from dnncov_core.export.playground import PLAYGROUND
from dnncov_core.export.provenance import of_campaign, of_measurement
from dnncov_core.export.several import of_campaigns
from dnncov_core.programmes import programme_table
from dnncov_core.statistics import (
    By,
    adversarial_table,
    control_table,
    counts_by_layer,
    coverage_table,
    distance_curve,
    distance_table,
    gap_matrix,
    gap_page,
    has_omega,
    omega_table,
    usual_grouping,
)
from dnncov_core.suites.measurement_file import StoredMeasurement


def _by_layer(make: Callable[[CampaignStore, By], Any]) -> Callable[[CampaignStore, str], Tables]:
    """The table in its usual grouping; by decision layer, the one by layer pair as well."""

    def tables(store: CampaignStore, name: str) -> Tables:
        by = usual_grouping(counts_by_layer(store))
        yield "", make(store, by)
        if by is By.DECISION_LAYER:
            yield "by-layer-pair", make(store, By.LAYER_PAIR)

    return tables


def _curves(store: CampaignStore, name: str) -> Tables:
    yield "", [distance_curve(store, name)]


def _omegas(store: CampaignStore, name: str) -> Tables:
    if has_omega(store.spec()):
        yield "", omega_table([store])


def _matrices(store: CampaignStore, name: str) -> Tables:
    edges = list(store.status_counts())
    if not edges:
        yield "", None
    for edge in edges:
        yield f"{edge[0]}-{edge[1]}", gap_matrix(store, edge)


def _gaps(store: CampaignStore, name: str) -> Tables:
    yield "", gap_page(store)


def _programmes(store: CampaignStore, name: str) -> Tables:
    yield "", programme_table(store)


def _by_criterion(found: StoredMeasurement, name: str) -> Tables:
    for measured in found.criteria:
        if measured.rows:
            yield file_part(measured.text), (found, measured)


def _whole(found: StoredMeasurement, name: str) -> Tables:
    yield "", found


def file_part(text: str) -> str:
    """A criterion as part of a file's name.

    >>> file_part("sv:mn=3/10")
    'sv-mn-3-10'
    """
    return "".join(sign if sign.isalnum() else "-" for sign in text)


def plot_suite(table: Any, *, source: str = "") -> go.Figure:
    """`plot_suite_coverage` of a measurement and one of its criteria."""
    return figures.plot_suite_coverage(*table, source=source)


CAMPAIGN: Mapping[str, ExhibitKind] = {
    "coverage": ExhibitKind(
        "Coverage by layer",
        _by_layer(coverage_table),
        sheets.coverage_sheet,
        captions.coverage,
        figures.plot_coverage,
    ),
    "adversarial": ExhibitKind(
        "Adversarial pairs by layer",
        _by_layer(adversarial_table),
        sheets.adversarial_sheet,
        captions.adversarial,
        figures.plot_adversarial,
    ),
    "controls": ExhibitKind(
        "Another label with the same budget",
        _by_layer(control_table),
        sheets.control_sheet,
        captions.controls,
        figures.plot_controls,
    ),
    "distance-curve": ExhibitKind(
        "Accumulated adversarial distance",
        _curves,
        sheets.curve_sheet,
        captions.curves,
        figures.plot_distance_curve,
        ("bands",),
    ),
    "layer-distances": ExhibitKind(
        "Distance by layer",
        _by_layer(distance_table),
        sheets.distance_sheet,
        captions.layer_distances,
        figures.plot_layer_distances,
    ),
    "distance-by-omega": ExhibitKind(
        "Distance by feature size",
        _omegas,
        sheets.omega_sheet,
        captions.omegas,
        figures.plot_distance_by_omega,
    ),
    "gaps": ExhibitKind(
        "Test conditions of a layer pair", _matrices, sheets.gap_sheet, captions.gaps, figures.plot_gaps
    ),
    "conditions": ExhibitKind("Conditions not covered", _gaps, sheets.conditions_sheet, captions.conditions),
    "programmes": ExhibitKind("Cost of linear programmes", _programmes, sheets.programme_sheet, captions.programmes),
}
"""Of a campaign, in the order of the pages."""

MEASUREMENT: Mapping[str, ExhibitKind] = {
    "criteria": ExhibitKind("Coverage by criterion", _whole, suite_sheets.criteria_sheet, captions.criteria),
    "suite-coverage": ExhibitKind(
        "Coverage of one criterion by layer", _by_criterion, suite_sheets.suite_sheet, captions.suite, plot_suite
    ),
    "relations": ExhibitKind(
        "Which criterion is weaker than which",
        _whole,
        suite_sheets.relations_sheet,
        captions.relations,
        figures.plot_relations,
    ),
}
"""Of a measurement."""

KINDS: Mapping[str, ExhibitKind] = {**CAMPAIGN, **COMPARISON, **MEASUREMENT, **PLAYGROUND}
"""All of them; no two have one name."""

PAIRS = "pairs"
"""What the test pairs themselves are called beside these."""


def exhibit(name: str, table: Any, provenance: Origin, *, part: str = "", **options: Any) -> Exhibit:
    """One table that is already there, as a page shows it; ``options`` are those of its plot."""
    return Exhibit(name, KINDS[name], table, provenance, part, options)


def campaign_exhibits(store: CampaignStore, names: Sequence[str] | None = None) -> list[Exhibit]:
    """Everything of a campaign, or what is named.

    Raises:
        SpecificationError: a name that is not known, or of which the campaign has nothing.
    """
    return _exhibits(CAMPAIGN, store, of_campaign(store), names, also=(PAIRS,))


def comparison_exhibits(stores: Stores, names: Sequence[str] | None = None) -> list[Exhibit]:
    """Everything of several campaigns, or what is named.

    Args:
        stores: the campaigns, by what tables and figures call them.
        names: of figures and tables; None for all.

    Raises:
        SpecificationError: a name that is not known, or for which these campaigns have nothing to compare.
    """
    return _exhibits(COMPARISON, stores, of_campaigns(stores), names)


def measurement_exhibits(
    found: StoredMeasurement, measurement_id: str, names: Sequence[str] | None = None, *, name: str = ""
) -> list[Exhibit]:
    """Everything of a measurement, or what is named; ``name`` is the user's own for the measurement.

    Raises:
        SpecificationError: a name that is not known, or of which the measurement has nothing.
    """
    return _exhibits(MEASUREMENT, found, of_measurement(found, measurement_id, name), names)


def _exhibits(
    kinds: Mapping[str, ExhibitKind],
    source: Any,
    provenance: Origin,
    names: Sequence[str] | None,
    also: Sequence[str] = (),
) -> list[Exhibit]:
    made: list[Exhibit] = []
    for name in kinds if names is None else names:
        if name not in kinds:
            raise unknown_name(f"figure of a {provenance.kind}", name, (*kinds, *also))
        some = [
            Exhibit(name, kinds[name], table, provenance, part)
            for part, table in kinds[name].tables(source, provenance.source)
        ]
        if names is not None and not some:
            raise nothing_of(name, provenance, kinds)
        made += some
    return made


def nothing_of(name: str, provenance: Origin, kinds: Iterable[str]) -> SpecificationError:
    """The error for a figure that is known, and that a campaign or measurement does not have."""
    expected = f"a figure that this {provenance.kind} has, one of {', '.join(kind for kind in kinds if kind != name)}"
    return SpecificationError(expected, f"{name}, for which it holds nothing", "leave it out")
